"""Chains of GORM.

https://gorm.io/docs/query.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from coderag.frameworks.usage.binding import Told
from coderag.frameworks.usage.conditions import columns_in, named_column
from coderag.frameworks.usage.entities import is_class_name
from coderag.frameworks.usage.scope import Scope
from coderag.frameworks.usage.source_file import CodeFile
from coderag.frameworks.usage.usage import Usage, UsageBuilder
from coderag.sql.in_code.records import Access
from coderag.syntax.trees.call_chains import Chain, Link, chain_of, entries, items, literal, unwrapped
from coderag.syntax.trees.tree import text_of

__all__ = ["read"]

FRAMEWORK = "gorm"
READS = frozenset("First Last Take Find FirstOrInit FindInBatches Scan Rows Row Pluck Count".split())
WRITES = frozenset("Create Save CreateInBatches FirstOrCreate Update Updates UpdateColumn UpdateColumns".split())
ENDS = READS | WRITES | {"Delete"}
CONDITIONS = frozenset("Where Or Not Having".split())
CHAINING = CONDITIONS | frozenset(
    """Model Table Select Omit Joins InnerJoins Preload Order Group Limit Offset Distinct Unscoped Scopes Clauses
    Session WithContext Debug Attrs Assign Begin Raw Exec Association
    """.split()
)
ANCHOR = re.compile(
    rb"\.\s*(First|Last|Take|Find|FirstOrInit|FindInBatches|Scan|Rows|Row|Pluck|Count|Create|Save|CreateInBatches|FirstOrCreate"
    rb"|Updates?|UpdateColumns?|Delete)(?=\()"
)
HANDLE = re.compile(r"^(?:db|tx|DB|conn|gormDB|gorm|orm|database|query|q|stmt|trx)$|DB$|Db$")
SLICE = re.compile(r"^(?:\[\d*\]|\*|&)+")


def read(code: CodeFile) -> Iterator[Usage]:
    """Yield the uses of GORM's models."""
    yield from _Reader(code).read()


