"""Queries of Ecto and what repositories do; a changeset touches nothing until one of them is given it.

https://hexdocs.pm/ecto/Ecto.Query.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from coderag.frameworks.usage.source_file import CodeFile
from coderag.frameworks.usage.usage import Usage, UsageBuilder
from coderag.sql.in_code.records import Access
from coderag.syntax.trees.call_chains import (
    Argument,
    Chain,
    Link,
    chain_of,
    chains_in,
    entries,
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
ANCHOR = re.compile(
    rb"\b(from|where|or_where|join|select|order_by|preload|group_by|all|one|get|get_by|stream|aggregate|exists"
    rb"|insert|update|delete|insert_or_update|insert_all|update_all|delete_all)(?=[!?]?[\s(])"
)
REPO = re.compile(r"(?:^|\.)(?:\w*Repo|Multi)$")
MAX_STEPS = 10
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


def read(code: CodeFile) -> Iterator[Usage]:
    """Yield the uses of Ecto's schemas and tables."""
    yield from _Reader(code).read()


class _Reader:
    def __init__(self, code: CodeFile) -> None:
        self.code = code

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
        if not operation:
            if any(link.name in MACROS and link.arguments is not None for link in chain.links):
                query = self.query(chain, len(chain.links))
                if query is not None and query.model:
                    self._finish(query)
                    yield query
            return
        link = chain.links[position]
        piped = "." in link.name
        nodes = [argument.node for argument in link.arguments or () if not argument.name]
        source = None if piped else (nodes[0] if nodes else None)
        rest = nodes if piped else nodes[1:]
        if piped and link.name.rpartition(".")[0].endswith("Multi"):  # Multi.insert(multi, :name, changeset)
            source, rest, piped = (nodes[1] if len(nodes) > 1 else None), nodes[2:], False
        if operation in {"insert", "update", "delete", "insert_or_update"}:
            yield from self._row(chain, position, operation, source)
            return
        if operation == "insert_all":
            yield from self._insert_all(source if source is not None else chain.links[0].node, rest)
            return
        if operation not in READS and operation not in CHANGES:
            return
        found = self.query(chain, position) if piped else self._query_at(source)
        if found is None or not found.model:
            return
        if not piped and operation not in CHANGES and source is not None and not self._is_name(source):
            return  # the query is a chain of its own
        if operation in CHANGES:
            found.draft.use(found.model, CHANGES[operation])
            found.draft.whole.discard(found.model)
            self._set(link.arguments or (), found)
        elif operation in {"get_by", "all_by"}:
            found.draft.touch_all(found.model, self._keys(rest, link.arguments or ()))
        elif operation == "aggregate":
            found.is_listed = True
            found.draft.touch_all(found.model, [text for node in rest[1:] if (text := literal(node))])
        elif operation == "exists":
            found.is_listed = True
        elif operation == "preload":
            self._preload(rest[:1], found)
        if operation not in CHANGES:
            self._finish(found)
        yield found

    def _is_name(self, node: Node) -> bool:
        return node.type in {"alias"}

    def _finish(self, query: _Query) -> None:
        if not query.is_listed and query.draft.access.get(query.model, Access.READ) is Access.READ:
            query.draft.use(query.model, whole=True)

    # Queries

    def _query_at(self, node: Node | None, depth: int = 0) -> _Query | None:
        chain = chain_of(node)
        return self.query(chain, len(chain.links), depth) if chain is not None and chain.links else None

    def query(self, chain: Chain, end: int, depth: int = 0) -> _Query | None:
        """Return the query that the first links of a chain make, None where they make none."""
        if depth > MAX_STEPS:
            return None
        first = chain.links[0]
        start = 1
        query: _Query | None
        if first.name == "from" and first.arguments:
            query = self._from(first, depth)
        elif first.name in MACROS and first.arguments:
            query = self._query_at(first.arguments[0].node, depth + 1)
            if query is not None:
                self._clause(first.name, first.arguments[1:], query)
        elif first.node.type == "alias":
            query = _Query(self._module(first.node), names=[""], models=[self._module(first.node)])
            while start < end and chain.links[start].node.type == "alias":
                start += 1
        elif first.node.type == "string" and (table := literal(first.node)):
            query = _Query(table, is_table=True, names=[""], models=[table])
        elif first.arguments is None and first.name:
            query = self._variable(chain, depth)
        else:
            return None
        if query is None:
            return None
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
        """Note one clause of a query; a list of names first names the bindings."""
        nodes = [argument.node for argument in given if not argument.name]
        if (
            len(nodes) > 1
            and nodes[0].type == "list"
            and all(child.type in {"identifier", "binary_operator", "keywords", "tuple"} for child in named(nodes[0]))
        ):
            for position, one in enumerate(child for child in named(nodes[0]) if child.type == "identifier"):
                if position < len(query.models):
                    query.names = [*query.names[:position], text_of(one), *query.names[position + 1 :]]
            nodes = nodes[1:]
        if "join" in name:
            self._join(nodes, query)
            self._on([argument for argument in given if argument.name == "on"], query)
            return
        if name == "preload":
            self._preload(nodes, query)
            return
        if name in {"select", "select_merge"}:
            self._select(nodes, query)
        if name in {"where", "or_where", "having"}:
            query.draft.touch_all(query.model, (argument.name for argument in given if argument.name))
            for node in nodes:
                query.draft.touch_all(query.model, self._keys([node], ()))
        if name == "update":
            for node in nodes:
                self._set_entries(entries_of(node), query)
        if name in {"order_by", "group_by", "distinct"}:
            for node in nodes:
                for one in [node, *items(node)]:
                    if one.type == "atom":
                        query.draft.touch(query.model, literal(one) or "")
                    for _, value in entries_of(one) if one.type in {"keywords", "list"} else ():
                        if value.type == "atom":
                            query.draft.touch(query.model, literal(value) or "")
        if name in {
            "where",
            "or_where",
            "having",
            "select",
            "select_merge",
            "order_by",
            "group_by",
            "distinct",
            "on",
            "update",
        }:
            self._references([*nodes, *(argument.node for argument in given if argument.name in DIRECTIONS)], query)

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
        model = self._model_of(source, query, 0) if source is not None else self._model_along(chain, position, query, 0)
        if not model:
            return
        query.model = model
        access = CHANGES[operation]
        fields = query.draft.is_written(model)
        query.draft.use(model, access, whole=operation.startswith("insert") or (access is Access.WRITE and not fields))
        yield query

    def _model_of(self, node: Node | None, query: _Query, depth: int) -> str:
        """Return the schema of a struct, of a changeset, of a name for one; its fields are noted."""
        node = unwrapped(node)
        if node is None or depth > MAX_STEPS:
            return ""
        if node.type == "map":
            struct = next(iter(named(node, "struct")), None)
            model = text_of(next(iter(named(struct)), None)) if struct is not None else ""
            if model:
                query.draft.touch_all(model, (key for key, _ in entries_of(node)), written=True)
            return model
        chain = chain_of(node)
        if chain is None or not chain.links:
            return ""
        return self._model_along(chain, len(chain.links), query, depth + 1)

    def _model_along(self, chain: Chain, end: int, query: _Query, depth: int) -> str:
        if depth > MAX_STEPS:
            return ""
        model = ""
        for position, link in enumerate(chain.links[:end]):
            name = link.name.rpartition(".")[2]
            if "changeset" in name and link.arguments is not None:
                holder = link.name.rpartition(".")[0] or (".".join(chain.names[:position]) if position else "")
                if holder[:1].isupper():
                    model = holder
                elif not model and link.arguments:
                    model = self._model_of(link.arguments[0].node, query, depth + 1)
            elif name in {"change", "cast", "put_change", "put_assoc", "validate_required"} and link.arguments:
                if position == 0 or chain.links[position - 1].arguments is None:
                    model = model or self._model_of(link.arguments[0].node, query, depth + 1)
                for argument in link.arguments:
                    query.draft.touch_all(model, (key for key, _ in entries_of(argument.node)), written=True)
                    query.draft.touch_all(model, [argument.name] if argument.name else (), written=True)
            elif REPO.search(".".join(chain.names[:position])) and name.rstrip("!") in {
                "get",
                "get_by",
                "one",
                "insert",
                "update",
            }:
                found = self._query_at(link.argument(0), depth + 1)
                model = found.model if found is not None else model
            elif (
                position == 0
                and link.node.type == "alias"
                and end > 1
                and REPO.search(chain.links[1].name.rpartition(".")[0])
            ):
                model = self._module(link.node)
            elif position == 0 and not link.name:
                model = self._model_of(link.node, query, depth + 1) if link.node.type == "map" else ""
            elif position == 0 and link.arguments is None and link.node.type == "identifier":
                for bound in reversed(self.code.bound(link.name, chain.node.start_byte)):
                    if bound.node.type == "alias":
                        model = text_of(bound.node)
                    elif bound.node.start_byte != chain.node.start_byte:
                        model = self._model_of(bound.node, query, depth + 1)
                    if model:
                        break
                model = model or self._parameter(link, chain)
        return model

    def _parameter(self, link: Link, chain: Chain) -> str:
        """Return the struct that a parameter is matched with: `def update(%User{} = user)`."""
        scope = self.code.scope(chain.node.start_byte)
        if scope < 0:
            return ""
        definition = self.code.outline.definitions[scope]
        match = re.search(rf"%([A-Z][\w.]*)\{{[^}}]*\}}\s*=\s*{re.escape(link.name)}\b", definition.signature)
        return match[1] if match else ""


def entries_of(node: Node | None) -> list[tuple[str, Node]]:
    """Return the entries of a keyword list, a map or a struct."""
    node = unwrapped(node)
    if node is None:
        return []
    if node.type in {"list", "map", "map_content"}:
        return [
            pair
            for inner in named(node)
            for pair in (
                entries_of(inner)
                if inner.type in {"keywords", "map_content"}
                else entries(node)
                if inner.type == "pair"
                else []
            )
        ]
    return entries(node) if node.type == "keywords" else []


def _is_dotted(link: Link) -> bool:
    """Tell whether a call is `Enum.join(x)`, not a value that is piped into `join(x)`."""
    parent = link.node.parent
    return parent is not None and parent.type == "dot" and "." not in link.name


def _operator(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""
