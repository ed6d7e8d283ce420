"""What a query over an index returns."""

from __future__ import annotations

from typing import Any

from coderag.record import record

__all__ = ["Rows"]


@record
class Rows:
    """The rows of a query over the index."""

    columns: tuple[str, ...]  # their names
    types: tuple[str, ...]  # of DuckDB
    rows: tuple[tuple[Any, ...], ...]
    is_cut: bool = False  # there are more rows than were asked for

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self.rows)

    def records(self) -> list[dict[str, Any]]:
        """Return each row by the names of its columns; of columns of one name the last one stays."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]
