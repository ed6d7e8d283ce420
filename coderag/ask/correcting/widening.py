"""Ambiguous evidence to that of a wider search: tests, documents, configuration, each root by itself.

The access rules of the caller hold, as the same index is asked, and no root is searched that was not opened. Nor is a
source taken from outside the paths that were asked for: where it would answer, its place is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from coderag.ask.correcting.grading import LIKELY, SURE, figures, graded
from coderag.ask.findings.passages import findings_of_hits
from coderag.ask.records import Route
from coderag.ask.searching import DEPTH, HITS, searched
from coderag.ask.turn import Evidence, Turn
from coderag.ask.wording import content_words
from coderag.record import record
from coderag.syntax.language import languages
from coderag.types import Content, Hit, Kind, TestPolicy

__all__ = ["DOCUMENT_KINDS", "WIDENINGS", "Found", "Widening", "elsewhere", "of_hits", "widened"]

DOCUMENT_KINDS = frozenset({Kind.SECTION, Kind.CELL})
MAX_ROOTS = 4  # that are searched by themselves
EXCLUDES = "!"  # in front of a glob
TEST = "test"  # the label of a chunk


@record
class Found:
    """The hits of a wider search, and where they are; "" for the usual search."""

    hits: tuple[Hit, ...]
    place: str


class Widening(Protocol):
    """A wider search for a part of a question: each place that it looks into, with the hits there."""

    def __call__(self, turn: Turn, part: Evidence, /) -> Iterable[Found]:
        """Yield what is found, place by place, so that nobody searches further than needed."""


def in_code(turn: Turn, part: Evidence) -> Iterator[Found]:
    """Look where a question goes that is for no table and no map; one that went there yields nothing."""
    if not part.hits:
        yield Found(tuple(searched(turn, part.text)), "")


def in_tests(turn: Turn, part: Evidence) -> Iterator[Found]:
    """Look into tests alone, unless they are excluded."""
    if turn.options.within.tests is TestPolicy.EXCLUDE:
        return
    hits = searched(turn, _matter(part), k=DEPTH, tests=TestPolicy.INCLUDE)
    yield Found(tuple(hit for hit in hits if TEST in hit.chunk.labels)[:HITS], "tests only")


def in_documents(turn: Turn, part: Evidence) -> Iterator[Found]:
    """Look into documents and notebooks alone."""
    yield Found(tuple(searched(turn, _matter(part), kinds=DOCUMENT_KINDS)), "documents only")


def in_configuration(turn: Turn, part: Evidence) -> Iterator[Found]:
    """Look into configuration alone, which an index has where it was made with it."""
    names = frozenset(name for name, language in languages().items() if language.content is Content.CONFIG)
    yield Found(tuple(searched(turn, _matter(part), languages=names)), "configuration only")


def in_single_roots(turn: Turn, part: Evidence) -> Iterator[Found]:
    """Look into each of several roots by itself, those of the best hits first."""
    roots = [root.repository for root in turn.index.roots]
    if len(roots) == 1:  # it was searched by itself already
        return
    first = [hit.chunk.repository for hit in part.hits if hit.chunk.repository in roots]
    for name in list(dict.fromkeys([*first, *roots]))[:MAX_ROOTS]:
        yield Found(tuple(searched(turn, _matter(part), repositories=frozenset({name}))), f"repository {name} only")


WIDENINGS: tuple[Widening, ...] = (
    in_code,
    in_tests,
    in_documents,
    in_configuration,
    in_single_roots,
)


def widened(turn: Turn, part: Evidence) -> tuple[Evidence, list[str]]:
    """Return evidence from the first place that carries an answer, else as it was; and what to say of each place."""
    steps = []
    for widening in WIDENINGS:
        for found in widening(turn, part):
            if not found.hits:
                continue
            wider = _graded(turn, part, found)
            steps.append(f"{found.place or 'code'}: {figures(wider)}")
            # Of several places one is likely to look right by chance, so each must be surer than the usual search.
            if wider.likelihood >= (SURE if found.place else LIKELY):
                return replace(wider, found_in=found.place), steps
    return part, steps


def elsewhere(turn: Turn, part: Evidence) -> str:
    """Return a place outside the paths that were asked for which carries an answer, "" without one.

    The paths hold, so it is only named; what they exclude is not looked at.
    """
    within = turn.options.within
    excluded = tuple(path for path in within.paths if path.startswith(EXCLUDES))
    if excluded == within.paths:
        return ""
    everywhere = replace(turn, options=replace(turn.options, within=replace(within, paths=excluded)))
    hits = tuple(searched(everywhere, _matter(part)))
    if not hits or _graded(everywhere, part, Found(hits, "other paths")).likelihood < SURE:
        return ""
    best = max(hits, key=lambda hit: hit.confidence).chunk
    repository = f"{best.repository}: " if len(turn.index.roots) > 1 else ""
    return f"{repository}{best.path}:{best.span.start_line}-{best.span.end_line}"


def _matter(part: Evidence) -> str:
    """Return a part without the words that ask."""
    return " ".join(content_words(part.text)) or part.text


def _joined(first: Sequence[Hit], second: Sequence[Hit]) -> list[Hit]:
    known = {hit.chunk.id for hit in first}
    return [*first, *(hit for hit in second if hit.chunk.id not in known)]


def _graded(turn: Turn, part: Evidence, found: Found) -> Evidence:
    """Return evidence with the hits of a place in front, graded by these alone."""
    plain = replace(part, held=frozenset(), sql="", sql_origin="", is_judged=False)
    graded_alone = graded(turn, of_hits(turn, plain, found.hits))
    both = of_hits(turn, plain, _joined(found.hits, part.hits)[:HITS])
    return replace(graded_alone, hits=both.hits, findings=both.findings)


def of_hits(turn: Turn, part: Evidence, hits: Sequence[Hit]) -> Evidence:
    """Return evidence with hits and what they state."""
    findings = findings_of_hits(hits, turn.stem_weights(part.text), route=Route.CODE)
    return replace(part, hits=tuple(hits), findings=tuple(findings), routes=part.routes or (Route.CODE,))
