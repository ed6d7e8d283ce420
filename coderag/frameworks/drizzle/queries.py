"""Queries that are built with Drizzle.

https://orm.drizzle.team/docs/select
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from coderag.frameworks.usage.source_file import CodeFile
from coderag.frameworks.usage.usage import Usage, UsageBuilder
from coderag.sql.in_code.records import Access
from coderag.syntax.trees.call_chains import Chain, Link, chain_of, chains_in, entries, items

__all__ = ["read"]

FRAMEWORK = "drizzle"
ANCHOR = re.compile(
    rb"\b(?:from|insert|update|delete|findMany|findFirst|\$count)\s*(?:<[^<>()]*>)?(?=\()|\b(?:where|set|orderBy|values|leftJoin|innerJoin)(?=\()"
)
RECEIVER = re.compile(r"db$|^tx$|^trx$|database|drizzle|^conn|client$", re.IGNORECASE)
SELECTS = frozenset(("select", "selectDistinct", "selectDistinctOn"))
CHANGES = {"insert": Access.WRITE, "update": Access.WRITE, "delete": Access.DELETE}
JOINS = frozenset(("leftJoin", "innerJoin", "rightJoin", "fullJoin", "crossJoin"))
FOLLOWING = {
    "insert": frozenset(("values", "select")),
    "update": frozenset(("set",)),
    "delete": frozenset(("where", "returning", "limit", "execute", "run")),
}
RELATIONAL = frozenset(("findMany", "findFirst"))
SETTERS = frozenset(("set", "values"))
UPSERTS = frozenset(("onConflictDoUpdate", "onDuplicateKeyUpdate"))
CONTINUING = JOINS | SETTERS | {"where", "orderBy", "from", "$dynamic"}  # what is called on a query that has a name
MAX_STEPS = 10  # from a name for a query to the name that this one is made of
NO_FIELDS = frozenset(("$inferSelect", "$inferInsert", "_", "enableRLS", "getSQL"))


def read(code: CodeFile) -> Iterator[Usage]:
    """Yield the uses of Drizzle's tables."""
    yield from _Reader(code).read()


