"""Columns of some files to the arrays of a segment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coderag.files.blob import BLOB_BYTES
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.deflated_strings import deflate_strings
from coderag.index.storage.arrays.keys import path_key
from coderag.index.storage.arrays.strings import pack_strings
from coderag.index.storage.columns import (
    BLOCK_BYTES,
    CHUNK_FIELDS,
    DETAIL_GROUP,
    SYMBOL_FIELDS,
    Columns,
    FileRow,
)
from coderag.index.storage.description import encode_description
from coderag.index.storage.postings import WEIGHT_STEPS, Postings, build_postings, merge_terms, postings_of_terms
from coderag.text.tokens import terms, words

__all__ = ["FOLDER_WEIGHT", "SegmentTables"]

FOLDER_WEIGHT = WEIGHT_STEPS // 2  # of a term in a folder's name, in the postings of paths; a file's stem has the whole


@dataclass(frozen=True, slots=True)
class SegmentTables:
    """Batches of columns, whose files and chunks are numbered on from one to the next."""

    columns: Sequence[Columns]
    block_sizes: Sequence[int]  # of the blocks of text, deflated, in order
    text_checksum: int  # of all of them

    def arrays(self) -> dict[str, Array]:
        """Return every array of the segment, under its name (coderag.index.storage.arrays.stored.SEGMENT)."""
        arrays = self._file_arrays() | self._chunk_arrays() | self._symbol_arrays()
        return arrays | self._postings().packed("text")

    def _file_arrays(self) -> dict[str, Array]:
        files = [row for columns in self.columns for row in columns.files]
        contents = {row.language: row.content for row in sorted(files, key=lambda row: row.language)}
        code = {language: number for number, language in enumerate(contents)}
        paths = [row.path for row in files]
        blob, offsets = pack_strings(paths)
        return (
            {
                "meta": self._description(files, contents),
                "file_path_blob": blob,
                "file_path_offsets": offsets,
                "file_size": np.array([row.size for row in files], dtype=np.int64),
                "file_blob": np.frombuffer(b"".join(row.blob for row in files), dtype=np.uint8).reshape(-1, BLOB_BYTES),
                "file_treatment": np.array([row.treatment for row in files], dtype=np.uint64),
                "file_language": np.array([code[row.language] for row in files], dtype=np.uint8),
                "file_labels": np.array([row.labels for row in files], dtype=np.uint8),
            }
            | self._text_arrays([row.text_bytes for row in files])
            | _blobs("facts", [fact for columns in self.columns for fact in columns.facts])
            | _blobs("links", [link for columns in self.columns for link in columns.links])
            | _blobs("trigram", [trigram for columns in self.columns for trigram in columns.trigrams])
            | _path_postings(paths).arrays("path")
        )

    def _description(self, files: Sequence[FileRow], contents: Mapping[str, str]) -> Array:
        """Return what the segment says of itself; `contents` are its languages."""
        meta = encode_description(
            languages=contents,
            problems={number: row.problem for number, row in enumerate(files) if row.problem},
            masked={number: row.masked for number, row in enumerate(files) if row.masked},
            text_checksum=self.text_checksum,
        )
        return np.frombuffer(meta, dtype=np.uint8)

    def _text_arrays(self, text_bytes: Sequence[int]) -> dict[str, Array]:
        """Return where the text of each file is among the blocks, given how long the texts are."""
        block_offsets = np.zeros(len(self.block_sizes) + 1, dtype=np.int64)
        np.cumsum(self.block_sizes, out=block_offsets[1:])
        blocks = np.array([-(-size // BLOCK_BYTES) for size in text_bytes], dtype=np.int64)
        return {
            "file_text_bytes": np.array(text_bytes, dtype=np.int64),
            "file_first_block": np.concatenate([[0], np.cumsum(blocks)]).astype(np.int64),
            "block_offsets": block_offsets,
        }

    def _chunk_arrays(self) -> dict[str, Array]:
        tables, base_file, base_chunk = [], 0, 0
        for columns in self.columns:
            table = columns.chunks.copy()
            table[:, 0] += base_file
            table[table[:, 4] >= 0, 4] += base_chunk
            tables.append(table)
            base_file += len(columns.files)
            base_chunk += len(columns.chunks)
        table = np.concatenate(tables) if tables else np.zeros((0, len(CHUNK_FIELDS)), dtype=np.int32)
        names = [name for columns in self.columns for name in columns.chunk_names]
        blob, offsets = pack_strings(names)
        details = [block for columns in self.columns for block in columns.details]
        detail_offsets = np.zeros(len(details) + 1, dtype=np.int64)
        np.cumsum([len(block) for block in details], out=detail_offsets[1:])
        groups = [0]
        for columns in self.columns:
            full, rest = divmod(len(columns.chunks), DETAIL_GROUP)
            groups += [groups[-1] + DETAIL_GROUP * (step + 1) for step in range(full)]
            if rest:
                groups.append(groups[-1] + rest)
        parts = [columns.parts for columns in self.columns]
        dtypes = {"kind": np.uint8, "parts": np.uint16, "name_bytes": np.uint16, "flags": np.uint8}
        columns_ = {name: table[:, at].astype(dtypes.get(name, np.int32)) for at, name in enumerate(CHUNK_FIELDS)}
        part_counts = table[:, CHUNK_FIELDS.index("parts")]
        del columns_["parts"]
        return {f"chunk_{name}": array for name, array in columns_.items()} | {
            "chunk_part_offsets": np.concatenate([[0], np.cumsum(part_counts)]).astype(np.uint32),
            "chunk_id": _joined([columns.chunk_ids for columns in self.columns], np.uint64),
            "chunk_name_blob": blob,
            "chunk_name_offsets": offsets,
            "detail_blob": np.frombuffer(b"".join(details), dtype=np.uint8),
            "detail_offsets": detail_offsets,
            "detail_groups": np.array(groups, dtype=np.int64),
            "parts": np.concatenate(parts) if parts else np.zeros((0, 4), dtype=np.int32),
        }

    def _symbol_arrays(self) -> dict[str, Array]:
        tables, base = [], 0
        for columns in self.columns:
            table = columns.symbols.copy()
            table[:, 0] += base
            tables.append(table)
            base += len(columns.chunks)
        table = np.concatenate(tables) if tables else np.zeros((0, len(SYMBOL_FIELDS)), dtype=np.int32)
        names = [name for columns in self.columns for name in columns.symbol_names]
        blob, offsets = deflate_strings(names)
        return {
            **{f"symbol_{name}": _narrow(table[:, at]) for at, name in enumerate(SYMBOL_FIELDS)},
            "symbol_name_blob": blob,
            "symbol_name_offsets": offsets,
        } | self._symbol_postings().arrays("symbol")

    def _symbol_postings(self) -> Postings:
        """Return key -> definition: a chunk's number, or the number of chunks plus that of a symbol."""
        tables = [columns.chunk_keys for columns in self.columns] + [columns.symbol_keys for columns in self.columns]
        keys = np.concatenate(tables) if tables else np.zeros((0, 2), dtype=np.uint64)
        docs = np.repeat(np.arange(len(keys), dtype=np.uint32), keys.shape[1])
        hashes = keys.ravel()
        used = hashes > 0
        return build_postings(hashes[used], docs[used], np.full(int(used.sum()), WEIGHT_STEPS, dtype=np.uint8))

    def _postings(self) -> Postings:
        vocabulary, positions = merge_terms([columns.vocabulary for columns in self.columns])
        found, docs, base = [], [], 0
        for columns, position in zip(self.columns, positions, strict=True):
            found.append(position[columns.posting_terms])
            docs.append(columns.posting_docs + np.uint32(base))
            base += len(columns.chunks)
        weights = _joined([columns.posting_weights for columns in self.columns], np.uint8)
        return postings_of_terms(vocabulary, _joined(found, np.uint32), _joined(docs, np.uint32), weights)


