"""A reranking endpoint in the format of Cohere, Jina, Voyage or text-embeddings-inference, to a reranker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from coderag.encoders.checked import finite
from coderag.encoders.encoder import Array, Passage
from coderag.encoders.inference.endpoint import TRIES_IN_A_HURRY, Endpoint, open_endpoint
from coderag.encoders.inference.passages import passage_text, query_text
from coderag.errors import RerankerError
from coderag.rerankers.spec import RerankerSpec

__all__ = ["HttpReranker", "http_reranker"]

TEI_TEXTS = 32  # per request, the default maximum of the server
CHARACTERS = 8000  # of a passage: beyond what rerankers read
QUESTION_CHARACTERS = 2000


def http_reranker(spec: RerankerSpec) -> HttpReranker:
    """Return a reranker that calls an endpoint; raises RerankerError for one that the user has not allowed."""
    endpoint = open_endpoint(spec.url, error=RerankerError, trusted=spec.trusted, timeout=spec.timeout)
    return HttpReranker(endpoint, spec)


class HttpReranker:
    """A reranker behind an HTTP endpoint."""

    def __init__(self, endpoint: Endpoint, spec: RerankerSpec) -> None:
        """Take the format and the model's name from `spec`."""
        self._endpoint = endpoint
        self._spec = spec
        self.name = spec.model or endpoint.name

    def scores(self, question: str, passages: Sequence[Passage]) -> Array:
        """Return f32[passages], the endpoint's scores, higher is better; raises RerankerError."""
        texts = [passage_text(passage)[:CHARACTERS] or " " for passage in passages]  # endpoints refuse empty ones
        query = query_text(question)[:QUESTION_CHARACTERS]
        if not texts or not query:
            return np.zeros(len(texts), dtype=np.float32)
        size = TEI_TEXTS if self._spec.format == "tei" else len(texts)
        parts = [texts[begin : begin + size] for begin in range(0, len(texts), size)]
        answers = self._endpoint.post_all([self._body(query, part) for part in parts], tries=TRIES_IN_A_HURRY)
        return np.concatenate([self._read(answer, len(part)) for answer, part in zip(answers, parts, strict=True)])

    def _body(self, question: str, texts: Sequence[str]) -> dict[str, Any]:
        if self._spec.format == "tei":
            return {"query": question, "texts": texts, "truncate": True}
        count = "top_k" if self._spec.format == "voyage" else "top_n"
        body: dict[str, Any] = {"query": question, "documents": texts, count: len(texts)}
        return {"model": self._spec.model, **body} if self._spec.model else body

    def _read(self, answer: Any, count: int) -> Array:
        """Return the scores of an answer in the order of the texts."""
        rows = answer
        if isinstance(answer, dict):
            rows = answer.get("data") if self._spec.format == "voyage" else answer.get("results")
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise RerankerError(
                f"{self.name} answered with no list of scores; is format={self._spec.format or 'cohere'}?"
            )
        scores = {str(row.get("index")): row.get("score", row.get("relevance_score")) for row in rows}
        if len(rows) != count or scores.keys() != set(map(str, range(count))):
            raise RerankerError(f"{self.name} gave scores of {len(scores)} texts, not of the {count} that were sent")
        if not all(isinstance(score, int | float) for score in scores.values()):
            raise RerankerError(f"{self.name} gave scores that are no numbers")
        return finite(np.array([scores[str(place)] for place in range(count)]), name=self.name, error=RerankerError)
