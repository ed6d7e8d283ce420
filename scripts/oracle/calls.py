"""The calls of a program: who calls whom, and which cannot be decided."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path

from scripts.oracle.program import OUTSIDE, Class, Function, Instance, Module, Scope, read_program
from scripts.oracle.values import Values

__all__ = ["Calls", "read_calls"]

Place = tuple[str, str]


@dataclass
class Calls:
    """Pairs of caller and callee, each a path and a qualified name."""

    paths: set[str]
    pairs: set[tuple[Place, Place]] = field(default_factory=set)
    lines: dict[tuple[Place, Place], int] = field(default_factory=dict)
    count: int = 0
    undecided: int = 0
    _names: set[tuple[Place, str]] = field(default_factory=set)
    _lines: set[tuple[Place, int]] = field(default_factory=set)
    spans: dict[str, list[tuple[int, int, str]]] = field(default_factory=dict)

    def is_open(self, caller: Place, name: str, line: int) -> bool:
        """Tell whether a caller has a call of a name, or on a line, that cannot be decided."""
        return (caller, name) in self._names or (caller, line) in self._lines

    def around(self, path: str, line: int) -> str:
        """Return the qualified name of the innermost function or class around a line."""
        inside = [span for span in self.spans.get(path, ()) if span[0] <= line <= span[1]]
        return min(inside, key=lambda span: span[1] - span[0])[2] if inside else ""

    def add(self, caller: Place, callee: Function, line: int) -> None:
        """Add a pair."""
        pair = caller, (callee.path, callee.qualified)
        self.pairs.add(pair)
        self.lines.setdefault(pair, line)

    def leave_open(self, caller: Place, node: ast.Call) -> None:
        """Note a call that cannot be decided."""
        self.undecided += 1
        function = node.func
        if isinstance(function, ast.Attribute):
            self._names.add((caller, function.attr))
        last = function.end_lineno or function.lineno
        self._lines.update((caller, line) for line in range(node.lineno, last + 1))


def read_calls(root: Path, package: str) -> Calls:
    """Return the calls below a folder of a root."""
    program = read_program(root, package)
    values = Values(program)
    calls = Calls(program.paths)
    waiting: list[Scope] = list(program.modules.values())
    while waiting:
        scope = waiting.pop()
        waiting += scope.inner
        node = scope.node
        if not isinstance(scope, Module) and isinstance(node, ast.stmt):
            span = node.lineno, node.end_lineno or node.lineno, scope.qualified
            calls.spans.setdefault(scope.path, []).append(span)
        _read(scope, values, calls)
    return calls


def _read(scope: Scope, values: Values, calls: Calls) -> None:
    node = scope.node
    decorators = getattr(node, "decorator_list", [])
    inner = {id(one.node) for one in scope.inner}
    waiting: list[ast.AST] = [one for one in ast.iter_child_nodes(node) if one not in decorators]
    caller = scope.path, scope.qualified
    while waiting:
        one = waiting.pop()
        if id(one) in inner or isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        waiting.extend(ast.iter_child_nodes(one))
        if isinstance(one, ast.Call):
            _read_call(scope, one, caller=caller, values=values, calls=calls)


def _read_call(scope: Scope, node: ast.Call, *, caller: Place, values: Values, calls: Calls) -> None:
    calls.count += 1
    found = values.of(scope, node.func)
    if found is None:
        calls.leave_open(caller, node)
        return
    for one in found:
        if isinstance(one, Function):
            calls.add(caller, one, node.lineno)
        elif isinstance(one, Class):
            for name in ("__init__", "__new__"):
                for each in values.member(one, name) or ():
                    if isinstance(each, Function):
                        calls.add(caller, each, node.lineno)
            line = values.line(one)
            if line is None or any(isinstance(each, str) for each in line):
                calls.leave_open(caller, node)
        elif isinstance(one, Instance):
            if one.above:
                continue
            called = values.member(one.of, "__call__")
            for each in called or ():
                if isinstance(each, Function):
                    calls.add(caller, each, node.lineno)
            if called is None:
                calls.leave_open(caller, node)
        elif one != OUTSIDE:
            calls.leave_open(caller, node)
