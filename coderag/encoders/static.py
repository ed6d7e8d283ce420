"""Text to vectors by a table: the weighted sum of what each word of it stands for, in numpy alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from math import prod
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from coderag.encoders.encoder import Array, EncoderIdentity, Passage, unit_rows
from coderag.encoders.pieces import Pieces
from coderag.errors import EncoderError
from coderag.record import record
from coderag.text.tokens import raw_words

if TYPE_CHECKING:
    from coderag.text.word_numbers import WordNumbers, WordTable

__all__ = [
    "CHECKSUM_NAME",
    "FORMAT",
    "MODEL_FOLDER",
    "MODEL_NAME",
    "TENSORS",
    "FieldWeights",
    "NumberedWords",
    "PassageWords",
    "StaticEncoder",
    "shipped_encoder",
]

MODEL_FOLDER = Path(__file__).parent / "static"
MODEL_NAME = "model.safetensors"
CHECKSUM_NAME = "model.safetensors.sha256"  # as sha256sum writes and checks it
FORMAT = "1"  # 1: lines of pieces, int8 rows with a scale each, weights of the fields
TENSORS = {"pieces": "U8", "ends": "U32", "rows": "I8", "scales": "F32", "query_scales": "F32"}
TYPES: dict[str, np.dtype[Any]] = {
    "U8": np.dtype("u1"),
    "U32": np.dtype("<u4"),
    "I8": np.dtype("i1"),
    "F32": np.dtype("<f4"),
}
MAX_HEADER_BYTES = 100_000
FIELDS = 4  # of a passage
ROW_BYTES = 4  # of the number of a row
MAX_FIELD = 120  # words of a name, a scope or a path; no real one has more
ALMOST_NOTHING = 1e-9
BLOCK = 1_024  # rows summed at a time: 1 MB of f32, which fits the second-level cache of a core
REINSTALL = "reinstall coderag, or put the model's files back"


class PassageWords(NamedTuple):
    """The words of a passage, field by field, as `raw_words` gives them."""

    name: list[bytes]
    scope: list[bytes]
    path: list[bytes]
    body: list[bytes]


class NumberedWords(NamedTuple):
    """The words of a field of many passages, by number, with the passage of each; passages come in order."""

    words: Array
    passages: Array


@record
class FieldWeights:
    """How long the part of each field is in the sum, where the body's is 1, and how many rows of the body count."""

    name: float
    scope: float
    path: float
    body_rows: int


