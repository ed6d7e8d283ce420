"""Hits to their surroundings: the enclosing definition, the file, or the definitions before and after.

Several hits in one class become one, "small to big": the whole class where it is short or at least half of its members
were found, else its frame with those members in place. The reasons say how much is cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import NamedTuple

import numpy as np

from coderag.index.reader.corpus import Corpus, Member
from coderag.record import record
from coderag.types import Chunk, Expand, Hit, Kind, Span

__all__ = ["MAX_LINES", "WHOLE_LINES", "expand"]

MAX_LINES = 400  # of an expanded hit
WHOLE_LINES = 120  # of an enclosing definition that is given whole, at most
BESIDE_LINES = 60  # of the definition before, and of the one after
NO_CHUNK = -1
CALLABLE = (Kind.FUNCTION, Kind.METHOD)


class Found(NamedTuple):
    """A hit and its chunk's number in its segment."""

    chunk: int
    hit: Hit


@record
class _Answer:
    """What some hits of a file expand to; rows are 0-based."""

    member: Member
    file: int  # in the segment
    anchor: int  # the chunk that it is called after, in the segment; NO_CHUNK: the file
    extent: range
    rows: tuple[int, ...]  # those to show, the most important first
    found: tuple[Found, ...]  # best first


def expand(corpus: Corpus, found: Sequence[tuple[int, Hit]], how: Expand, *, max_lines: int = MAX_LINES) -> list[Hit]:
    """Return the surroundings of hits, given best first with their chunks' numbers in the corpus, as hits.

    Hits with the same or overlapping surroundings become one, in the place of the best. Each names the original hits in
    `expanded_from`, and holds at most `max_lines` lines: the original hits, then the frame, then the rest. A hit with
    nothing around it stays as it is.
    """
    groups: dict[tuple[int, int, int], list[Found]] = {}
    members: dict[int, Member] = {}
    for number, hit in found:
        member, chunk = corpus.member_of(number)
        members[member.first_chunk] = member
        file = int(member.segment.chunk_file[chunk])
        groups.setdefault((member.first_chunk, file, _anchor(member, chunk, how)), []).append(Found(chunk, hit))
    answers = [
        _answer(members[first], anchor, inside, how, max_lines=max_lines)
        for (first, _, anchor), inside in groups.items()
    ]
    return [_hit(answer, max_lines=max_lines) for answer in _merged(answers)]


def _anchor(member: Member, chunk: int, how: Expand) -> int:
    """Return the chunk that a hit's expansion is called after."""
    segment = member.segment
    if how is Expand.NEIGHBOURS:
        return chunk
    file = member.file_chunks(int(segment.chunk_file[chunk]))
    module = file.start if _is_module(member, file.start) else NO_CHUNK
    if how is Expand.FILE:
        return module
    if member.form(chunk).kind not in CALLABLE and (segment.chunk_parent == chunk).any():
        return chunk
    parent = int(segment.chunk_parent[chunk])
    return module if parent < 0 else parent


def _is_module(member: Member, chunk: int) -> bool:
    """Tell whether a chunk is what a file has beside its definitions."""
    form = member.form(chunk)
    return form.kind is Kind.MODULE and not form.defines


def _answer(member: Member, anchor: int, found: Sequence[Found], how: Expand, *, max_lines: int) -> _Answer:
    segment = member.segment
    file = int(segment.chunk_file[found[0].chunk])
    inside = [row for hit in found for row in _own_rows(member, hit.chunk)]
    if how is Expand.NEIGHBOURS:
        rows = [*inside, *_beside(member, file, anchor)]
        return _Answer(member, file, anchor, range(min(rows), max(rows) + 1), tuple(rows), tuple(found))
    is_file = anchor == NO_CHUNK or _is_module(member, anchor)
    extent = (
        _file_rows(member, file)
        if is_file
        else range(int(segment.first_row[anchor]), int(segment.last_row[anchor]) + 1)
    )
    frame = [] if anchor == NO_CHUNK else _own_rows(member, anchor)
    siblings = set(_members(member, file, anchor))
    most = 2 * len(siblings & {hit.chunk for hit in found}) >= len(siblings) > 0
    whole = most or len(extent) <= (WHOLE_LINES if how is Expand.PARENT else max_lines)
    rows = [*inside, *frame, *(extent if whole else ())]
    return _Answer(member, file, anchor, extent, tuple(dict.fromkeys(rows)), tuple(found))


def _own_rows(member: Member, chunk: int) -> list[int]:
    return [row for first, last, _, _ in member.segment.parts(chunk).tolist() for row in range(first, last + 1)]


def _file_rows(member: Member, file: int) -> range:
    """Return the rows of a file from the first that a chunk holds to the last."""
    parts = np.concatenate([member.segment.parts(chunk) for chunk in member.file_chunks(file)])
    return range(int(parts[:, 0].min()), int(parts[:, 1].max()) + 1)


def _members(member: Member, file: int, anchor: int) -> list[int]:
    """Return the definitions right inside a chunk, or at the top of a file, in order."""
    segment = member.segment
    chunks = member.file_chunks(file)
    here = slice(chunks.start, chunks.stop)
    inside = (segment.chunk_parent[here] == anchor) & member.are_definitions(here)
    members: list[int] = (np.flatnonzero(inside) + chunks.start).tolist()
    return members


