"""Literals to the calls that they are given to, by themselves or in a variable: db.rows("SELECT 1"), db.rows(sql)."""

from __future__ import annotations

from tree_sitter import Node

from coderag.sql.in_code.handed import CALLEE
from coderag.sql.in_code.records import GivenTo
from coderag.syntax.trees.local_names import Names
from coderag.syntax.trees.local_scopes import Scope
from coderag.syntax.trees.node_types import NAMES
from coderag.syntax.trees.nodes import Called, bare_name, written

__all__ = ["GivenCalls"]

MAX_LITERAL = 20_000  # bytes of an argument


class GivenCalls:
    """The calls of a file by what they are given."""

    def __init__(self, names: Names) -> None:
        self._by_start: list[tuple[int, int, GivenTo]] = []  # arguments that are expressions, outermost first
        self._by_name: dict[tuple[int, str], GivenTo] = {}  # variables, by the scope that the call stands in
        for call, scope in names.calls():
            if callee := _callee(call):
                self._add(call, callee, scope)

    def _add(self, call: Called, callee: str, scope: Scope) -> None:
        position = -1
        for argument in call.arguments:
            position += not argument.name
            given = GivenTo(callee, -1 if argument.name else position, name=argument.name)
            node = argument.node
            if node.type in NAMES:
                self._by_name.setdefault((scope.start, bare_name(node)), given)
            elif node.end_byte - node.start_byte <= MAX_LITERAL:
                self._by_start.append((node.start_byte, node.end_byte, given))

    def of(self, node: Node, name: str, scope: Scope) -> GivenTo | None:
        """Return the innermost call that a literal is given to, else the first that a variable which holds it is."""
        best: tuple[int, int, GivenTo] | None = None
        for start, end, given in self._by_start:
            is_around = start <= node.start_byte and node.end_byte <= end
            if is_around and (best is None or end - start <= best[1] - best[0]):
                best = start, end, given
        return best[2] if best is not None else self._by_name.get((scope.start, name))


def _callee(call: Called) -> str:
    receiver = written(call.receiver)
    callee = f"{receiver}.{call.name}" if call.receiver is not None else call.name
    return callee if CALLEE.fullmatch(callee) else ""
