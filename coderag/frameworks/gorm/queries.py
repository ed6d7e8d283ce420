"""Chains of GORM.

https://gorm.io/docs/query.html
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from coderag.frameworks.usage.binding import Told
from coderag.frameworks.usage.conditions import columns_in, named_column
from coderag.frameworks.usage.entities import is_class_name
from coderag.frameworks.usage.go_values import struct_of
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
MAX_STEPS = 10  # from a name for a query to the name that this one is made of


@dataclass(slots=True)
class _ModelUse:
    """What the calls of a chain, so far, do to the model that it is about."""

    model: str
    draft: UsageBuilder
    access: Access = Access.READ
    is_whole: bool = False
    is_listed: bool = False  # only some columns are read


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
        """Return the calls on a handle of GORM, those included that a name for a query stands for.

        `db.Where(a).Find(&b)` -> (Where, Find); `q := db.Where(a)` before `q.Find(&b)` -> (Where, Find);
        `strings.Find(a)` -> None
        """
        if depth > MAX_STEPS:
            return None
        position = next((p for p, link in enumerate(chain.links) if link.arguments is not None), -1)
        calls = tuple(link for link in chain.links[max(position, 0) :] if link.arguments is not None)
        behind_first = calls[1:] if len(calls) > 1 and calls[1].name in ENDS | CHAINING else None
        if position == 0:  # a function that gives the handle: r.conn(ctx).Where(...)
            return behind_first
        beginning = chain.links[: position if position > 0 else len(chain.links)]
        bounds, links = self.code.told_of(chain)
        for bound in reversed(bounds) if links >= len(beginning) else ():
            if bound.told is Told.TYPE:
                return calls if "gorm.DB" in text_of(bound.node) else None
            before = self._bound_links(chain_of(bound.node), chain, depth)
            if before is not None:
                return (*before, *calls)
        if beginning and HANDLE.search(beginning[-1].name):
            return calls
        return behind_first if position > 0 and chain.links[position].name not in ENDS | CHAINING else None

    def _bound_links(self, value: Chain | None, chain: Chain, depth: int) -> tuple[Link, ...] | None:
        """Return the calls of a query that the first name of a chain is bound to."""
        if value is None or value.node == chain.node:
            return None
        if any(link.name in CHAINING for link in value.links[1:]) or HANDLE.search(value.links[-1].name):
            return self._links(value, depth + 1)
        return None

    def _model(self, links: tuple[Link, ...]) -> str:
        """Return the struct that a chain is about: of Model(), else of what the last call fills or takes."""
        for link in links:
            if link.name == "Model":
                return struct_of(self.code, link.argument(0))
        for link in links:
            if link.name not in ENDS - {"Count", "Pluck", "Scan"}:
                continue
            if found := struct_of(self.code, link.argument(0)):
                return found
        return ""

    def _calls(self, links: tuple[Link, ...], model: str, draft: UsageBuilder) -> None:
        """Note what the calls do to a model.

        `db.Where("email = ?", x).First(&user)` reads all of User; `db.Model(&User{}).Update("name", x)` writes name.
        """
        use = _ModelUse(model, draft)
        for link in links:
            if (note := VERBS.get(link.name)) is not None:
                note(self, link, use)
        draft.use(model, use.access, whole=use.is_whole and not (use.is_listed and use.access is Access.READ))

    def _given_condition(self, link: Link, use: _ModelUse) -> None:
        self._condition(link, 0, use.model, use.draft)

    def _fetch(self, link: Link, use: _ModelUse) -> None:
        use.is_whole = True
        self._condition(link, 1, use.model, use.draft)

    def _fetch_like(self, link: Link, use: _ModelUse) -> None:
        """Note a fetch whose first argument, `User{Email: x}`, may name fields."""
        first = link.argument(0)
        if unwrapped(first) is not None:
            use.draft.touch_all(use.model, (key for key, _ in entries(first)))
        self._fetch(link, use)

    def _fetch_or_create(self, link: Link, use: _ModelUse) -> None:
        use.access = Access.WRITE
        use.draft.read.add(use.model)
        self._fetch_like(link, use)

    def _delete(self, link: Link, use: _ModelUse) -> None:
        use.access = Access.DELETE
        self._condition(link, 1, use.model, use.draft)

    def _create(self, link: Link, use: _ModelUse) -> None:
        use.access, use.is_whole = Access.WRITE, True
        self._written(link.argument(0), use.model, use.draft)

    def _update(self, link: Link, use: _ModelUse) -> None:
        use.access = Access.WRITE
        use.draft.touch(use.model, literal(link.argument(0)) or "", written=True)

    def _update_fields(self, link: Link, use: _ModelUse) -> None:
        use.access = Access.WRITE
        use.is_whole = not self._written(link.argument(0), use.model, use.draft)

    def _order(self, link: Link, use: _ModelUse) -> None:
        for text in _literals(link):
            self._columns(text, use.model, use.draft)

    def _select(self, link: Link, use: _ModelUse) -> None:
        texts = _literals(link)
        for text in texts:
            self._columns(text, use.model, use.draft)
        use.is_listed = use.is_listed or (bool(texts) and "*" not in texts)

    def _relation(self, link: Link, use: _ModelUse) -> bool:
        """Note the relation that a call names, `Preload("Posts")`; tell whether it names one."""
        text = literal(link.argument(0)) or ""
        if not (text and text.replace(".", "").isalnum() and is_class_name(text)):
            return False
        use.draft.use(f"{use.model}.{text}", whole=True)
        self._condition(link, 1, f"{use.model}.{text}", use.draft)
        return True

    def _join(self, link: Link, use: _ModelUse) -> None:
        text = literal(link.argument(0)) or ""
        if not self._relation(link, use) and text:
            _joined(text, use.model, use.draft)

    def _scan(self, link: Link, use: _ModelUse) -> None:
        del link
        use.is_whole = True

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


Verb = Callable[[_Reader, Link, _ModelUse], object]
VERBS: Mapping[str, Verb] = {
    **dict.fromkeys(CONDITIONS | {"Attrs", "Assign"}, _Reader._given_condition),
    **dict.fromkeys(("Last", "Take", "FirstOrInit", "FindInBatches"), _Reader._fetch),
    **dict.fromkeys(("First", "Find"), _Reader._fetch_like),
    "FirstOrCreate": _Reader._fetch_or_create,
    "Delete": _Reader._delete,
    **dict.fromkeys(("Create", "Save", "CreateInBatches"), _Reader._create),
    **dict.fromkeys(("Update", "UpdateColumn"), _Reader._update),
    **dict.fromkeys(("Updates", "UpdateColumns"), _Reader._update_fields),
    **dict.fromkeys(("Select", "Pluck", "Distinct"), _Reader._select),
    **dict.fromkeys(("Order", "Group"), _Reader._order),
    "Preload": _Reader._relation,
    **dict.fromkeys(("Joins", "InnerJoins"), _Reader._join),
    **dict.fromkeys(("Scan", "Rows", "Row"), _Reader._scan),
}


def _literals(link: Link) -> list[str]:
    """Return the texts among the arguments of a call and in lists among them."""
    return [text for argument in link.arguments or () for item in items(argument.node) if (text := literal(item))]


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
