"""LINQ over the sets of Entity Framework's contexts.

https://learn.microsoft.com/en-us/ef/core/querying/
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from coderag.frameworks.usage.binding import Told
from coderag.frameworks.usage.entities import Entities, is_class_name, model_in_type
from coderag.frameworks.usage.objects import assigned_field
from coderag.frameworks.usage.source_file import CodeFile
from coderag.frameworks.usage.usage import Usage, UsageBuilder
from coderag.sql.in_code.records import Access
from coderag.syntax.trees.call_chains import Chain, Link, chain_of, chains_in, items, unwrapped
from coderag.syntax.trees.tree import descendants, named, text_of
from coderag.text.inflection import singular

__all__ = ["read"]

FRAMEWORK = "linq"
CONTEXT = re.compile(r"(?:context|db|ctx)$", re.IGNORECASE)
CONTEXT_TYPE = re.compile(r"(?:Context|Db|Database)\??$")
SET = re.compile(rb"\bDbSet<\s*([\w.]+)\s*>\s+(\w+)\b")
ANCHOR = re.compile(
    rb"\.\s*(Where|Select|SelectMany|Include|ThenInclude|OrderBy(?:Descending)?|ThenBy(?:Descending)?|GroupBy|Join|First\w*|Single\w*|Last\w*"
    rb"|Find(?:Async)?|Any\w*|All\w*|Count\w*|LongCount\w*|Sum\w*|Max\w*|Min\w*|Average\w*|To\w+Async|ToList|ToArray|ToDictionary|Add|AddAsync"
    rb"|AddRange(?:Async)?|Update|UpdateRange|Remove|RemoveRange|Attach|ExecuteDelete(?:Async)?|ExecuteUpdate(?:Async)?|AsNoTracking|Skip|Take)"
    rb"\s*(?:<[^<>()]*>)?(?=\()"
)
QUERY = re.compile(rb"\bfrom\s+(?:\w+\s+)?\w+\s+(in)\s")
ASSIGNED = re.compile(rb"\b\w+\.(\w+)[ \t]*(?:[-+*/]|\?\?)?=(?![=>])")
WRITES = frozenset("Add AddAsync AddRange AddRangeAsync Update UpdateRange Attach AttachRange".split())
REMOVES = frozenset("Remove RemoveRange ExecuteDelete ExecuteDeleteAsync".split())
SCALARS = re.compile(r"^(?:Any|All|Count|LongCount|Sum|Max|Min|Average|Contains)(?:Async)?$")
ALONG = frozenset(
    """Where OrderBy OrderByDescending ThenBy ThenByDescending Include ThenInclude AsNoTracking AsTracking AsQueryable
    Skip Take Distinct AsSplitQuery IgnoreQueryFilters First FirstOrDefault FirstAsync FirstOrDefaultAsync Single
    SingleOrDefault SingleAsync SingleOrDefaultAsync Last LastOrDefault Find FindAsync ToList ToListAsync ToArray
    ToArrayAsync AsEnumerable AsAsyncEnumerable Reverse LastOrDefaultAsync
    """.split()
)
LAMBDAS = frozenset(("lambda_expression",))


def read(code: CodeFile) -> Iterator[Usage]:
    """Yield the uses of entities."""
    yield from _Reader(code).read()


class _Reader:
    def __init__(self, code: CodeFile) -> None:
        self.code = code
        self.sets = {name.decode(): model.decode() for model, name in SET.findall(code.data)}
        self.entities = Entities(code, self.of_chain, ALONG)

    def read(self) -> Iterator[Usage]:
        for chain in self.code.chains(ANCHOR):
            draft = UsageBuilder()
            self._chain(chain, draft)
            yield from draft.models(self.code, chain.node, FRAMEWORK)
        yield from self._queries()
        for chain in self.code.chains(ASSIGNED):
            yield from self._assigned(chain)

    def is_context(self, chain: Chain, links: int) -> bool:
        """Tell whether the first links stand for a context of Entity Framework."""
        if links < 1 or chain.links[links - 1].arguments is not None:
            return False
        bounds, told = self.code.told_of(chain)
        if told == links:
            typed = [text_of(bound.node) for bound in bounds if bound.told is Told.TYPE]
            if typed and typed[-1] != "var":
                return CONTEXT_TYPE.search(typed[-1]) is not None
        return CONTEXT.search(chain.links[links - 1].name) is not None

    def set_of(self, chain: Chain) -> tuple[str, int]:
        """Return the entity of the set that a chain begins with, and how many links that takes; "" for none."""
        start = 1 if chain.links[0].name == "this" else 0
        for position in range(start + 1, min(len(chain.links), start + 3)):
            link = chain.links[position]
            if not self.is_context(chain, position):
                continue
            if link.name == "Set" and link.types:
                return link.types[0].rpartition(".")[2], position + 1
            if link.arguments is None and is_class_name(link.name) and len(chain.links) > position + 1:
                if link.name in {"Database", "ChangeTracker", "Model", "Entry"}:
                    return "", 0
                return self.sets.get(link.name) or singular(link.name), position + 1
        return "", 0

    def of_chain(self, chain: Chain, depth: int) -> str:
        """Return the entity that a chain on a set gives."""
        del depth
        model, links = self.set_of(chain)
        if model and all(link.name in ALONG for link in chain.links[links:]):
            return model
        return ""

    def beginning(self, chain: Chain) -> tuple[str, int]:
        model, links = self.set_of(chain)
        if model:
            return model, links
        bounds, links = self.code.told_of(chain)
        if (
            len(chain.links) <= links
            or chain.links[links].arguments is None
            or chain.links[links].name in WRITES | REMOVES
        ):
            return "", 0
        for bound in reversed(bounds):
            if bound.told is Told.TYPE:
                if text_of(bound.node).startswith("IQueryable<"):
                    return model_in_type(text_of(bound.node)), links
                continue
            value = chain_of(bound.node)
            if value is not None and value.node != chain.node:
                model, start = self.set_of(value)
                names = {link.name for link in value.links[start or 1 :]}
                if names & MATERIAL or not names <= ALONG:
                    continue
                if model or len(value.links) > 1:
                    return model or self.beginning(value)[0], links
        return "", 0

    def _chain(self, chain: Chain, draft: UsageBuilder) -> None:
        position = next((p for p, link in enumerate(chain.links) if link.arguments is not None), -1)
        if position > 0 and chain.links[position].name in WRITES | REMOVES and self.is_context(chain, position):
            self._rows(chain.links[position], "", draft)
            return
        model, start = self.beginning(chain)
        if not model:
            return
        links = [link for link in chain.links[start:] if link.arguments is not None]
        first = links[0] if links else None
        if first is not None and first.name in WRITES | {"Remove", "RemoveRange"}:
            self._rows(first, model, draft)
            return
        self._calls(links, model, draft)

    def _rows(self, link: Link, model: str, draft: UsageBuilder) -> None:
        """Note the objects that are added, attached or removed."""
        access = Access.DELETE if link.name in REMOVES else Access.WRITE
        for argument in link.arguments or ():
            for node in items(argument.node):
                known = self._made(node) or self.entities.of_node(node) or model
                if not known:
                    continue
                draft.use(known, access, whole=access is Access.WRITE)
                if access is Access.WRITE:
                    draft.touch_all(known, self._fields(node), written=True)

    def _made(self, node: Node) -> str:
        node = self._value(node)
        chain = chain_of(node)
        return chain.links[-1].name if chain is not None and chain.links[-1].made else ""

    def _value(self, node: Node) -> Node:
        inner = unwrapped(node)
        if inner is not None and inner.type == "identifier":
            bounds = [bound for bound in self.code.bound(text_of(inner), inner.start_byte) if bound.told is Told.VALUE]
            return (unwrapped(bounds[-1].node) if bounds else inner) or node
        return inner or node

    def _fields(self, node: Node) -> Iterator[str]:
        chain = chain_of(self._value(node))
        if chain is not None and chain.links[-1].made:
            yield from (argument.name for argument in chain.links[-1].arguments or () if argument.name)

    def _calls(self, links: list[Link], model: str, draft: UsageBuilder) -> None:
        """Note what the calls on a set do."""
        is_whole, current, included = True, model, model
        access, grouped = Access.READ, False
        for link in links:
            name = link.name
            if name in {"Include", "ThenInclude"}:
                included = self._included(link, model if name == "Include" else included, draft)
                continue
            if name in {"Select", "GroupBy", "SelectMany"} or SCALARS.match(name):
                is_whole = is_whole and self._selects_whole(link) and name in {"Select"}
            if name.startswith("ExecuteDelete"):
                access = Access.DELETE
            elif name.startswith("ExecuteUpdate"):
                access = Access.WRITE
                self._properties(link, model, draft)
            if name in {"Find", "FindAsync"}:
                continue
            for argument in link.arguments or ():
                self._lambda(argument.node, current, draft, grouped=grouped)
            grouped = grouped or name == "GroupBy"
            if name in {"Select", "SelectMany"} and not self._selects_whole(link):
                current = self._after(link, current) if name == "SelectMany" else ""
                if name == "SelectMany" and current:
                    draft.use(current, whole=True)
        draft.use(model, access, whole=is_whole and access is Access.READ)

    def _selects_whole(self, link: Link) -> bool:
        """Tell whether a projection gives the objects themselves."""
        node = link.argument(0)
        if node is None or node.type not in LAMBDAS:
            return False
        body, names = node.child_by_field_name("body"), _parameters(node)
        return body is not None and text_of(body) in names

    def _after(self, link: Link, model: str) -> str:
        node = link.argument(0)
        chain = chain_of(node.child_by_field_name("body")) if node is not None and node.type in LAMBDAS else None
        if chain is None or any(one.arguments is not None for one in chain.links):
            return ""
        return ".".join([model, *chain.names[1:]])

    def _included(self, link: Link, model: str, draft: UsageBuilder) -> str:
        node = link.argument(0)
        chain = chain_of(node.child_by_field_name("body")) if node is not None and node.type in LAMBDAS else None
        if chain is None:
            text = text_of(node).strip('"')
            path = f"{model}.{text}" if text and text.replace(".", "").isalnum() else ""
        else:
            names = [one.name for one in chain.links[1:] if one.arguments is None]
            path = ".".join([model, *names]) if names else ""
        if path:
            draft.use(path, whole=True)
        return path or model

    def _lambda(self, node: Node, model: str, draft: UsageBuilder, *, grouped: bool = False) -> None:
        """Note the properties that a lambda takes of its parameter."""
        if node.type not in LAMBDAS or not model:
            return
        names = _parameters(node)
        for chain in chains_in(node.child_by_field_name("body")):
            if chain.links[0].name in names[:1] and len(chain.links) > 1 and not grouped:
                self._member(chain, model, draft)
        for inner in descendants(node, "lambda_expression"):
            self._inner(inner, names, model, draft=draft)

    def _inner(self, node: Node, names: list[str], model: str, *, draft: UsageBuilder) -> None:
        """Note the properties in `u.Posts.Any(p => p.Title == x)` of a lambda inside of another."""
        holder = node.parent.parent.parent if node.parent is not None and node.parent.parent is not None else None
        chain = chain_of(holder)
        if chain is None or chain.links[0].name not in names[:1]:
            return
        path = [link.name for link in chain.links[1:] if link.arguments is None]
        is_group = len(chain.links) == 2 and SCALARS.match(chain.links[1].name) is not None  # g.Sum(o => o.Total)
        inner = _parameters(node)
        for one in chains_in(node.child_by_field_name("body")):
            if one.links[0].name in inner[:1] and len(one.links) > 1 and (path or is_group):
                self._member(one, ".".join([model, *path]), draft)

    def _member(self, chain: Chain, model: str, draft: UsageBuilder) -> None:
        names: list[str] = []
        for link in chain.links[1:]:
            if link.arguments is not None or (
                names and link.name in {"Value", "HasValue", "Length", "Date", "Year", "Count", "Month", "Day"}
            ):
                break
            names.append(link.name)
        if len(names) > 1 and names[-1] == "Id":
            names.pop()  # the key of a related row stands in the own table
        if names:
            draft.touch(model, ".".join(names))

    def _properties(self, link: Link, model: str, draft: UsageBuilder) -> None:
        """Note what ExecuteUpdate sets: `s => s.SetProperty(u => u.Name, x)`."""
        draft.use(model, Access.WRITE)
        for argument in link.arguments or ():
            for chain in chains_in(argument.node):
                for call in chain.links:
                    target = call.argument(0) if call.name == "SetProperty" else None
                    if target is None or target.type not in LAMBDAS:
                        continue
                    field = chain_of(target.child_by_field_name("body"))
                    if field is not None and len(field.links) > 1:
                        draft.touch(model, field.links[1].name, written=True)
                    if (value := call.argument(1)) is not None:
                        self._lambda(value, model, draft)

    # Query syntax

    def _queries(self) -> Iterator[Usage]:
        """Yield the uses of `from u in db.Users where u.Email == x select u`."""
        root = self.code.parsed.tree.root_node
        for match in QUERY.finditer(self.code.data):
            node: Node | None = root.descendant_for_byte_range(*match.span(1))
            for _ in range(4):
                if node is None or node.type == "query_expression":
                    break
                node = node.parent
            if node is None or node.type != "query_expression":
                continue
            draft = UsageBuilder()
            self._query(node, draft)
            yield from draft.models(self.code, node, FRAMEWORK)

    def _query(self, node: Node, draft: UsageBuilder) -> None:
        """Note what a query expression reads.

        `from u in db.Users where u.Email == x select u` reads all of Users and their Email; `select u.Id` reads Id.
        """
        ranges = self._ranges(node, draft)
        if not ranges:
            return
        for chain in chains_in(node):
            if chain.links[0].name in ranges and len(chain.links) > 1:
                self._member(chain, ranges[chain.links[0].name], draft)
        for selected in _selected(node):
            if selected.type == "identifier" and text_of(selected) in ranges:
                draft.use(ranges[text_of(selected)], whole=True)

    def _ranges(self, query: Node, draft: UsageBuilder) -> dict[str, str]:
        """Return the models of the range variables of a query expression by their names; their use is noted."""
        ranges: dict[str, str] = {}
        for clause in named(query, "from_clause", "join_clause"):
            parts = [
                child for child in named(clause) if "type" not in child.type or child.type == "member_access_expression"
            ]
            name_node = clause.child_by_field_name("name") or (parts[0] if parts else None)
            sources = [part for part in parts if name_node is None or part.id != name_node.id]
            chain = chain_of(sources[0]) if sources else None
            if chain is None:
                continue
            extended = Chain(chain.node, (*chain.links, Link("", chain.node)))
            model, _ = self.set_of(extended)
            if not model and chain.links[0].name in ranges:
                model = ".".join([ranges[chain.links[0].name], *chain.names[1:]])
            if model:
                ranges[text_of(name_node)] = model
                draft.use(model)
        return ranges

    def _assigned(self, chain: Chain) -> Iterator[Usage]:
        """Yield `user.Name = x` of an object that comes from a set."""
        found = assigned_field(chain, ("this", "base")) if len(chain.links) == 2 else None
        if found is None:
            return
        bounds = [
            bound
            for bound in self.code.bound(chain.links[0].name, chain.node.start_byte)
            if bound.told is not Told.TYPE
        ]
        model = self.entities.of_node(bounds[-1].node) if bounds else ""
        value = chain_of(bounds[-1].node) if bounds else None
        if not model or (value is not None and value.links[-1].made):
            return
        draft = UsageBuilder()
        draft.assign(model, found.field)
        yield from draft.models(self.code, chain.node, FRAMEWORK)


# What ends a query: what comes behind it works on objects in memory.
MATERIAL = frozenset(
    """First FirstOrDefault FirstAsync FirstOrDefaultAsync Single SingleOrDefault SingleAsync SingleOrDefaultAsync Find
    FindAsync ToList ToListAsync ToArray ToArrayAsync AsEnumerable Last LastOrDefault LastOrDefaultAsync
    """.split()
)


def _selected(query: Node) -> Iterator[Node]:
    """Yield what a query expression selects, the members of `new { u, p }` too."""
    for clause in named(query, "select_clause"):
        yield from named(clause)
        for child in named(clause, "anonymous_object_creation_expression"):
            yield from named(child)


def _parameters(node: Node) -> list[str]:
    """Return the names of a lambda's parameters."""
    holder = node.child_by_field_name("parameters")
    if holder is None:
        return []
    if holder.type in {"implicit_parameter", "identifier"}:
        return [text_of(holder)]
    return [text_of(child.child_by_field_name("name") or child) for child in named(holder)]