class _Reader:
    def __init__(self, code: CodeFile) -> None:
        self.code = code

    def read(self) -> Iterator[Usage]:
        for chain in self.code.chains(ANCHOR):
            links = self._links(chain, 0)
            if links is None:
                continue
            names = [link.name for link in links]
            if "Raw" in names or "Exec" in names or "Association" in names:
                continue
            table = next((literal(link.argument(0)) for link in links if link.name == "Table" and link.arguments), None)
            model = self._model(links)
            draft = UsageBuilder()
            if model:
                self._calls(links, model, draft)
                yield from draft.models(self.code, chain.node, FRAMEWORK)
            elif table:
                self._calls(links, "", draft)
                scope = self._scope(links, table, draft)
                yield from scope.statement(self.code, chain.node, FRAMEWORK)

    def _links(self, chain: Chain, depth: int) -> tuple[Link, ...] | None:
        """Return the calls on a handle of GORM, those included that a name for a query stands for."""
        position = next((p for p, link in enumerate(chain.links) if link.arguments is not None), -1)
        if depth > 10:
            return None
        calls = tuple(link for link in chain.links[max(position, 0) :] if link.arguments is not None)
        if position == 0:  # a function that gives the handle: r.conn(ctx).Where(...)
            return calls[1:] if len(calls) > 1 and calls[1].name in ENDS | CHAINING else None
        beginning = chain.links[: position if position > 0 else len(chain.links)]
        bounds, links = self.code.told_of(chain)
        if links >= len(beginning):
            for bound in reversed(bounds):
                if bound.told is Told.TYPE:
                    return calls if "gorm.DB" in text_of(bound.node) else None
                value = chain_of(bound.node)
                if value is None or value.node == chain.node:
                    continue
                if any(link.name in CHAINING for link in value.links[1:]) or HANDLE.search(value.links[-1].name):
                    before = self._links(value, depth + 1)
                    if before is not None:
                        return (*before, *calls)
        if beginning and HANDLE.search(beginning[-1].name):
            return calls
        if (
            position > 0
            and chain.links[position].name not in ENDS | CHAINING
            and len(calls) > 1
            and calls[1].name in ENDS | CHAINING
        ):
            return calls[1:]
        return None

    def _model(self, links: tuple[Link, ...]) -> str:
        """Return the struct that a chain is about: of Model(), else of what the last call fills or takes."""
        for link in links:
            if link.name == "Model":
                return self.struct_of(link.argument(0))
        for link in links:
            if link.name not in ENDS - {"Count", "Pluck", "Scan"}:
                continue
            if found := self.struct_of(link.argument(0)):
                return found
        return ""

    def struct_of(self, node: Node | None, depth: int = 0) -> str:
        """Return the struct that an expression is of, package included: "model.User"."""
        node = unwrapped(node)
        if node is None or depth > 8:
            return ""
        if node.type == "composite_literal":
            return _struct(text_of(node.child_by_field_name("type")))
        if node.type == "call_expression":
            function = text_of(node.child_by_field_name("function"))
            nodes = list((node.child_by_field_name("arguments") or node).named_children)
            return _struct(text_of(nodes[0])) if function in {"new", "make"} and nodes else ""
        chain = chain_of(node)
        if chain is None or any(link.arguments is not None and link.name != "[]" for link in chain.links):
            return ""
        bounds = self.code.bound(chain.links[0].name, node.start_byte)
        if chain.links[0].arguments is not None or [link for link in chain.links[1:] if link.name != "[]"]:
            return ""
        for bound in reversed(bounds):
            if bound.told is Told.TYPE:
                if found := _struct(text_of(bound.node)):
                    return found
            elif found := self.struct_of(bound.node, depth + 1):
                return found
        return self._result(chain.links[0].name, node)

    def _result(self, name: str, node: Node) -> str:
        """Return the struct of a named result of the function around a place."""
        scope = self.code.scope(node.start_byte)
        if scope < 0:
            return ""
        definition = self.code.outline.definitions[scope]
        match = re.search(rf"[(,]\s*{re.escape(name)}\s+([\[\]*\w.]+)", definition.signature)
        return _struct(match[1]) if match else ""

    def _calls(self, links: tuple[Link, ...], model: str, draft: UsageBuilder) -> None:
        """Note what the calls do to a model."""
        access, is_whole, is_listed = Access.READ, False, False
        for link in links:
            name = link.name
            first = link.argument(0)
            if name in CONDITIONS or name in {"Attrs", "Assign"}:
                self._condition(link, 0, model, draft)
            elif name in {"First", "Last", "Take", "Find", "FirstOrInit", "FirstOrCreate", "Delete", "FindInBatches"}:
                is_whole = is_whole or name != "Delete"
                if name == "Delete":
                    access = Access.DELETE
                elif name == "FirstOrCreate":
                    access = Access.WRITE
                    draft.read.add(model)
                for key, _ in (
                    entries(first)
                    if unwrapped(first) is not None and name in {"FirstOrCreate", "Find", "First"}
                    else ()
                ):
                    draft.touch(model, key)
                self._condition(link, 1, model, draft)
            elif name in {"Create", "Save", "CreateInBatches"}:
                access, is_whole = Access.WRITE, True
                self._written(first, model, draft)
            elif name in {"Update", "UpdateColumn"}:
                access = Access.WRITE
                draft.touch(model, literal(first) or "", written=True)
            elif name in {"Updates", "UpdateColumns"}:
                access = Access.WRITE
                is_whole = not self._written(first, model, draft)
            elif name in {"Select", "Omit", "Pluck", "Distinct", "Order", "Group"}:
                texts = [
                    text
                    for argument in link.arguments or ()
                    for item in items(argument.node)
                    if (text := literal(item))
                ]
                for text in texts if name != "Omit" else ():
                    self._columns(text, model, draft)
                is_listed = is_listed or (name in {"Select", "Pluck", "Distinct"} and bool(texts) and "*" not in texts)
            elif name in {"Preload", "Joins", "InnerJoins"}:
                text = literal(first) or ""
                if text and text.replace(".", "").isalnum() and is_class_name(text):
                    draft.use(f"{model}.{text}", whole=True)
                    self._condition(link, 1, f"{model}.{text}", draft)
                elif text and name != "Preload":
                    _joined(text, model, draft)
            elif name == "Scan" or name == "Rows" or name == "Row":
                is_whole = True
        draft.use(model, access, whole=is_whole and not (is_listed and access is Access.READ))

    def _condition(self, link: Link, position: int, model: str, draft: UsageBuilder) -> None:
        """Note the columns of a condition: SQL, a struct or a map."""
        nodes = [argument.node for argument in link.arguments or ()][position:]
        if not nodes:
            return
        text = literal(nodes[0])
        if text is not None:
            self._columns(text, model, draft)
            return
        node = unwrapped(nodes[0])
        if node is not None and node.type == "composite_literal":
            draft.touch_all(model, (key for key, _ in entries(node)))

    def _columns(self, text: str, model: str, draft: UsageBuilder) -> None:
        for name in [named_column(text)] if named_column(text) else columns_in(text):
            holder, _, column = name.rpartition(".")
            if not holder:
                draft.touch(model, column)
            elif holder[:1].isupper():
                draft.touch(f"{model}.{holder}", column)
            elif model and _alike(holder, model):
                draft.touch(model, column)
            else:
                draft.touch(holder, column)

    def _written(self, node: Node | None, model: str, draft: UsageBuilder) -> bool:
        """Note the fields of a struct or map that is written; tell whether they are known."""
        inner = unwrapped(node)
        if inner is not None and inner.type == "identifier":
            bounds = [bound for bound in self.code.bound(text_of(inner), inner.start_byte) if bound.told is Told.VALUE]
            inner = unwrapped(bounds[-1].node) if bounds else inner
        if inner is None or inner.type != "composite_literal":
            return False
        found = False
        for one in [inner, *items(inner)]:
            for key, _ in entries(one):
                draft.touch(model, key, written=True)
                found = True
        return found

    def _scope(self, links: tuple[Link, ...], table: str, draft: UsageBuilder) -> Scope:
        scope = Scope()
        name = scope.table(table, draft.access.get("", Access.READ))
        for holder, fields in draft.fields.items():
            for column, written in fields:
                scope.column(f"{holder}.{column}" if holder else column, write=written)
        for link in links:
            if link.name in CONDITIONS | {"Select", "Order", "Group", "Pluck"} and (text := literal(link.argument(0))):
                scope.condition(text)
            if link.name in {"Update", "UpdateColumn"}:
                scope.table(table, Access.WRITE)
                scope.column(literal(link.argument(0)) or "", write=True)
            if link.name in {"Updates", "Create"}:
                scope.table(table, Access.WRITE)
                scope.every((key for key, _ in entries(link.argument(0))), write=True)
            if link.name == "Delete":
                scope.table(table, Access.DELETE)
        is_listed = any(link.name in {"Select", "Pluck", "Count"} for link in links)
        if scope.tables.get(name) is Access.READ and not is_listed:
            scope.whole.add(name)
        return scope


