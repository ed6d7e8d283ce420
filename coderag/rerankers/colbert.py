"""Late interaction (ColBERT): a vector per token of query and passage; each query token takes its best match.

Khattab and Zaharia, "ColBERT" (2020). Both folder layouts are read: ColBERT's own (artifact.metadata, the
projection `linear.weight` among the weights) and PyLate's (config_sentence_transformers.json, 1_Dense). A model without
a projection is used as it is.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coderag.encoders.checked import finite
from coderag.encoders.encoder import Array, Passage, unit_rows
from coderag.encoders.inference.passages import passage_text, query_text
from coderag.encoders.inference.recipe import json_beside
from coderag.encoders.inference.tensors import read_tensors
from coderag.encoders.inference.token_models import TokenModel, Tokens, by_length
from coderag.errors import RerankerError

__all__ = ["ColbertReranker"]

QUERY_TOKENS = 32
PASSAGE_TOKENS = 300
PROJECTION = "linear.weight"
PROJECTION_FILES = ("1_Dense/model.safetensors", "model.safetensors")


@dataclass(frozen=True, slots=True)
class Manner:
    """How a model marks and pads its texts."""

    query_mark: int | None  # the token behind the first one that says what a text is
    passage_mark: int | None
    query_tokens: int = QUERY_TOKENS
    filler: int | None = None  # the token that questions are filled up with; it stands for words they might have
    attends_to_filler: bool = False
    skipped: frozenset[int] = frozenset()  # tokens of passages that match nothing: signs


class ColbertReranker:
    """A ColBERT model, by its tokens' vectors."""

    def __init__(self, model: TokenModel, *, max_tokens: int = 0) -> None:
        """Score with `model`, reading `max_tokens` of a passage; raises RerankerError for a damaged projection."""
        self._model = model
        self._manner = _manner(model)
        self._projection = _projection(model)
        self._max_tokens = min(max_tokens or PASSAGE_TOKENS, model.max_tokens)
        self.name = model.source.name

    def scores(self, question: str, passages: Sequence[Passage]) -> Array:
        """Return f32[passages]: the mean over the question's tokens of their best cosine; raises RerankerError."""
        scores = np.zeros(len(passages), dtype=np.float32)
        places = [place for place, one in enumerate(passages) if passage_text(one)]
        asked = query_text(question)
        if not places or not asked:
            return scores
        query = self._vectors([self._query(asked)])[0]
        texts = [passage_text(passages[place]) for place in places]
        tokens = [_marked(one, self._manner.passage_mark) for one in self._tokens(texts, self._max_tokens)]
        for batch in by_length([len(one.ids) for one in tokens], tokens=self._model.batch_tokens):
            chosen = [tokens[at] for at in batch]
            for at, one, vectors in zip(batch, chosen, self._vectors(chosen), strict=True):
                kept = [token not in self._manner.skipped for token in one.ids]
                scores[places[at]] = (query @ vectors[kept].T).max(axis=1).mean()
        return scores

    def _query(self, text: str) -> Tokens:
        manner = self._manner
        tokens = _marked(self._tokens([text], manner.query_tokens)[0], manner.query_mark)
        missing = 0 if manner.filler is None else max(0, manner.query_tokens - len(tokens.ids))
        filler = [] if manner.filler is None else [manner.filler] * missing
        mask = [int(manner.attends_to_filler)] * missing
        return Tokens(tokens.ids + filler, tokens.types + [0] * missing, tokens.mask + mask)

    def _tokens(self, texts: Sequence[str], max_tokens: int) -> list[Tokens]:
        return self._model.tokens(texts, max_tokens=max_tokens - 1)  # one place is the mark's

    def _vectors(self, batch: Sequence[Tokens]) -> list[Array]:
        """Return the unit vectors of each text's tokens."""
        vectors = self._model.hidden(batch)
        if self._projection is not None:
            vectors = [rows @ self._projection.T for rows in vectors]
        return [unit_rows(finite(rows, name=self.name, error=RerankerError)) for rows in vectors]


def _marked(tokens: Tokens, mark: int | None) -> Tokens:
    """Return tokens with the mark behind the first one, where there is a mark."""
    if mark is None:
        return tokens
    ids, types, mask = tokens
    return Tokens([ids[0], mark, *ids[1:]], [0, *types], [1, *mask])


def _manner(model: TokenModel) -> Manner:
    """Return how a model's texts are marked, by whichever of the two files it has; the words' models' by default."""
    ours: Mapping[str, Any] = json_beside(model.file, "artifact.metadata")
    pylate: Mapping[str, Any] = json_beside(model.file, "config_sentence_transformers.json")
    query = pylate.get("query_prefix") or ours.get("query_token_id") or "[unused0]"
    passage = pylate.get("document_prefix") or ours.get("doc_token_id") or "[unused1]"
    signs = pylate.get("skiplist_words") or (string.punctuation if ours.get("mask_punctuation", True) else "")
    expands = bool(pylate.get("do_query_expansion", True))
    return Manner(
        _id(model, query),
        _id(model, passage),
        int(pylate.get("query_length") or ours.get("query_maxlen") or QUERY_TOKENS),
        filler=_id(model, "[MASK]") if expands else None,
        attends_to_filler=bool(pylate.get("attend_to_expansion_tokens") or ours.get("attend_to_mask_tokens")),
        skipped=frozenset(number for sign in signs if (number := _id(model, str(sign))) is not None),
    )


def _id(model: TokenModel, token: str) -> int | None:
    number = model.token_id(token)
    return model.token_id(token.strip()) if number is None else number


def _projection(model: TokenModel) -> Array | None:
    """Return the layer that narrows the tokens' vectors, f32[narrow, width]; None for a model without."""
    for name in PROJECTION_FILES:
        if path := model.file(name):
            tensors = read_tensors(path, {PROJECTION}, error=RerankerError)
            if PROJECTION in tensors:
                return tensors[PROJECTION]
    return None
