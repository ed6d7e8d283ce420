"""A question to the example queries that answer a similar one, and their votes for tables and columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from coderag.index.catalog.catalog import Catalog
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.postings import idf, top_k
from coderag.index.storage.vectors import Vectors, cosines
from coderag.text.tokens import term_hash

__all__ = ["SimilarQuery", "Votes", "similar_queries", "votes"]

VOTERS = 10
SHARPNESS = 3  # a vote counts the similarity to this power, so that the closest questions decide
# Below the first similarity queries have no vote, from the second on all of it: with few examples the best of them is
# seldom similar, and voting would only add noise.
DOUBTFUL, SURE = 0.2, 0.7
VECTOR_SHARE = 0.4  # of what vectors say beyond words, where questions have them
UNKNOWN_WEIGHT = 0.5  # of words that no example has, as against the rarest that one has


@dataclass(frozen=True, slots=True)
class SimilarQuery:
    """An example query, and how alike its question is."""

    query: int
    score: float  # 0..1: the cosine of the questions, words weighted by rarity, and that of their vectors


@dataclass(frozen=True, slots=True)
class Votes:
    """What similar queries say, the table and the column with most votes having 1 where they are sure."""

    tables: Array  # f32[tables]
    columns: Array  # f32[columns]
    voters: tuple[SimilarQuery, ...]


def similar_queries(
    catalog: Catalog, terms: Mapping[str, float], allowed: Array, *, vector: Array | None = None, k: int = VOTERS
) -> list[SimilarQuery]:
    """Return the k example queries whose questions are most similar to one of weighted terms, best first.

    They are of databases with tables allowed, bool[tables].
    """
    if not len(catalog.queries):
        return []
    scores = _alike(catalog, terms)
    if vector is not None and catalog.query_vectors is not None:
        # What the words say is certain, and vectors only add to it; without a common word they must be sure enough.
        near = scores + VECTOR_SHARE * np.maximum(_near(catalog.query_vectors, vector) - scores, 0)
        scores = np.where((scores > 0) | (near >= DOUBTFUL), near, 0)
    open_groups = np.zeros(len(catalog.group_starts) + 1, dtype=bool)  # the last: queries of no known database
    open_groups[catalog.group[allowed]] = True
    scores = scores * open_groups[catalog.arrays["query_group"]]
    return [SimilarQuery(query, float(scores[query])) for query in top_k(scores, k).tolist()]


def _alike(catalog: Catalog, terms: Mapping[str, float]) -> Array:
    """Return the cosine of a question and that of each example query, terms weighted by rarity: f32[queries]."""
    size = len(catalog.queries)
    postings = catalog.postings("query")
    places = postings.find(np.array([term_hash(term) for term in terms], dtype=np.uint64)).tolist()
    scores = np.zeros(size, dtype=np.float32)
    length = 0.0
    for place, weight in zip(places, terms.values(), strict=True):
        if place < 0:
            length += (weight * UNKNOWN_WEIGHT * idf(size, 0)) ** 2
            continue
        rarity = weight * idf(size, postings.frequency(place))
        length += rarity**2
        docs, shares = postings.of(place)
        scores[docs] += np.float32(rarity) * shares
    return scores / np.float32(length**0.5 or 1.0)


def _near(vectors: Vectors, vector: Array) -> Array:
    """Return how near example queries are to a question, f32[queries]: 0 as near as their average, 1 the same.

    The cosine of two unlike questions depends on the encoder; the average cosine estimates it.
    """
    found = cosines(vectors, vector)
    known = vectors.lengths > 0
    usual = float(found[known].mean()) if known.any() else 1.0
    near: Array = np.maximum((found - np.float32(usual)) / np.float32(max(1.0 - usual, 1e-6)), 0.0)
    return near


def votes(catalog: Catalog, similar: list[SimilarQuery]) -> Votes:
    """Return the votes of similar queries for the tables and columns that they use."""
    tables = np.zeros(len(catalog), dtype=np.float32)
    columns = np.zeros(len(catalog.column_flags), dtype=np.float32)
    certainty = min((similar[0].score - DOUBTFUL) / (SURE - DOUBTFUL), 1.0) if similar else 0.0
    if certainty <= 0:
        return Votes(tables, columns, ())
    for similar_query in similar:
        weight = np.float32(similar_query.score**SHARPNESS)
        tables[catalog.listed("query_table", similar_query.query)] += weight
        columns[catalog.listed("query_column", similar_query.query)] += weight
    for found in (tables, columns):
        if (most := found.max(initial=0.0)) > 0:
            found *= np.float32(certainty) / most
    return Votes(tables, columns, tuple(similar))