def _struct(text: str) -> str:
    """Return the struct of a type as written: `*[]model.User` is "model.User"."""
    plain = SLICE.sub("", text.strip())
    while SLICE.match(plain):
        plain = SLICE.sub("", plain)
    plain = plain.partition("[")[0]
    return plain if is_class_name(plain.rpartition(".")[2]) else ""


def _alike(table: str, model: str) -> bool:
    """Tell whether the name of a table is that of a model as GORM makes it: users of User."""
    last = model.rpartition(".")[2]
    return table.replace("_", "").lower().startswith(last.lower()[:-1] or last.lower())


def _joined(text: str, model: str, draft: UsageBuilder) -> None:
    """Note the tables and columns of a join that is written in SQL."""
    match = re.search(r"\bjoin\s+([\w.]+)(?:\s+(?:as\s+)?(?!on\b)(\w+))?", text, re.IGNORECASE)
    if match is None:
        return
    draft.use(match[1])
    aliases = {match[1].lower(): match[1], (match[2] or match[1]).lower(): match[1]}
    _, _, condition = text.partition(" on ") if " on " in text else text.partition(" ON ")
    for name in columns_in(condition):
        holder, _, column = name.rpartition(".")
        if holder:
            draft.touch(aliases.get(holder.lower(), model if _alike(holder, model) else holder), column)
