"""What the statements of a migration come to, one after the other: operations, and what could not be read."""

from __future__ import annotations

from tree_sitter import Node

from coderag.frameworks.common.embedded_sql import read_embedded
from coderag.frameworks.common.embedded_words import changes_schema
from coderag.frameworks.common.origins import COMPUTED_REASON, lines_of, unparsed_at
from coderag.frameworks.engine.columns import Made
from coderag.sql.records import Facts, SchemaOperation, Series, Unparsed
from coderag.syntax.trees.literals import Literal
from coderag.syntax.trees.tree import text_of

__all__ = ["Steps", "sql_facts"]


class Steps:
    """What the statements of a migration have come to so far."""

    def __init__(self, path: str) -> None:
        self.operations: list[SchemaOperation] = []
        self.unparsed: list[Unparsed] = []
        self.found = 0  # statements on the schema
        self.path = path

    def add(self, node: Node, made: Made, into: list[SchemaOperation] | None = None) -> None:
        """Add what a statement does; what is computed is noted with its place."""
        if made is None:
            self.lose(node)
        else:
            (self.operations if into is None else into).extend(made)

    def lose(self, node: Node, reason: str = COMPUTED_REASON) -> None:
        """Note a statement that is not read."""
        self.unparsed.append(unparsed_at(node, reason))

    def sql(self, call: Node, argument: Node, text: Literal) -> None:
        """Add what the SQL does that a call is given; what changes rows only is passed over."""
        facts = sql_facts(call, argument, text, path=self.path)
        if facts is not None:
            self.found += 1
            self.operations += facts.operations
            self.unparsed += facts.unparsed

    def facts(self, series: Series | None) -> Facts:
        """Return all of it as the facts of a file."""
        return Facts(
            statements=self.found, series=series, unparsed=tuple(self.unparsed), operations=tuple(self.operations)
        )


def sql_facts(call: Node, argument: Node, text: Literal, *, path: str, dialect: str = "") -> Facts | None:
    """Return what the SQL that a call is given does, given also by its value; None for what changes rows only."""
    if not changes_schema(text if isinstance(text, str) else text_of(argument)):
        return None
    if not isinstance(text, str):
        return Facts(unparsed=(unparsed_at(call, COMPUTED_REASON),))
    return read_embedded(text, source=lines_of(argument), path=path, dialect=dialect)
