"""A definition, a file or a line of one to the commits that changed it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from coderag.errors import QueryError
from coderag.index.history.history import BLOB_BYTES, History
from coderag.index.history.records import FileHistory, LoggedChange
from coderag.index.reader.corpus import Corpus, Member
from coderag.search.query.understand import understand
from coderag.search.retrieval.history import commit_scores
from coderag.search.retrieval.symbols import find_symbols
from coderag.types import Chunk, Span

__all__ = ["commit_log", "commits_of_chunk"]

LINE = re.compile(r"(.+):(\d{1,9})\Z", re.DOTALL)
NAME_END = re.compile(r"[^.:#]+\Z")  # of a qualified name
MAX_DEFINITIONS = 50  # of one name


@dataclass(frozen=True, slots=True)
class _Place:
    """What commits are looked for that changed it."""

    member: Member
    file: int
    path: str
    name: str = ""
    span: Span | None = None  # None: the file


def commit_log(
    corpus: Corpus, histories: Mapping[str, History], target: str, *, k: int, repository: str = ""
) -> list[LoggedChange]:
    """Return the last k commits that changed what a target means, newest first: SYMBOL, FILE or FILE:LINE.

    Of several repositories all count, or the one that is given. Raises QueryError where nothing has the name.
    """
    places = [place for place in _places(corpus, target) if repository in ("", place.member.repository)]
    if not places:
        raise QueryError(f"nothing is named {target!r}; give a symbol, or a file of the index, from its root")
    rows = [row for place in places for row in _changes(place, histories.get(place.member.repository))]
    rows.sort(key=lambda row: row[0])
    return [change for _, change in rows[:k]]


def _changes(place: _Place, history: History | None) -> Iterator[tuple[tuple[int, int, str, str], LoggedChange]]:
    """Yield the commits that changed a place, each with what it is sorted by."""
    for change in history.of_file(place.path) if history is not None else ():
        if history is not None and (lines := _lines(change, place.span)) is not None:
            order = (-history.commit(change.commit).time, change.commit, place.path, place.name)
            yield order, _logged(history, place, change, lines)


def commits_of_chunk(
    histories: Mapping[str, History], corpus: Corpus, chunk: Chunk, question: str
) -> list[LoggedChange]:
    """Return the commit that changed a chunk last, and that whose subject fits a question best; [] without any."""
    history = histories.get(chunk.repository)
    place = next((place for place in _files(corpus, chunk.path) if place.member.repository == chunk.repository), None)
    if history is None or place is None:
        return []
    changes = [
        (change, lines)
        for change in history.of_file(chunk.path)
        if (lines := tuple(line for part in chunk.parts for line in _lines(change, part) or ()))
    ]
    if not changes:
        return []
    scores = commit_scores(history, understand(question)).tolist()
    best = max(changes, key=lambda row: scores[row[0].commit])
    picked = [changes[0], *([best] if scores[best[0].commit] and best is not changes[0] else [])]
    name = chunk.qualified_name
    return [_logged(history, replace(place, name=name), change, lines) for change, lines in picked]


def _places(corpus: Corpus, target: str) -> Iterator[_Place]:
    match = LINE.match(target)
    if files := list(_files(corpus, target)):
        yield from files
        return
    if match is not None and (files := list(_files(corpus, match[1]))):
        yield from (_around(place, int(match[2])) for place in files)
        return
    symbols = find_symbols(corpus, target, k=MAX_DEFINITIONS, alike=False)
    last = NAME_END.search(target)
    spelled = [symbol for symbol in symbols if last is not None and symbol.name == last[0]]
    for symbol in spelled or symbols:
        for place in _files(corpus, symbol.path):
            if place.member.repository == symbol.repository:
                yield replace(place, name=symbol.qualified_name, span=symbol.span)


def _files(corpus: Corpus, path: str) -> Iterator[_Place]:
    """Yield the indexed files of a path, one for each repository that has it."""
    for member in corpus.members:
        for file, known in enumerate(member.segment.paths.all()):
            if known == path and file not in member.dead:
                yield _Place(member, file, path)


def _around(place: _Place, line: int) -> _Place:
    """Return the innermost definition around a line, the line alone where there is none."""
    outline = place.member.segment.outline(place.file, repository=place.member.repository)
    around = [symbol for symbol in outline if line in symbol.span]
    if not around:
        return replace(place, span=Span(line, line))
    inner = min(around, key=lambda symbol: len(symbol.span))
    return replace(place, name=inner.qualified_name, span=inner.span)


def _lines(change: FileHistory, span: Span | None) -> tuple[Span, ...] | None:
    """Return the lines of a place that a commit changed, None if it did not change it."""
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
