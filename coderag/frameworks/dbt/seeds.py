"""A seed of a dbt project, a CSV file, to the table that dbt loads it into."""

from __future__ import annotations

import csv
import io
from itertools import islice
from pathlib import PurePosixPath

from coderag.files.privacy.personal import masked_value
from coderag.frameworks.dbt.guesses import DBT
from coderag.sql.records import Column, CreateTable, Facts, Name, Origin, Source, Table

__all__ = ["read_seed"]

LOOKED_AT = 200  # rows
MAX_VALUES = 5
MAX_VALUE_CHARS = 30
HEAD_BYTES = 200_000


def read_seed(data: bytes, *, path: str) -> Facts:
    """Return the table of a seed: its columns, with values where a column has few; raises ValueError."""
    text = data[:HEAD_BYTES].decode("utf-8", "replace")
    try:
        rows = list(islice(csv.reader(io.StringIO(text)), LOOKED_AT + 1))
    except csv.Error as error:
        raise ValueError(f"not CSV: {error}") from error
    if not rows or not any(rows[0]):
        return Facts()
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    source = Source("", 1, 1)
    columns = tuple(
        Column(name.strip(), values=_values(name, [row[at] for row in rows[1:] if at < len(row)]), source=source)
        for at, name in enumerate(rows[0])
        if name.strip()
    )
    table = Table(
        name=Name(PurePosixPath(path).name.partition(".")[0]),
        columns=columns,
        row_count=lines - 1,
        origins=(Origin.DBT,),
        sources=(source,),
    )
    passed = ((LOOKED_AT // 10, lines - 1),) if lines > LOOKED_AT // 10 else ()
    return Facts(guess=DBT, statements=1, passed=passed, operations=(CreateTable(table),))


def _values(name: str, found: list[str]) -> tuple[str, ...]:
    """Return the values of a column that has few, without what may be personal."""
    distinct = list(dict.fromkeys(value.strip() for value in found if value.strip()))
    if len(distinct) > MAX_VALUES * 4 or any(len(value) > MAX_VALUE_CHARS for value in distinct):
        return ()
    if all(value.replace(".", "").replace("-", "").isdigit() for value in distinct):
        return ()
    kept = [masked for value in distinct[:MAX_VALUES] if (masked := masked_value(value, name)) is not None]
    return tuple(kept)
