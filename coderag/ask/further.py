"""What stands near the sources of an answer, to fill the room that the budget has left.

Hits that are too unsure for a statement of their own, the classes of members that were found (auto-merging), and across
the border of code and schema: the tables that the best hits use, and the code that writes the best table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from coderag.ask.composing import Shelf, chosen
from coderag.ask.findings.passages import source_of
from coderag.ask.records import Answer, Finding, Route, Verdict
from coderag.ask.refining.eliding import elided
from coderag.ask.source import Source
from coderag.ask.turn import Evidence, Turn
from coderag.ask.wording import overlap
from coderag.errors import CoderagError
from coderag.graph.queries.locations import DATA_KINDS
from coderag.graph.queries.outgoing import DATA_EDGES
from coderag.graph.queries.refs import Role
from coderag.types import Chunk, Kind

__all__ = ["with_further"]

MOST = 5  # sources of a part, and no more than its statements may be
FAINT = 0.1  # a hit below this share of the best one's confidence is not near
USED = 2  # hits whose tables are looked up, and users of a table
TOKENS = 200  # of each
CALLABLE = frozenset({Kind.FUNCTION, Kind.METHOD})
USERS = (Role.WRITERS, Role.READERS)


def with_further(turn: Turn, answer: Answer) -> Answer:
    """Return an answer with what stands near its sources, within the same budget; not where a model chose them."""
    shelf = Shelf(turn.options.budget, sources=answer.sources)
    for part, shown in zip(turn.evidence, answer.parts, strict=True):
        if shown.verdict is Verdict.FOUND and not part.is_judged:
            _fill(shelf, turn, part)
    return replace(answer, further=tuple(shelf.sources[len(answer.sources) :]))


def _fill(shelf: Shelf, turn: Turn, part: Evidence) -> None:
    """Add what stands near the findings of a part to the shelf, the nearest first."""
    weights = turn.stem_weights(part.text)
    left = min(MOST, turn.options.k)
    for source in _near(turn, part):
        if not left:
            return
        if not shelf.holds(source) and shelf.number(_shortened(source, weights)):
            left -= 1


def _near(turn: Turn, part: Evidence) -> Iterator[Source]:
    passages = [finding for finding in chosen(part, turn.options.k) if not finding.is_fact]
    if part.hits:
        best = max(hit.confidence for hit in part.hits)
        near = [hit.chunk for hit in part.hits if hit.confidence >= FAINT * best]
        yield from map(source_of, near)
        yield from map(source_of, _classes(turn, near))
    if not turn.options.within.is_open:
        return  # what the graph leads to may lie elsewhere
    if part.hits:
        yield from _tables(turn, [hit.chunk for hit in part.hits if hit.chunk.kind in CALLABLE][:USED])
    elif passages and passages[0].route is Route.DATA:
        yield from _users(turn, passages)


def _classes(turn: Turn, chunks: Sequence[Chunk]) -> Iterator[Chunk]:
    """Yield the classes that chunks are members of, those with the most of them first."""
    counts = Counter((chunk.repository, chunk.path, chunk.parent) for chunk in chunks if chunk.kind is Kind.METHOD)
    for (repository, path, parent), _ in counts.most_common():
        yield from [one for one in turn.places.chunks(repository, path) if one.qualified_name == parent][:1]


def _tables(turn: Turn, chunks: Iterable[Chunk]) -> Iterator[Source]:
    """Yield the tables that functions use; no graph is built for it."""
    index = turn.index.with_stored_graph()
    for chunk in chunks:
        try:
            edges = index.outgoing(chunk.qualified_name, kinds=DATA_EDGES)
        except CoderagError:  # no graph, or no such name in it
            continue
        for edge in edges.edges:
            target = edge.target
            if edge.candidates or target.kind not in DATA_KINDS:
                continue
            declared = turn.places.source(
                edges.repository, target.path, target.line, end=target.end_line, name=target.name
            )
            yield from [declared] if declared else []


def _users(turn: Turn, passages: Sequence[Finding]) -> Iterator[Source]:
    """Yield the code that writes the best table, then what reads it."""
    name = passages[0].source.name
    index = turn.index.with_stored_graph()
    references = index.refs(name, kinds=("table", "view"), shown=USED)[:1] if name else []
    for reference in references:
        groups = {group.role: group for group in reference.groups}
        uses = [use for role in USERS if role in groups for use in groups[role].references]
        for use in uses[:USED]:
            around = (
                chunk
                for chunk in turn.places.chunks(reference.repository, use.path)
                if any(use.line in lines for lines in chunk.parts)
            )
            yield from map(source_of, [*around][:1])


def _shortened(source: Source, weights: Mapping[str, float]) -> Source:
    lines = source.text.rstrip("\n").split("\n")
    return replace(source, text=elided(lines, [overlap(line, weights) for line in lines], tokens=TOKENS))
