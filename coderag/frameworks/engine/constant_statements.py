"""Statements over constants for tables and columns, `ctx.selectFrom(USERS).where(USERS.ID.eq(1))`, to what they do."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from msgspec.structs import replace
from tree_sitter import Node

from coderag.frameworks.engine.verb_words import VerbWords
from coderag.frameworks.usage.scope import Scope
from coderag.frameworks.usage.source_file import CodeFile
from coderag.frameworks.usage.usage import Usage
from coderag.sql.in_code.records import Access
from coderag.syntax.trees.call_chains import Chain, Link, chain_of, chains_in

__all__ = ["read_constants"]

ACCESS = {"reads": Access.READ, "writes": Access.WRITE, "deletes": Access.DELETE}
CONSTANT = re.compile(r"[A-Z][A-Z0-9_$]*")
# `private val u = Tables.USERS`, `Users u = USERS.as("u")`: a short name for a table.
BOUND = re.compile(rb"\b(\w{1,60})[ \t]*=[ \t]*(?:Tables\.|[a-z]\w{0,60}\.)?([A-Z][A-Z0-9_]{0,80})(?![\w(]|\.[A-Z])")
COLUMN = re.compile(rb"\b[A-Z][A-Z0-9_]{0,80}\.([A-Z][A-Z0-9_]{0,80})(?=\.[a-z])")
MAX_NESTED = 4  # statements in each other that are looked at for a column in them
RENAMED = frozenset({"as", "`as`", "asTable"})


def read_constants(code: CodeFile, framework: str, words: VerbWords) -> Iterator[Usage]:
    """Yield the uses of tables of the statements that a file builds of constants."""
    names = _Names(code)
    read: list[tuple[int, int]] = []  # where the statements are
    built = sorted(words.built, key=lambda name: (-len(name), name))
    anchor = re.compile(rb"\b(" + b"|".join(re.escape(name.encode()) for name in built) + rb")(?=\()")
    for chain in code.chains(anchor):
        links = [link for link in chain.links if link.arguments is not None]
        start = next((link for link in links if link.name in words.built), None)
        if start is None or (links[-1] is start and "more" in words.built[start.name].split()):
            continue
        read.append((chain.node.start_byte, chain.node.end_byte))
        scope = Scope()
        _tables(links, names, words, scope)
        _columns(links, names, words, scope)
        yield from scope.statement(code, chain.node, framework)
    yield from _apart(code, framework, names, sorted(read))


def _apart(code: CodeFile, framework: str, names: _Names, read: Sequence[tuple[int, int]]) -> Iterator[Usage]:
    """Yield the columns outside of statements, `USERS.ID.eq(1)` of a condition that a function returns."""
    for chain in code.chains(COLUMN):
        start = chain.node.start_byte
        before = bisect_right(read, (start, start)) - 1
        if any(begin <= start < end for begin, end in read[max(0, before - MAX_NESTED) : before + 1]):
            continue
        table, column = names.column_of(chain)
        scope = Scope()
        if column and scope.table(table):
            scope.column(f"{table}.{column}")
            for statement in scope.statement(code, chain.node, framework):
                yield replace(statement, sure=False)


class _Names:
    """The tables that short names of a file stand for, each from where it is given on."""

    def __init__(self, code: CodeFile) -> None:
        self._starts: dict[str, list[int]] = {}
        self._tables: dict[str, list[str]] = {}
        for match in BOUND.finditer(code.data):
            name = match[1].decode()
            self._starts.setdefault(name, []).append(match.start())
            self._tables.setdefault(name, []).append(match[2].decode().lower())

    def table(self, links: Sequence[Link]) -> str:
        """Return the table that the beginning of a chain stands for, "" for anything else."""
        first = links[0]
        if first.name in self._starts:
            position = bisect_right(self._starts[first.name], first.node.start_byte) - 1
            return self._tables[first.name][max(0, position)]
        constant = next((link for link in links[:3] if CONSTANT.fullmatch(link.name)), None)
        return constant.name.lower() if constant is not None and constant.arguments is None else ""

    def table_at(self, node: Node) -> str:
        """Return the table that an argument is, with or without another name; "" for a column or a value."""
        chain = chain_of(node)
        if chain is None:
            return ""
        links = [link for link in chain.links if link.name not in RENAMED]
        plain = all(link.arguments is None for link in links)
        constants = sum(CONSTANT.fullmatch(link.name) is not None for link in links[1:])
        is_column = constants > (CONSTANT.fullmatch(links[0].name) is None and links[0].name not in self._starts)
        return self.table(links) if links and plain and not is_column else ""

    def column_of(self, chain: Chain) -> tuple[str, str]:
        """Return the table and the column that a chain begins with, `USERS.ID.eq(1)`; "" for none."""
        table = self.table(chain.links)
        constants = [link for link in chain.links[:4] if CONSTANT.fullmatch(link.name) and link.arguments is None]
        names = constants[-1:] if chain.links[0].name in self._starts else constants[1:2]
        return (table, names[0].name.lower()) if table and names else ("", "")


def _tables(links: Sequence[Link], names: _Names, words: VerbWords, scope: Scope) -> None:
    """Note the tables that the calls of a statement are given."""
    for link in links:
        said = words.built.get(link.name, "").split()
        if link.name not in words.tables and (not said or "lists" in said):
            continue
        access = next((ACCESS[word] for word in said if word in ACCESS), Access.READ)
        for argument in link.arguments or ():
            if name := names.table_at(argument.node):
                table = scope.table(name, access)
                if "row" in said and table:
                    scope.whole.add(table)
    starts = [link for link in links if "lists" in words.built.get(link.name, "").split()]
    if starts and not starts[0].arguments:  # select() without a list
        scope.whole.update(scope.tables)


def _columns(links: Sequence[Link], names: _Names, words: VerbWords, scope: Scope) -> None:
    """Note the columns that the calls of a statement name, by what becomes of them."""
    for link in links:
        said = (words.calls.get(link.name) or words.built.get(link.name, "")).split()
        for position, argument in enumerate(link.arguments or ()):
            is_written = "sets" in said or ("first" in said and not position)
            for chain in chains_in(argument.node):
                table, column = names.column_of(chain)
                if column:
                    scope.column(f"{table}.{column}", write=is_written)
