"""Rows of a query as text, Markdown, CSV or JSON."""

from __future__ import annotations

import csv
import io
from datetime import date, datetime, time
from decimal import Decimal
from math import isfinite
from typing import Any

from coderag.api.records import json_line
from coderag.cli.output.text import Screen, Style, shorten, table, visible
from coderag.relational.result import Rows

__all__ = ["as_csv", "as_json", "as_json_lines", "as_markdown", "as_text"]

GAP = 2  # columns of the screen between two of the table
LEAST_WIDTH = 6  # of a column, however narrow the screen
NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL")


def as_text(found: Rows, shown: Screen) -> str:
    """Return rows as a table that fits the screen."""
    cells = [tuple(map(visible, found.columns)), *(tuple(map(_cell, row)) for row in found.rows)]
    widths = _fitted([max(map(len, column)) for column in zip(*cells, strict=True)], shown.width)
    rows = [[shorten(cell, width) for cell, width in zip(row, widths, strict=True)] for row in cells]
    head, *rest = table(rows, right=_numeric(found), indent="")
    return "\n".join([shown.paint(head, Style.DIM), *rest])


def as_markdown(found: Rows) -> str:
    """Return rows as a table of Markdown."""
    right = _numeric(found)
    lines = [[visible(name) for name in found.columns]]
    lines.append(["---:" if column in right else "---" for column in range(len(found.columns))])
    lines += [list(map(_cell, row)) for row in found.rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |" for line in lines)


def as_csv(found: Rows) -> str:
    """Return rows as CSV with the names of the columns in front; NULL is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(found.columns)
    writer.writerows([["" if value is None else _text(value) for value in row] for row in found.rows])
    return text.getvalue().rstrip("\n")


def as_json(found: Rows) -> str:
    """Return rows as a JSON array with one object per line."""
    return "[" + ",\n".join(_objects(found)) + "]"


def as_json_lines(found: Rows) -> str:
    """Return rows as one JSON object per line."""
    return "\n".join(_objects(found))


def _objects(found: Rows) -> list[str]:
    return [json_line({name: _plain(value) for name, value in record.items()}) for record in found.records()]


def _plain(value: Any) -> Any:
    """Return a value as JSON has it; what JSON lacks is a text, and what is no number NULL."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float | Decimal):
        return float(value) if isfinite(value) else None
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    return _text(value)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, value))
    return str(value)


def _cell(value: Any) -> str:
    return "" if value is None else visible(" ".join(_text(value).split()))


def _numeric(found: Rows) -> list[int]:
    return [column for column, name in enumerate(found.types) if name.lstrip("U").startswith(NUMBERS)]


def _fitted(widths: list[int], room: int) -> list[int]:
    """Return the widths of columns where the widest have lost as much as they must."""
    free = room - GAP * (len(widths) - 1)
    cap = max(widths, default=0)
    while cap > LEAST_WIDTH and sum(min(width, cap) for width in widths) > free:
        cap -= 1
    return [min(width, cap) for width in widths]
