"""Calls of a project's own helpers around Alembic's operations, which other files define, to those operations.

Nobody sees into them; their names say what they do: `add_columns(...)`, `create_table_if_not_exists(...)`.
"""

from __future__ import annotations

import re

from coderag.syntax.languages.python import Call, Code, last_part

__all__ = ["wrapped_operations"]

NAME = re.compile(
    r"(?:op_|safe_|maybe_)?(?P<operation>(?:create|drop)_table|(?:add|drop)_columns?)"
    r"(?:_safe|_idempotent|(?:_if)?_(?:not_exists?|exists?|missing|needed|present|does_not_exist))?"
)


def wrapped_operations(call: Call, code: Code) -> list[tuple[str, Call]]:
    """Return the operations that an imported helper does, by its name, with their arguments; none for other calls."""
    match = NAME.fullmatch(last_part(call.name))
    if match is None or "." not in call.name or not call.arguments or code.string(call.arguments[0]) is None:
        return []
    operation = match["operation"]
    if not operation.endswith("_columns"):
        return [(operation, call)]
    table, *columns = call.arguments
    if len(columns) == 1 and (items := code.items(columns[0])) is not None:
        columns = items
    single = operation.removesuffix("s")
    return [(single, Call(single, call.node, (table, column), {}, call.complete)) for column in columns]
