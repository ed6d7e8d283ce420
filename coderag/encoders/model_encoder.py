"""A transformer with its pooling, prefixes and dense layers, to an encoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from coderag.encoders.checked import unit_vectors
from coderag.encoders.encoder import Array, EncoderIdentity, Passage
from coderag.encoders.inference.passages import passage_text, query_text
from coderag.encoders.inference.recipe import apply_dense, read_recipe
from coderag.encoders.inference.token_models import TokenModel, by_length
from coderag.encoders.presets import Preset
from coderag.encoders.spec import EncoderSpec
from coderag.errors import EncoderError

__all__ = ["ModelEncoder"]

MOST_TOKENS = 1024  # of a passage by default; 90 % of chunks have fewer than 500
USUAL_POOLING = "mean"
PROBE = "def probe(): return 1"  # embedded to learn the dimensions


class ModelEncoder:
    """An encoder over any transformer, whatever library runs it."""

    def __init__(self, model: TokenModel, spec: EncoderSpec, *, preset: Preset | None, pools: bool = True) -> None:
        """Take each option from `spec`, else from the preset, else from the model's folder; raises EncoderError.

        `pools` is False for a model whose output is already pooled.
        """
        recipe = read_recipe(model.file) if pools else replace(read_recipe(model.file), dense=())
        self._model = model
        self._dense = recipe.dense
        self._pooling = spec.pooling or recipe.pooling or (preset.pooling if preset else "") or USUAL_POOLING
        self._query_prefix = recipe.query_prefix if spec.query_prefix is None else spec.query_prefix
        self._passage_prefix = recipe.passage_prefix if spec.passage_prefix is None else spec.passage_prefix
        self._max_tokens = _max_tokens(model, spec, preset.max_tokens if preset else recipe.max_tokens)
        self._dimensions = spec.dimensions
        self._dimensions = len(self._encode([PROBE])[0])
        int8 = ", int8" if spec.dtype == "int8" else ""  # half precision changes cosines only behind the third digit
        self.identity = EncoderIdentity(
            spec.kind,
            model.source.name,
            revision=model.revision,
            pooling=f"{self._pooling if pools else 'its own'} of {self._max_tokens} tokens{int8}",
            query_prefix=self._query_prefix,
            passage_prefix=self._passage_prefix,
            dimensions=self._dimensions,
        )

    def encode_passages(self, passages: Sequence[Passage]) -> Array:
        """Return f32[passages, dimensions] of unit length, zeros for passages without text."""
        return self._rows([passage_text(passage) for passage in passages], self._passage_prefix)

    def encode_query(self, text: str) -> Array:
        """Return f32[dimensions] of unit length, zeros for no text."""
        vector: Array = self._rows([query_text(text)], self._query_prefix)[0]
        return vector

    def _rows(self, texts: Sequence[str], prefix: str) -> Array:
        rows = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        places = [place for place, text in enumerate(texts) if text]
        if places:
            rows[places] = self._encode([prefix + texts[place] for place in places])
        return rows

    def _encode(self, texts: Sequence[str]) -> Array:
        tokens = self._model.tokens(texts, max_tokens=self._max_tokens)
        vectors: Array | None = None
        for batch in by_length([len(token.ids) for token in tokens], tokens=self._model.batch_tokens):
            pooled = apply_dense(self._model.pooled([tokens[place] for place in batch], self._pooling), self._dense)
            rows = unit_vectors(pooled, dimensions=self._dimensions, name=self._model.source.name)
            vectors = np.empty((len(texts), rows.shape[1]), dtype=np.float32) if vectors is None else vectors
            vectors[batch] = rows
        assert vectors is not None, "there is at least one text"
        return vectors


def _max_tokens(model: TokenModel, spec: EncoderSpec, usual: int) -> int:
    if spec.max_tokens > model.max_tokens:
        raise EncoderError(
            f"{model.source.name} reads {model.max_tokens} tokens at most; max_tokens is {spec.max_tokens}"
        )
    return spec.max_tokens or min(usual or MOST_TOKENS, model.max_tokens)