class StaticEncoder:
    """A table of rows for words and pieces of words; a text is the sum of its rows, each times log(1 + frequency).

    What a word weighs is the length of its row, which training found; in a question it has another weight. The
    frequencies of a field are divided by their length, so that a long body does not drown a name.
    """

    def __init__(self, tensors: dict[str, Array], weights: FieldWeights, identity: EncoderIdentity) -> None:
        self._rows: Array = tensors["rows"]
        self._scales, self._query_scales = tensors["scales"], tensors["query_scales"]
        self._pieces = Pieces(tensors["pieces"].tobytes(), memoryview(tensors["ends"].data))
        self._weights = weights
        self._shares = np.array([1.0, weights.name, weights.scope, weights.path], dtype=np.float32)
        self._identity = identity

    @classmethod
    def load(cls, folder: Path = MODEL_FOLDER, *, verify: bool = False) -> StaticEncoder:
        """Return the model in a folder, mapped into memory; with `verify`, all of it is compared with its checksum.

        Raises EncoderError when it is missing, truncated, of another format or not what its checksum says.
        """
        path = folder / MODEL_NAME
        revision = _checksum(folder)
        if verify and _sha256(path) != revision:
            raise EncoderError(f"{path} is damaged: its checksum is not the one in {CHECKSUM_NAME}; {REINSTALL}")
        try:
            told, tensors = _read(path)
            weights = FieldWeights(
                float(told["name"]), float(told["scope"]), float(told["path"]), int(told["body_rows"])
            )
        except OSError as error:
            raise EncoderError(f"the model {path} cannot be read: {error}; {REINSTALL}") from error
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise EncoderError(f"{path} is damaged: {error}; {REINSTALL}") from error
        dimensions = tensors["rows"].shape[1]
        identity = EncoderIdentity("static", str(told["model"]), revision=revision[:16], dimensions=dimensions)
        return cls(tensors, weights, identity)

    @property
    def identity(self) -> EncoderIdentity:
        """What the vectors depend on; the revision is the checksum of the model."""
        return self._identity

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return self._identity.dimensions

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self._pieces)

    def rows(self) -> Array:
        """Return the table as it is stored, i8[size, dimensions]; rows have different scales."""
        return self._rows

    def row_of(self, word: str) -> int:
        """Return the row of a word in lower case, -1 for one that has none of its own."""
        return self._pieces.row(word)

    def piece(self, row: int) -> str:
        """Return the word or piece of a row."""
        return self._pieces.piece(row)

    def encode_words(self, batch: Sequence[PassageWords]) -> Array:
        """Return f32[passages, dimensions] of passages whose words are known already, each row of unit length."""
        rows, most = self._pieces.packed, self._weights.body_rows
        fields: list[bytes] = []
        for passage in batch:
            fields += (
                rows(passage.body[:most])[: most * ROW_BYTES],
                rows(passage.name[:MAX_FIELD]),
                rows(passage.scope[:MAX_FIELD]),
                rows(passage.path[:MAX_FIELD]),
            )
        sizes = np.fromiter(map(len, fields), dtype=np.int64, count=len(fields)) // ROW_BYTES
        flat = np.frombuffer(b"".join(fields), dtype=np.int32).astype(np.int64)
        return self._summed(np.repeat(np.arange(len(fields)), sizes), flat, passages=len(batch))

    def word_rows(self, words: WordNumbers) -> WordTable:
        """Return the table of the rows of some words, for `encode_numbered`."""
        from coderag.text.word_numbers import WordTable  # a search needs none

        return WordTable(words, self._pieces.rows_of)

    @property
    def most_words(self) -> tuple[int, int, int, int]:
        """How many words count of the fields of a passage: body, name, scope, path."""
        return self._weights.body_rows, MAX_FIELD, MAX_FIELD, MAX_FIELD

    def encode_numbered(self, fields: Sequence[NumberedWords], table: WordTable, *, passages: int) -> Array:
        """Return the same as `encode_words` of words by number, in a third of the time.

        `fields` are body, name, scope and path, each of its first `most_words`; `table` is that of `word_rows`.
        """
        batches: list[Array] = []
        places: list[Array] = []
        for position, field in enumerate(fields):
            rows, sizes = table.of(field.words)
            passage = np.repeat(field.passages, sizes)
            if position == 0:
                counts = np.bincount(passage, minlength=passages)
                before = np.arange(len(passage)) - np.repeat(np.cumsum(counts) - counts, counts)
                counted = before < self._weights.body_rows
                rows, passage = rows[counted], passage[counted]
            batches.append(rows)
            places.append(passage * FIELDS + position)
        return self._summed(np.concatenate(places), np.concatenate(batches).astype(np.int64), passages=passages)

    def encode_passages(self, passages: Sequence[Passage]) -> Array:
        """Return f32[passages, dimensions], each row of unit length, zeros where no word is known."""
        return self.encode_words(
            [
                PassageWords(*map(_raw, (passage.name, passage.scope, passage.path, passage.text)))
                for passage in passages
            ]
        )

    def encode_query(self, text: str) -> Array:
        """Return f32[dimensions] of unit length, zeros where no word is known."""
        rows, counts = np.unique(np.array(self._pieces.rows(_raw(text)), dtype=np.int64), return_counts=True)
        weights = np.log1p(counts.astype(np.float32)) * self._query_scales[rows]
        vector: Array = unit_rows((weights @ self._rows[rows].astype(np.float32))[None])[0]
        return vector

    def _summed(self, field: Array, rows: Array, *, passages: int) -> Array:
        """Return the sums of rows, f32[passages, dimensions]; `field` numbers the fields of all passages in order."""
        vectors = np.zeros((passages, self.dimensions), dtype=np.float32)
        if not len(rows):
            return vectors
        key = np.sort(field * len(self._pieces) + rows)
        first = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
        field, rows = np.divmod(key[first], len(self._pieces))
        weights = np.log1p(np.diff(first, append=len(key)).astype(np.float32))
        lengths = np.sqrt(np.bincount(field, weights=weights * weights, minlength=passages * FIELDS))
        share = np.tile(self._shares, passages) / np.maximum(lengths, ALMOST_NOTHING).astype(np.float32)
        weights *= share[field] * self._scales[rows]
        starts = np.searchsorted(field, np.arange(passages + 1) * FIELDS)
        begin = 0
        while begin < passages:
            # As many whole passages as fit a block, at least one.
            end = max(begin + 1, int(np.searchsorted(starts, starts[begin] + BLOCK, side="right")) - 1)
            low, high = starts[begin], starts[end]
            table = self._rows[rows[low:high]].astype(np.float32)
            for passage in range(begin, end):
                own = slice(starts[passage], starts[passage + 1])
                vectors[passage] = weights[own] @ table[own.start - low : own.stop - low]
            begin = end
        return unit_rows(vectors)


