"""Queries and sessions of SQLAlchemy, Flask-SQLAlchemy and SQLModel.

https://docs.sqlalchemy.org/en/20/orm/queryguide/
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from coderag.frameworks.sqlalchemy.beginnings import NO_FIELDS, Beginnings
from coderag.frameworks.usage.entities import Entities, split_model
from coderag.frameworks.usage.objects import assigned_field, constructed_fields
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
)

__all__ = ["read"]

FRAMEWORK = "sqlalchemy"
ANCHOR = re.compile(
    rb"\b(select|insert|update|delete|query|get|get_one|add|add_all|merge|refresh|exists|bulk_\w+|append|extend|filter"
    rb"|filter_by|where|order_by|group_by|having|join|outerjoin|options|values|returning|first|all|one|count|union"
    rb"|execute|on_conflict_do_update|paginate|first_or_404|get_or_404|one_or_404|scalar|scalars)(?=\s*\()"
)
ASSIGNED = re.compile(rb"\b\w+\.(\w+)[ \t]*(?:[-+*/|]?=)(?!=)")
ATTRIBUTE = re.compile(rb"\b(?:[A-Z]\w*\.([a-z_]\w*)|\w+\.c\.(\w+))")
NESTED = 8  # calls inside of each other that are looked at
PASSING = frozenset(
    """filter filter_by where order_by group_by having join outerjoin options limit offset distinct all first one
    one_or_none get scalars scalar scalar_one scalar_one_or_none unique with_for_update execution_options select_from
    first_or_404 get_or_404 one_or_404 populate_existing yield_per partitions union union_all slice reverse copy
    """.split()
)
LOADERS = frozenset(
    "joinedload selectinload subqueryload lazyload contains_eager immediateload raiseload noload".split()
)


SETTERS = frozenset(("values", "update", "ordered_values"))
UPSERTS = frozenset(("on_conflict_do_update", "on_duplicate_key_update"))
OF_OBJECTS = {  # methods of a session that are given objects
    **dict.fromkeys(("add", "add_all", "merge", "bulk_save_objects"), Access.WRITE),
    "delete": Access.DELETE,
    "refresh": Access.READ,
}


@dataclass(slots=True)
class _Query:
    """A query whose calls are read."""

    primary: str  # the model that it is about
    draft: UsageBuilder
    target: str  # the model that was joined last, which filter_by is about


def read(code: CodeFile) -> Iterator[Usage]:
    """Yield the uses of mapped classes and Core tables."""
    yield from _Reader(code).read()


class _Reader:
    def __init__(self, code: CodeFile) -> None:
        self.code = code
        self.entities = Entities(code, self.of_chain, PASSING)
        self.beginnings = Beginnings(code)

    def read(self) -> Iterator[Usage]:
        done: list[tuple[int, int]] = []
        for chain in self.code.chains(ANCHOR):
            draft = UsageBuilder()
            self._chain(chain, draft)
            if draft.access:
                done.append((chain.node.start_byte, chain.node.end_byte))
            yield from draft.models(self.code, chain.node, FRAMEWORK)
        yield from self._apart(done)
        yield from self._loaded()
        for chain in self.code.chains(ASSIGNED):
            draft = UsageBuilder()
            self._assigned(chain, draft)
            yield from draft.models(self.code, chain.node, FRAMEWORK)

    def _apart(self, done: list[tuple[int, int]]) -> Iterator[Usage]:
        """Yield the columns that are named outside of queries: conditions on their way into one."""
        if not self.beginnings.is_evident:
            return
        done.sort()
        starts = [start for start, _ in done]
        for chain in self.code.chains(ATTRIBUTE):
            place = chain.node.start_byte
            position = bisect_right(starts, place) - 1
            if any(place < end for _, end in done[max(0, position - NESTED) : position + 1]):
                continue
            if self.code.scope(place) == self.code.type_around(place) or is_target(chain.node):
                continue  # of a class's body: a constraint, a relationship
            draft = UsageBuilder()
            self._references(Link("", chain.node, (Argument(chain.node),)), draft)
            yield from draft.models(self.code, chain.node, FRAMEWORK)

    def _loaded(self) -> Iterator[Usage]:
        for path, node in self.entities.loaded():
            if self.beginnings.is_evident and not is_target(node.parent):
                draft = UsageBuilder()
                draft.use(path, whole=True)
                yield from draft.models(self.code, node, FRAMEWORK)

    def of_chain(self, chain: Chain, depth: int) -> str:
        """Return the model that a query or session gives objects of."""
        start = self.beginnings.of(chain)
        if start is not None:
            draft = UsageBuilder()
            model = self.beginnings.primary(chain, start, draft)
            rest = chain.links[start.position + 1 :]
            return model if model in draft.whole or (all(link.name in PASSING for link in rest) and rest) else ""
        last = next((p for p, link in enumerate(chain.links) if link.arguments is not None), -1)
        if last < 1:
            return ""
        link = chain.links[last]
        rest = chain.links[last + 1 :]
        if any(one.arguments is None or one.name not in PASSING | {"[]"} for one in rest):
            return ""
        if link.name in {"get", "get_one", "get_or_404"} and link.argument(1) is not None:
            given = chain_of(link.argument(0))
            return split_model(given)[0] if given is not None and self.beginnings.is_session(chain, last) else ""
        if link.name in {"scalar", "scalars", "execute", "scalar_one", "exec", "merge", "stream_scalars"}:
            return self.entities.of_node(link.argument(0), depth + 1) if self.beginnings.is_session(chain, last) else ""
        return ""

    # What the calls do

    def _chain(self, chain: Chain, draft: UsageBuilder) -> None:
        start = self.beginnings.of(chain)
        if start is not None:
            primary = self.beginnings.primary(chain, start, draft)
            self._links(chain, start.position + 1, primary, draft, access=start.access)
            return
        if self._session(chain, draft):
            return
        base, links = self.query_variable(chain)
        if base:
            self._links(chain, links, base, draft, access=Access.READ)

    def query_variable(self, chain: Chain) -> tuple[str, int]:
        """Return the model of the query that a chain goes on with, where it begins with a name for one."""
        if len(chain.links) < 2 or chain.links[0].arguments is not None:
            return "", 0
        bounds, links = self.code.told_of(chain)
        if len(chain.links) <= links or chain.links[links].arguments is None:
            return "", 0
        for bound in reversed(bounds):
            current = chain_of(bound.node)
            for _ in range(10):
                if current is None or not current.links:
                    break
                start = self.beginnings.of(current)
                if start is not None:
                    return self.beginnings.primary(current, start, UsageBuilder()), links
                earlier = [one for one in self.code.told_of(current)[0] if one.start < current.node.start_byte]
                following = chain_of(earlier[-1].node) if earlier and len(current.links) > 1 else None
                current = following if following is None or following.node != current.node else None
        return "", 0

    def _links(self, chain: Chain, position: int, primary: str, draft: UsageBuilder, *, access: Access) -> None:
        """Note what the calls behind the beginning of a query do.

        `select(User).where(User.email == x)` reads User.email; `update(User).values(name=x)` writes User.name.
        """
        query = _Query(primary, draft, target=primary)
        for link in chain.links[position:]:
            if link.arguments is None:
                continue
            if link.name in SETTERS and (access is not Access.READ or link.name == "update"):
                self._set(link, query)
            elif link.name in UPSERTS:
                self._upsert(link, query)
            else:
                if (note := VERBS.get(link.name)) is not None:
                    note(self, link, query)
                self._references(link, draft)
        if access is Access.WRITE and not draft.is_written(primary) and chain.find("from_select") is None:
            draft.use(primary, Access.WRITE, whole=chain.links[position - 1].name == "insert")

    def _filter_by(self, link: Link, query: _Query) -> None:
        query.draft.touch_all(query.target, (argument.name for argument in link.arguments or () if argument.name))

    def _join_to(self, link: Link, query: _Query) -> None:
        query.target = self._join(link, query.draft) or query.target

    def _load(self, link: Link, query: _Query) -> None:
        self._options(link, query.draft)

    def _set(self, link: Link, query: _Query) -> None:
        query.draft.use(query.primary, Access.WRITE)
        query.draft.whole.discard(query.primary)
        self._written(link, query.primary, query.draft)

    def _upsert(self, link: Link, query: _Query) -> None:
        """Note the fields of `on_conflict_do_update(index_elements=..., set_=...)`."""
        draft, primary = query.draft, query.primary
        draft.touch_all(primary, (key for key, _ in entries(link.keyword("set_"))), written=True)
        draft.touch_all(primary, filter(None, map(literal, items(link.keyword("index_elements")))))
        if link.name == "on_duplicate_key_update":
            draft.touch_all(
                primary, (argument.name for argument in link.arguments or () if argument.name), written=True
            )

    def _delete(self, link: Link, query: _Query) -> None:
        del link
        query.draft.use(query.primary, Access.DELETE)
        query.draft.whole.discard(query.primary)

    def _order(self, link: Link, query: _Query) -> None:
        texts = filter(None, (literal(argument.node) for argument in link.arguments or ()))
        query.draft.touch_all(query.primary, filter(str.isidentifier, texts))

    def _narrow(self, link: Link, query: _Query) -> None:
        del link
        query.draft.whole.discard(query.primary)

    def _return(self, link: Link, query: _Query) -> None:
        if any(self._is_bare(argument.node) for argument in link.arguments or ()):
            query.draft.use(query.primary, whole=True)

    def _is_bare(self, node: Node) -> bool:
        chain = chain_of(node)
        return chain is not None and len(chain.links) == split_model(chain)[1]

    def _references(self, link: Link, draft: UsageBuilder) -> None:
        """Note the attributes of models among the arguments."""
        for argument in link.arguments or ():
            for chain in chains_in(argument.node):
                model, links = self.beginnings.model_of(chain)
                if not model or len(chain.links) <= links:
                    continue
                field = chain.links[links]
                if field.arguments is None and field.name not in NO_FIELDS:
                    draft.touch(model, field.name)

    def _join(self, link: Link, draft: UsageBuilder) -> str:
        """Note what is joined and return its model."""
        chain = chain_of(link.argument(0))
        if chain is None:
            return ""
        model, links = self.beginnings.model_of(chain)
        if not model:
            return ""
        path = ".".join([model, *(one.name for one in chain.links[links:] if one.arguments is None)])
        draft.use(path)
        return path

    def _options(self, link: Link, draft: UsageBuilder) -> None:
        """Note the relations that loader options bring along."""
        for argument in link.arguments or ():
            chain = chain_of(argument.node)
            path = ""
            for one in chain.links if chain is not None else ():
                if one.name not in LOADERS or one.arguments is None:
                    continue
                given = chain_of(one.argument(0))
                model, links = split_model(given) if given is not None else ("", 0)
                if given is None or not model or len(given.links) <= links:
                    continue
                path = f"{path or model}.{given.links[links].name}"
                if one.name not in {"lazyload", "raiseload", "noload"}:
                    draft.use(path, whole=True)

    def _written(self, link: Link, primary: str, draft: UsageBuilder) -> None:
        """Note the fields that values() or update() set."""
        for argument in link.arguments or ():
            if argument.name and argument.name != "synchronize_session":
                draft.touch(primary, argument.name, written=True)
                self._references(Link("", argument.node, (argument,)), draft)
                continue
            for item in items(argument.node):
                for key, value in entries(_element(item)):
                    draft.touch(primary, key.rpartition(".")[2], written=True)
                    self._references(Link("", value, (argument._replace(node=value),)), draft)

    def _session(self, chain: Chain, draft: UsageBuilder) -> bool:
        """Note what a method of a session does to objects; tell whether the chain is such a call.

        `session.add(User(name=x))` writes User and its name; `session.delete(user)` deletes a row of User.
        """
        position = next((p for p, link in enumerate(chain.links) if link.arguments is not None), -1)
        if position < 1:
            return False
        link = chain.links[position]
        if link.name in {"append", "extend"} and position >= 2:
            self._objects(link, Access.WRITE, draft, constructed=True)
            return True
        if not self.beginnings.is_session(chain, position):
            return False
        if (access := OF_OBJECTS.get(link.name)) is not None:
            self._objects(link, access, draft)
            return True
        given = chain_of(link.argument(0))
        note = OF_MODELS.get(link.name)
        return note is not None and given is not None and note(self, link, given, draft)

    def _get(self, link: Link, given: Chain, draft: UsageBuilder) -> bool:
        """Note the row of `session.get(User, 1)`."""
        if link.argument(1) is None:
            return False
        model = split_model(given)[0]
        draft.use(model, whole=True)
        return bool(model)

    def _bulk(self, link: Link, given: Chain, draft: UsageBuilder) -> bool:
        """Note the rows of `session.bulk_insert_mappings(User, [{...}])`."""
        model = split_model(given)[0]
        draft.use(model, Access.WRITE, whole=link.name == "bulk_insert_mappings")
        self._rows(link, model, draft)
        return True

    def _execute(self, link: Link, given: Chain, draft: UsageBuilder) -> bool:
        """Note the rows of `session.execute(insert(User), [{...}])`."""
        start = self.beginnings.of(given)
        if start is None:
            return False
        if start.access is Access.WRITE and link.argument(1) is not None:
            model = self.beginnings.primary(given, start, UsageBuilder())
            self._rows(link, model, draft)
            draft.use(model, Access.WRITE)
        return True

    def _rows(self, link: Link, model: str, draft: UsageBuilder) -> None:
        for item in items(link.argument(1)):
            draft.touch_all(model, (key for key, _ in entries(item)), written=True)

    def _objects(self, link: Link, access: Access, draft: UsageBuilder, *, constructed: bool = False) -> None:
        """Note the objects that are handed to a session."""
        for node in items(link.argument(0)):
            node = _element(node)
            chain = chain_of(node)
            if chain is None or (constructed and chain.links[-1].arguments is None):
                continue
            if constructed and not self.beginnings.is_evident:
                continue
            model = self.entities.of(chain)
            if not model:
                continue
            draft.use(model, access, whole=True)
            draft.touch_all(model, constructed_fields(self.code, chain), written=True)

    def _assigned(self, chain: Chain, draft: UsageBuilder) -> None:
        """Note `user.name = x` of a value that is known to be of a model."""
        found = assigned_field(chain, ("self",))
        if found is not None and (model := self.entities.of(found.holder)):
            draft.assign(model, found.field)


Verb = Callable[[_Reader, Link, _Query], None]
VERBS: Mapping[str, Verb] = {
    "filter_by": _Reader._filter_by,
    **dict.fromkeys(("join", "outerjoin", "select_from", "join_from"), _Reader._join_to),
    "options": _Reader._load,
    "delete": _Reader._delete,
    **dict.fromkeys(("order_by", "group_by"), _Reader._order),
    **dict.fromkeys(("with_entities", "with_only_columns", "exists"), _Reader._narrow),
    "returning": _Reader._return,
}
ModelVerb = Callable[[_Reader, Link, Chain, UsageBuilder], bool]
OF_MODELS: Mapping[str, ModelVerb] = {  # methods of a session that are given a class or a statement
    **dict.fromkeys(("get", "get_one", "get_or_404"), _Reader._get),
    **dict.fromkeys(("bulk_insert_mappings", "bulk_update_mappings"), _Reader._bulk),
    "execute": _Reader._execute,
}


def is_target(node: Node | None) -> bool:
    """Tell whether an expression is what a value is assigned to."""
    parent = node.parent if node is not None else None
    return parent is not None and parent.type == "assignment" and parent.child_by_field_name("left") == node


def _element(node: Node) -> Node:
    """Return what a comprehension makes; any other node as it is."""
    if node.type in {"list_comprehension", "generator_expression", "set_comprehension"}:
        return node.child_by_field_name("body") or node
    return node
