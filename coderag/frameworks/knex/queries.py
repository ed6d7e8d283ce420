"""Statements that are put together with Knex.

https://knexjs.org/guide/query-builder.html
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from tree_sitter import Node

from coderag.frameworks.usage.binding import Told
from coderag.frameworks.usage.scope import Scope
from coderag.frameworks.usage.source_file import CodeFile
from coderag.frameworks.usage.usage import Usage
from coderag.sql.in_code.records import Access
from coderag.syntax.trees.call_chains import Chain, Link, chain_of, chains_in, entries, items, literal
from coderag.syntax.trees.tree import text_of

__all__ = ["read"]

HOW = "knex"
ANCHOR = re.compile(
    rb"\b(knex|db|trx|tx|conn|connection|database|qb|select|from|into|insert|where\w*|andWhere\w*|orWhere\w*|having\w*|join|leftJoin|del"
    rb"|delete|update|orderBy|first|pluck|count)\s*(?:<[^<>()]*>)?(?=\()"
)
USED = re.compile(  # in a file that knows Knex by a type of its own only: `this.db("users").where(...)`
    rb"(?:db|trx|tx)\([\"'][\w.]{1,63}[\"']\)\s{0,40}\.(?:where|select|insert|update|del|delete|join|leftJoin|first|count)\b"
)
BUILDERS = re.compile(r"knex|^db$|^trx$|^tx$|^conn$|^connection$|^database$|^pg$|^sql$", re.IGNORECASE)
METHODS = frozenset(
    """where andWhere orWhere whereNot whereIn whereNotIn whereNull whereNotNull whereBetween whereRaw whereExists
    whereLike whereILike select first insert update del delete join leftJoin innerJoin rightJoin leftOuterJoin orderBy
    groupBy count countDistinct sum avg max min pluck increment decrement returning from into as columns truncate
    distinct limit having onConflict upsert column
    """.split()
)
CONDITION = re.compile(r"^(?:and|or)?(?:[wW]here|[hH]aving)(?!Raw|JsonPath)")
PARAMETER = re.compile(r"Knex\.\w*QueryBuilder|^QueryBuilder\b|Knex\.QueryInterface")
FUNCTIONS = frozenset(("arrow_function", "function_expression", "function"))
JOIN = re.compile(r"[jJ]oin$")
LISTS = frozenset(
    "select column columns distinct orderBy groupBy pluck returning first countDistinct distinctOn".split()
)
AGGREGATES = frozenset("count sum avg max min countDistinct sumDistinct avgDistinct".split())
CHOOSING = (LISTS | AGGREGATES) - {"orderBy", "groupBy", "returning"}  # what chooses the columns of the rows
INSERTS = frozenset(("insert", "upsert"))
COUNTERS = frozenset(("increment", "decrement"))
UPDATES = COUNTERS | {"update", "merge"}
DELETES = frozenset(("del", "delete", "truncate"))
WRITES = INSERTS | UPDATES | DELETES


def read(code: CodeFile) -> Iterator[Usage]:
    """Yield the statements that a file builds."""
    yield from _Reader(code).read()


class _Reader:
    def __init__(self, code: CodeFile) -> None:
        self.code = code
        self.is_evident = b"knex" in code.data.lower() or USED.search(code.data) is not None

    def read(self) -> Iterator[Usage]:
        for chain in self.code.chains(ANCHOR):
            scope = Scope()
            if self._is_parameter(chain):
                scope.is_open = True
            if scope.is_open or self._beginning(chain, scope, 0):
                self._calls(chain, scope)
                self._raw(chain, scope)
                yield from scope.statement(self.code, chain.node, HOW)

    def _beginning(self, chain: Chain, scope: Scope, depth: int) -> bool:
        """Note the table that a chain begins with and tell whether it builds a statement."""
        if depth > 10 or not chain.links:
            return False
        position = next((p for p, link in enumerate(chain.links) if link.arguments is not None), -1)
        if position < 0:
            return False
        link = chain.links[position]
        names = chain.names
        if BUILDERS.search(link.name) and position <= 2:
            return self._table_call(chain, position, scope)
        holder = chain.links[position - 1] if position else None
        if holder is not None and position <= 2 and self._is_builder(holder, chain):
            schema = ""
            if link.name == "withSchema":
                schema = literal(link.argument(0)) or ""
            has_table = False
            for one in chain.links[position:]:
                if one.name in {"from", "into", "table"} and one.arguments and (text := self._text(one.argument(0))):
                    scope.table(text, schema=schema)
                    has_table = True
            return has_table
        return self._variable(chain, scope, depth, names[position] in METHODS)

    def _is_parameter(self, chain: Chain) -> bool:
        """Tell whether a chain goes on with a query that a function is handed."""
        if len(chain.links) < 2 or chain.links[0].arguments is not None or not _is_method(chain.links[1].name):
            return False
        bounds = self.code.bound(chain.links[0].name, chain.node.start_byte)
        return bool(bounds) and bounds[-1].told is Told.TYPE and PARAMETER.search(text_of(bounds[-1].node)) is not None

    def _raw(self, chain: Chain, scope: Scope) -> None:
        """Note the columns of the pieces of SQL among the arguments: `select(db.raw("max(placed_at)"))`."""
        for link in chain.links:
            for argument in link.arguments or ():
                for inner in chains_in(argument.node):
                    last = inner.links[-1]
                    if last.name == "raw" and (text := literal(last.argument(0))) is not None:
                        scope.condition(text)

    def _is_builder(self, holder: Link, chain: Chain) -> bool:
        if not self.is_evident or holder.arguments is not None:
            return False
        if re.search("knex", holder.name, re.IGNORECASE):
            return True
        return bool(BUILDERS.search(holder.name)) and any(
            link.name in {"from", "into", "table"} and self._text(link.argument(0)) for link in chain.links
        )

    def _table_call(self, chain: Chain, position: int, scope: Scope) -> bool:
        """Note the table of `knex("users")`; a name that is not written is a hole."""
        link = chain.links[position]
        text = self._text(link.argument(0))
        following = chain.links[position + 1].name if len(chain.links) > position + 1 else ""
        if not self.is_evident and following not in METHODS:
            return False
        if text is not None and (
            following in METHODS or following in {"", "then", "clone", "transacting", "withSchema", "modify"}
        ):
            if entry := entries(link.argument(0)):
                for alias, value in entry:
                    scope.table(f"{literal(value) or ''} as {alias}")
                return bool(scope.tables)
            scope.table(text)
            return bool(scope.tables)
        if text is None and link.argument(0) is not None and following in METHODS and "knex" in link.name.lower():
            for alias, value in entries(link.argument(0)):
                if name := literal(value):
                    scope.table(f"{name} as {alias}")
            scope.has_holes = not scope.tables
            return True
        return False

    def _text(self, node: Node | None) -> str | None:
        """Return a string, also of a constant of the file."""
        text = literal(node)
        if text is not None or node is None or node.type != "identifier":
            return text
        bounds = self.code.bound((node.text or b"").decode("utf-8", "replace"), node.start_byte)
        return literal(bounds[-1].node) if bounds else None

    def _variable(self, chain: Chain, scope: Scope, depth: int, is_method: bool) -> bool:
        """Go on with a statement that a name stands for: `const query = knex("users")`."""
        if not is_method or chain.links[0].arguments is not None:
            return False
        bounds, links = self.code.told_of(chain)
        if not bounds or chain.links[links : links + 1] == () or chain.links[links].arguments is None:
            return False
        for bound in reversed(bounds):
            value = chain_of(bound.node)
            if value is not None and value.node != chain.node and self._beginning(value, scope, depth + 1):
                return bool(scope.tables)
        return False

    def _calls(self, chain: Chain, scope: Scope) -> None:
        """Note what the calls of a chain name.

        `knex("users").where({ email })` reads email of users; `.insert({ name })` writes name; `.del()` deletes rows.
        """
        main = next(iter(scope.tables), "")
        calls = [link for link in chain.links if link.arguments is not None]
        for link in calls:
            if JOIN.search(link.name):
                self._join(link, scope)
        for link in calls:
            note = VERBS.get(link.name, _Reader._condition_of)
            note(self, link, main, scope)
        if not scope.is_open and self._reads_rows(calls):
            scope.whole.update(scope.tables)

    def _reads_rows(self, calls: Sequence[Link]) -> bool:
        """Tell whether the calls of a statement read whole rows."""
        names = {link.name for link in calls}
        if names & WRITES or any(link.name in CHOOSING and self._listed(link) for link in calls):
            return False
        return len(calls) == 1 or bool(names & (METHODS | CHOOSING | {"then"}))

    def _insert(self, link: Link, main: str, scope: Scope) -> None:
        scope.table(main, Access.WRITE)
        for item in items(link.argument(0)):
            scope.every((key for key, _ in entries(_mapped(item))), write=True)

    def _update(self, link: Link, main: str, scope: Scope) -> None:
        scope.table(main, Access.WRITE)
        scope.every((key for key, _ in entries(link.argument(0))), write=True)
        if (text := literal(link.argument(0))) is not None:
            scope.column(text, write=True)
            if link.name in COUNTERS:
                scope.column(text)

    def _delete(self, link: Link, main: str, scope: Scope) -> None:
        del link
        scope.table(main, Access.DELETE)

    def _columns(self, link: Link, main: str, scope: Scope) -> None:
        del main
        self._list(link, scope)

    def _condition_of(self, link: Link, main: str, scope: Scope) -> None:
        del main
        self._condition(link, scope)

    def _listed(self, link: Link) -> bool:
        """Tell whether a call names columns, and not all of them."""
        texts = [literal(item) for argument in link.arguments or () for item in items(argument.node)]
        return (bool(texts) and "*" not in texts) or link.name in AGGREGATES

    def _list(self, link: Link, scope: Scope) -> None:
        for argument in link.arguments or ():
            for item in items(argument.node):
                text = literal(item)
                if text is not None and text.lower() not in {"asc", "desc"}:
                    scope.column(text)
                for key, value in entries(item):
                    named = literal(value)
                    if link.name in {"orderBy"}:
                        if key == "column" and named:
                            scope.column(named)
                    elif named:
                        scope.named.add(key.lower())
                        scope.column(named)

    def _condition(self, link: Link, scope: Scope) -> None:
        """Note the columns of where(...) and having(...), also of those in a closure."""
        if link.name.endswith("Raw"):
            if (text := literal(link.argument(0))) is not None:
                scope.condition(text)
            return
        if not CONDITION.search(link.name) and link.name != "onConflict":
            return
        first = link.argument(0)
        for item in items(first):
            if (text := literal(item)) is not None:
                scope.column(text)
        scope.every(key for key, _ in entries(first))
        if link.name.endswith("Column") and (text := literal(link.argument(len(link.arguments or ()) - 1))):
            scope.column(text)
        for inner in _links_inside(first):
            if inner.name in {"from", "table"} and (text := self._text(inner.argument(0))):
                scope.table(text)
            elif inner.name in LISTS and inner.arguments is not None:
                self._list(inner, scope)
            elif (argument := inner.argument(0)) is not None and argument.type not in FUNCTIONS:
                self._condition(inner, scope)

    def _join(self, link: Link, scope: Scope) -> None:
        texts = [literal(one.node) for one in link.arguments or ()]
        if not texts or not texts[0]:
            for alias, value in entries(link.argument(0)):
                if name := literal(value):
                    scope.table(f"{name} as {alias}")
        else:
            scope.table(texts[0])
        for text in texts[1:]:
            if text and named_like(text):
                scope.column(text)
        for argument in (link.arguments or ())[1:]:
            for key, value in entries(argument.node):
                scope.column(key)
                scope.column(literal(value) or "")
            for inner in _links_inside(argument.node):
                if "on" in inner.name.lower() and inner.arguments:
                    texts = [literal(one.node) for one in inner.arguments[: 1 if "Val" in inner.name else 3]]
                    scope.every(filter(named_like, filter(None, texts)))


Verb = Callable[[_Reader, Link, str, Scope], None]
VERBS: Mapping[str, Verb] = {  # all others may be conditions
    **dict.fromkeys(INSERTS, _Reader._insert),
    **dict.fromkeys(UPDATES, _Reader._update),
    **dict.fromkeys(DELETES, _Reader._delete),
    **dict.fromkeys(LISTS | AGGREGATES, _Reader._columns),
}


def _is_method(name: str) -> bool:
    return name in METHODS or CONDITION.search(name) is not None


def _links_inside(closure: Node | None) -> Iterator[Link]:
    """Yield the calls in the body of a function that a clause is given; nothing for another argument."""
    if closure is not None and closure.type in FUNCTIONS:
        for chain in chains_in(closure.child_by_field_name("body")):
            yield from chain.links


def _mapped(node: Node) -> Node:
    """Return the object that `rows.map((row) => ({ ... }))` makes of each; any other node as it is."""
    chain = chain_of(node)
    if chain is None or chain.links[-1].name != "map":
        return node
    closure = chain.links[-1].argument(0)
    return (closure.child_by_field_name("body") if closure is not None else None) or node


def named_like(text: str) -> bool:
    """Tell whether a text may be a column: not an operator."""
    return text.replace(".", "").replace("_", "").isalnum()
