"""Expressions to what they evaluate to, as far as that is certain."""

from __future__ import annotations

import ast
import builtins

from scripts.oracle.program import OUTSIDE, Class, Function, Instance, Module, Program, Scope, Value, first_argument

__all__ = ["Values"]

MAX_DEPTH = 30
BUILTINS = frozenset(dir(builtins))


class Values:
    """What names and expressions are; None stands for what cannot be decided."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._depth = 0
        self._known: dict[tuple[int, str], list[Value] | None] = {}
        self._given: dict[tuple[int, str], list[Value] | None] = {}
        self._lines: dict[int, list[Class | str] | None] = {}
        self._below: dict[int, list[Class]] = {}
        for class_ in program.classes:
            for base in self.bases(class_):
                if isinstance(base, Class):
                    self._below.setdefault(id(base), []).append(class_)

    def of(self, scope: Scope, node: ast.AST | None) -> list[Value] | None:
        """Return all that an expression may be."""
        self._depth += 1
        try:
            return self._of(scope, node) if self._depth < MAX_DEPTH else None
        finally:
            self._depth -= 1

    def _of(self, scope: Scope, node: ast.AST | None) -> list[Value] | None:
        if isinstance(node, ast.Name):
            return self.named(scope, node.id)
        if isinstance(node, ast.Attribute):
            receivers = self.of(scope, node.value)
            if receivers is None:
                return None
            if node.attr == "__class__" and all(isinstance(receiver, Instance) for receiver in receivers):
                return [receiver.of for receiver in receivers if isinstance(receiver, Instance)]
            return self._all([self.attribute(receiver, node.attr) for receiver in receivers])
        if isinstance(node, ast.Call):
            return self._called(scope, node)
        if isinstance(node, ast.IfExp):
            return self._all([self.of(scope, node.body), self.of(scope, node.orelse)])
        if isinstance(node, ast.NamedExpr):
            return self.of(scope, node.value)
        return None

    def _called(self, scope: Scope, node: ast.Call) -> list[Value] | None:
        function = node.func
        if isinstance(function, ast.Name) and function.id == "super" and not node.args:
            around = class_around(scope)
            return [Instance(around, above=True)] if around is not None else None
        if isinstance(function, ast.Name) and function.id == "type" and len(node.args) == 1:
            given = self.of(scope, node.args[0])
            if given is None or not all(isinstance(one, Instance) for one in given):
                return None
            return [one.of for one in given if isinstance(one, Instance)]
        called = self.of(scope, function)
        if called is None:
            return None
        found: list[list[Value] | None] = []
        for one in called:
            if isinstance(one, Class):
                found.append([Instance(one)] if not self._makes_others(one) else None)
            elif one == OUTSIDE:
                found.append([OUTSIDE])
            elif isinstance(one, Function) and isinstance(one.node, ast.FunctionDef) and one.node.returns is not None:
                found.append(self.annotated(one, one.node.returns) if not one.decorators else None)
            else:
                found.append(None)
        return self._all(found)

    def _makes_others(self, one: Class) -> bool:
        """Tell whether a call of a class may give something else: a metaclass or __new__ of its own decides."""
        line = self.line(one)
        if line is None:
            return True
        return any(isinstance(each, Class) and "__new__" in each.names for each in line)

    def annotated(self, scope: Scope, node: ast.expr) -> list[Value] | None:
        """Return the instances that an annotation means."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                node = ast.parse(node.value, mode="eval").body
            except SyntaxError:
                return None
        found = self.of(scope.outer or scope, node) if isinstance(node, ast.Name | ast.Attribute) else None
        if not found or not all(isinstance(one, Class) for one in found):
            return None
        return [Instance(one) for one in found if isinstance(one, Class)]

    def named(self, scope: Scope, name: str) -> list[Value] | None:
        """Return what a name is in a scope, by the rules of the language for scopes."""
        around: Scope | None = scope
        while around is not None:
            skip = isinstance(around, Class) and around is not scope
            if not skip and name in around.names:
                return self._bound(around, name)
            if isinstance(around, Module):
                starred = self._starred(around, name)
                return starred if starred is not None else ([OUTSIDE] if name in BUILTINS else None)
            around = around.outer
        return None

    def _bound(self, scope: Scope, name: str) -> list[Value] | None:
        key = id(scope), name
        if key not in self._known:
            self._known[key] = None  # a name that leads to itself
            self._known[key] = self._find_bound(scope, name)
        return self._known[key]

    def _find_bound(self, scope: Scope, name: str) -> list[Value] | None:
        found: list[list[Value] | None] = []
        for one in scope.names[name]:
            if isinstance(one, Scope):
                found.append([one])
            elif isinstance(one, tuple):
                found.append(self.imported(scope, one))
            elif isinstance(one, ast.arg):
                found.append(self._argument(scope, one))
            elif isinstance(one, ast.Constant) and one.value is None and len(scope.names[name]) > 1:
                continue
            elif isinstance(one, ast.AnnAssign):
                found.append(self.annotated(scope, one.annotation))
            else:
                found.append(self.of(scope, one))
        return self._all(found)

    def _argument(self, scope: Scope, one: ast.arg) -> list[Value] | None:
        if isinstance(scope, Function) and isinstance(scope.outer, Class) and one.arg == first_argument(scope):
            if "classmethod" in scope.decorators or scope.qualified.endswith(".__new__") or self.is_meta(scope.outer):
                return [scope.outer] if not self.is_meta(scope.outer) else None
            return [Instance(scope.outer)]
        return self.annotated(scope, one.annotation) if one.annotation is not None else None

    def is_meta(self, one: Class) -> bool:
        """Tell whether a class is a metaclass."""
        node = one.node
        return (
            isinstance(node, ast.ClassDef)
            and any(
                (isinstance(base, ast.Name) and (base.id == "type" or base.id.endswith(("Meta", "Base", "Metaclass"))))
                for base in node.bases
            )
            and one.qualified.endswith(("Meta", "Base", "Metaclass", "type"))
        )

    def imported(self, scope: Scope, one: tuple[str, int, str]) -> list[Value] | None:
        """Return what an import gives."""
        module = self.module_named(scope, one[0], one[1])
        if module is None:
            return [OUTSIDE]
        return [module] if not one[2] else self.exported(module, one[2])

    def module_named(self, scope: Scope, name: str, level: int) -> Module | None:
        """Return a module by its name, relative to the module of a scope."""
        around = scope
        while around.outer is not None:
            around = around.outer
        if level and isinstance(around, Module):
            parts = around.name.split(".")
            parts = parts[: len(parts) - level + (1 if around.is_package else 0)]
            name = ".".join([*parts, name] if name else parts)
        return self.program.modules.get(name)

    def exported(self, module: Module, name: str) -> list[Value] | None:
        """Return an attribute of a module."""
        self._depth += 1
        try:
            if self._depth > MAX_DEPTH:
                return None
            if name in module.names:
                return self._bound(module, name)
            inner = self.program.modules.get(f"{module.name}.{name}")
            return [inner] if inner is not None else self._starred(module, name)
        finally:
            self._depth -= 1

    def _starred(self, module: Module, name: str) -> list[Value] | None:
        for other, level in module.stars:
            source = self.module_named(module, other, level)
            if source is None or source is module:
                continue
            public = name in source.exports if source.exports is not None else not name.startswith("_")
            found = self.exported(source, name) if public else None
            if found is not None:
                return found
        return None

    def attribute(self, value: Value, name: str) -> list[Value] | None:
        """Return an attribute of a value."""
        if isinstance(value, Module):
            return self.exported(value, name)
        if isinstance(value, Class):
            return self.member(value, name)
        if isinstance(value, Instance):
            return self.member(value.of, name, above=value.above)
        return [OUTSIDE] if value == OUTSIDE else None

    def member(self, one: Class, name: str, *, above: bool = False) -> list[Value] | None:
        """Return a member as the order of base classes gives it."""
        line = self.line(one)
        if line is None:
            return None
        for each in line[1:] if above else line:
            if not isinstance(each, Class):
                if each == "object":
                    continue
                return None  # it may come from there
            if name in each.names:
                if not above and any(isinstance(other, Class) and name in other.attributes for other in line):
                    return None
                found = self._bound(each, name)
                if found is not None and any(isinstance(f, Function) and f.decorators & PROPERTIES for f in found):
                    return None
                return found
            if name in each.attributes:
                return self._assigned(each, name, line)
        return None

    def _assigned(self, one: Class, name: str, line: list[Class | str]) -> list[Value] | None:
        key = id(one), name
        if key not in self._given:
            self._given[key] = None
            self._given[key] = self._find_assigned(one, name, line)
        return self._given[key]

    def _find_assigned(self, one: Class, name: str, line: list[Class | str]) -> list[Value] | None:
        """Return what self.name is: what it is given anywhere, when all of that is certain."""
        found: list[list[Value] | None] = []
        for each in [*line, *self._all_below(one)]:
            if isinstance(each, Class):
                for node, scope in each.attributes.get(name, ()):
                    if not (isinstance(node, ast.Constant) and node.value is None):
                        found.append(
                            self.annotated(scope, node.annotation)
                            if isinstance(node, ast.AnnAssign)
                            else self.of(scope, node)
                        )
        return self._all(found)

    def _all_below(self, one: Class) -> list[Class]:
        found: list[Class] = []
        waiting = [one]
        while waiting:
            for each in self._below.get(id(waiting.pop()), ()):
                if each not in found:
                    found.append(each)
                    waiting.append(each)
        return found

    def bases(self, one: Class) -> list[Class | str | None]:
        """Return the bases of a class: str for one from elsewhere, None for one that cannot be told."""
        node = one.node
        found: list[Class | str | None] = []
        if isinstance(node, ast.ClassDef) and one.outer is not None:
            for base in node.bases:
                values = self.of(one.outer, base.value if isinstance(base, ast.Subscript) else base)
                first = values[0] if values and len(values) == 1 else None
                name = base.id if isinstance(base, ast.Name) else ast.unparse(base)
                found.append(first if isinstance(first, Class) else name if first == OUTSIDE else None)
        return found

    def line(self, one: Class) -> list[Class | str] | None:
        """Return the order in which members are looked for; None where a base cannot be told."""
        if id(one) not in self._lines:
            self._lines[id(one)] = None
            self._lines[id(one)] = self._line(one)
        return self._lines[id(one)]

    def _line(self, one: Class) -> list[Class | str] | None:
        lines: list[list[Class | str]] = []
        heads: list[Class | str] = []
        for base in self.bases(one):
            if base is None:
                return None
            line = self.line(base) if isinstance(base, Class) else [base]
            if line is None:
                return None
            lines.append(list(line))
            heads.append(base)
        merged: list[Class | str] = [one]
        rest = [*lines, heads]
        while rest := [line for line in rest if line]:
            head = next((line[0] for line in rest if not any(line[0] in other[1:] for other in rest)), None)
            if head is None:
                return None
            merged.append(head)
            rest = [[each for each in line if each != head] for line in rest]
        return merged

    def _all(self, found: list[list[Value] | None]) -> list[Value] | None:
        """Return all of some answers; None when one of them is none."""
        values: list[Value] = []
        for one in found:
            if one is None:
                return None
            values += [each for each in one if each not in values]
        return values or None


PROPERTIES = frozenset({"property", "cached_property", "classproperty"})


def class_around(scope: Scope) -> Class | None:
    """Return the class that a method is in."""
    around: Scope | None = scope
    while around is not None:
        if isinstance(around, Class):
            return around
        around = around.outer
    return None
