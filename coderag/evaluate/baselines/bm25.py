"""Questions to chunks by plain BM25 over their text, with bm25s as it comes: no fields, no paths, no symbols."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from coderag.api.index import Index
from coderag.errors import EvaluationError
from coderag.evaluate.baselines.found import Found, Search, chunks_within, found_chunk
from coderag.types import Chunk, Query

__all__ = ["bm25_search"]


def bm25_search(index: Index) -> Search:
    """Return a search over the functions and other chunks of an index; raises EvaluationError without bm25s."""
    library = _library()
    made: dict[Query, tuple[Sequence[Chunk], Any]] = {}

    def answer(query: Query) -> list[Found]:
        conditions = replace(query, text="-", k=1)
        if conditions not in made:
            own = list(chunks_within(index, conditions))
            made[conditions] = own, _ranker(library, own)
        chunks, ranker = made[conditions]
        words = library.tokenize([query.text], stopwords="en", show_progress=False, return_ids=False)
        if ranker is None or not words[0]:
            return []
        numbers, scores = ranker.retrieve(words, k=min(query.k, len(chunks)), show_progress=False)
        pairs = zip(numbers[0].tolist(), scores[0].tolist(), strict=True)
        return [found_chunk(chunks[number]) for number, score in pairs if score > 0]

    return answer


def _ranker(library: Any, chunks: Sequence[Chunk]) -> Any:
    """Return what ranks some chunks, None if they have no words."""
    words = library.tokenize([chunk.text for chunk in chunks], stopwords="en", show_progress=False)
    if not any(words.ids):
        return None
    ranker = library.BM25()
    ranker.index(words, show_progress=False)
    return ranker


def _library() -> Any:
    try:
        import bm25s
    except ImportError as error:
        raise EvaluationError(f"{error.name} is not installed; run: pip install bm25s") from None
    return bm25s
