"""What every model that reads tokens is, however it is run: token ids in, vectors or classes out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from coderag.encoders.encoder import Array
from coderag.errors import ModelError

__all__ = [
    "CHARACTERS_PER_TOKEN",
    "ModelSource",
    "TokenModel",
    "Tokens",
    "by_length",
    "folder_fingerprint",
    "padded",
]

# A text is cut to this many characters a token before it is taken apart, so that no 100 kB are read for 512 tokens.
# Code has about three, and white space, which some tokenizers drop, may be most of the rest.
CHARACTERS_PER_TOKEN = 16
SAMPLE_BYTES = 1 << 16
MODEL_FILES = ("*.safetensors", "*.onnx", "onnx/*.onnx", "*.bin", "*.json", "*_Dense/*", "*_Pooling/*")


class Tokens(NamedTuple):
    """A text as a model reads it: token ids, which text of a pair each belongs to, and whether it is attended to."""

    ids: list[int]
    types: list[int]
    mask: list[int]


@dataclass(frozen=True, slots=True)
class ModelSource:
    """Where a model is and how it is to be run."""

    model: str  # a hub id or a folder
    error: type[ModelError]  # what is raised when it cannot be used
    revision: str = ""
    dtype: str = ""
    gpu_dtype: str = ""  # where `dtype` says nothing and float16 would not do
    device: str = ""
    trust_remote_code: bool = False

    @property
    def name(self) -> str:
        """The hub id, or the name of the folder: the same wherever the folder is."""
        return Path(self.model).name if Path(self.model).is_absolute() else self.model


class TokenModel(Protocol):
    """A transformer and its tokenizer."""

    @property
    def source(self) -> ModelSource:
        """Where it is from."""

    @property
    def revision(self) -> str:
        """The commit of the hub, or a fingerprint of the folder."""

    @property
    def max_tokens(self) -> int:
        """How many tokens it was made to read, special ones included."""

    @property
    def batch_tokens(self) -> int:
        """How many tokens, padding included, are best run together."""

    def file(self, name: str) -> Path | None:
        """Return a file that lies beside the model, None if there is none."""

    def token_id(self, token: str) -> int | None:
        """Return the id of one token, None if the vocabulary has none such."""

    def tokens(self, texts: Sequence[str], *, max_tokens: int, question: str | None = None) -> list[Tokens]:
        """Return the tokens of texts, or of pairs of a question and each text, cut at the end."""

    def pooled(self, batch: Sequence[Tokens], pooling: str) -> Array:
        """Return f32[batch, width]: one vector a text, by "mean", "cls" or "last"."""

    def hidden(self, batch: Sequence[Tokens]) -> list[Array]:
        """Return f32[tokens, width] for each text."""

    def logits(self, batch: Sequence[Tokens]) -> Array:
        """Return f32[batch, classes] of a classifier."""


def by_length(lengths: Sequence[int], *, tokens: int) -> Iterator[list[int]]:
    """Yield the places of all texts in batches of similar length, padded to at most so many tokens, longest first.

    What does not fit into memory so shows at once.
    """
    batch: list[int] = []
    widest = 0
    for place in sorted(range(len(lengths)), key=lambda place: (-lengths[place], place)):
        if batch and widest * (len(batch) + 1) > tokens:
            yield batch
            batch = []
        widest = widest if batch else lengths[place]
        batch.append(place)
    if batch:
        yield batch


def padded(batch: Sequence[Tokens], *, padding: int) -> tuple[Array, Array, Array]:
    """Return ids, types and mask, each i64[batch, longest], filled up at the end."""
    longest = max(len(tokens.ids) for tokens in batch)
    ids = np.full((len(batch), longest), padding, dtype=np.int64)
    types = np.zeros_like(ids)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(batch):
        ids[row, : len(tokens.ids)] = tokens.ids
        types[row, : len(tokens.ids)] = tokens.types
        mask[row, : len(tokens.ids)] = tokens.mask
    return ids, types, mask


def folder_fingerprint(folder: Path) -> str:
    """Return a short hash over names, sizes and samples of a model's files; gigabytes are not read for it."""
    digest = blake2b(digest_size=8)
    for path in sorted({path for pattern in MODEL_FILES for path in folder.glob(pattern) if path.is_file()}):
        size = path.stat().st_size
        digest.update(f"{path.relative_to(folder).as_posix()}\0{size}\0".encode())
        with path.open("rb") as file:
            for begin in sorted({0, size // 2, max(0, size - SAMPLE_BYTES)}):
                file.seek(begin)
                digest.update(file.read(SAMPLE_BYTES))
    return digest.hexdigest()
