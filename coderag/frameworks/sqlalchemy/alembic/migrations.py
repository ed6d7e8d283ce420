"""Alembic's migrations to operations: what `upgrade` does to the database, followed as far as it is written out.

https://alembic.sqlalchemy.org/en/latest/ops.html
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from coderag.frameworks.common.embedded_sql import read_embedded
from coderag.frameworks.common.origins import lines_of, unparsed_at
from coderag.frameworks.sqlalchemy.alembic.branches import branches, lenient
from coderag.frameworks.sqlalchemy.alembic.operations import COMPUTED, PASSED, Step, read_step
from coderag.frameworks.sqlalchemy.alembic.wrappers import wrapped_operations
from coderag.sql.records import Facts, Name, SchemaOperation, Series, Unparsed
from coderag.syntax.languages.python import Call, Code, definition_of, last_part, read_python
from coderag.syntax.languages.python_loops import rounds
from coderag.syntax.trees.tree import descendants, named, text_of

__all__ = ["read"]

MODULES = frozenset({"alembic.op", "op"})
MAX_DEPTH = 10  # functions that call functions, blocks in blocks
MAX_BLOCKS = 2_000  # bodies of loops and functions that are followed in one file
MAX_SAME = 50  # notes among which the same one is looked for
DEFINITIONS = frozenset({"function_definition", "class_definition", "decorated_definition"})
NOTHING = frozenset({"pass_statement", "comment", "return_statement", "global_statement", "import_from_statement"})


@dataclass
class Reader:
    """What a migration does, as far as it was followed."""

    path: str
    operations: list[SchemaOperation] = field(default_factory=list)
    unparsed: list[Unparsed] = field(default_factory=list)
    blocks: int = 0

    def lose(self, node: Node) -> None:
        """Note a statement that was not read, once however often it runs."""
        unparsed = unparsed_at(node, COMPUTED)
        if unparsed not in self.unparsed[-MAX_SAME:]:
            self.unparsed.append(unparsed)


@dataclass(frozen=True, slots=True)
class Scope:
    """What names stand for where a statement is."""

    code: Code
    batches: Mapping[str, Name]  # the variables of batch blocks, and the tables that those are about
    changing: frozenset[str] = frozenset()  # functions of the file that call operations
    depth: int = 0

    def assigned(self, names: Mapping[str, Node]) -> Scope:
        """Return the scope behind some assignments."""
        return replace(self, code=self.code.with_names(names))


def read(data: bytes, *, language: str, path: str) -> Facts | None:  # noqa: ARG001
    """Return what an Alembic migration does, None for any other file."""
    code = read_python(data)
    function = code.functions.get("upgrade")
    if function is None or "revision" not in code.names or "down_revision" not in code.names:
        return None
    reader = Reader(path)
    _follow(_body(_upgrade_of_only_engine(code) or function), Scope(code, {}, _changing_functions(code)), reader)
    after = [name for word in ("down_revision", "depends_on") for name in code.strings(code.names.get(word)) or ()]
    return Facts(
        statements=len(reader.operations) + len(reader.unparsed),
        series=Series(
            tool="alembic", name=code.string(code.names["revision"]) or "", after=tuple(dict.fromkeys(after))
        ),
        operations=tuple(reader.operations),
        unparsed=tuple(reader.unparsed),
    )


def _upgrade_of_only_engine(code: Code) -> Node | None:
    """Return `upgrade_x` where `upgrade` only chooses among functions by the name of a database and there is one."""
    function = code.functions["upgrade"]
    if "globals()" not in text_of(function):
        return None
    nodes = [node for name, node in code.functions.items() if name.startswith("upgrade_")]
    return nodes[0] if len(nodes) == 1 else None


def _body(function: Node) -> list[Node]:
    return named(definition_of(function).child_by_field_name("body"))


def _follow(statements: Sequence[Node], scope: Scope, reader: Reader) -> None:
    """Read statements in order; what a name is assigned to holds for those behind."""
    reader.blocks += 1
    for statement in statements:
        if statement.type == "expression_statement":
            scope = _expression(statement, scope, reader)
        elif statement.type == "with_statement":
            _with(statement, scope, reader)
        elif statement.type == "for_statement":
            _loop(statement, scope, reader)
        elif statement.type == "if_statement":
            _branch(statement, scope, reader)
        elif statement.type == "try_statement":
            _leniently([statement.child_by_field_name("body")], scope, reader)
        elif statement.type not in DEFINITIONS | NOTHING:
            # Whether a branch is taken is not known.
            for node in _changes_in(statement, scope):
                reader.lose(node)


def _expression(statement: Node, scope: Scope, reader: Reader) -> Scope:
    """Read a call or an assignment, and return what names stand for behind it."""
    for child in named(statement):
        value: Node | None = child
        if child.type == "assignment":
            left, value = child.child_by_field_name("left"), child.child_by_field_name("right")
            if left is not None and left.type == "identifier" and value is not None:
                scope = scope.assigned({text_of(left): value})
        if value is not None and value.type == "call":
            _call(value, scope, reader)
        elif value is not None:
            for node in _changes_in(value, scope):  # in a list comprehension, behind `and`
                reader.lose(node)
    return scope


def _call(node: Node, scope: Scope, reader: Reader) -> None:
    """Read a call: an operation, SQL that is sent, or a function of the file whose body is followed.

    `op.drop_table("users")` -> the table is dropped; `op.execute("DROP TABLE users")` -> the same by SQL
    """
    call = scope.code.call_at(node)
    owner, _, name = call.name.rpartition(".")
    if owner in MODULES or owner in scope.batches:
        _operation(name, Step(call, scope.code, scope.batches.get(owner)), reader)
    elif _is_connection(node, scope):
        _execute(Step(call, scope.code, None), reader)
    elif scope.code.imports and (wrapped := wrapped_operations(call, scope.code)):
        for operation, wrapped_call in wrapped:
            done = read_step(operation, Step(wrapped_call, scope.code, None))
            reader.operations += [lenient(one) for one in done if not isinstance(one, Unparsed)]
            reader.unparsed += [unparsed for unparsed in done if isinstance(unparsed, Unparsed)]
    elif (function := scope.code.functions.get(call.name)) is None:
        for inner in _changes_in(node, scope):
            reader.lose(inner)
    elif scope.depth >= MAX_DEPTH or reader.blocks >= MAX_BLOCKS:
        reader.lose(node)
    else:
        _follow_call(call, function, scope, reader)


def _operation(name: str, step: Step, reader: Reader) -> None:
    """Read a method of `op`."""
    if name == "execute":
        _execute(step, reader)
        return
    for done in read_step(name, step):
        if isinstance(done, Unparsed):
            reader.unparsed.append(done)
        else:
            reader.operations.append(done)


def _follow_call(call: Call, function: Node, scope: Scope, reader: Reader) -> None:
    """Read the body of a function with the arguments that a call gives it."""
    parameters = named(definition_of(function).child_by_field_name("parameters"))
    names = [text_of(parameter.child_by_field_name("name") or parameter) for parameter in parameters]
    arguments = dict(zip(names, call.arguments, strict=False)) | dict(call.keywords)
    known = {name: value for name, argument in arguments.items() if (value := scope.code.resolve(argument)) is not None}
    inner_scope = replace(scope.assigned(known), batches={}, depth=scope.depth + 1)
    _follow(_body(function), inner_scope, reader)


def _is_connection(node: Node, scope: Scope) -> bool:
    """Tell whether a call is `execute` of the connection, which op.get_bind() returns."""
    function = node.child_by_field_name("function")
    if function is None or text_of(function.child_by_field_name("attribute")) != "execute":
        return False
    made = scope.code.call(function.child_by_field_name("object"))
    return made is not None and last_part(made.name) == "get_bind"


def _with(statement: Node, scope: Scope, reader: Reader) -> None:
    """Read a block; one of batch_alter_table is about a table."""
    batches = dict(scope.batches)
    clause = next(iter(named(statement, "with_clause")), None)
    for item in named(clause, "with_item"):
        node = item.child_by_field_name("value") or next(iter(named(item)), None)
        target = ""
        if node is not None and node.type == "as_pattern":
            target = text_of(node.child_by_field_name("alias"))
            node = next(iter(named(node)), None)
        call = scope.code.call(node)
        if call is None or last_part(call.name) != "batch_alter_table":
            continue
        name = scope.code.string(call.argument(0, "table_name"))
        if name is None:
            reader.lose(statement)
            return
        batches[target] = Name(name, schema=scope.code.string(call.keywords.get("schema")) or "")
    inner = replace(scope, batches=batches, depth=scope.depth + 1)
    if scope.depth < MAX_DEPTH:
        _follow(named(statement.child_by_field_name("body")), inner, reader)
        return
    for changing in _changes_in(statement, inner):
        reader.lose(changing)


def _loop(statement: Node, scope: Scope, reader: Reader) -> None:
    """Read a loop over a list that is written out, as often as it runs."""
    body = named(statement.child_by_field_name("body"))
    if not _changes_in(statement, scope):
        return
    found = rounds(statement, scope.code)
    if found is None or scope.depth >= MAX_DEPTH or reader.blocks + len(found) >= MAX_BLOCKS:
        reader.lose(statement)
        return
    for names in found:
        _follow(body, replace(scope.assigned(names), depth=scope.depth + 1), reader)


def _branch(statement: Node, scope: Scope, reader: Reader) -> None:
    """Read the blocks of an `if` that are run."""
    changing = _changes_in(statement, scope)
    if not changing:
        return
    found = branches(statement, scope.code) if scope.depth < MAX_DEPTH and reader.blocks < MAX_BLOCKS else None
    if found is None:
        for node in changing:
            reader.lose(node)
        return
    for branch in found:
        if branch.lenient:
            _leniently([branch.body], scope, reader)
        else:
            _follow(named(branch.body), replace(scope, depth=scope.depth + 1), reader)


def _leniently(bodies: Sequence[Node | None], scope: Scope, reader: Reader) -> None:
    """Read blocks whose operations change nothing where that is done already."""
    first = len(reader.operations)
    for body in bodies:
        if scope.depth < MAX_DEPTH and reader.blocks < MAX_BLOCKS:
            _follow(named(body), replace(scope, depth=scope.depth + 1), reader)
        else:
            for node in _changes_in(body, scope) if body is not None else ():
                reader.lose(node)
    reader.operations[first:] = map(lenient, reader.operations[first:])


def _changes_in(node: Node, scope: Scope) -> list[Node]:
    """Return the calls in a statement that may change tables."""
    nodes: list[Node] = []
    for one in [*([node] if node.type == "call" else []), *descendants(node, "call")]:
        owner, _, name = scope.code.dotted(one.child_by_field_name("function")).rpartition(".")
        changes = (owner in MODULES or owner in scope.batches) and name not in PASSED
        if changes or (name in scope.changing and not owner) or _is_connection(one, scope):
            nodes.append(one)
    return nodes


def _changing_functions(code: Code) -> frozenset[str]:
    """Return the functions of the file that call operations, also by way of others."""
    calls: dict[str, set[str]] = {}
    for name, function in code.functions.items():
        called = [
            code.dotted(descendant.child_by_field_name("function")) for descendant in descendants(function, "call")
        ]
        calls[name] = {one for one in called if one}
    found = {name for name, called in calls.items() if any(_is_change(one) for one in called)}
    while more := {name for name, called in calls.items() if name not in found and called & found}:
        found |= more
    return frozenset(found)


def _is_change(name: str) -> bool:
    owner, _, operation = name.rpartition(".")
    return owner in MODULES and operation not in PASSED


def _execute(step: Step, reader: Reader) -> None:
    """Read SQL that is written as a string; SQLAlchemy's expressions change rows, not tables."""
    node = step.call.argument(0, "sqltext")
    call = step.code.call(node)
    if call is not None and last_part(call.name) in {"text", "DDL"}:
        node = call.argument(0, "text")
    written, resolved = step.code.string(node), step.code.resolve(node)
    if written is not None and resolved is not None:
        facts = read_embedded(written, source=lines_of(resolved), path=reader.path)
        reader.operations += facts.operations
        reader.unparsed += facts.unparsed
    elif resolved is None or resolved.type != "call" or _is_formatted(resolved):
        reader.lose(step.call.node)


def _is_formatted(node: Node) -> bool:
    """Tell whether a call is "...".format(...), a string and no expression of SQLAlchemy."""
    return text_of(node.child_by_field_name("function")).endswith(".format")
