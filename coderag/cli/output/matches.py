"""Matches as counts: file by file, and in all."""

from __future__ import annotations

from typing import Any

from coderag.api.records import plain
from coderag.cli.output.text import visible
from coderag.cli.roots import Paths
from coderag.text.counted import counted
from coderag.types import Matches

__all__ = ["count_lines", "count_records", "totals"]


def count_lines(matches: Matches, paths: Paths) -> list[str]:
    """Return path:count for each file with a match."""
    return [f"{visible(paths.of(file.path, file.repository))}:{file.count}" for file in matches.files]


def count_records(matches: Matches) -> list[dict[str, Any]]:
    """Return a record for each file with a match."""
    return [plain(file) for file in matches.files]


def totals(matches: Matches, *, shown: bool) -> str:
    """Return how much was found, and how much of it is `shown`, if hits are."""
    total = f"{counted(matches.count, 'match')} in {counted(len(matches.files), 'file')}"
    if not shown:
        return total
    return f"{total}; {len(matches.hits):,} of {counted(matches.chunks, 'definition')} shown"
