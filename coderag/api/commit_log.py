"""A definition, a file or a line of one to the commits that changed it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from coderag.errors import QueryError
from coderag.index.history.history import BLOB_BYTES, History
from coderag.index.history.records import FileHistory, LoggedChange
from coderag.index.reader.corpus import Corpus, Member
from coderag.search.retrieval.symbols import find_symbols
from coderag.types import Span

__all__ = ["commit_log"]

LINE = re.compile(r"(.+):(\d{1,9})\Z", re.DOTALL)
MAX_DEFINITIONS = 50  # of one name


@dataclass(frozen=True, slots=True)
class _Place:
    """What commits are looked for that changed it."""

    member: Member
    file: int
    path: str
    name: str = ""
    span: Span | None = None  # None: the file


def commit_log(corpus: Corpus, histories: Mapping[str, History], target: str, *, k: int) -> list[LoggedChange]:
    """Return the last k commits that changed what a target means, newest first: SYMBOL, FILE or FILE:LINE.

    Raises QueryError where nothing has the name.
    """
    places = list(_places(corpus, target))
    if not places:
        raise QueryError(f"nothing is named {target!r}; give a symbol, or a file of the index, from its root")
    found = [row for place in places for row in _changes(place, histories.get(place.member.repository))]
    found.sort(key=lambda row: row[0])
    return [change for _, change in found[:k]]


def _changes(place: _Place, history: History | None) -> Iterator[tuple[tuple[int, int, str, str], LoggedChange]]:
    """Yield the commits that changed a place, each with what it is sorted by."""
    for change in history.of_file(place.path) if history is not None else ():
        if history is not None and (lines := _lines(change, place.span)) is not None:
            order = (-history.commit(change.commit).time, change.commit, place.path, place.name)
            yield order, _logged(history, place, change, lines)


def _places(corpus: Corpus, target: str) -> Iterator[_Place]:
    match = LINE.match(target)
    wanted = {target} | ({match[1]} if match else set())
    files = [
        (member, file, path)
        for member in corpus.members
        for file, path in enumerate(member.segment.paths.all())
        if path in wanted and file not in member.dead
    ]
    if files:
        for member, file, path in files:
            if match is None or path == target:
                yield _Place(member, file, path)
            else:
                yield _around(member, file, path, int(match[2]))
        return
    for symbol in find_symbols(corpus, target, k=MAX_DEFINITIONS, alike=False):
        for member in corpus.members:
            if member.repository == symbol.repository:
                for file, path in enumerate(member.segment.paths.all()):
                    if path == symbol.path and file not in member.dead:
                        yield _Place(member, file, path, symbol.qualified_name, symbol.span)


def _around(member: Member, file: int, path: str, line: int) -> _Place:
    """Return the innermost definition around a line, the line alone where there is none."""
    around = [symbol for symbol in member.segment.outline(file, repository=member.repository) if line in symbol.span]
    if not around:
        return _Place(member, file, path, "", Span(line, line))
    inner = min(around, key=lambda symbol: len(symbol.span))
    return _Place(member, file, path, inner.qualified_name, inner.span)


def _lines(change: FileHistory, span: Span | None) -> tuple[Span, ...] | None:
    """Return the lines of a place that a commit changed, None where it did not change it."""
    if span is None:
        return tuple(Span(first, last) for first, last in change.spans)
    parts = [(max(first, span.start_line), min(last, span.end_line)) for first, last in change.spans]
    return tuple(Span(first, last) for first, last in parts if first <= last) or None


def _logged(history: History, place: _Place, change: FileHistory, lines: tuple[Span, ...]) -> LoggedChange:
    commit = history.commit(change.commit)
    indexed = place.member.blob(place.file)[:BLOB_BYTES].hex()
    return LoggedChange(
        commit=commit.id,
        date=datetime.fromtimestamp(commit.time, UTC).isoformat(),
        author=commit.author,
        subject=commit.subject,
        path=place.path,
        name=place.name,
        lines=lines,
        repository=place.member.repository,
        is_exact=indexed == history.blob(history.files[place.path]),
    )
