"""Records printed as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from coderag.api.records import json_line

__all__ = ["print_records"]


def print_records(records: Iterable[Any], form: str = "json") -> None:
    """Print a JSON array with one record per line; as `jsonl`, the lines alone."""
    lines = [json_line(record) for record in records]
    if form != "jsonl":
        print("[" + ",\n".join(lines) + "]")
    elif lines:
        print("\n".join(lines))
