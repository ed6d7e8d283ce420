"""The beginnings of SQLAlchemy's queries, and the classes, aliases and Core tables that expressions begin with."""

from __future__ import annotations

import re
from typing import NamedTuple

from coderag.frameworks.usage.entities import is_class_name, split_model
from coderag.frameworks.usage.source_file import CodeFile
from coderag.frameworks.usage.usage import UsageBuilder
from coderag.sql.in_code.records import Access
from coderag.syntax.trees.call_chains import Chain, Link, chain_of, chains_in, unwrapped
from coderag.syntax.trees.tree import text_of

__all__ = ["NO_FIELDS", "Beginning", "Beginnings"]

LIBRARIES = frozenset(("sqlalchemy", "sqlmodel"))
STARTERS = {
    "select": Access.READ,
    "exists": Access.READ,
    "insert": Access.WRITE,
    "update": Access.WRITE,
    "delete": Access.DELETE,
}
PREFIXES = frozenset(("sa", "sqlalchemy", "db", "sqlmodel", "sql", "pg", "postgresql", "sqlite", "mysql"))
SESSION = re.compile(r"sess|^db$|^s$|_db$|database|^conn|connection|uow|^tx$|^orm$", re.IGNORECASE)
NO_FIELDS = frozenset("query metadata registry __table__ __tablename__ __mapper__ c columns objects".split())


class Beginning(NamedTuple):
    """Where a query begins in a chain, its call, and what it does."""

    position: int
    link: Link
    access: Access


class Beginnings:
    """What the chains of a file begin with."""

    def __init__(self, code: CodeFile) -> None:
        self._code = code
        self._imported = {name for one in code.outline.imports if one.names & LIBRARIES for name in one.names}
        self.is_evident = any(name.encode() in code.data for name in LIBRARIES)

    def of(self, chain: Chain) -> Beginning | None:
        """Return where a query begins in a chain, its call, and what it does; None where it is no query."""
        links = chain.links
        first = links[0]
        if first.name in STARTERS and first.arguments is not None and first.name in self._imported:
            return Beginning(0, first, STARTERS[first.name])
        for position, link in enumerate(links[1:3], 1):
            if link.arguments is None:
                if link.name == "query" and is_class_name(links[position - 1].name) and len(links) > position + 1:
                    return Beginning(position, Link("query", links[position - 1].node, ()), Access.READ)
                continue
            before = links[position - 1]
            if before.arguments is not None:
                return None
            if link.name in STARTERS and before.name in PREFIXES and position == 1 and link.arguments:
                return Beginning(position, link, STARTERS[link.name])
            if link.name in STARTERS and position == 1 and self._is_table(before.name, chain):
                return Beginning(position, link, STARTERS[link.name])
            if link.name == "query" and self.is_session(chain, position) and self._are_entities(link):
                return Beginning(position, link, Access.READ)
            return None
        return None

    def _are_entities(self, link: Link) -> bool:
        chains = [chain_of(argument.node) for argument in link.arguments or ()]
        return bool(chains) and all(chain is not None for chain in chains)

    def is_session(self, chain: Chain, position: int) -> bool:
        """Tell whether the link before a position is a session."""
        name = chain.links[position - 1].name
        if SESSION.search(name):
            return True
        bounds, _ = self._code.told_of(chain)
        return any("ession" in text_of(bound.node)[:200] for bound in bounds)

    def _is_table(self, name: str, chain: Chain) -> bool:
        """Tell whether a name is a table of Core: assigned from Table(...), or its columns are taken by `.c.`."""
        if not self.is_evident or not name or is_class_name(name):
            return False
        for bound in self._code.bound(name, chain.node.start_byte):
            value = chain_of(bound.node)
            if value is not None and value.links[-1].name == "Table":
                return True
        return f"{name}.c.".encode() in self._code.data

    def model_of(self, chain: Chain) -> tuple[str, int]:
        """Return the model that a chain begins with, aliases followed, and how many links that are."""
        model, links = split_model(chain)
        first = chain.links[0]
        if not model and first.arguments is None and first.name:
            if len(chain.links) > 1 and chain.links[1].name in {"c", "columns"} and chain.links[1].arguments is None:
                alias = self._alias_of(first.name, chain)
                return (alias or first.name), 2
            if alias := self._alias_of(first.name, chain):
                return alias, 1
            if self._is_table(first.name, chain):
                return first.name, 1
        if model and links == 1 and (alias := self._alias_of(model, chain)):
            return alias, 1
        if model and len(chain.links) > links + 1 and chain.links[links].name == "__table__":
            return model, links + 2
        return model, links

    def _alias_of(self, name: str, chain: Chain) -> str:
        """Return the model that `name = aliased(Model)` stands for."""
        for bound in reversed(self._code.bound(name, chain.node.start_byte)):
            value = chain_of(bound.node)
            if value is None or (value.links[-1].arguments is None and value.links[-1].name != "__table__"):
                continue
            last = value.links[-1]
            if last.name == "__table__":
                return ".".join(value.names[:-1])
            if last.name == "aliased" and (given := chain_of(last.argument(0))) is not None:
                return split_model(given)[0]
            if last.name == "alias" and len(value.links) == 2:
                return value.links[0].name
        return ""

    def primary(self, chain: Chain, start: Beginning, draft: UsageBuilder) -> str:
        """Note the entities of a query and return the first one's model."""
        position, link, access = start
        if not link.arguments:
            before = chain.links[position - 1] if position else None
            model = (self._alias_of(before.name, chain) or before.name) if before is not None else ""
            if link.name == "query" and position:
                model = ".".join(chain.names[:position])
            draft.use(model, access, whole=link.name in {"query", "select"})
            return model
        first = ""
        for argument in link.arguments:
            for given in chains_in(argument.node):
                model, links = self.model_of(given)
                if not model:
                    continue
                first = first or model
                field = given.links[links].name if len(given.links) > links else ""
                is_whole = not field and unwrapped(argument.node) == given.node and access is not Access.DELETE
                draft.use(model, access if model == first else Access.READ, whole=is_whole and access is Access.READ)
                if field and field not in NO_FIELDS and given.links[links].arguments is None:
                    draft.touch(model, field)
        return first