def _narrow(numbers: Array) -> Array:
    """Return numbers that are not negative in the narrowest type that holds them all."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def _blobs(name: str, blobs: Sequence[bytes]) -> dict[str, Array]:
    offsets = np.zeros(len(blobs) + 1, dtype=np.int64)
    np.cumsum([len(blob) for blob in blobs], out=offsets[1:])
    return {f"{name}_blob": np.frombuffer(b"".join(blobs), dtype=np.uint8), f"{name}_offsets": offsets}


def _joined(arrays: Sequence[Array], dtype: Any) -> Array:
    return np.concatenate(arrays).astype(dtype, copy=False) if arrays else np.zeros(0, dtype=dtype)


def _path_postings(paths: Sequence[str]) -> Postings:
    """Return term -> file, with the whole weight for terms of the file's stem."""
    memo: dict[str, frozenset[int]] = {}

    def hashes_of(text: str) -> frozenset[int]:
        seen = memo.get(text)
        if seen is None:
            seen = memo[text] = frozenset(path_key(term) for word in words(text) for term in terms(word))
        return seen

    hashes: list[int] = []
    docs: list[int] = []
    weights: list[int] = []
    for number, path in enumerate(paths):
        folder, _, filename = path.rpartition("/")
        stem = hashes_of(filename)
        around = frozenset[int]().union(*(hashes_of(part) for part in folder.split("/"))) - stem
        hashes += [*stem, *around]
        docs += [number] * (len(stem) + len(around))
        weights += [WEIGHT_STEPS] * len(stem) + [FOLDER_WEIGHT] * len(around)
    return build_postings(
        np.array(hashes, dtype=np.uint64), np.array(docs, dtype=np.uint32), np.array(weights, dtype=np.uint8)
    )
