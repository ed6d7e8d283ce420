"""A cross-encoder: query and passage are read as one text, which gets a score."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coderag.encoders.checked import finite
from coderag.encoders.encoder import Array, Passage
from coderag.encoders.inference.passages import passage_text, query_text
from coderag.encoders.inference.token_models import TokenModel, by_length
from coderag.errors import RerankerError

__all__ = ["CrossReranker"]

MOST_TOKENS = 512  # of query and passage together by default: time grows with them
QUESTION_CHARACTERS = 2000  # so that a query leaves room for the passage
BINARY = 2  # classes: "does not answer" and "answers"


class CrossReranker:
    """A classifier with one class, or with two for no and yes."""

    def __init__(self, model: TokenModel, *, max_tokens: int = 0) -> None:
        """Score with `model`, reading `max_tokens` of a pair; raises RerankerError if that is more than it can read."""
        if max_tokens > model.max_tokens:
            raise RerankerError(f"{model.source.name} reads {model.max_tokens} tokens at most, not {max_tokens}")
        self._model = model
        self._max_tokens = max_tokens or min(MOST_TOKENS, model.max_tokens)
        self.name = model.source.name

    def scores(self, question: str, passages: Sequence[Passage]) -> Array:
        """Return f32[passages], the logit of "answers", higher is better; raises RerankerError."""
        scores = np.zeros(len(passages), dtype=np.float32)
        if not passages:
            return scores
        texts = [passage_text(passage) for passage in passages]
        query = query_text(question)[:QUESTION_CHARACTERS]
        tokens = self._model.tokens(texts, max_tokens=self._max_tokens, question=query)
        for batch in by_length([len(token.ids) for token in tokens], tokens=self._model.batch_tokens):
            logits = self._model.logits([tokens[place] for place in batch])
            scores[batch] = finite(self._answers(logits), name=self.name, error=RerankerError)
        return scores

    def _answers(self, logits: Array) -> Array:
        classes = logits.shape[1]
        if classes > BINARY:
            raise RerankerError(f"{self.name} has {classes} classes; a reranker has one, or two for no and yes")
        scores: Array = logits[:, 0] if classes == 1 else logits[:, 1] - logits[:, 0]
        return scores
