"""Laravel's migrations to operations; what the methods of its Blueprint do is data in schemas/frameworks/laravel/.

https://laravel.com/docs/migrations
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tree_sitter import Node

from coderag.frameworks.common.guarded import guarded
from coderag.frameworks.common.origins import lines_of
from coderag.frameworks.engine.columns import Made, Statement, created_table, operations_of
from coderag.frameworks.engine.steps import Steps
from coderag.frameworks.engine.vocabulary import vocabulary
from coderag.sql.records import (
    Drop,
    DropColumn,
    Facts,
    Name,
    Rename,
    SchemaOperation,
    Series,
    Source,
)
from coderag.syntax.languages.php import PhpValues
from coderag.syntax.trees.call_chains import Argument, Chain, Link, chain_of
from coderag.syntax.trees.literals import COMPUTED, Literal, as_text, texts
from coderag.syntax.trees.tree import descendants, named, parse, text_of

__all__ = ["read"]

FILE_NAME = re.compile(r"(?P<version>\d{4}_\d\d_\d\d_\d{1,6}|\d+)_.*\.php")
CALLS = frozenset({"member_call_expression", "scoped_call_expression", "nullsafe_member_call_expression"})
CLOSURES = frozenset({"anonymous_function", "anonymous_function_creation_expression", "arrow_function"})
SQL_CALLS = frozenset({"statement", "unprepared"})
DATABASES = frozenset({"DB", "getConnection", "connection"})
SQLITE = re.compile(r"={2,3}\s{0,4}['\"]sqlite['\"]|['\"]sqlite['\"]\s{0,4}={2,3}|^\(\s*(?:\\)?DB::isSqlite")
MAX_DEPTH = 120  # of nodes in each other
MAX_NODES = 60_000  # that are looked at in one file, loops unrolled
MAX_ROUNDS = 500  # of a loop


def read(data: bytes, *, language: str, path: str) -> Facts | None:
    """Return what a migration of Laravel does on its way up, None for any other file."""
    root = parse(data, language)
    up = _method(root, "up")
    if up is None:
        return None
    reading = _Reading(root, path)
    reading.walk(up.child_by_field_name("body"))
    if not reading.found:
        return None
    name = path.rpartition("/")[2]
    match = FILE_NAME.fullmatch(name)
    return reading.facts(Series("laravel", version=match["version"], name=name.removesuffix(".php")) if match else None)


def _method(root: Node, name: str) -> Node | None:
    methods = descendants(root, "method_declaration")
    return next((method for method in methods if text_of(method.child_by_field_name("name")) == name), None)


class _Reading(Steps):
    """What the statements of a migration have come to so far."""

    def __init__(self, root: Node, path: str) -> None:
        super().__init__(path)
        self._root = root
        self._values = PhpValues(root)
        self._words = vocabulary("laravel")
        self._tables: dict[str, tuple[Name, list[SchemaOperation]]] = {}  # by the variables that stand for them
        self._closures: dict[str, Node] = {}  # functions, by the variables that hold them
        self._active: list[str] = []  # methods that are being followed
        self._seen = 0
        self._conditions = 0  # that what is read stands in

    def walk(self, node: Node | None, depth: int = 0) -> None:
        """Read the statements below a node in their order."""
        self._seen += 1
        if node is None or depth > MAX_DEPTH or self._seen > MAX_NODES:
            return
        if node.type in CALLS:
            chain = chain_of(node)
            if chain is not None:
                self._call(chain, depth)
        elif node.type == "foreach_statement":
            self._loop(node, depth)
        elif node.type == "if_statement":
            self._branch(node, depth)
        elif node.type == "assignment_expression":
            self._assign(node, depth)
        else:
            for child in named(node):
                self.walk(child, depth + 1)

    def _assign(self, node: Node, depth: int) -> None:
        """Bind a variable to what it is given: a value, or a function that is handed on to tables later."""
        left, right = text_of(node.child_by_field_name("left")), node.child_by_field_name("right")
        if right is not None and right.type in CLOSURES:
            self._closures[left] = right
            return
        self.walk(right, depth + 1)
        self._values.bind(left, self._values.value(right))

    def _branch(self, node: Node, depth: int) -> None:
        """Read the branches of a condition; not what is done on SQLite alone, which stands in for another database."""
        is_sqlite = SQLITE.search(text_of(node.child_by_field_name("condition"))[:200]) is not None
        self._conditions += 1
        if not is_sqlite:
            self.walk(node.child_by_field_name("body"), depth + 1)
        for child in named(node, "else_clause", "else_if_clause"):
            self.walk(child, depth + 1)
        self._conditions -= 1

    def _loop(self, node: Node, depth: int) -> None:
        """Read the body of a loop over literals once for each, of any other loop once."""
        children = [child for child in named(node) if child != node.child_by_field_name("body")]
        body = node.child_by_field_name("body")
        rounds = self._values.value(children[0]) if children else COMPUTED
        pairs: list[tuple[Literal, Literal]] = []
        if isinstance(rounds, tuple):
            pairs = [(COMPUTED, one) for one in rounds]
        elif isinstance(rounds, dict):
            pairs = list(rounds.items())
        names = [text_of(child) for child in children[1:]]
        if names and children[1].type == "pair":
            names = [text_of(child) for child in named(children[1])]
        for key, value in pairs[:MAX_ROUNDS] or [(COMPUTED, COMPUTED)]:
            for name, bound in zip(names[::-1], (value, key), strict=False):
                self._values.bind(name, bound)
            self.walk(body, depth + 1)

    def _call(self, chain: Chain, depth: int) -> None:
        first = chain.links[0]
        if text_of(first.node) in self._tables:
            self._on_table(chain, text_of(first.node))
            return
        if (name := _own_method(chain)) is not None:
            self._follow(name, chain.links[1], depth)
            return
        is_schema = _is_schema(chain)
        for link in chain.links:
            handler = STATEMENTS.get(link.name) if is_schema and link.arguments is not None else None
            if handler is not None:
                self._statement(handler, link, depth)
            elif link.name in SQL_CALLS and any(one.name in DATABASES for one in chain.links):
                self._sql(link)
            else:
                for argument in link.arguments or ():
                    self.walk(argument.node, depth + 1)

    def _statement(self, handler: str, link: Link, depth: int) -> None:
        self.found += 1
        arguments = list(link.arguments or ())
        name = as_text(self._value(arguments, 0))
        if not name:
            self.lose(link.node)
            return
        schema, _, last = name.rpartition(".")
        table, source = Name(last, schema=schema), lines_of(link.node)
        made: Made = []
        match handler:
            case "create" | "alter":
                inner = self._body(table, arguments, depth)
                whole = Source("", source.start_line, lines_of(arguments[-1].node).end_line)
                made = created_table(table, inner, whole) if handler == "create" else inner
            case "drop":
                made = [Drop(table, if_exists=link.name == "dropIfExists" or self._conditions > 0, source=source)]
            case "rename":
                to = as_text(self._value(arguments, 1))
                made = [Rename(table, Name(to, schema=schema), source=source)] if to else None
            case "drop columns":
                columns = texts(self._value(arguments, 1))
                made = [DropColumn(table, column, source=source) for column in columns] if columns else None
        self.add(link.node, made)

    def _body(self, table: Name, arguments: Sequence[Argument], depth: int) -> list[SchemaOperation]:
        """Return what the closure of a table does to it."""
        given = (self._closures.get(text_of(one.node), one.node) for one in arguments)
        closure = next((node for node in given if node.type in CLOSURES), None)
        parameter = _parameter(closure)
        if closure is None or not parameter:
            return []
        before = self._tables.get(parameter)
        found: list[SchemaOperation] = []
        self._tables[parameter] = (table, found)
        self.walk(closure.child_by_field_name("body"), depth + 1)
        if before is None:
            del self._tables[parameter]
        else:
            self._tables[parameter] = before
        return found

    def _on_table(self, chain: Chain, variable: str) -> None:
        """Read a statement on the table that a variable stands for."""
        table, found = self._tables[variable]
        calls = [link for link in chain.links[1:] if link.arguments is not None]
        if not calls:
            return
        words = self._words.modifiers
        modifiers = {
            words[link.name]: self._arguments(link, words[link.name]) for link in calls[1:] if link.name in words
        }
        for link in calls[1:]:
            if link.name in self._words.types:  # `$table->string("a")` cannot go on with a column
                return
        statement = Statement(calls[0].name, self._arguments(calls[0]), lines_of(chain.node), modifiers)
        made = operations_of(table, statement, self._words)
        self.add(chain.node, [*map(guarded, made)] if made and self._conditions else made, found)

    def _arguments(self, link: Link, word: str = "") -> list[Literal]:
        """Return the arguments of a call in their order; those of `constrained` may be named."""
        given = {argument.name: self._values.value(argument.node) for argument in link.arguments or () if argument.name}
        values = [self._values.value(argument.node) for argument in link.arguments or () if not argument.name]
        if given and word == "constrained":
            return [*values, *(given.get(name) for name in ("table", "column", "indexName")[len(values) :])]
        return [*values, *given.values()]

    def _sql(self, link: Link) -> None:
        if (node := link.argument(0)) is not None:
            self.sql(link.node, node, self._values.value(node))

    def _follow(self, name: str, link: Link, depth: int) -> None:
        """Read the method of the migration that is called, with what it is given."""
        method = _method(self._root, name)
        if method is None or name in self._active:
            for argument in link.arguments or ():
                self.walk(argument.node, depth + 1)
            return
        for parameter, argument in zip(_parameters(method), link.arguments or (), strict=False):
            if text_of(argument.node) in self._tables:
                self._tables[parameter] = self._tables[text_of(argument.node)]
            else:
                self._values.bind(parameter, self._values.value(argument.node))
        self._active.append(name)
        self.walk(method.child_by_field_name("body"), depth + 1)
        self._active.pop()

    def _value(self, arguments: Sequence[Argument], position: int) -> Literal:
        return self._values.value(arguments[position].node) if position < len(arguments) else None


# What the methods of the schema do.
STATEMENTS = {
    "create": "create",
    "drop": "drop",
    "dropColumns": "drop columns",
    "dropIfExists": "drop",
    "rename": "rename",
    "table": "alter",
}


def _is_schema(chain: Chain) -> bool:
    """Tell whether a chain begins with the schema: Schema::, $this->schema->, getSchemaBuilder()."""
    return any(link.name.rpartition("\\")[2] in {"Schema", "schema", "getSchemaBuilder"} for link in chain.links[:-1])


def _own_method(chain: Chain) -> str | None:
    """Return the method that `$this->method(...)` or `self::method(...)` calls."""
    names = chain.names
    is_own = len(names) == 2 and names[0] in {"this", "self", "static"}
    return names[1] if is_own and chain.links[1].arguments is not None else None


def _parameters(function: Node | None) -> list[str]:
    parameters = function.child_by_field_name("parameters") if function is not None else None
    return [text_of(one.child_by_field_name("name")) for one in named(parameters)]


def _parameter(closure: Node | None) -> str:
    return next(iter(_parameters(closure)), "")
