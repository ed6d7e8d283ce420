"""What a change touches, as Markdown for a comment on a pull request.

Names and paths come from the repository, so all of them stand in code spans, where nothing is a link, a mention or
HTML.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TypeVar

from coderag.cli.output.diff_text import summary_of, touched_text
from coderag.cli.output.text import shorten, visible
from coderag.graph.changes.records import Broken, Changed, DiffImpact, RunnableTest, Touched
from coderag.graph.queries.reach import Affected
from coderag.graph.records import NodeKind

__all__ = ["MAX_LENGTH", "diff_markdown"]

MAX_LENGTH = 60_000  # characters; GitHub refuses comments of more than 65,536
MAX_CELL = 160  # characters
ROWS = (500, 200, 100, 50, 20, 10, 5, 2, 1)  # of each section, the most for which there is room
Record = TypeVar("Record")
COPIED = 10  # tests to copy
TICKS = re.compile(r"`+")


@dataclass(frozen=True, slots=True)
class _Section:
    """A table under a title that folds."""

    title: str
    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    is_open: bool = False
    further: int = 0  # rows that are not even here

    def lines(self, most: int) -> Iterator[str]:
        """Yield the lines with at most so many rows, and what is left out."""
        total = len(self.rows) + self.further
        yield f"<details{' open' if self.is_open else ''}><summary><b>{self.title}</b> ({total:,})</summary>"
        yield ""
        yield f"| {' | '.join(self.heads)} |"
        yield f"|{' --- |' * len(self.heads)}"
        yield from (f"| {' | '.join(row)} |" for row in self.rows[:most])
        yield ""
        if more := total - len(self.rows[:most]):
            yield f"... and {more:,} more."
            yield ""
        yield "</details>"
        yield ""


def diff_markdown(found: DiffImpact, *, limit: int | None = None) -> str:
    """Return what a change touches as Markdown of at most 60,000 characters; what is left out is counted."""
    sections = [section for section in _sections(found) if section.rows]
    for most in ROWS if limit is None else sorted({min(limit, rows) for rows in ROWS}, reverse=True):
        text = "\n".join(_lines(found, sections, most)).strip()
        if len(text) <= MAX_LENGTH:
            break
    return text


def _lines(found: DiffImpact, sections: Sequence[_Section], most: int) -> Iterator[str]:
    yield f"### Impact of {_code(found.title)}"
    yield ""
    if found.is_empty:
        yield f"No definition, table or column of {len(found.files):,} changed files changed."
        return
    yield f"{summary_of(found)}."
    yield ""
    if found.tests:
        yield from _tests_to_run(found.tests, most)
    for section in sections:
        yield from section.lines(most)


def _tests_to_run(tests: Sequence[RunnableTest], most: int) -> Iterator[str]:
    """Yield the tests as something to copy, nearest first."""
    ids = [shorten(visible(test.id), MAX_CELL) for test in tests[: min(most, COPIED)]]
    fence = "`" * max([3, *(len(ticks) + 1 for ticks in TICKS.findall("".join(ids)))])
    yield from ("**Tests to run first**", "", f"{fence}text", *ids, fence, "")


def _sections(found: DiffImpact) -> Iterator[_Section]:
    yield _Section(
        "Still named, and gone", ("Place", "Names", "In"), [_of_broken(one) for one in found.broken], is_open=True
    )
    heads = ("What", "Change", "Place")
    yield _Section("Changed tables and columns", heads, _each(_of_change, found.data), is_open=True)
    yield _Section("Changed definitions", heads, _each(_of_change, found.changed))
    ways = ("Steps", "What", "Why", "Place", "Confidence")
    yield _Section("Affected", ways, _each(_of_affected, found.affected))
    yield _Section("Possibly affected", ways, _each(_of_affected, found.possibly))
    tests = _each(_of_affected, [test.found for test in found.tests])
    yield _Section("Tests that run it", ways, tests, further=found.further_tests)
    yield _Section("Tables used by changed code", ("Table", "How", "Place"), _each(_of_touched, found.tables))
    left_out = [(_code(one.path), str(one.reason)) for one in found.left_out]
    yield _Section("Not looked at", ("File", "Reason"), left_out)
    unresolved = [(_place(one.path, one.line), _code(one.text)) for one in found.unresolved]
    yield _Section("Not known", ("Place", "What"), unresolved)


def _each(of: Callable[[Record], tuple[str, ...]], records: Sequence[Record]) -> list[tuple[str, ...]]:
    return [of(record) for record in records]


def _of_broken(broken: Broken) -> tuple[str, ...]:
    return (
        _place(broken.path, broken.line),
        _code(broken.name),
        f"{_code(broken.within)}{'' if broken.certain else ' (possibly)'}",
    )


def _of_change(changed: Changed) -> tuple[str, ...]:
    what = (
        _code(changed.spot.name)
        if changed.spot.kind is NodeKind.FILE
        else f"{changed.spot.kind} {_code(changed.spot.name)}"
    )
    how = f"{changed.how}{f', was {_code(changed.before)}' if changed.before else ''}"
    return (
        what,
        f"{how}{f': {_code(changed.detail)}' if changed.detail else ''}",
        _place(changed.spot.path, changed.spot.line),
    )


def _of_affected(affected: Affected) -> tuple[str, ...]:
    what = f"{affected.spot.kind} {_code(affected.spot.name)}"
    return (
        f"{affected.distance}",
        what,
        _code(affected.why),
        _place(affected.path, affected.line),
        f"{affected.confidence:.0%}",
    )


def _of_touched(touched: Touched) -> tuple[str, ...]:
    return _code(touched.spot.name), f"{touched_text(touched)} {_code(touched.by)}", _place(touched.path, touched.line)


def _place(path: str, line: int) -> str:
    return _code(f"{path}:{line}" if line else path)


def _code(text: str) -> str:
    """Return a text in a code span that it cannot end, in one cell of a table."""
    plain = shorten(visible(text).replace("\n", " "), MAX_CELL).strip()
    if not plain:
        return ""
    taken = {len(ticks) for ticks in TICKS.findall(plain)}
    fence = "`" * next(size for size in count(1) if size not in taken)
    pad = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{pad}{plain}{pad}{fence}".replace("|", "\\|")
