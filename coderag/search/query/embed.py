"""A question to its vector."""

from __future__ import annotations

from coderag.encoders.encoder import Encoder
from coderag.errors import EncoderError
from coderag.index.storage.arrays.arrays import Array

__all__ = ["question_vector"]


def question_vector(encoder: Encoder | None, text: str) -> Array | None:
    """Return the vector of a question, f32[dimensions]; None where words alone answer.

    These are an index without an encoder, a question without a word that the encoder knows, and an encoder that fails,
    of which a RetrievalWarning says why.
    """
    if encoder is None:
        return None
    try:
        vector = encoder.encode_query(text)
    except EncoderError as error:
        from coderag.degraded import warn_degraded

        warn_degraded(f"words alone answer: {error}", stacklevel=3)
        return None
    return vector if vector.any() else None
