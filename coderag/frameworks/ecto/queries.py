"""Queries of Ecto and what repositories do; a changeset touches nothing until one of them is given it.

https://hexdocs.pm/ecto/Ecto.Query.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from tree_sitter import Node

from coderag.frameworks.ecto.changesets import MAX_STEPS, REPO, Changesets, entries_of
from coderag.frameworks.usage.source_file import CodeFile
from coderag.frameworks.usage.usage import Usage, UsageBuilder
from coderag.sql.in_code.records import Access
from coderag.syntax.trees.call_chains import (
    Argument,
    Chain,
    Link,
    chain_of,
    chains_in,
    items,
    literal,
    unwrapped,
)
from coderag.syntax.trees.tree import named, text_of

__all__ = ["read"]

FRAMEWORK = "ecto"
MACROS = frozenset(
    """from where or_where join select select_merge order_by group_by having preload limit offset distinct update
    exclude subquery first last lock
    """.split()
)
READS = frozenset("all one get get_by stream exists? aggregate reload preload one! get! get_by! all_by reload!".split())
CHANGES = {
    "insert": Access.WRITE,
    "update": Access.WRITE,
    "insert_or_update": Access.WRITE,
    "insert_all": Access.WRITE,
    "update_all": Access.WRITE,
    "delete": Access.DELETE,
    "delete_all": Access.DELETE,
}
ROWS = frozenset(("insert", "update", "delete", "insert_or_update"))  # of CHANGES, those that are given one row
CONDITIONS = frozenset(("where", "or_where", "having"))
SELECTIONS = frozenset(("select", "select_merge"))
ORDERINGS = frozenset(("order_by", "group_by", "distinct"))
REFERRING = CONDITIONS | SELECTIONS | ORDERINGS | {"on", "update"}  # clauses whose expressions name fields
BINDINGS = frozenset(("identifier", "binary_operator", "keywords", "tuple"))
ANCHOR = re.compile(
    rb"\b(from|where|or_where|join|select|order_by|preload|group_by|all|one|get|get_by|stream|aggregate|exists"
    rb"|insert|update|delete|insert_or_update|insert_all|update_all|delete_all)(?=[!?]?[\s(])"
)
DIRECTIONS = frozenset("asc desc asc_nulls_first asc_nulls_last desc_nulls_first desc_nulls_last".split())


@dataclass(slots=True)
class _Query:
    """A query so far: what its bindings are, in order, and what it does."""

    model: str = ""
    is_table: bool = False  # the model is the name of a table: from u in "users"
    names: list[str] = field(default_factory=list)
    models: list[str] = field(default_factory=list)
    draft: UsageBuilder = field(default_factory=UsageBuilder)
    is_listed: bool = False
    used: list[int] = field(default_factory=list)  # where the parts of it begin

    def of(self, name: str) -> str:
        """Return the model of a binding."""
        return next((model for one, model in zip(self.names, self.models, strict=False) if one == name), "")


class _Operands(NamedTuple):
    """What an operation on a repository is given: what it reads or changes, and the arguments behind that."""

    source: Node | None
    rest: list[Node]
    is_piped: bool = False  # the source stands before the operation in its chain


def read(code: CodeFile) -> Iterator[Usage]:
    """Yield the uses of Ecto's schemas and tables."""
    yield from _Reader(code).read()