class _Reader:
    def __init__(self, code: CodeFile) -> None:
        self.code = code
        self.is_evident = b"drizzle" in code.data

    def read(self) -> Iterator[Usage]:
        for chain in self.code.chains(ANCHOR):
            draft = UsageBuilder()
            main = self._beginning(chain, draft, 0)
            if main:
                self._calls(chain, main, draft)
                yield from draft.models(self.code, chain.node, FRAMEWORK)

    def _beginning(self, chain: Chain, draft: UsageBuilder, depth: int) -> str:
        """Return the table that a chain is about, "" where it builds no query.

        `db.select().from(users)` -> users; `db.query.users.findMany()` -> users; `q.where(...)` -> that of q
        """
        position = next((p for p, link in enumerate(chain.links) if link.arguments is not None), -1)
        if position < 0 or depth > MAX_STEPS:
            return ""
        link = chain.links[position]
        if position and RECEIVER.search(chain.links[position - 1].name):
            return self._of_receiver(chain, position, draft)
        if link.name in RELATIONAL and position >= 2 and chain.links[position - 2].name == "query":
            return chain.links[position - 1].name
        if chain.links[0].arguments is None and link.name in CONTINUING:
            return self._of_variable(chain, position, depth)
        return ""

    def _of_receiver(self, chain: Chain, position: int, draft: UsageBuilder) -> str:
        """Return the table of what a database is told: `db.insert(users)`."""
        link = chain.links[position]
        if link.name in SELECTS:
            start = chain.find("from")
            table = self._table(start.argument(0)) if start is not None else ""
            draft.use(table)
            return table
        if link.name in CHANGES:
            following = chain.links[position + 1].name if len(chain.links) > position + 1 else ""
            if following not in FOLLOWING[link.name] and not (self.is_evident and link.name == "delete"):
                return ""
            table = self._table(link.argument(0))
            draft.use(table, CHANGES[link.name])
            return table
        if link.name == "$count":
            table = self._table(link.argument(0))
            self._references(link, draft, {table})
            return table
        return ""

    def _of_variable(self, chain: Chain, position: int, depth: int) -> str:
        """Return the table of the query that a name stands for: `const q = db.select().from(users)`."""
        bounds, links = self.code.told_of(chain)
        for bound in reversed(bounds) if links == position else ():
            value = chain_of(bound.node)
            if value is None or value.node == chain.node:
                continue
            if table := self._beginning(value, UsageBuilder(), depth + 1):
                return table
        return ""

    def _table(self, node: Node | None) -> str:
        """Return the table that an argument names, aliases followed."""
        chain = chain_of(node)
        if chain is None or any(link.arguments is not None for link in chain.links) or not chain.links[-1].name:
            return ""
        if len(chain.links) == 1:
            for bound in reversed(self.code.bound(chain.links[0].name, chain.node.start_byte)):
                value = chain_of(bound.node)
                if value is not None and value.links[-1].name in {"alias", "aliasedTable"}:
                    return self._table(value.links[-1].argument(0))
                if value is not None and value.links[-1].name in {"as", "with"}:
                    return ""
        return chain.links[-1].name

    def _calls(self, chain: Chain, main: str, draft: UsageBuilder) -> None:
        """Note what the calls of a query do.

        `db.select({ id: users.id }).from(users)` reads users.id; `db.insert(users).values({ name })` writes users.name.
        """
        links = [link for link in chain.links if link.arguments is not None]
        tables = {main} | {table for link in links if link.name in JOINS and (table := self._table(link.argument(0)))}
        for link in links:
            if link.name in RELATIONAL:
                self._relational(main, link.argument(0), draft, 0)
                return
            self._call(link, main, tables, draft)
            self._references(link, draft, tables)
        selects = [link for link in links if link.name in SELECTS]
        if selects and not _lists_columns(selects[-1]):
            for table in tables:
                draft.use(table, whole=True)

    def _call(self, link: Link, main: str, tables: set[str], draft: UsageBuilder) -> None:
        """Note what a call names besides columns in expressions."""
        first = link.argument(0)
        if link.name in SELECTS:
            for _, value in entries(first):
                if (chosen := self._table(value)) in tables:
                    draft.use(chosen, whole=True)
        elif link.name in SETTERS:
            for item in items(first):
                draft.touch_all(main, (key for key, _ in entries(item)), written=True)
            if link.name == "values" or not entries(first):
                draft.use(main, whole=True)
        elif link.name in UPSERTS:
            options = dict(entries(first))
            draft.touch_all(main, (key for key, _ in entries(options.get("set"))), written=True)
        elif link.name in JOINS:
            draft.use(self._table(first))

    def _references(self, link: Link, draft: UsageBuilder, tables: set[str]) -> None:
        for argument in link.arguments or ():
            for chain in chains_in(argument.node):
                names = chain.names
                for position in range(min(2, len(names) - 1)):
                    table = self._alias(chain) if position == 0 else names[position]
                    if table in tables and chain.links[position + 1].arguments is None:
                        if names[position + 1] not in NO_FIELDS:
                            draft.touch(table, names[position + 1])
                        break

    def _alias(self, chain: Chain) -> str:
        return self._table(chain.links[0].node) or chain.links[0].name

    def _relational(self, model: str, node: Node | None, draft: UsageBuilder, depth: int) -> None:
        """Note what `db.query.users.findMany({...})` asks for."""
        if depth > 12:
            return
        given = dict(entries(node))
        columns = dict(entries(given.get("columns")))
        kept = [name for name, value in columns.items() if value.type != "false"]
        draft.use(model, whole=not kept)
        draft.touch_all(model, kept)
        for part in ("where", "orderBy"):
            if part not in given:
                continue
            draft.touch_all(model, (key for key, _ in entries(given[part]) if key not in {"AND", "OR", "NOT", "RAW"}))
            table = model.rpartition(".")[2]
            for chain in chains_in(given[part]):
                names = chain.names
                if len(names) < 2 or chain.links[1].arguments is not None:
                    continue
                is_closure = given[part].type in {"arrow_function", "function_expression"}
                if names[0] == table or (depth == 0 and is_closure):
                    draft.touch(model, names[1])
        for name, value in entries(given.get("with")):
            if value.type != "false":
                self._relational(f"{model}.{name}", value if value.type == "object" else None, draft, depth + 1)


def _lists_columns(select: Link) -> bool:
    """Tell whether a select names columns: `select({ id: users.id })`, `selectDistinctOn([...], { id: users.id })`."""
    return bool(entries(select.argument(0 if select.name != "selectDistinctOn" else 1)))
