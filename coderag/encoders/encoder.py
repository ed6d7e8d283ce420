"""What every encoder is: texts in, vectors of unit length out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["Array", "Encoder", "EncoderIdentity", "Passage", "quantised", "unit_rows"]

Array = npt.NDArray[Any]

INT8_MAX = 127
ALMOST_NOTHING = 1e-12  # a row of zeros is divided by this and stays


@dataclass(frozen=True, slots=True)
class Passage:
    """What is embedded of a chunk or a table."""

    name: str
    scope: str  # what encloses the name; "" at the top
    path: str
    text: str  # with signature, documentation and body


@dataclass(frozen=True, slots=True)
class EncoderIdentity:
    """All that a vector depends on besides its text; two encoders of one identity give the same vectors."""

    kind: str  # "static", "transformers", "onnx", "http"
    model: str
    revision: str = ""
    pooling: str = ""
    query_prefix: str = ""
    passage_prefix: str = ""
    dimensions: int = 0

    @property
    def key(self) -> str:
        """A short hash that names the vectors of this encoder."""
        told = "\0".join(map(str, asdict(self).values()))
        return blake2b(told.encode(), digest_size=6).hexdigest()


class Encoder(Protocol):
    """A model that places questions and passages in one space, where near means about the same."""

    @property
    def identity(self) -> EncoderIdentity:
        """What the vectors depend on."""

    def encode_passages(self, passages: Sequence[Passage]) -> Array:
        """Return f32[passages, dimensions], each row of unit length, zeros where the model knows no word.

        Raises EncoderError when the model cannot answer.
        """

    def encode_query(self, text: str) -> Array:
        """Return f32[dimensions] of unit length, zeros where the model knows no word; raises EncoderError."""


def unit_rows(vectors: Array) -> Array:
    """Return rows divided by their length, f32[n, dimensions]; rows of zeros stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Array = (vectors / np.maximum(lengths, ALMOST_NOTHING)).astype(np.float32)
    return scaled


def quantised(vectors: Array) -> Array:
    """Return rows as int8, each scaled so that its largest value is 127: cosines survive, lengths do not."""
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    scaled: Array = np.rint(vectors * (INT8_MAX / np.maximum(largest, ALMOST_NOTHING))).astype(np.int8)
    return scaled
