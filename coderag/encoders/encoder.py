"""The interface of every encoder: texts in, vectors of unit length out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from hashlib import blake2b
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from coderag.record import record

__all__ = ["Array", "Encoder", "EncoderIdentity", "Passage", "quantised", "unit_rows"]

Array = npt.NDArray[Any]

INT8_MAX = 127
ALMOST_NOTHING = 1e-12  # a row of zeros is divided by this and stays zero


@record
class Passage:
    """The parts of a chunk or a table that are embedded."""

    name: str
    scope: str  # the enclosing definitions; "" at the top level
    path: str
    text: str  # with signature, documentation and body


@record
class EncoderIdentity:
    """Everything that a vector depends on besides its text; encoders of equal identity give equal vectors."""

    kind: str  # "static", "transformers", "onnx", "http"
    model: str
    revision: str = ""
    pooling: str = ""
    query_prefix: str = ""
    passage_prefix: str = ""
    dimensions: int = 0

    @property
    def key(self) -> str:
        """A short hash that identifies the vectors of this encoder."""
        text = "\0".join(map(str, asdict(self).values()))
        return blake2b(text.encode(), digest_size=6).hexdigest()


class Encoder(Protocol):
    """An embedding model: queries and passages as vectors in one space, where close means similar."""

    @property
    def identity(self) -> EncoderIdentity:
        """What the vectors depend on."""

    def encode_passages(self, passages: Sequence[Passage]) -> Array:
        """Return f32[passages, dimensions], each row of unit length, zeros for a text without known words.

        Raises EncoderError when the model cannot answer.
        """

    def encode_query(self, text: str) -> Array:
        """Return f32[dimensions] of unit length, zeros for a text without known words; raises EncoderError."""


def unit_rows(vectors: Array) -> Array:
    """Return rows divided by their length, f32[n, dimensions]; rows of zeros stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Array = (vectors / np.maximum(lengths, ALMOST_NOTHING)).astype(np.float32)
    return scaled


def quantised(vectors: Array) -> Array:
    """Return rows as int8, each scaled so that its largest value is 127: cosines are preserved, lengths are not."""
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    scaled: Array = np.rint(vectors * (INT8_MAX / np.maximum(largest, ALMOST_NOTHING))).astype(np.int8)
    return scaled
