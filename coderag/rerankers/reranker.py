"""The interface of every reranker: a query and candidates in, scores out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from coderag.encoders.encoder import Array, Passage

__all__ = ["Reranker"]


class Reranker(Protocol):
    """A model that reads a query together with each candidate; slower than an encoder, so it scores few candidates."""

    @property
    def name(self) -> str:
        """The name that explanations and tables show."""

    def scores(self, question: str, passages: Sequence[Passage]) -> Array:
        """Return f32[passages], higher is better; `passages` come best first. Raises RerankerError."""
