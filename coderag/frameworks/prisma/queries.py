"""Calls of Prisma's client.

https://www.prisma.io/docs/orm/reference/prisma-client-reference
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from coderag.frameworks.usage.source_file import CodeFile
from coderag.frameworks.usage.usage import Usage, UsageBuilder
from coderag.sql.in_code.records import Access
from coderag.syntax.trees.call_chains import Chain, chain_of, entries, items, literal, unwrapped
from coderag.syntax.trees.tree import text_of

__all__ = ["read"]

FRAMEWORK = "prisma"
METHODS = {
    "findUnique": Access.READ,
    "findUniqueOrThrow": Access.READ,
    "findFirst": Access.READ,
    "findFirstOrThrow": Access.READ,
    "findMany": Access.READ,
    "count": Access.READ,
    "aggregate": Access.READ,
    "groupBy": Access.READ,
    "create": Access.WRITE,
    "createMany": Access.WRITE,
    "createManyAndReturn": Access.WRITE,
    "update": Access.WRITE,
    "updateMany": Access.WRITE,
    "updateManyAndReturn": Access.WRITE,
    "upsert": Access.WRITE,
    "delete": Access.DELETE,
    "deleteMany": Access.DELETE,
}
ANCHOR = re.compile(
    rb"\.\s*(find(?:Unique|First)(?:OrThrow)?|findMany|count|aggregate|groupBy|create(?:Many(?:AndReturn)?)?"
    rb"|update(?:Many(?:AndReturn)?)?|upsert|delete(?:Many)?)\s*(?:<[^<>()]*>)?(?=\()"
)
CLIENT = re.compile(r"prisma|^tx$|^db$|^trx$|client$|database|^orm$|^p$", re.IGNORECASE)
LOGIC = frozenset(("AND", "OR", "NOT"))
RELATION_FILTERS = frozenset(("some", "every", "none", "is", "isNot"))
# Keys of a filter on a field itself: what else stands there is a field of a relation.
OPERATORS = frozenset(
    """equals in notIn lt lte gt gte contains startsWith endsWith mode not has hasEvery hasSome isEmpty search path
    string_contains string_starts_with string_ends_with array_contains array_starts_with array_ends_with isSet
    increment decrement multiply divide set unset push sort nulls _count _avg _sum _min _max
    """.split()
)
NESTED = {
    "create": Access.WRITE,
    "createMany": Access.WRITE,
    "connectOrCreate": Access.WRITE,
    "update": Access.WRITE,
    "updateMany": Access.WRITE,
    "upsert": Access.WRITE,
    "delete": Access.DELETE,
    "deleteMany": Access.DELETE,
}
LINKING = frozenset(("connect", "disconnect", "set", "connectOrCreate"))
MAX_DEPTH = 12


def read(code: CodeFile) -> Iterator[Usage]:
    """Yield the uses of Prisma's models."""
    is_evident = b"prisma" in code.data.lower()
    for chain in code.chains(ANCHOR):
        found = _call(chain, is_evident=is_evident)
        if found is None:
            continue
        model, method, node = found
        draft = UsageBuilder()
        draft.use(model, METHODS[method])
        _Arguments(code, draft).read(model, method, node)
        yield from draft.models(code, chain.node, FRAMEWORK)


def _call(chain: Chain, *, is_evident: bool) -> tuple[str, str, Node | None] | None:
    """Return the model, the method and the argument of `prisma.user.findMany({...})`."""
    for position, link in enumerate(chain.links):
        if link.arguments is None:
            continue
        if position < 2 or link.name not in METHODS or not is_evident:
            return None
        model, client = chain.links[position - 1], chain.links[position - 2]
        if not CLIENT.search(client.name) or not model.name.isidentifier() or model.name == "query":
            return None
        if len(link.arguments) > 1 or model.name.startswith("$"):
            return None
        return model.name, link.name, link.argument(0)
    return None