@cache
def shipped_encoder() -> StaticEncoder:
    """Return the encoder that comes with coderag; raises EncoderError."""
    return StaticEncoder.load()


def _raw(text: str) -> list[bytes]:
    return raw_words(text.encode("utf-8", "replace"))


def _checksum(folder: Path) -> str:
    """Return the checksum that the model in a folder should have."""
    path = folder / CHECKSUM_NAME
    try:
        words = path.read_text(encoding="ascii").split()
    except (OSError, UnicodeDecodeError) as error:
        raise EncoderError(f"the model {folder} has no checksum: {error}; {REINSTALL}") from error
    if not words or len(words[0]) != 2 * sha256().digest_size:
        raise EncoderError(f"{path} holds no SHA-256 checksum; {REINSTALL}")
    return words[0].lower()


def _sha256(path: Path) -> str:
    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise EncoderError(f"the model {path} cannot be read: {error}; {REINSTALL}") from error


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return what a file of tensors says of itself, and its tensors on a memory map.

    Format: https://github.com/huggingface/safetensors#format. Raises OSError, ValueError, KeyError and TypeError.
    """
    with path.open("rb") as file:  # an empty file cannot be mapped, which is a ValueError
        data = np.frombuffer(mmap(file.fileno(), 0, access=ACCESS_READ), dtype=np.uint8)
    length = int.from_bytes(data[:8].tobytes(), "little")
    if not 0 < length <= min(len(data) - 8, MAX_HEADER_BYTES):
        raise ValueError("its header is longer than the file")
    header = json.loads(data[8 : 8 + length].tobytes())
    metadata = header["__metadata__"]
    if metadata["format"] != FORMAT:
        raise ValueError(f"it has format {metadata['format']}, this version of coderag reads {FORMAT}")
    tensors = {name: _tensor(data[8 + length :], header[name], kind) for name, kind in TENSORS.items()}
    rows, lines = tensors["rows"], tensors["ends"]
    if rows.ndim != 2 or len({len(rows), len(lines), len(tensors["scales"]), len(tensors["query_scales"])}) != 1:
        raise ValueError("its tensors do not belong together")
    if not len(lines) or lines[-1] != len(tensors["pieces"]):
        raise ValueError("its list of pieces is cut off")
    return metadata, tensors


def _tensor(data: Array, entry: dict[str, Any], kind: str) -> Array:
    begin, end = entry["data_offsets"]
    shape = entry["shape"]
    if entry["dtype"] != kind or not 0 <= begin <= end <= len(data):
        raise ValueError("a tensor is of another type, or ends beyond the file")
    if any(size < 0 for size in shape) or prod(shape) * TYPES[kind].itemsize != end - begin:
        raise ValueError("a tensor has another size than its shape says")
    tensor: Array = data[begin:end].view(TYPES[kind]).reshape(shape)
    return tensor
