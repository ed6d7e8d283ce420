"""Queries of Diesel, which name tables and columns as the database does.

https://diesel.rs/guides/getting-started
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from coderag.frameworks.usage.scope import Scope
from coderag.frameworks.usage.source_file import CodeFile
from coderag.frameworks.usage.usage import Usage
from coderag.sql.in_code.records import Access
from coderag.syntax.trees.call_chains import Argument, Chain, Link, chain_of, chains_in, items

__all__ = ["read"]

HOW = "diesel"
ANCHOR = re.compile(
    rb"\b(table|insert_into|update|delete|insert_or_ignore_into|replace_into|filter|find|load|first|get_result|get_results|execute|select|order|count)"
    rb"(?=\s*(?:[(.:]|$))",
    re.MULTILINE,
)
DSL = re.compile(rb"\buse\s+(?:\w+::)*(\w+)::dsl::[*{]")
CHANGES = {
    "insert_into": Access.WRITE,
    "insert_or_ignore_into": Access.WRITE,
    "replace_into": Access.WRITE,
    "update": Access.WRITE,
    "delete": Access.DELETE,
}
JOINS = frozenset(("inner_join", "left_join", "left_outer_join"))
COMPARISONS = frozenset(
    """eq ne gt ge lt le like ilike not_like is_null is_not_null eq_any ne_all between desc asc nullable
    is_not_distinct_from
    """.split()
)
SETTERS = frozenset(("values", "set"))
ENDS = frozenset("load first get_result get_results load_iter load_dyn execute".split())
METHODS = frozenset(
    """filter find select order order_by limit inner_join left_join load first get_result get_results count execute
    or_filter group_by having distinct into_boxed values set then_order_by
    """.split()
)


def read(code: CodeFile) -> Iterator[Usage]:
    """Yield the statements that a file builds."""
    opened = {name.decode() for name in DSL.findall(code.data)}
    reached = 0  # what stands in a statement is no statement of its own
    for chain in sorted(code.chains(ANCHOR), key=lambda one: (one.node.start_byte, -one.node.end_byte)):
        scope = Scope()
        if chain.node.end_byte > reached and _statement(chain, scope, opened):
            reached = chain.node.end_byte
            yield from scope.statement(code, chain.node, HOW)


def _table(chain: Chain | None, opened: set[str]) -> tuple[str, int]:
    """Return the table that a chain begins with, `users::table` or `users` of an opened dsl, and its links."""
    if chain is None or not chain.links:
        return "", 0
    names = chain.names
    for position, name in enumerate(names[:4]):
        if name == "table" and position and chain.links[position].arguments is None:
            return names[position - 1], position + 1
    if names[0] in opened and chain.links[0].arguments is None and (len(names) == 1 or names[1] in METHODS):
        return names[0], 1
    return "", 0


def _statement(chain: Chain, scope: Scope, opened: set[str]) -> bool:
    """Note what a chain does to tables; tell whether it is a statement.

    `users::table.filter(users::id.eq(1)).first(c)` reads users and id; `diesel::delete(users::table)` deletes of users
    """
    position = next((p for p, link in enumerate(chain.links) if link.arguments is not None), -1)
    if position < 0:
        return False
    is_of_diesel = position == 0 or (position == 1 and chain.links[0].name == "diesel")
    if is_of_diesel and chain.links[position].name in CHANGES:
        return _change(chain, position, scope, opened)
    return _selection(chain, scope, opened)


def _change(chain: Chain, position: int, scope: Scope, opened: set[str]) -> bool:
    """Note a statement that one of CHANGES begins."""
    change = chain.links[position]
    target = chain_of(change.argument(0))
    table, start = _table(target, opened)
    if not table or target is None:
        return False
    scope.table(table, CHANGES[change.name])
    for link in target.links[start:]:
        _arguments(link.arguments or (), scope, opened, table)
    for link in chain.links[position + 1 :]:
        if link.name in SETTERS:
            _written([argument.node for argument in link.arguments or ()], scope, opened, table)
        elif link.name not in ENDS:
            _arguments(link.arguments or (), scope, opened, table)
    return True


def _selection(chain: Chain, scope: Scope, opened: set[str]) -> bool:
    """Note a statement that a table begins."""
    table, start = _table(chain, opened)
    if not table:
        return False
    scope.table(table)
    calls = [link for link in chain.links[start:] if link.arguments is not None]
    for link in calls:
        if link.name in JOINS:
            joined, _ = _table(chain_of(link.argument(0)), opened)
            if joined:
                scope.table(joined)
        if link.name not in ENDS:
            _arguments(link.arguments or (), scope, opened, table)
    if not any(map(_lists_columns, calls)):
        scope.whole.add(table)
    return True


def _lists_columns(link: Link) -> bool:
    """Tell whether a call reads less than whole rows: `count()`, `select(...)` but for `select(User::as_select())`."""
    if link.name != "select" or not link.arguments:
        return link.name == "count"
    return b"as_select" not in (link.arguments[0].node.text or b"")


def _columns(node: Node, opened: set[str], table: str) -> Iterator[str]:
    """Yield the columns in an expression: `users::email`, `email` of an opened dsl that is compared."""
    for chain in chains_in(node):
        names, links = chain.names, chain.links
        if len(names) > 1 and links[0].arguments is None and links[1].arguments is None and names[1] != "table":
            last = 1
            while last + 1 < len(names) and links[last + 1].arguments is None and names[last] in {"dsl"}:
                last += 1
            yield f"{names[0]}.{names[last]}"
        elif opened and len(names) > 1 and links[1].arguments is not None and _is_column(names, opened):
            yield f"{table}.{names[0]}"


def _is_column(names: tuple[str, ...], opened: set[str]) -> bool:
    """Tell whether the first of some names is a column of an opened dsl: it is compared, and no table."""
    return names[1] in COMPARISONS and names[0] not in opened and names[0].islower()


def _arguments(given: tuple[Argument, ...], scope: Scope, opened: set[str], table: str) -> None:
    for argument in given:
        node = argument.node
        for written in _columns(node, opened, table):
            if written.partition(".")[0].casefold() in scope.aliases:
                scope.column(written)
        for item in items(node):
            chain = chain_of(item)
            if (
                opened
                and chain is not None
                and len(chain.links) == 1
                and chain.links[0].arguments is None
                and chain.names[0].islower()
            ):
                scope.column(f"{table}.{chain.names[0]}")


def _written(nodes: list[Node], scope: Scope, opened: set[str], table: str) -> None:
    """Note the columns that are set: `(name.eq(x), users::email.eq(y))`."""
    for node in nodes:
        for item in items(node):
            chain = chain_of(item)
            if chain is None or chain.links[-1].name != "eq":
                continue
            target = chain.links[-2].name if len(chain.links) > 1 else ""
            scope.column(f"{table}.{target}", write=True)
            for argument in chain.links[-1].arguments or ():
                for written in _columns(argument.node, opened, table):
                    if written.partition(".")[0].casefold() in scope.aliases:
                        scope.column(written)
    if not any(write for _, write in scope.columns):
        scope.whole.add(table)
