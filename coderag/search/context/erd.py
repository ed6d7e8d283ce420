"""Tables to an entity relationship diagram in the language of Mermaid, and what any picture of them shows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from coderag.sql.records import Column, Evidence, ForeignKey, Name, Table
from coderag.text.visible import visible

__all__ = ["Edge", "as_mermaid", "drawn_columns", "edges_of", "label_of"]

MAX_ROWS = 14  # columns of a table that are drawn; keys first
PLAIN = re.compile(r"[A-Za-z_]\w*\Z")
NOT_WORD = re.compile(r"[^\w-]+")


@dataclass(frozen=True, slots=True)
class Edge:
    """A foreign key between two tables of a picture, by their positions."""

    child: int
    parent: int
    key: ForeignKey


def edges_of(tables: Sequence[Table]) -> list[Edge]:
    """Return the foreign keys between some tables, those to the same table included."""
    positions = {table.name.key: position for position, table in enumerate(tables)}
    by_name: dict[tuple[str, str], list[int]] = {}
    for position, table in enumerate(tables):
        by_name.setdefault((table.name.key[0], table.name.key[2]), []).append(position)
    edges = []
    for position, table in enumerate(tables):
        for key in table.foreign_keys:
            database, _, name = key.table.key
            alike = by_name.get((database or table.name.key[0], name), [])
            parent = positions.get(key.table.key, alike[0] if len(alike) == 1 else None)
            if parent is not None:
                edges.append(Edge(position, parent, key))
    return edges


def drawn_columns(table: Table, edges: Iterable[Edge], position: int) -> list[Column]:
    """Return the columns to draw, in order: all of a small table, else the keys and the first of the others."""
    if len(table.columns) <= MAX_ROWS:
        return list(table.columns)
    keys = {*table.primary_key}
    keys.update(name for edge in edges if edge.child == position for name in edge.key.columns)
    keys.update(name for edge in edges if edge.parent == position for name in edge.key.referenced)
    others = [column.name for column in table.columns if column.name not in keys]
    kept = keys | set(others[: max(MAX_ROWS - len(keys), 0)])
    return [column for column in table.columns if column.name in kept]


def label_of(name: Name) -> str:
    """Return a name with its schema."""
    return f"{name.schema}.{name.name}" if name.schema else name.name


def as_mermaid(tables: Sequence[Table]) -> str:
    """Return an entity relationship diagram in the language of Mermaid (https://mermaid.js.org)."""
    edges = edges_of(tables)
    names = [_mermaid_name(label_of(table.name)) for table in tables]
    lines = ["erDiagram"]
    for position, table in enumerate(tables):
        foreign = {name for edge in edges if edge.child == position for name in edge.key.columns}
        lines.append(f"    {names[position]} {{")
        lines += [_attribute(column, table, foreign) for column in drawn_columns(table, edges, position)]
        lines.append("    }")
    for edge in edges:
        child = tables[edge.child]
        optional = any(column.nullable for column in child.columns if column.name in edge.key.columns)
        single = edge.key.columns in (child.primary_key, *child.unique)
        line = "--" if edge.key.evidence is Evidence.DECLARED else ".."
        arrow = f"{'|o' if single else '}o'}{line}{'o|' if optional else '||'}"
        label = _quoted(", ".join(edge.key.columns))
        lines.append(f"    {names[edge.child]} {arrow} {names[edge.parent]} : {label}")
    return "\n".join(lines)


def _attribute(column: Column, table: Table, foreign: set[str]) -> str:
    marks = (("PK", column.name in table.primary_key), ("FK", column.name in foreign))
    keys = ", ".join(mark for mark, there in marks if there)
    kind = NOT_WORD.sub("_", column.type).strip("_") or "column"
    kind = kind if kind[0].isalpha() else f"_{kind}"
    return f"        {kind} {NOT_WORD.sub('_', column.name) or '_'} {keys}".rstrip()


def _mermaid_name(text: str) -> str:
    return text if PLAIN.match(text) else _quoted(text)


def _quoted(text: str) -> str:
    """Return a text as Mermaid has it in quotes, of which there can be none in it."""
    return '"' + visible(text).replace('"', "'") + '"'