class _Reader:
    def __init__(self, code: CodeFile) -> None:
        self.code = code

    @property
    def changesets(self) -> Changesets:
        """The reader of changesets, made each time it is asked: a reader that held it would hold itself."""
        return Changesets(self.code, self._fetched)

    def read(self) -> Iterator[Usage]:
        chains = list(self.code.chains(ANCHOR))
        done: set[int] = set()
        # Those that change rows first: the query they are given is no reading of its own.
        for chain in sorted(chains, key=lambda one: not self._is_change(one)):
            if chain.node.start_byte in done and not self._is_change(chain):
                continue
            for query in self._uses(chain):
                done.update(query.used)
                if query.is_table:
                    yield from query.draft.statement(self.code, chain.node, FRAMEWORK)
                else:
                    yield from query.draft.models(self.code, chain.node, FRAMEWORK)

    def _operation(self, chain: Chain, start: int = 0) -> tuple[str, int]:
        """Return the operation on a repository in a chain and its position, "" for none."""
        for position, link in enumerate(chain.links):
            if position < start:
                continue
            if link.arguments is None:
                continue
            holder, _, name = link.name.rpartition(".")
            if holder and REPO.search(holder):
                return name.rstrip("!"), position
            if (
                position
                and not holder
                and REPO.search(chain.links[position - 1].name)
                and chain.links[position - 1].arguments is None
            ):
                return link.name.rstrip("!"), position
        return "", -1

    def _is_change(self, chain: Chain) -> bool:
        return self._operation(chain)[0] in CHANGES

    def _uses(self, chain: Chain) -> Iterator[_Query]:
        operation, position = self._operation(chain)
        yield from self._operated(chain, operation, position)
        for _ in range(MAX_STEPS):
            if not operation:
                return
            operation, position = self._operation(chain, position + 1)
            if operation:
                yield from self._operated(chain, operation, position)

    def _operated(self, chain: Chain, operation: str, position: int) -> Iterator[_Query]:
        """Yield what one operation on a repository does, for "" what a query by itself does.

        `Repo.get_by(User, email: x)` reads User and its email; `Repo.delete_all(User)` deletes rows of User.
        """
        if not operation:
            yield from self._unrun(chain)
            return
        link = chain.links[position]
        call = _operands(link)
        if operation in ROWS:
            yield from self._row(chain, position, operation, call.source)
        elif operation == "insert_all":
            yield from self._insert_all(call.source if call.source is not None else chain.links[0].node, call.rest)
        elif operation in CHANGES:
            yield from self._changed(chain, position, operation, call)
        elif operation in READS:
            yield from self._read(chain, position, operation, call)

    def _unrun(self, chain: Chain) -> Iterator[_Query]:
        """Yield a query that no repository is given in the same chain."""
        if not any(link.name in MACROS and link.arguments is not None for link in chain.links):
            return
        query = self.query(chain, len(chain.links))
        if query is not None and query.model:
            self._finish(query)
            yield query

    def _given_query(self, chain: Chain, position: int, call: _Operands) -> _Query | None:
        """Return the query that an operation is given, None where it is given none."""
        query = self.query(chain, position) if call.is_piped else self._query_at(call.source)
        return query if query is not None and query.model else None

    def _changed(self, chain: Chain, position: int, operation: str, call: _Operands) -> Iterator[_Query]:
        query = self._given_query(chain, position, call)
        if query is None:
            return
        query.draft.use(query.model, CHANGES[operation])
        query.draft.whole.discard(query.model)
        self._set(chain.links[position].arguments or (), query)
        yield query

    def _read(self, chain: Chain, position: int, operation: str, call: _Operands) -> Iterator[_Query]:
        query = self._given_query(chain, position, call)
        if query is None:
            return
        if not call.is_piped and call.source is not None and not self._is_name(call.source):
            return  # the query is a chain of its own
        if operation in {"get_by", "all_by"}:
            query.draft.touch_all(query.model, self._keys(call.rest, chain.links[position].arguments or ()))
        elif operation == "aggregate":
            query.is_listed = True
            query.draft.touch_all(query.model, [text for node in call.rest[1:] if (text := literal(node))])
        elif operation == "exists":
            query.is_listed = True
        elif operation == "preload":
            self._preload(call.rest[:1], query)
        self._finish(query)
        yield query

    def _is_name(self, node: Node) -> bool:
        return node.type in {"alias"}

    def _finish(self, query: _Query) -> None:
        if not query.is_listed and query.draft.access.get(query.model, Access.READ) is Access.READ:
            query.draft.use(query.model, whole=True)

    # Queries

    def _query_at(self, node: Node | None, depth: int = 0) -> _Query | None:
        chain = chain_of(node)
        return self.query(chain, len(chain.links), depth) if chain is not None and chain.links else None

    def _fetched(self, node: Node | None, depth: int) -> str:
        query = self._query_at(node, depth)
        return query.model if query is not None else ""

    def _beginning(self, chain: Chain, depth: int) -> _Query | None:
        """Return the query that a chain begins with: from(...), a clause, a schema, a table, a variable."""
        first = chain.links[0]
        if first.name == "from" and first.arguments:
            return self._from(first, depth)
        if first.name in MACROS and first.arguments:
            query = self._query_at(first.arguments[0].node, depth + 1)
            if query is not None:
                self._clause(first.name, first.arguments[1:], query)
            return query
        if first.node.type == "alias":
            return _Query(self._module(first.node), names=[""], models=[self._module(first.node)])
        if first.node.type == "string" and (table := literal(first.node)):
            return _Query(table, is_table=True, names=[""], models=[table])
        return self._variable(chain, depth) if first.arguments is None and first.name else None

    def query(self, chain: Chain, end: int, depth: int = 0) -> _Query | None:
        """Return the query that the first links of a chain make, None where they make none."""
        query = self._beginning(chain, depth) if depth <= MAX_STEPS else None
        if query is None:
            return None
        start = 1
        if chain.links[0].node.type == "alias":
            while start < end and chain.links[start].node.type == "alias":
                start += 1
        query.used.append(chain.node.start_byte)
        for link in chain.links[start:end]:
            holder, _, name = link.name.rpartition(".")
            if link.arguments is None or (start == 1 and _is_dotted(link)):
                return None
            if name not in MACROS or holder not in {"", "Ecto.Query", "Query"}:
                continue
            self._clause(name, link.arguments, query)
        return query

    def _variable(self, chain: Chain, depth: int) -> _Query | None:
        for bound in reversed(self.code.bound(chain.links[0].name, chain.node.start_byte)):
            if bound.node.start_byte != chain.node.start_byte and (query := self._query_at(bound.node, depth + 1)):
                return query
        return None

    def _module(self, node: Node) -> str:
        return text_of(node).removeprefix("Elixir.")

    def _from(self, link: Link, depth: int) -> _Query | None:
        source = link.argument(0)
        name_node: Node | None = None
        if source is not None and source.type == "binary_operator" and _operator(source) == "in":
            name_node, source = source.child_by_field_name("left"), source.child_by_field_name("right")
        source = unwrapped(source)
        if source is None:
            return None
        names = [text_of(item) for item in items(name_node)] if name_node is not None else [""]
        if source.type == "alias":
            query: _Query | None = _Query(self._module(source), models=[self._module(source)])
        elif source.type == "string" and (table := literal(source)):
            query = _Query(table, is_table=True, models=[table])
        elif source.type == "tuple" and len(named(source)) == 2:
            model = self._module(named(source)[1])
            query = _Query(model, models=[model])
        else:
            query = self._query_at(source, depth + 1)
        if query is None:
            return None
        for position, name in enumerate(names):
            if position < len(query.names):
                query.names[position] = name
            else:
                query.names.append(name)
        for argument in (link.arguments or ())[1:]:
            if argument.name:
                self._clause(argument.name, (argument._replace(name=""),), query)
        return query

    def _clause(self, name: str, given: tuple[Argument, ...], query: _Query) -> None:
        """Note one clause of a query; a list of names first names the bindings.

        `where(active: true)` on User reads User.active; `order_by([u], u.name)` reads User.name.
        """
        nodes = self._without_bindings([argument.node for argument in given if not argument.name], query)
        if "join" in name:
            self._join(nodes, query)
            self._on([argument for argument in given if argument.name == "on"], query)
            return
        if name == "preload":
            self._preload(nodes, query)
            return
        if name in SELECTIONS:
            self._select(nodes, query)
        elif name in CONDITIONS:
            query.draft.touch_all(query.model, (argument.name for argument in given if argument.name))
            query.draft.touch_all(query.model, self._keys(nodes, ()))
        elif name == "update":
            for node in nodes:
                self._set_entries(entries_of(node), query)
        elif name in ORDERINGS:
            self._order(nodes, query)
        if name in REFERRING:
            self._references([*nodes, *(argument.node for argument in given if argument.name in DIRECTIONS)], query)

    def _without_bindings(self, nodes: list[Node], query: _Query) -> list[Node]:
        """Return the expressions of a clause; the list of bindings before them, `[u, p]`, names those of the query."""
        if len(nodes) < 2 or nodes[0].type != "list":
            return nodes
        bindings = named(nodes[0])
        if any(child.type not in BINDINGS for child in bindings):
            return nodes
        for position, binding in enumerate(child for child in bindings if child.type == "identifier"):
            if position < len(query.models):
                query.names = [*query.names[:position], text_of(binding), *query.names[position + 1 :]]
        return nodes[1:]

    def _order(self, nodes: list[Node], query: _Query) -> None:
        """Note the fields of `:name`, `[:name]` and `[desc: :name]`."""
        for node in nodes:
            for item in [node, *items(node)]:
                ordered = [item]
                if item.type in {"keywords", "list"}:
                    ordered += [value for _, value in entries_of(item)]
                atoms = [one for one in ordered if one.type == "atom"]
                query.draft.touch_all(query.model, (literal(atom) or "" for atom in atoms))

    def _on(self, given: list[Argument], query: _Query) -> None:
        self._references([argument.node for argument in given], query)

    def _join(self, nodes: list[Node], query: _Query) -> None:
        for node in nodes:
            if node.type == "atom":
                continue
            if node.type != "binary_operator" or _operator(node) != "in":
                continue
            alias, source = (
                text_of(node.child_by_field_name("left")).strip("[]"),
                unwrapped(node.child_by_field_name("right")),
            )
            if source is None:
                continue
            model = ""
            chain = chain_of(source)
            if source.type == "alias":
                model = self._module(source)
            elif chain is not None and chain.links[-1].name == "assoc" and chain.links[-1].arguments:
                holder = query.of(text_of(chain.links[-1].argument(0)))
                model = f"{holder}.{literal(chain.links[-1].argument(1)) or ''}" if holder else ""
            elif source.type == "string":
                model = literal(source) or ""
            query.names.append(alias.rpartition(",")[2].strip())
            query.models.append(model)
            query.draft.use(model)

    def _select(self, nodes: list[Node], query: _Query) -> None:
        is_listed = bool(nodes)
        for node in nodes:
            parts = [node, *items(node)] if node.type in {"tuple", "list"} else [node]
            for part in parts:
                if part.type == "identifier" and (model := query.of(text_of(part))):
                    query.draft.use(model, whole=True)
                    is_listed = is_listed and model != query.model
                elif part.type == "atom":
                    query.draft.touch(query.model, literal(part) or "")
            chain = chain_of(node)
            if chain is not None and chain.links[-1].name in {"map", "struct"} and chain.links[-1].arguments:
                model = query.of(text_of(chain.links[-1].argument(0)))
                query.draft.touch_all(model, filter(None, map(literal, items(chain.links[-1].argument(1)))))
        query.is_listed = query.is_listed or is_listed

    def _preload(self, nodes: list[Node], query: _Query) -> None:
        for node in nodes:
            self._preloaded(query.model, node, query.draft, 0)

    def _preloaded(self, path: str, node: Node, draft: UsageBuilder, depth: int) -> None:
        for one in items(node) if depth < 8 else ():
            if one.type == "atom":
                draft.use(f"{path}.{literal(one)}", whole=True)
            for key, value in entries_of(one):
                draft.use(f"{path}.{key}", whole=True)
                if value.type in {"list", "atom", "keywords"}:
                    self._preloaded(f"{path}.{key}", value, draft, depth + 1)

    def _references(self, nodes: list[Node], query: _Query) -> None:
        """Note `u.email` and field(u, :email) of the bindings."""
        for node in nodes:
            for chain in chains_in(node):
                first = chain.links[0]
                if first.name in {"field", "count", "as", "parent_as"} and first.arguments and first.name == "field":
                    query.draft.touch(query.of(text_of(first.argument(0))), literal(first.argument(1)) or "")
                elif len(chain.links) > 1 and first.arguments is None and not chain.links[1].arguments:
                    query.draft.touch(query.of(first.name), chain.links[1].name)

    def _keys(self, nodes: list[Node], given: tuple[Argument, ...]) -> Iterator[str]:
        yield from (argument.name for argument in given if argument.name and argument.name not in {"prefix", "timeout"})
        for node in nodes:
            if node.type in {"list", "map", "keywords"}:
                yield from (key for key, _ in entries_of(node))

    def _set(self, given: tuple[Argument, ...], query: _Query) -> None:
        """Note what update_all sets: `set: [status: x]`."""
        pairs = [(argument.name, argument.node) for argument in given if argument.name]
        for argument in given:
            if not argument.name:
                pairs += entries_of(argument.node)
        self._set_entries(pairs, query)

    def _set_entries(self, pairs: list[tuple[str, Node]], query: _Query) -> None:
        for key, value in pairs:
            if key in {"set", "inc", "push", "pull"}:
                query.draft.use(query.model, Access.WRITE)
                query.draft.touch_all(query.model, (name for name, _ in entries_of(value)), written=True)
                if key == "inc":
                    query.draft.touch_all(query.model, (name for name, _ in entries_of(value)))

    # Rows

    def _insert_all(self, source: Node | None, rest: list[Node]) -> Iterator[_Query]:
        query = self._query_at(source)
        if query is None:
            return
        query.draft.use(query.model, Access.WRITE)
        for node in rest:
            for item in items(node):
                query.draft.touch_all(query.model, (key for key, _ in entries_of(item)), written=True)
        if not query.draft.is_written(query.model):
            query.draft.use(query.model, Access.WRITE, whole=True)
        yield query

    def _row(self, chain: Chain, position: int, operation: str, source: Node | None) -> Iterator[_Query]:
        """Yield the change of one row: of a struct or a changeset."""
        query = _Query()
        if source is not None:
            model = self.changesets.of(source, query.draft)
        else:
            model = self.changesets.along(chain, position, query.draft)
        if not model:
            return
        query.model = model
        access = CHANGES[operation]
        fields = query.draft.is_written(model)
        query.draft.use(model, access, whole=operation.startswith("insert") or (access is Access.WRITE and not fields))
        yield query


def _operands(link: Link) -> _Operands:
    """Return what an operation is given.

    `Repo.insert(user)` and `Multi.insert(multi, :name, user)` are given user; `user |> Repo.insert(opts)` only opts.
    """
    nodes = [argument.node for argument in link.arguments or () if not argument.name]
    holder, _, _ = link.name.rpartition(".")
    if holder.endswith("Multi"):
        return _Operands(nodes[1] if len(nodes) > 1 else None, nodes[2:])
    if "." in link.name:
        return _Operands(None, nodes, is_piped=True)
    return _Operands(nodes[0] if nodes else None, nodes[1:])


def _is_dotted(link: Link) -> bool:
    """Tell whether a call is `Enum.join(x)`, not a value that is piped into `join(x)`."""
    parent = link.node.parent
    return parent is not None and parent.type == "dot" and "." not in link.name


def _operator(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""
