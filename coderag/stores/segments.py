"""The segments of an index to those of a store: the files that the same groups may see make one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import islice

import numpy as np

from coderag.index.reader.access_control import access_scope, denied_rules
from coderag.index.reader.opened_root import OpenedRoot
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.columns import LABELS
from coderag.index.storage.manifest import SegmentEntry
from coderag.index.storage.postings import Postings
from coderag.index.storage.segment import Segment
from coderag.record import record
from coderag.stores.generation import SegmentState
from coderag.stores.packet import PACKET_FORMAT, packets_of
from coderag.stores.store import StoredFile, StoredSegment

__all__ = ["Portion", "portions_of", "stored_segment"]

Groups = tuple[frozenset[str], ...]
NOBODY: frozenset[str] = frozenset()
FULL = 255  # weight of a path's term and of a definition's name
TEST = 1 << LABELS.index("test")


@record
class Portion:
    """The files of a segment that the same groups may see."""

    entry: SegmentEntry
    segment: Segment
    files: tuple[int, ...]
    groups: Groups

    @property
    def name(self) -> str:
        """The name by its content: that of the segment's files, and which of them are taken."""
        digest = blake2b(f"{PACKET_FORMAT}\0{self.segment.vectors_key}".encode(), digest_size=16)
        for name, (size, checksum) in sorted(self.entry.sums.items()):
            digest.update(f"\0{name}\0{size}\0{checksum}".encode())
        digest.update(np.array(self.files, dtype="<i4").tobytes())
        return digest.hexdigest()

    def state(self) -> SegmentState:
        """Return what a generation says of it."""
        dead = sorted(set(self.entry.dead) & set(self.files))
        segment = self.segment
        gone = np.isin(segment.chunk_file, dead)
        keys, counts = _counts(_entries(segment, np.array(dead, dtype=np.int64)))
        return SegmentState(
            name=self.name,
            chunks=int(np.isin(segment.chunk_file, self.files).sum() - gone.sum()),
            groups=self.groups,
            dead=tuple(dead),
            gone_keys=keys.astype("<u8").tobytes(),
            gone_counts=counts.astype("<i8").tobytes(),
        )


def portions_of(root: OpenedRoot) -> list[Portion]:
    """Return the segments of an index, taken apart by who may see their files.

    Raises IndexDamagedError, SettingsError where the rules cannot be read, and AccessError where it cannot be told
    what they hide.
    """
    rules = denied_rules(root.manifest, root.listed.folders, [NOBODY])
    scopes = [
        access_scope(
            root.manifest, root.segments, denied=(rule,), catalog=root.catalog if rule.rule.databases else None
        )
        for rule in rules
    ]
    found = []
    for entry, segment in zip(root.manifest.segments, root.segments, strict=True):
        paths = segment.paths.all()
        hidden = [scope.hides_each(paths) for scope in scopes]
        by_groups: dict[Groups, list[int]] = {}
        for file in range(len(paths)):
            sets = {frozenset(rule.rule.groups) for rule, hides in zip(rules, hidden, strict=True) if hides[file]}
            by_groups.setdefault(tuple(sorted(sets, key=sorted)), []).append(file)
        found += [Portion(entry, segment, tuple(files), groups) for groups, files in by_groups.items()]
    return found


def stored_segment(portion: Portion) -> StoredSegment:
    """Return the rows of a portion; raises IndexDamagedError."""
    segment, files = portion.segment, np.array(portion.files, dtype=np.int64)
    entries = _entries(segment, files)
    terms, counts = _counts(entries)
    vectors, vector_files = _vectors(segment, files)
    return StoredSegment(
        name=portion.name,
        files=tuple(_files(segment, portion.files)),
        keys=entries.keys,
        key_files=entries.files.astype(np.int32),
        weights=entries.weights,
        terms=terms,
        counts=counts,
        vectors=vectors,
        vector_files=vector_files,
    )


def _files(segment: Segment, files: Sequence[int]) -> Iterator[StoredFile]:
    wanted = set(files)
    for number, packet in enumerate(islice(packets_of(segment), len(segment.paths))):
        if number in wanted:
            row = segment.file(number)
            yield StoredFile(number, row.path, row.language, bool(row.labels & TEST), packet)


@record
class _Entries:
    """The sparse vectors of some files, by key and file."""

    keys: Array  # u64[n]
    files: Array  # i64[n]
    weights: Array  # u8[n]
    chunks: Array  # i64[n]: of the file that hold the key


def _entries(segment: Segment, files: Array) -> _Entries:
    text = segment.text_postings
    keys = _repeated(text)
    owners = segment.chunk_file[text.every_doc().astype(np.int64)].astype(np.int64)
    paths, symbols = segment.path_postings, segment.symbol_postings
    defining = np.concatenate([np.arange(len(segment)), segment.symbol_chunk.astype(np.int64)])
    path_keys = _repeated(paths)
    symbol_keys = _repeated(symbols)
    symbol_owners = segment.chunk_file[defining[symbols.every_doc().astype(np.int64)]].astype(np.int64)
    keys = np.concatenate([keys, path_keys, symbol_keys])
    owners = np.concatenate([owners, paths.every_doc().astype(np.int64), symbol_owners])
    weights = np.concatenate([text.weights, paths.weights, np.full(len(symbol_keys), FULL, dtype=np.uint8)])
    used = np.isin(owners, files)
    keys, owners, weights = keys[used], owners[used], weights[used]
    order = np.lexsort((owners, keys))
    keys, owners, weights = keys[order], owners[order], weights[order]
    begins = np.flatnonzero(np.append(True, (keys[1:] != keys[:-1]) | (owners[1:] != owners[:-1]))[: len(keys)])
    if not len(begins):
        return _Entries(keys, owners, weights, owners)
    chunks = np.diff(np.append(begins, len(keys)))
    return _Entries(keys[begins], owners[begins], np.maximum.reduceat(weights, begins), chunks)


def _repeated(postings: Postings) -> Array:
    """Return the key of each posting, u64[postings]."""
    offsets = postings.offsets.astype(np.int64)
    return np.repeat(postings.hashes, offsets[1:] - offsets[:-1])


def _counts(entries: _Entries) -> tuple[Array, Array]:
    """Return each key once, u64[n], and in how many chunks it is, i64[n]."""
    keys, begins = np.unique(entries.keys, return_index=True)
    return keys, np.add.reduceat(entries.chunks, begins) if len(keys) else np.zeros(0, dtype=np.int64)


def _vectors(segment: Segment, files: Array) -> tuple[Array, Array]:
    """Return the vectors of the files' chunks with unit length, f16[n, dimensions], and their files, i32[n]."""
    if segment.vectors is None:
        return np.zeros((0, 0), dtype=np.float16), np.zeros(0, dtype=np.int32)
    used = np.isin(segment.chunk_file, files) & (segment.vectors.lengths > 0)
    rows = segment.vectors.rows[used].astype(np.float32) / segment.vectors.lengths[used][:, np.newaxis]
    return rows.astype(np.float16), segment.chunk_file[used].astype(np.int32)
