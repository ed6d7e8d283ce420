"""Lines of an older version of a file to where they stand now, by the hunks of the commits in between."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from coderag.files.log.records import Hunk

__all__ = ["IDENTITY", "LineMap", "Run", "before", "places"]

LAST_LINE = 1 << 30
MAX_RUNS = 5_000  # of a file that was cut into more pieces, nothing older is known line by line


class Run(NamedTuple):
    """Lines that follow each other before and now."""

    first: int  # of the older version
    last: int
    now: int  # where the first one stands now, or what replaced it


LineMap = tuple[Run, ...]  # ascending in the older version; what is in no run is gone

IDENTITY: LineMap = (Run(1, LAST_LINE, 1),)


def places(lines: LineMap, hunks: Sequence[Hunk]) -> list[tuple[int, int]]:
    """Return where the lines stand now that some hunks made, as (first, last); of a deletion, the line before it."""
    firsts = [run.first for run in lines]
    found: list[tuple[int, int]] = []
    for hunk in hunks:
        first = max(hunk.new_start, 1)
        for run in _within(lines, firsts, first, first + max(hunk.new_count, 1) - 1):
            begin, end = run.now, run.now + run.last - run.first
            if found and found[-1][1] + 1 == begin:
                found[-1] = found[-1][0], end
            else:
                found.append((begin, end))
    return found


def before(lines: LineMap, hunks: Sequence[Hunk]) -> LineMap:
    """Return the lines of the version before some hunks, from those of the version after them.

    A line that was replaced stands where its replacement does; one that only went is in no run.
    """
    firsts = [run.first for run in lines]
    runs: list[Run] = []
    for old, new, count in _stretches(hunks):
        for run in _within(lines, firsts, new, new + count - 1):
            moved = Run(run.first - new + old, run.last - new + old, run.now)
            last = runs[-1] if runs else None
            if last and last.last + 1 == moved.first and last.now + moved.first - last.first == moved.now:
                runs[-1] = Run(last.first, moved.last, last.now)
            else:
                runs.append(moved)
    return tuple(runs) if len(runs) <= MAX_RUNS else ()


def _stretches(hunks: Iterable[Hunk]) -> Iterator[tuple[int, int, int]]:
    """Yield what stayed and what was replaced: where it begins in the old and in the new version, and its lines."""
    old = new = 1
    for hunk in hunks:
        count = hunk.old_start + (hunk.old_count == 0) - old
        if count > 0:
            yield old, new, count
        if hunk.old_count and hunk.new_count:
            yield hunk.old_start, hunk.new_start, min(hunk.old_count, hunk.new_count)
        old = hunk.old_start + (hunk.old_count or 1)
        new = hunk.new_start + (hunk.new_count or 1)
    yield old, new, LAST_LINE


def _within(lines: LineMap, firsts: Sequence[int], first: int, last: int) -> Iterator[Run]:
    """Yield the parts of runs that lie between two lines."""
    for run in lines[max(bisect_right(firsts, first) - 1, 0) :]:
        if run.first > last:
            return
        begin, end = max(run.first, first), min(run.last, last)
        if begin <= end:
            yield Run(begin, end, run.now + begin - run.first)