class _Arguments:
    def __init__(self, code: CodeFile, draft: UsageBuilder) -> None:
        self.code = code
        self.draft = draft

    def entries(self, node: Node | None, depth: int = 0) -> list[tuple[str, Node]]:
        """Return the entries of an object, of a name for one, and of what is spread into it."""
        node = unwrapped(node)
        for _ in range(4):
            if node is None or node.type not in {"identifier", "shorthand_property_identifier"}:
                break
            bounds = self.code.bound(text_of(node), node.start_byte)
            node = unwrapped(bounds[-1].node) if bounds else None
        if node is None or depth > MAX_DEPTH:
            return []
        if node.type == "ternary_expression":
            branches = (node.child_by_field_name("consequence"), node.child_by_field_name("alternative"))
            return [entry for branch in branches for entry in entries(branch)]
        found = entries(node)
        for one in node.named_children if node.type == "object" else ():
            if one.type == "spread_element":
                inner = unwrapped(one.named_children[0]) if one.named_children else None
                if inner is not None and inner.type == "binary_expression":  # ...(x && { email: x })
                    inner = unwrapped(inner.child_by_field_name("right"))
                if inner is not None and inner.start_byte != node.start_byte:
                    found += self.entries(inner, depth + 1)
        return found

    def read(self, model: str, method: str, node: Node | None) -> None:
        given = dict(self.entries(node))
        access = METHODS[method]
        self.shape(model, given, 0, is_whole=method.startswith("find"))
        self.where(model, "", given.get("where"), 0)
        self.where(model, "", given.get("cursor"), 0)
        self.where(model, "", given.get("having"), 0)
        for part in ("data", "create", "update"):
            self.data(model, given.get(part), 0)
        if (
            method.startswith("create")
            or method == "upsert"
            or (
                access is Access.WRITE
                and "data" in given
                and not self.entries(given["data"])
                and not items(given["data"])[1:]
            )
        ):
            self.draft.use(model, Access.WRITE, whole=True)
        for part in ("orderBy", "distinct", "by"):
            self.order(model, given.get(part))
        for part in ("_count", "_sum", "_avg", "_min", "_max"):
            if part in given and method in {"aggregate", "groupBy", "count"}:
                self.draft.touch_all(model, (key for key, _ in self.entries(given[part]) if key != "_all"))
        if method == "count" and "select" in given:
            self.draft.touch_all(model, (key for key, _ in self.entries(given["select"]) if key != "_all"))

    def shape(self, model: str, given: dict[str, Node], depth: int, *, is_whole: bool) -> None:
        """Note what `select` and `include` bring."""
        if depth > MAX_DEPTH:
            return
        if "select" in given and is_whole:
            for key, value in self.entries(given["select"]):
                inner = unwrapped(value)
                if key == "_count" or inner is None or inner.type == "false":
                    continue
                if inner.type == "object":
                    self.related(f"{model}.{key}", inner, depth)
                else:
                    self.draft.touch(model, key)
        elif is_whole:
            self.draft.use(model, whole=True)
        holders = [given["include"]] if "include" in given else []
        if "select" in given and not is_whole:
            holders.append(given["select"])
        for holder in holders:
            for key, value in self.entries(holder):
                inner = unwrapped(value)
                if key == "_count" or inner is None or inner.type == "false":
                    continue
                if inner.type == "object" or holder is given.get("include"):
                    self.related(f"{model}.{key}", inner, depth)
                else:
                    self.draft.touch(model, key)

    def related(self, path: str, node: Node, depth: int) -> None:
        """Note a relation that is loaded along."""
        given = dict(self.entries(node))
        self.draft.use(path)
        self.shape(path, given, depth + 1, is_whole=True)
        self.where(path, "", given.get("where"), depth + 1)
        self.order(path, given.get("orderBy"))

    def where(self, model: str, path: str, node: Node | None, depth: int) -> None:
        """Note the fields of a filter."""
        if node is None or depth > MAX_DEPTH:
            return
        for holder in items(node):
            for key, value in self.entries(holder):
                if key in LOGIC:
                    self.where(model, path, value, depth + 1)
                    continue
                if key in RELATION_FILTERS:
                    self.where(model, path, value, depth + 1)
                    continue
                if key in OPERATORS:
                    continue
                field = f"{path}.{key}" if path else key
                inner = unwrapped(value)
                keys = [name for name, _ in entries(inner)] if inner is not None and inner.type == "object" else []
                if keys and not set(keys) <= OPERATORS:
                    if "_" in key and all(name in key.split("_") for name in keys):  # a key of several fields
                        self.where(model, path, inner, depth + 1)
                    else:
                        self.where(model, field, inner, depth + 1)
                else:
                    self.draft.touch(model, field)

    def data(self, model: str, node: Node | None, depth: int) -> None:
        """Note the fields that are set, and what is done to relations along the way."""
        if node is None or depth > MAX_DEPTH:
            return
        for holder in items(node):
            chain = chain_of(holder)
            made = chain.links[-1] if chain is not None else None
            if made is not None and made.name == "map" and made.arguments:
                closure = made.argument(0)
                holder = (closure.child_by_field_name("body") if closure is not None else None) or holder
            for key, value in self.entries(holder):
                inner = unwrapped(value)
                nested = entries(inner) if inner is not None and inner.type == "object" else []
                doing = {name for name, _ in nested}
                if (
                    doing & (NESTED.keys() | LINKING)
                    and doing <= NESTED.keys() | LINKING | {"upsert"}
                    and doing != {"set"}
                ):
                    self.relation(model, key, nested, depth)
                else:
                    self.draft.touch(model, key, written=True)
                    if doing & {"increment", "decrement", "multiply", "divide"}:
                        self.draft.touch(model, key)

    def relation(self, model: str, key: str, nested: list[tuple[str, Node]], depth: int) -> None:
        path = f"{model}.{key}"
        for name, value in nested:
            if name in LINKING:
                self.draft.touch(model, key, written=True)
            if name == "connect":
                self.where(model, key, value, depth + 1)
            if (access := NESTED.get(name)) is None:
                continue
            self.draft.use(path, access, whole=name.startswith(("create", "connectOrCreate", "upsert")))
            for item in items(value):
                parts = dict(self.entries(item))
                inner = [parts[part] for part in ("data", "create", "update") if part in parts]
                if name in {"create"} or not inner:
                    inner = [item] if access is Access.WRITE else []
                for part in inner:
                    self.data(path, part, depth + 1)
                self.where(path, "", parts.get("where"), depth + 1)

    def order(self, model: str, node: Node | None) -> None:
        """Note the fields that rows are ordered or grouped by."""
        for holder in items(node):
            if (text := literal(holder)) is not None:
                self.draft.touch(model, text)
            for key, value in self.entries(holder):
                inner = unwrapped(value)
                nested = [name for name, _ in entries(inner)] if inner is not None and inner.type == "object" else []
                if key.startswith("_"):
                    self.draft.touch_all(model, nested)
                elif nested and not set(nested) <= OPERATORS:
                    self.draft.touch_all(model, (f"{key}.{name}" for name in nested if name not in OPERATORS))
                else:
                    self.draft.touch(model, key)
