"""Legs of a question to what Elasticsearch or OpenSearch is asked."""

from __future__ import annotations

from typing import Any

import numpy as np

from coderag.index.storage.arrays.arrays import Array
from coderag.stores.elastic.mapping import Product, feature
from coderag.stores.store import Conditions

__all__ = ["MOST_HITS", "terms_query", "vector_query"]

MOST_HITS = 10_000  # that both return at once (index.max_result_window)
MOST_CLAUSES = 900  # of a query; 1,024 are allowed, some of which the conditions take
MOST_VALUES = 60_000  # in a list of one condition; 65,536 are allowed
FULL = 255  # weight of a term, which is stored as it is
Body = dict[str, Any]


def terms_query(keys: Array, weights: Array, where: Conditions, *, k: int, presence: bool) -> tuple[Body, float]:
    """Return what asks for the best files by an inner product, and what is to be added to each score.

    Of more terms than a query takes, the lightest are added to every file, so scores are upper bounds.
    """
    order = np.argsort(-weights, kind="stable")
    used, left = order[:MOST_CLAUSES], order[MOST_CLAUSES:]
    asked = [
        _held(key, weight) if presence else _weighed(key, weight)
        for key, weight in zip(keys[used].tolist(), weights[used].tolist(), strict=True)
    ]
    query = {"bool": {"should": asked, "minimum_should_match": 1, **_conditions(where)}}
    body = {"size": min(k, MOST_HITS), "_source": False, "track_total_hits": False, "query": query}
    return body, float(weights[left].sum())


def _weighed(key: int, weight: float) -> Body:
    return {"rank_feature": {"field": f"terms.{feature(key)}", "linear": {}, "boost": weight / FULL}}


def _held(key: int, weight: float) -> Body:
    return {"constant_score": {"filter": {"term": {"holds": feature(key)}}, "boost": weight}}


def vector_query(product: Product, vector: Array, where: Conditions, *, k: int) -> Body:
    """Return what asks for the chunks nearest to f32[dimensions]; a score is (1 + cosine) / 2 in both products."""
    k = min(k, MOST_HITS)
    row = [round(value, 6) for value in vector.astype(float).tolist()]
    body: Body = {"size": k, "_source": ["segment", "file"], "track_total_hits": False}
    only = {"bool": _conditions(where)}
    if product is Product.ELASTICSEARCH:
        near = {"field": "vector", "query_vector": row, "k": k, "num_candidates": min(2 * k, MOST_HITS), "filter": only}
        return {**body, "knn": near}
    return {**body, "query": {"knn": {"vector": {"vector": row, "k": k, "filter": only}}}}


def _conditions(where: Conditions) -> Body:
    """Return what every hit has to meet; the segments are those that the caller may see."""
    needed: list[Body] = [{"terms": {"segment": list(where.segments)}}]
    if where.languages:
        needed.append({"terms": {"language": list(where.languages)}})
    if where.without_tests:
        needed.append({"term": {"is_test": False}})
    if where.folders:
        prefixes = [{"prefix": {"path": folder}} for folder in where.folders]
        needed.append({"bool": {"should": prefixes, "minimum_should_match": 1}})
    found: Body = {"filter": needed}
    dead: dict[str, list[int]] = {}
    for key in where.dead:
        dead.setdefault(key.segment, []).append(key.number)
    if dead:
        found["must_not"] = [
            {"bool": {"filter": [{"term": {"segment": name}}, {"terms": {"file": files[at : at + MOST_VALUES]}}]}}
            for name, files in dead.items()
            for at in range(0, len(files), MOST_VALUES)
        ]
    return found
