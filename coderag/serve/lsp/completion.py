"""Tables and columns inside SQL, by what was written so far."""

from __future__ import annotations

import re

from lsprotocol.types import CompletionItem, CompletionItemKind, CompletionList

from coderag.api.index import Index
from coderag.serve.lsp.data import tables_named
from coderag.serve.lsp.documents import Document
from coderag.sql.records import Table

__all__ = ["completions_at"]

MAX_ITEMS = 200
LOOK_BEHIND = 1_000  # characters before the cursor that decide what may follow
WRITTEN = re.compile(r"(?<![\w$])(?:(?P<holder>[\w$]{1,80})\.)?(?P<begun>[\w$]{0,80})\Z")
TABLE_NEXT = re.compile(r"\b(?:from|join|into|update|table|references)\s+(?:[\w$.]+\s*,\s*)*\Z", re.IGNORECASE)


def completions_at(index: Index, document: Document, offset: int) -> CompletionList | None:
    """Return the tables or columns that may follow at a character; None outside of SQL."""
    site = document.site(offset)
    if site is None:
        return None
    before = site.place.text[max(site.offset - LOOK_BEHIND, 0) : site.offset]
    written = WRITTEN.search(before)
    if written is None:
        return None
    named = tables_named(site.place.text)
    begun = written["begun"].casefold()
    if holder := written["holder"]:
        items = _columns(_tables(index, [named.get(holder.casefold(), holder)]))
        items += _of_schema(index, holder) if not items else []
    elif TABLE_NEXT.search(before[: written.start()]):
        items = [_table_item(table, str(table.name)) for table in index.tables()]
    else:
        items = _columns(_tables(index, list(dict.fromkeys(named.values()))))
        items += [CompletionItem(alias, kind=CompletionItemKind.Variable) for alias in named]
    fitting = [item for item in items if item.label.casefold().startswith(begun)]
    fitting += [item for item in items if begun and begun in item.label.casefold()[1:] and item not in fitting]
    return CompletionList(is_incomplete=len(fitting) > MAX_ITEMS, items=fitting[:MAX_ITEMS])


def _tables(index: Index, names: list[str]) -> list[Table]:
    return [facts.table for name in names if name for facts in index.table(name)]


def _columns(tables: list[Table]) -> list[CompletionItem]:
    items = {
        column.name: CompletionItem(
            column.name,
            kind=CompletionItemKind.Field,
            detail=f"{column.type}  {table.name}".strip(),
            documentation=column.comment or None,
        )
        for table in reversed(tables)
        for column in table.columns
    }
    return [items[name] for name in dict.fromkeys(column.name for table in tables for column in table.columns)]


def _of_schema(index: Index, schema: str) -> list[CompletionItem]:
    folded = schema.casefold()
    return [_table_item(table, table.name.name) for table in index.tables() if table.name.schema.casefold() == folded]


def _table_item(table: Table, label: str) -> CompletionItem:
    kind = CompletionItemKind.Interface if table.kind == "view" else CompletionItemKind.Struct
    return CompletionItem(label, kind=kind, detail=str(table.kind), documentation=table.comment or None)