def _beside(member: Member, file: int, chunk: int) -> Iterator[int]:
    """Yield the rows before and after a definition that its neighbours take, the nearest first."""
    segment = member.segment
    siblings = _members(member, file, int(segment.chunk_parent[chunk]))
    if chunk not in siblings:
        return
    at = siblings.index(chunk)
    first, last = int(segment.first_row[chunk]), int(segment.last_row[chunk])
    if at > 0:
        yield from range(first - 1, max(int(segment.first_row[siblings[at - 1]]), first - BESIDE_LINES) - 1, -1)
    if at + 1 < len(siblings):
        yield from range(last + 1, min(int(segment.last_row[siblings[at + 1]]), last + BESIDE_LINES) + 1)


def _merged(answers: Iterable[_Answer]) -> list[_Answer]:
    """Return answers without overlaps: two that share rows are one, called after the one that reaches further."""
    merged: list[_Answer] = []
    for answer in answers:
        new = answer
        place = len(merged)
        for at in reversed(range(len(merged))):
            other = merged[at]
            same_file = (other.member.first_chunk, other.file) == (new.member.first_chunk, new.file)
            if same_file and not set(other.rows).isdisjoint(new.rows):
                new, place = _joined(other, new), at
                del merged[at]
        merged.insert(place, new)
    return merged


def _joined(better: _Answer, other: _Answer) -> _Answer:
    wider = other if len(other.extent) > len(better.extent) else better
    extent = range(min(better.extent.start, other.extent.start), max(better.extent.stop, other.extent.stop))
    rows = tuple(dict.fromkeys((*better.rows, *other.rows)))
    return replace(wider, extent=extent, rows=rows, found=(*better.found, *other.found))


def _hit(answer: _Answer, *, max_lines: int) -> Hit:
    """Return the hit of an answer; the best of what was found gives its score."""
    best = answer.found[0].hit
    hits = [found.hit for found in answer.found]
    shown = sorted(answer.rows[:max_lines])
    if len(hits) == 1 and set(shown) == set(_own_rows(answer.member, answer.found[0].chunk)):
        return best
    texts = _texts(answer, shown)
    runs = list(_runs(shown, texts))
    held = {row for run in runs for row in run}
    reasons = list(best.reasons)
    if len(held) < len(answer.extent):
        reasons.append(f"shows {len(held)} of {len(answer.extent)} lines")
    chunk = replace(
        _named(answer, held),
        span=Span(answer.extent.start + 1, answer.extent.stop),
        parts=tuple(Span(run.start + 1, run.stop) for run in runs),
        text="\n".join(texts[row] for run in runs for row in run) + "\n",
    )
    return replace(
        best,
        chunk=chunk,
        lines=tuple(sorted({line for hit in hits for line in hit.lines if line - 1 in held})),
        reasons=tuple(reasons),
        also=tuple(dict.fromkeys(place for hit in hits for place in hit.also)),
        expanded_from=tuple(f"{hit.chunk.path}:{hit.chunk.span.start_line}" for hit in hits),
    )


def _texts(answer: _Answer, shown: Sequence[int]) -> dict[int, str]:
    """Return the text of each row from the first shown to the last; blank rows may be in no chunk."""
    segment = answer.member.segment
    parts = np.concatenate([segment.parts(chunk) for chunk in answer.member.file_chunks(answer.file)])
    around = parts[(parts[:, 0] <= shown[-1]) & (parts[:, 1] >= shown[0])]
    text = segment.text(answer.file, int(around[:, 2].min()), int(around[:, 3].max())).decode("utf-8", "replace")
    rows = dict(enumerate(text.split("\n"), start=int(around[:, 0].min())))
    return {**dict.fromkeys(shown, ""), **rows}


def _runs(shown: Sequence[int], texts: dict[int, str]) -> Iterator[range]:
    """Yield runs of rows that follow each other, or have nothing but blank rows between them."""
    start = before = shown[0]
    for row in shown[1:]:
        if any(texts[between].strip() for between in range(before + 1, row)):
            yield range(start, before + 1)
            start = row
        before = row
    yield range(start, before + 1)


def _named(answer: _Answer, held: set[int]) -> Chunk:
    """Return the chunk that an answer is called after, with the signatures of those members that are not shown."""
    member, segment = answer.member, answer.member.segment
    if answer.anchor == NO_CHUNK:
        inner = answer.found[0].hit.chunk
        name = PurePosixPath(inner.path).stem
        named = Chunk(inner.path, inner.language, Kind.MODULE, name, name, inner.span, (), "")
        return replace(named, labels=inner.labels, repository=inner.repository)
    inside = _members(member, answer.file, answer.anchor)
    missing = [chunk for chunk in inside if not held.issuperset(_own_rows(member, chunk))]
    named = segment.chunk(answer.anchor, repository=member.repository)
    return replace(named, members=tuple(segment.details(chunk).signature for chunk in missing))
