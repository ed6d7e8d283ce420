"""A file of an index to bytes that a store keeps, and files from these bytes to a segment in memory."""

from __future__ import annotations

import lzma
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from coderag.decoding import msgpack_decoder
from coderag.errors import RemoteStoreError
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.details import deflate_details
from coderag.index.storage.arrays.inflate import inflate
from coderag.index.storage.arrays.keys import NO_KEYS, definition_keys, definition_table
from coderag.index.storage.columns import (
    BLOCK_BYTES,
    CHUNK_FIELDS,
    CONTINUES,
    DEFINES,
    DETAIL_GROUP,
    KINDS,
    SYMBOL_FIELDS,
    Columns,
    FileRow,
)
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.segment import HeldSegment, Segment
from coderag.index.storage.segment_tables import SegmentTables
from coderag.index.storage.vectors import Vectors, lengths_of

__all__ = ["PACKET_FORMAT", "decode_packet", "joined_segment", "packets_of", "squeeze", "unsqueeze"]

# History of the format:
# 1  first
PACKET_FORMAT = 1
MAX_BYTES = 256 << 20  # of a packet, inflated: a file of 4 MB takes a tenth of that at most
LEVEL = 1  # most of a packet is deflated already
# Many columns are of numbers of four bytes. A lower preset packs .02 worse, a higher one takes twice as long for .01.
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 1, "lc": 0, "lp": 2, "pb": 2}]
FILE, KIND, PARENT, PARTS = (CHUNK_FIELDS.index(name) for name in ("file", "kind", "parent", "parts"))
FILE_FIELDS = FileRow._fields[: FileRow._fields.index("problem")]
NOWHERE = IndexPath(Path("store"))  # the folder that messages name for a segment in memory


class Packet(msgspec.Struct, array_like=True, frozen=True):
    """The columns of one file; numbers are little-endian."""

    path: bytes
    size: int
    blob: bytes
    treatment: int
    language: str
    content: str
    labels: int
    text_bytes: int
    blocks: list[bytes]
    chunks: bytes  # i32[chunks, len(CHUNK_FIELDS)]
    chunk_ids: bytes  # u64[chunks]
    chunk_names: list[bytes]
    chunk_keys: bytes  # u64[chunks, 2]
    details: list[bytes]
    parts: bytes  # i32[parts, 4]
    symbols: bytes  # i32[symbols, len(SYMBOL_FIELDS)]
    symbol_names: list[bytes]
    symbol_keys: bytes  # u64[symbols, 2]
    vocabulary: bytes  # u64[terms]
    posting_terms: bytes  # u32[postings]
    posting_docs: bytes  # u32[postings]
    posting_weights: bytes  # u8[postings]
    vectors: bytes  # i8[chunks, dimensions]


ENCODER = msgspec.msgpack.Encoder()
DECODER = msgpack_decoder(Packet)


def packets_of(segment: Segment) -> Iterator[bytes]:
    """Yield the packet of each file of a segment, in order; raises IndexDamagedError."""
    postings = segment.text_postings
    docs = postings.every_doc().astype(np.int64)
    offsets = postings.offsets.astype(np.int64)
    order = np.argsort(docs, kind="stable")
    docs, terms, weights = (
        docs[order],
        np.repeat(postings.hashes, offsets[1:] - offsets[:-1])[order],
        postings.weights[order],
    )
    symbol_order = np.argsort(segment.symbol_chunk, kind="stable")
    symbol_chunks = segment.symbol_chunk[symbol_order]
    symbols = np.stack([segment.arrays[f"symbol_{name}"] for name in SYMBOL_FIELDS], axis=1).astype("<i4")
    for file in range(len(segment.paths)):
        begin, end = np.searchsorted(segment.chunk_file, [file, file + 1]).tolist()
        first, past = np.searchsorted(docs, [begin, end]).tolist()
        own = symbol_order[slice(*np.searchsorted(symbol_chunks, [begin, end]).tolist())]
        own_symbols = symbols[own]
        own_symbols[:, 0] -= begin
        vocabulary, own_terms = np.unique_inverse(terms[first:past])
        names, symbol_names = segment.names.some(range(begin, end)), segment.symbol_names.some(own.tolist())
        packet = Packet(
            **_file_fields(segment.file(file)),
            blocks=[
                segment.deflated_block(block) for block in range(*segment.arrays["file_first_block"][file : file + 2])
            ],
            chunks=_chunks(segment, begin, end).tobytes(),
            chunk_ids=segment.arrays["chunk_id"][begin:end].astype("<u8").tobytes(),
            chunk_names=_bytes(names),
            chunk_keys=_chunk_keys(segment, begin, names),
            details=_details(segment, begin, end),
            parts=segment.arrays["parts"][slice(*segment.arrays["chunk_part_offsets"][[begin, end]].tolist())]
            .astype("<i4")
            .tobytes(),
            symbols=own_symbols.tobytes(),
            symbol_names=_bytes(symbol_names),
            symbol_keys=definition_table([definition_keys(name) for name in symbol_names]).astype("<u8").tobytes(),
            vocabulary=vocabulary.astype("<u8").tobytes(),
            posting_terms=own_terms.astype("<u4").tobytes(),
            posting_docs=(docs[first:past] - begin).astype("<u4").tobytes(),
            posting_weights=weights[first:past].tobytes(),
            vectors=b"" if segment.vectors is None else segment.vectors.rows[begin:end].tobytes(),
        )
        yield zlib.compress(ENCODER.encode(packet), LEVEL)


