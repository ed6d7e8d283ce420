"""Questions to ranks: of what a search returns, and of an exact search through the files."""

from __future__ import annotations

from collections.abc import Sequence

from coderag import Hit, Index, Pipeline
from scripts.verbatim.drawing import Texts
from scripts.verbatim.records import Answer, Place, Question

__all__ = ["ask"]

SHOWN = 10  # hits of a question


def ask(index: Index, question: Question, texts: Texts, *, pipeline: Pipeline) -> Answer:
    """Return how a search and an exact search answer a question."""
    hits = index.search(question.text, k=SHOWN, pipeline=pipeline)
    return Answer(
        question,
        next((rank for rank, hit in enumerate(hits, 1) if _holds(hit, question.places)), None),
        _exact_rank(question, texts),
        tuple(f"{hit.chunk.path}:{hit.chunk.span.start_line} {hit.chunk.qualified_name}" for hit in hits),
        hits[0].confidence if hits else 0.0,
    )


def _holds(hit: Hit, places: Sequence[Place]) -> bool:
    """Tell whether a hit has a line of one of some places."""
    chunk = hit.chunk
    lines = {line for part in chunk.parts for line in range(part.start_line, part.end_line + 1)}
    return any(
        place.path == chunk.path and not lines.isdisjoint(range(place.start_line, place.end_line + 1))
        for place in places
    )


def _exact_rank(question: Question, texts: Texts) -> int | None:
    """Return the rank of the first place among the lines that hold the question, file by file, as grep has them."""
    rank = 0
    for path, text in texts.items():
        if question.text not in text:
            continue
        for number, line in enumerate(text.split("\n"), 1):
            if question.text in line:
                rank += 1
                if any(
                    place.path == path and place.start_line <= number <= place.end_line for place in question.places
                ):
                    return rank
    return None
