"""An endpoint in the OpenAI embeddings format, to an encoder.

Format: https://platform.openai.com/docs/api-reference/embeddings. OpenAI, vLLM, llama.cpp, Ollama, text-embeddings-
inference and others speak it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from coderag.encoders.checked import unit_vectors
from coderag.encoders.encoder import Array, EncoderIdentity, Passage
from coderag.encoders.inference.endpoint import TRIES, TRIES_IN_A_HURRY, Endpoint, open_endpoint
from coderag.encoders.inference.passages import passage_text, query_text
from coderag.encoders.presets import Preset
from coderag.encoders.spec import EncoderSpec
from coderag.errors import EncoderError

__all__ = ["HttpEncoder", "http_encoder"]

BATCH_TEXTS = 32  # the default maximum of text-embeddings-inference
BATCH_CHARACTERS = 120_000
CHARACTERS_PER_TOKEN = 3  # in code, a low estimate: a text that is too long is an error, a truncated one is not
MOST_CHARACTERS = 24_000  # per text; services read 8,000 tokens
PROBE = "def probe(): return 1"  # embedded to learn the dimensions


def http_encoder(spec: EncoderSpec, *, preset: Preset | None = None) -> HttpEncoder:
    """Return an encoder that calls an endpoint; raises EncoderError for one that the user has not allowed."""
    endpoint = open_endpoint(spec.url, error=EncoderError, trusted=spec.trusted, timeout=spec.timeout)
    return HttpEncoder(endpoint, spec, preset=preset)


class HttpEncoder:
    """An embedding model behind an HTTP endpoint."""

    def __init__(self, endpoint: Endpoint, spec: EncoderSpec, *, preset: Preset | None = None) -> None:
        """Take the request's options from `spec`; the dimensions from it, the preset, or else the first answer."""
        self._endpoint = endpoint
        self._spec = spec
        self._dimensions = spec.dimensions or (preset.dimensions if preset else 0)
        self._query_prefix, self._passage_prefix = spec.query_prefix or "", spec.passage_prefix or ""
        self._characters = spec.max_tokens * CHARACTERS_PER_TOKEN or MOST_CHARACTERS
        self._name = f"{endpoint.name} ({spec.model})" if spec.model else endpoint.name

    @cached_property
    def identity(self) -> EncoderIdentity:
        """What the vectors depend on; sends one request if the dimensions are unknown. Raises EncoderError."""
        return EncoderIdentity(
            "http",
            f"{self._endpoint.name}#{self._spec.model}",
            pooling=f"its own of {self._characters} characters",
            query_prefix=self._query_prefix,
            passage_prefix=self._passage_prefix,
            dimensions=self._width(),
        )

    def encode_passages(self, passages: Sequence[Passage]) -> Array:
        """Return f32[passages, dimensions] of unit length, zeros for passages without text; raises EncoderError."""
        return self._rows([passage_text(passage) for passage in passages], self._passage_prefix, tries=TRIES)

    def encode_query(self, text: str) -> Array:
        """Return f32[dimensions] of unit length, zeros for no text; raises EncoderError."""
        vector: Array = self._rows([query_text(text)], self._query_prefix, tries=TRIES_IN_A_HURRY)[0]
        return vector

    def _width(self) -> int:
        self._dimensions = self._dimensions or self._asked([PROBE], tries=TRIES).shape[1]
        return self._dimensions

    def _rows(self, texts: Sequence[str], prefix: str, *, tries: int) -> Array:
        places = [place for place, text in enumerate(texts) if text]
        if not places:
            return np.zeros((len(texts), self._width()), dtype=np.float32)
        vectors = self._asked([(prefix + texts[place])[: self._characters] for place in places], tries=tries)
        self._dimensions = self._dimensions or vectors.shape[1]
        if len(places) == len(texts):
            return vectors
        rows = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        rows[places] = vectors
        return rows

    def _asked(self, texts: Sequence[str], *, tries: int) -> Array:
        batches = list(_batches(texts))
        named = {"model": self._spec.model} if self._spec.model else {}
        answers = self._endpoint.post_all([{**named, "input": batch} for batch in batches], tries=tries)
        rows = [self._vectors(answer, len(batch)) for answer, batch in zip(answers, batches, strict=True)]
        if len(widths := {row.shape[1] for row in rows}) > 1:
            raise EncoderError(f"{self._name} gives vectors of {' and of '.join(map(str, sorted(widths)))} numbers")
        return np.concatenate(rows)

    def _vectors(self, answer: Any, count: int) -> Array:
        """Return the vectors of an answer in the order of the texts, of unit length."""
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, list) or not all(isinstance(item, dict) and "embedding" in item for item in data):
            raise EncoderError(f"{self._name} answered with no list 'data' of embeddings; is this the right address?")
        if len(data) != count:
            raise EncoderError(f"{self._name} gave {len(data)} vectors for {count} texts")
        places = [item.get("index", place) for place, item in enumerate(data)]
        if not all(isinstance(place, int) for place in places) or sorted(places) != list(range(count)):
            raise EncoderError(f"{self._name} numbers its vectors otherwise than the texts")
        embeddings = [item["embedding"] for item in data]
        try:
            rows = np.asarray([embeddings[places.index(place)] for place in range(count)], dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise EncoderError(f"{self._name} gave vectors that are no lists of numbers of one length") from error
        if rows.ndim != 2 or not rows.shape[1]:
            raise EncoderError(f"{self._name} gave vectors that are no lists of numbers of one length")
        if not self._spec.dimensions and self._dimensions not in {0, rows.shape[1]}:
            raise EncoderError(
                f"{self._name} gives vectors of {rows.shape[1]} numbers; {self._dimensions} were expected"
            )
        return unit_vectors(rows, dimensions=self._spec.dimensions, name=self._name)


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield the texts in order, in batches of the size of one request."""
    batch: list[str] = []
    characters = 0
    for text in texts:
        if batch and (len(batch) == BATCH_TEXTS or characters + len(text) > BATCH_CHARACTERS):
            yield batch
            batch, characters = [], 0
        batch.append(text)
        characters += len(text)
    yield batch