def _file_fields(row: FileRow) -> dict[str, Any]:
    """Return what a packet says of a file: all but its problem and its secrets, of which hits say nothing."""
    fields = {name: getattr(row, name) for name in FILE_FIELDS}
    return fields | {"path": _bytes([row.path])[0]}


def _bytes(texts: Sequence[str]) -> list[bytes]:
    """Return texts as bytes; a name of a file need not be UTF-8."""
    return [text.encode("utf-8", "surrogateescape") for text in texts]


def _texts(found: Sequence[bytes]) -> list[str]:
    return [data.decode("utf-8", "surrogateescape") for data in found]


def _chunks(segment: Segment, begin: int, end: int) -> Array:
    arrays, here = segment.arrays, slice(begin, end)
    columns = {name: arrays[f"chunk_{name}"][here].astype(np.int32) for name in CHUNK_FIELDS if name != "parts"}
    columns["parts"] = np.diff(arrays["chunk_part_offsets"][begin : end + 1].astype(np.int64)).astype(np.int32)
    columns["file"] = np.zeros(end - begin, dtype=np.int32)
    columns["parent"] = np.where(columns["parent"] >= 0, columns["parent"] - begin, -1)
    table: Array = np.stack([columns[name] for name in CHUNK_FIELDS], axis=1).astype("<i4")
    return table


def _chunk_keys(segment: Segment, begin: int, names: Sequence[str]) -> bytes:
    defines = ((segment.chunk_flags[begin : begin + len(names)] & (DEFINES | CONTINUES)) == DEFINES).tolist()
    keys = [definition_keys(name) if own else NO_KEYS for name, own in zip(names, defines, strict=True)]
    return definition_table(keys).astype("<u8").tobytes()


def _details(segment: Segment, begin: int, end: int) -> list[bytes]:
    details = [segment.details(chunk) for chunk in range(begin, end)]
    return [deflate_details(details[at : at + DETAIL_GROUP]) for at in range(0, len(details), DETAIL_GROUP)]


def decode_packet(data: bytes) -> Columns:
    """Return the columns of a file; raises RemoteStoreError for bytes that no packet has."""
    try:
        columns = _columns(_parsed(data))
        _check(columns)
    except (ValueError, OverflowError) as error:
        raise _damaged(error) from error
    return columns


def squeeze(data: bytes) -> bytes:
    """Return a packet in fewer bytes, a tenth or more, for ten times the time: its texts are packed with the rest.

    Raises like `decode_packet`.
    """
    packet = _parsed(data)
    inflated = {name: [inflate(one, MAX_BYTES) for one in getattr(packet, name)] for name in ("blocks", "details")}
    return lzma.compress(ENCODER.encode(msgspec.structs.replace(packet, **inflated)), lzma.FORMAT_RAW, filters=FILTERS)


def unsqueeze(data: bytes) -> bytes:
    """Return a packet of what `squeeze` made of it; raises RemoteStoreError for anything else."""
    try:
        stream = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=FILTERS)
        packet = DECODER.decode(stream.decompress(data, MAX_BYTES))
    except (lzma.LZMAError, msgspec.DecodeError) as error:
        raise _damaged(error) from error
    deflated = {name: [zlib.compress(one, 0) for one in getattr(packet, name)] for name in ("blocks", "details")}
    return zlib.compress(ENCODER.encode(msgspec.structs.replace(packet, **deflated)), 0)


def _parsed(data: bytes) -> Packet:
    try:
        return DECODER.decode(inflate(data, MAX_BYTES))
    except (zlib.error, msgspec.DecodeError) as error:
        raise _damaged(error) from error


