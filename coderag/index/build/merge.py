"""Segments to columns again, without the files that changed since: how small segments become one."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.details import deflate_details
from coderag.index.storage.arrays.keys import NO_KEYS, definition_keys, definition_table
from coderag.index.storage.columns import (
    CHUNK_FIELDS,
    CONTINUES,
    DEFINES,
    DETAIL_GROUP,
    SYMBOL_FIELDS,
    Columns,
    FileRow,
)
from coderag.index.storage.segment import Segment

__all__ = ["columns_of"]


def columns_of(segment: Segment, dead: Collection[int]) -> Columns:
    """Return the columns that a segment was written from, without its dead files."""
    arrays = segment.arrays
    count = len(segment.paths)
    live_file = np.ones(count, dtype=bool)
    live_file[list(dead)] = False
    live = live_file[segment.chunk_file]
    new_file = _renumber(live_file)
    new_chunk = _renumber(live)
    rows: list[FileRow] = [segment.file(int(number)) for number in np.flatnonzero(live_file)]
    kept = np.flatnonzero(live)
    part_counts = _counts(arrays["chunk_part_offsets"])
    details = [segment.details(int(chunk)) for chunk in kept]
    kept_symbols = np.flatnonzero(live[segment.symbol_chunk])
    symbols = np.stack([arrays[f"symbol_{name}"][kept_symbols] for name in SYMBOL_FIELDS], axis=1).astype(np.int32)
    symbols[:, 0] = new_chunk[symbols[:, 0]]
    names = segment.names.some(kept.tolist())
    symbol_names = segment.symbol_names.some(kept_symbols.tolist())
    defining = ((segment.chunk_flags[live] & (DEFINES | CONTINUES)) == DEFINES).tolist()
    return Columns(
        files=rows,
        blocks=[segment.deflated_block(block) for block in _live_blocks(segment, live_file)],
        chunks=_chunks(segment, live, new_file, new_chunk, part_counts),
        chunk_ids=arrays["chunk_id"][live],
        chunk_names=names,
        chunk_keys=definition_table(
            [definition_keys(name) if own else NO_KEYS for name, own in zip(names, defining, strict=True)]
        ),
        details=[deflate_details(details[at : at + DETAIL_GROUP]) for at in range(0, len(details), DETAIL_GROUP)],
        parts=arrays["parts"][np.repeat(live, part_counts)],
        symbols=symbols,
        symbol_names=symbol_names,
        symbol_keys=definition_table([definition_keys(name) for name in symbol_names]),
        vectors=np.zeros((len(kept), 0), dtype=np.int8) if segment.vectors is None else segment.vectors.rows[kept],
        facts=[segment.deflated_facts(int(number)) for number in np.flatnonzero(live_file)],
        links=[segment.deflated_links(int(number)) for number in np.flatnonzero(live_file)],
        trigrams=[segment.trigrams(block) for block in _live_blocks(segment, live_file)],
        **_postings(segment, live, new_chunk),
    )


def _counts(offsets: Array) -> Array:
    return offsets[1:].astype(np.int64) - offsets[:-1]


def _renumber(live: Array) -> Array:
    return np.where(live, np.cumsum(live) - 1, -1).astype(np.int32)


def _live_blocks(segment: Segment, live_file: Array) -> list[int]:
    first = segment.arrays["file_first_block"]
    return [
        block
        for number in np.flatnonzero(live_file).tolist()
        for block in range(int(first[number]), int(first[number + 1]))
    ]


def _chunks(segment: Segment, live: Array, new_file: Array, new_chunk: Array, part_counts: Array) -> Array:
    columns = {name: segment.arrays[f"chunk_{name}"] for name in CHUNK_FIELDS if name != "parts"}
    columns["parts"] = part_counts
    columns["file"] = new_file[columns["file"]]
    parent = columns["parent"]
    columns["parent"] = np.where(parent >= 0, new_chunk[parent], -1)
    return np.stack([columns[name][live] for name in CHUNK_FIELDS], axis=1).astype(np.int32)


def _postings(segment: Segment, live: Array, new_chunk: Array) -> dict[str, Array]:
    postings = segment.text_postings
    docs = postings.every_doc()
    kept = live[docs]
    terms = np.repeat(np.arange(len(postings.hashes)), _counts(postings.offsets))[kept]
    used, terms = np.unique(terms, return_inverse=True)
    return {
        "vocabulary": postings.hashes[used],
        "posting_terms": terms.astype(np.uint32),
        "posting_docs": new_chunk[docs[kept]].astype(np.uint32),
        "posting_weights": postings.weights[kept],
    }
