"""Python files to modules, classes and functions, and names in them to what they are."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["OUTSIDE", "Class", "Function", "Instance", "Module", "Program", "Scope", "Value", "read_program"]

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(eq=False)
class Scope:
    """A module, class or function: its names, each with all that gives it a value."""

    path: str
    qualified: str
    node: ast.AST
    outer: Scope | None
    names: dict[str, list[ast.AST | Scope | tuple[str, int, str]]] = field(default_factory=dict)
    elsewhere: set[str] = field(default_factory=set)  # declared global or nonlocal
    stars: list[tuple[str, int]] = field(default_factory=list)
    inner: list[Scope] = field(default_factory=list)


class Module(Scope):
    """A file."""

    name: str = ""
    is_package: bool = False
    exports: frozenset[str] | None = None


class Class(Scope):
    """A class; `attributes` is what is assigned to self.x in its methods."""

    attributes: dict[str, list[tuple[ast.AST | None, Scope]]]


class Function(Scope):
    """A function; `decorators` are the last parts of their names."""

    decorators: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Instance:
    """An instance of a class or of one that inherits from it; `above`: as super() gives it."""

    of: Class
    above: bool = False


OUTSIDE = "outside"
UNKNOWN = ast.Pass()  # stands for a value of which nothing is said
Value = Scope | Instance | str


class Program:
    """All modules of a package."""

    def __init__(self) -> None:
        self.modules: dict[str, Module] = {}
        self.paths: set[str] = set()
        self.classes: list[Class] = []


def read_program(root: Path, package: str) -> Program:
    """Return the modules below a folder of a root."""
    program = Program()
    for file in sorted((root / package).rglob("*.py")):
        path = file.relative_to(root).as_posix()
        parts = path.removesuffix(".py").split("/")
        try:
            tree = ast.parse(file.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError):
            continue
        module = Module(path, "", tree, None)
        module.is_package = parts[-1] == "__init__"
        module.name = ".".join(parts[:-1] if module.is_package else parts)
        program.modules[module.name] = module
        program.paths.add(path)
        _Filler(program, module, module).fill(tree.body)
        module.exports = _exports(tree)
    return program


def _exports(tree: ast.Module) -> frozenset[str] | None:
    for one in tree.body:
        if isinstance(one, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in one.targets):
            try:
                return frozenset(ast.literal_eval(one.value))
            except (ValueError, TypeError):
                return None
    return None


class _Filler(ast.NodeVisitor):
    """Gives a scope its names, and those inside of it theirs."""

    def __init__(self, program: Program, module: Module, scope: Scope) -> None:
        self.program = program
        self.module = module
        self.scope = scope

    def fill(self, body: list[ast.stmt]) -> None:
        for one in body:
            self.visit(one)

    def _bind(self, name: str, value: ast.AST | Scope | tuple[str, int, str]) -> None:
        if name not in self.scope.elsewhere:
            self.scope.names.setdefault(name, []).append(value)

    def _qualified(self, name: str) -> str:
        return f"{self.scope.qualified}.{name}" if self.scope.qualified else name

    def visit_Import(self, node: ast.Import) -> None:
        for name in node.names:
            if name.asname:
                self._bind(name.asname, (name.name, 0, ""))
            else:
                self._bind(name.name.partition(".")[0], (name.name.partition(".")[0], 0, ""))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for name in node.names:
            if name.name == "*":
                self.scope.stars.append((node.module or "", node.level))
            else:
                self._bind(name.asname or name.name, (node.module or "", node.level, name.name))

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        made = Class(self.scope.path, self._qualified(node.name), node, self.scope)
        made.attributes = {}
        self.program.classes.append(made)
        self.scope.inner.append(made)
        self._bind(node.name, made)
        _Filler(self.program, self.module, made).fill(node.body)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        made = self._function(node.name, node)
        made.decorators = frozenset(
            each.attr if isinstance(each, ast.Attribute) else each.id if isinstance(each, ast.Name) else "?"
            for one in node.decorator_list
            for each in [one.func if isinstance(one, ast.Call) else one]
        )
        self._bind(node.name, made)
        filler = _Filler(self.program, self.module, made)
        for one in ast.walk(node):
            if isinstance(one, ast.Global | ast.Nonlocal) and _owner_of(node, one):
                made.elsewhere.update(one.names)
        filler.fill(node.body)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def _function(self, name: str, node: FunctionNode) -> Function:
        made = Function(self.scope.path, self._qualified(name), node, self.scope)
        self.scope.inner.append(made)
        arguments = node.args
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            made.names[argument.arg] = [argument]
        for rest in (arguments.vararg, arguments.kwarg):
            if rest is not None:
                made.names[rest.arg] = [UNKNOWN]
        return made

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._comprehended(node)

    def _comprehended(self, node: ast.AST) -> None:
        """Take the names of lambdas for local ones of what is around."""
        if isinstance(node, ast.Lambda):
            arguments = node.args
            for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
                self._bind(argument.arg, UNKNOWN)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        simple = not isinstance(self.scope, Function) and len(node.targets) == 1
        for target in node.targets:
            if isinstance(target, ast.Name) and simple and isinstance(node.value, ast.Lambda):
                made = self._function(target.id, node.value)
                self._bind(target.id, made)
                return
            self._assign(target, node.value)
        self.visit(node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._assign(node.target, node)
        if node.value is not None:
            self.visit(node.value)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self._assign(node.target, node.value)
        self.visit(node.value)

    def _assign(self, target: ast.expr, value: ast.AST) -> None:
        if isinstance(target, ast.Name):
            self._bind(target.id, value)
        elif isinstance(target, ast.Attribute):
            self._attribute(target, value)
        elif isinstance(target, ast.Tuple | ast.List):
            for element in target.elts:
                self._assign(element, UNKNOWN)
        elif isinstance(target, ast.Starred):
            self._assign(target.value, UNKNOWN)

    def _attribute(self, target: ast.Attribute, value: ast.AST) -> None:
        method = self.scope
        while method is not None and not isinstance(method.outer, Class):
            if method.outer is None:
                return
            method = method.outer
        if not isinstance(method, Function) or not isinstance(method.outer, Class):
            return
        if isinstance(target.value, ast.Name) and target.value.id == first_argument(method):
            method.outer.attributes.setdefault(target.attr, []).append((value, self.scope))

    def generic_visit(self, node: ast.AST) -> None:
        """Bind the names that other nodes give a value of which nothing is said."""
        if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension | ast.AugAssign):
            self._assign(node.target, UNKNOWN)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self._assign(node.optional_vars, UNKNOWN)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            self._bind(node.name, UNKNOWN)
        super().generic_visit(node)


def _owner_of(function: ast.AST, statement: ast.AST) -> bool:
    """Tell whether a statement is a function's own and none of one inside."""
    return any(node is statement for node in own_nodes(function))


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes below a node that are in no function or class of their own."""
    waiting = list(ast.iter_child_nodes(node))
    while waiting:
        one = waiting.pop()
        yield one
        if not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(one))


def first_argument(function: Function) -> str:
    """Return the name of a method's first argument, "" for none."""
    node = function.node
    if not isinstance(node, FunctionNode) or "staticmethod" in function.decorators:
        return ""
    names = [*node.args.posonlyargs, *node.args.args]
    return names[0].arg if names else ""