def _damaged(error: Exception) -> RemoteStoreError:
    return RemoteStoreError(f'the store holds a damaged file ({error}); run "coderag export" to write it anew')


def _columns(packet: Packet) -> Columns:
    chunk_ids = np.frombuffer(packet.chunk_ids, "<u8")
    count = len(chunk_ids)
    return Columns(
        files=[FileRow(path=_texts([packet.path])[0], **{name: getattr(packet, name) for name in FILE_FIELDS[1:]})],
        blocks=packet.blocks,
        chunks=np.frombuffer(packet.chunks, "<i4").reshape(count, len(CHUNK_FIELDS)),
        chunk_ids=chunk_ids,
        chunk_names=_texts(packet.chunk_names),
        chunk_keys=np.frombuffer(packet.chunk_keys, "<u8").reshape(count, 2),
        details=packet.details,
        parts=np.frombuffer(packet.parts, "<i4").reshape(-1, 4),
        symbols=np.frombuffer(packet.symbols, "<i4").reshape(-1, len(SYMBOL_FIELDS)),
        symbol_names=_texts(packet.symbol_names),
        symbol_keys=np.frombuffer(packet.symbol_keys, "<u8").reshape(-1, 2),
        vocabulary=np.frombuffer(packet.vocabulary, "<u8"),
        posting_terms=np.frombuffer(packet.posting_terms, "<u4"),
        posting_docs=np.frombuffer(packet.posting_docs, "<u4"),
        posting_weights=np.frombuffer(packet.posting_weights, np.uint8),
        vectors=np.frombuffer(packet.vectors, np.int8).reshape(count, -1 if count and packet.vectors else 0),
        facts=[b""],
        links=[b""],
        trigrams=[b""] * len(packet.blocks),
    )


def _check(columns: Columns) -> None:
    """Raise ValueError where the columns of a file refer to what is not there."""
    count, (row,) = len(columns.chunk_ids), columns.files
    chunks, symbols = columns.chunks, columns.symbols
    fits = (
        len(columns.chunk_names) == count,
        len(columns.symbol_names) == len(symbols) == len(columns.symbol_keys),
        len(columns.posting_terms) == len(columns.posting_docs) == len(columns.posting_weights),
        len(columns.details) == -(-count // DETAIL_GROUP),
        len(columns.blocks) == -(-row.text_bytes // BLOCK_BYTES) and row.text_bytes >= 0,
        0 <= row.labels < 256 and 0 <= row.treatment < 1 << 64 and len(row.blob) == 20,
        0 <= row.size < 1 << 63 and _is_below_root(row.path),
        not chunks[:, FILE].any() and (chunks >= np.where(np.arange(len(CHUNK_FIELDS)) == PARENT, -1, 0)).all(),
        int(chunks[:, KIND].max(initial=0)) < len(KINDS) and int(chunks[:, PARENT].max(initial=-1)) < count,
        int(chunks[:, PARTS].sum()) == len(columns.parts),
        (symbols >= 0).all() and int(symbols[:, 0].max(initial=-1)) < count,
        int(columns.posting_docs.max(initial=0)) < max(count, 1),
        int(columns.posting_terms.max(initial=0)) < max(len(columns.vocabulary), 1),
    )
    if not all(fits):
        raise ValueError("its columns do not fit each other")


def _is_below_root(path: str) -> bool:
    """Tell whether a path can be that of a file in a root: programs may open what a hit names."""
    return bool(path) and not path.startswith("/") and "\0" not in path and ".." not in path.split("/")


def joined_segment(files: Sequence[Columns], *, vectors: str) -> Segment:
    """Return the files as one segment in memory; `vectors` is the key of their encoder, "" where there are none."""
    blocks = [block for columns in files for block in columns.blocks]
    arrays = SegmentTables(files, list(map(len, blocks)), 0).arrays()
    rows = [columns.vectors for columns in files if len(columns.chunk_ids)]
    if len({row.shape[1] for row in rows}) > 1:
        raise RemoteStoreError('the store holds vectors of several lengths; run "coderag export" to write them anew')
    joined = np.concatenate(rows) if rows else np.zeros((0, 0), dtype=np.int8)
    held = HeldSegment(
        arrays=arrays,
        text=np.frombuffer(b"".join(blocks), dtype=np.uint8),
        vectors=Vectors(joined, lengths_of(joined)) if vectors and joined.shape[1] else None,
    )
    return Segment(NOWHERE, vectors=vectors, held=held)
