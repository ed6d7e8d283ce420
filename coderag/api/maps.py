"""The graphs of some roots to a map of each, and the hits of a question to what part of it each file answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import TYPE_CHECKING

from coderag.api.file_readers import file_chunks, outlines
from coderag.graph.queries.map import map_of
from coderag.index.reader.corpus import Corpus
from coderag.types import Hit, Query

if TYPE_CHECKING:
    from coderag.graph.graph import Graph
    from coderag.graph.queries.map import RepositoryMap

__all__ = ["maps_of", "shares_of_files"]


def maps_of(
    graphs: Mapping[str, Graph],
    corpus: Corpus,
    conditions: Query,
    *,
    budget: int,
    files: Mapping[str, Set[str]] | None,
    question: str,
    near: Mapping[str, Mapping[str, float]],
    k: int | None,
) -> list[RepositoryMap]:
    """Return the map of each repository, in `budget` tokens each.

    Of the `files` of each, None for all, as far as paths, kinds and tests of the conditions allow them; `near` are the
    shares of files in the answer to the question.
    """
    return [
        map_of(
            graph,
            outlines(corpus, name),
            budget=budget,
            paths=tuple(conditions.paths),
            files=None if files is None else files.get(name, frozenset()),
            kinds=conditions.kinds,
            question=question,
            near=near.get(name, {}),
            repository=name,
            chunks=file_chunks(corpus, name),
            tests=conditions.tests,
            k=k,
        )
        for name, graph in graphs.items()
    ]


def shares_of_files(hits: Iterable[Hit]) -> dict[str, dict[str, float]]:
    """Return how much of what answers a question is in each file of each repository; 1 in sum for each of these."""
    scores_of_files: dict[str, dict[str, float]] = {}
    for hit in hits:
        of_file = scores_of_files.setdefault(hit.chunk.repository, {})
        of_file[hit.chunk.path] = of_file.get(hit.chunk.path, 0.0) + max(hit.score, 0.0)
    return {
        name: {path: score / sum(scores.values()) for path, score in scores.items()}
        for name, scores in scores_of_files.items()
        if sum(scores.values())
    }
