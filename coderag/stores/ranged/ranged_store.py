"""A store of objects as a store of indexes: what finds files is computed here, of the ranges that a question needs."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress

import msgspec
import numpy as np

from coderag.decoding import msgpack_decoder
from coderag.errors import RemoteStoreError, StoreDamagedError
from coderag.index.remote.objects import ObjectStore
from coderag.index.remote.range_cache import RangeCache, ranges_folder
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.folder.sealed import seal
from coderag.stores.packet import unsqueeze
from coderag.stores.ranged.blocks import BlockKey, Blocks, OpenedSegment
from coderag.stores.ranged.cells import SMALL_CHUNKS, Cell, decode_cell, nearest_cells, scores_of
from coderag.stores.ranged.layout import (
    GENERATIONS,
    SEGMENTS,
    data_name,
    directory_name,
    encode_directory,
    generation_name,
    is_segment_name,
    named_generation,
    segment_of_data,
    segment_of_directory,
    unsealed,
)
from coderag.stores.ranged.terms import TermBlock, decode_terms
from coderag.stores.ranged.writing import decode_paths, encode_segment
from coderag.stores.store import Conditions, FileKey, Found, Published, Reach, StoredSegment

__all__ = ["RangedStore"]

GENERATION_PURPOSE = "generation of a store"
GENERATION_BYTES = 256 << 20
FULL = 255  # weight of a term
# Of a large index these are a few hundredths of the bytes.
NARROW = Reach(files=40, chunks=200, defining=20, holders=8, most_files=80, most_chunks=200)
A_FEW = 2  # chunks with a term that is not common
MOST_LOOKS = 3  # for a generation that was removed while it was looked for


class RangedStore:
    """Objects as a store (see coderag.stores.store).

    They have no locks: a segment that no generation names yet is safe for the grace of an export (`export_index`).
    """

    def __init__(self, objects: ObjectStore, cache: RangeCache | None = None) -> None:
        """Take a store of objects, and where ranges of it are kept."""
        self._objects = objects
        self._blocks = Blocks(objects, cache or RangeCache(ranges_folder()))

    def put_segment(self, segment: StoredSegment) -> None:
        """Write the object of a segment, then its directory."""
        encoded = encode_segment(segment)
        self._objects.write(data_name(segment.name, encoded.directory.digests), encoded.data)
        self._objects.write(directory_name(segment.name), encode_directory(encoded.directory))

    def drop_segment(self, name: str) -> None:
        """Remove the directory of a segment, and then whatever else there is of it."""
        own = directory_name(name)
        self._objects.remove(own)
        for found, _ in list(self._objects.names(f"{SEGMENTS}/{name}")):
            self._objects.remove(found)

    def segments(self) -> dict[str, float]:
        """Return the segments whose directory the key in use signed, and whose blocks are there."""
        listed = list(self._objects.names(SEGMENTS))
        whole = {segment_of_data(path) for path, _ in listed}
        directories = ((segment_of_directory(path), age) for path, age in listed)
        return {name: age for name, age in directories if name is not None and name in whole}

    def remains(self) -> dict[str, float]:
        """Return the segments of which there are blocks and no directory, whoever signs it."""
        found: dict[str, float] = {}
        whole = set()
        for path, age in self._objects.names(SEGMENTS):
            name, _, kind = path.removeprefix(f"{SEGMENTS}/").partition("/")
            if is_segment_name(name):
                found[name] = min(age, found.get(name, age))
                whole |= {name} if is_segment_name(kind) else set()
        return {name: age for name, age in found.items() if name not in whole}

    def publish(self, name: str, number: int, body: bytes) -> None:
        """Write a generation."""
        sealed = seal(GENERATION_PURPOSE, msgspec.msgpack.encode((name, number, body)))
        self._objects.write(generation_name(name, number), sealed)

    def current(self, name: str) -> Published | None:
        """Return the generation with the highest number, by what is signed."""
        for _ in range(MOST_LOOKS):
            known = [one for one in self._named() if one[0] == name]
            if not known:
                return None
            _, number, age = max(known, key=lambda one: one[1])
            target = generation_name(name, number)
            raw = self._objects.read_each([target], GENERATION_BYTES)[0]
            if raw is not None:
                where = f"{self._objects.address}/{target}"
                inside = _decoded(unsealed(raw, GENERATION_PURPOSE, where=where), where)
                if inside[:2] != (name, number):
                    raise StoreDamagedError(f'{where} is another generation; remove it and run "coderag export"')
                return Published(name, number, age, inside[2])
        raise RemoteStoreError("the generations of the store change too fast to be read; ask again")

    def generations(self) -> list[Published]:
        """Return all generations, whoever signed them: they only say what is still needed.

        One that is damaged has no body: nothing is known of what it needs.
        """
        known = list(self._named())
        bodies = self._objects.read_each([generation_name(*one[:2]) for one in known], GENERATION_BYTES)
        found = []
        for (name, number, age), raw in zip(known, bodies, strict=True):
            if raw is not None:
                where = f"{self._objects.address}/{generation_name(name, number)}"
                body = b""
                with suppress(StoreDamagedError):
                    body = _decoded(raw.partition(b"\n")[2].removesuffix(b"\n"), where)[2]
                found.append(Published(name, number, age, body))
        return found

    def names(self) -> list[str]:
        """Return the names of all indexes."""
        return sorted({name for name, _, _ in self._named()})

    def forget(self, name: str, number: int) -> None:
        """Remove a generation."""
        self._objects.remove(generation_name(name, number))

    def reading(self) -> AbstractContextManager[set[str]]:
        """Return nothing more: what was dropped has no directory or no blocks, and reading it fails by itself."""
        return nullcontext(set())

    def exclusive(self) -> AbstractContextManager[None]:
        """Return nothing: a store of objects keeps nobody out."""
        return nullcontext()

    def reach(self, chunks: int) -> Reach:
        """Return the usual numbers for a small index, and of a large one as much as keeps what is read small."""
        return Reach() if chunks <= SMALL_CHUNKS else NARROW

    def by_terms(
        self, keys: Array, weights: Array, where: Conditions, *, k: int, presence: bool = False
    ) -> list[Found]:
        """Return the best files by an inner product: of terms of texts that of their best chunk, and of the others."""
        best: list[tuple[float, str, int]] = []
        segments = self._blocks.segments(where.segments)
        blocks = self._term_blocks(keys.tolist(), segments)
        for segment in segments:
            scores = _scores(segment, blocks, dict(zip(keys.tolist(), weights.tolist(), strict=True)), presence)
            found = np.flatnonzero((scores > 0) & self._allowed(segment, where))
            if len(found) > k:
                found = found[np.argpartition(-scores[found], k - 1)[:k]]
            name = segment.directory.segment
            best += [(-float(scores[one]), name, int(segment.files[one])) for one in found.tolist()]
        return [Found(FileKey(name, file), -score) for score, name, file in sorted(best)[:k]]

    def by_vector(self, vector: Array, where: Conditions, *, k: int) -> list[Found]:
        """Return the nearest chunks of the nearest cells; scores are about right."""
        segments = [one for one in self._blocks.segments(where.segments) if len(one.cell_sizes)]
        if not segments or not vector.any():
            return []
        if any(segment.directory.dimensions != len(vector) for segment in segments):
            raise RemoteStoreError("the store has vectors of another length than its encoder gives")
        unit = (vector / np.linalg.norm(vector)).astype(np.float32)
        centroids = np.concatenate([segment.centroids for segment in segments])
        owners = np.repeat(np.arange(len(segments)), [len(segment.cell_sizes) for segment in segments])
        firsts = np.concatenate([np.arange(len(segment.cell_sizes)) for segment in segments])
        near = nearest_cells(centroids, np.concatenate([segment.cell_sizes for segment in segments]), unit)
        chosen = [(segments[owners[one]], int(firsts[one])) for one in near.tolist()]
        best: list[tuple[float, str, int]] = []
        allowed = {segment.directory.segment: self._allowed(segment, where) for segment in segments}
        for segment, cell in zip((one for one, _ in chosen), self._cells(chosen), strict=True):
            name = segment.directory.segment
            scores = scores_of(cell, unit)
            rows = np.flatnonzero(allowed[name][cell.files])
            numbers = segment.files[cell.files[rows]].tolist()
            best += [(-score, name, file) for score, file in zip(scores[rows].tolist(), numbers, strict=True)]
        return [Found(FileKey(name, file), -score) for score, name, file in sorted(best)[:k]]

    def frequencies(self, keys: Array, segments: Sequence[str], *, roughly: bool = False) -> Array:
        """Return in how many chunks each key is; with `roughly` of a rare one that it is in a few."""
        opened = self._blocks.segments(segments)
        if roughly:
            common = sum((segment.common(keys) for segment in opened), start=np.zeros(len(keys), dtype=np.int64))
            is_complete = all(segment.directory.least_common == 1 for segment in opened)
            return common if is_complete else np.maximum(common, A_FEW)
        blocks = self._term_blocks(keys.tolist(), opened)
        counts = []
        for key in keys.tolist():
            own = (blocks.get((segment.directory.segment, segment.term_block(key))) for segment in opened)
            counts.append(sum(int(one.counts[one.place(key)]) for one in own if one and one.place(key) >= 0))
        return np.array(counts, dtype=np.int64)

    def fetch(self, files: Iterable[FileKey], where: Conditions) -> dict[FileKey, bytes]:
        """Return the packets of files."""
        seen = set(where.segments)
        wanted = [key for key in files if key.segment in seen]
        opened = dict(zip(where.segments, self._blocks.segments(where.segments), strict=True))
        places = {key: BlockKey(key.segment, opened[key.segment].positions[key.number]) for key in wanted}
        found = self._blocks.read(places.values(), remember=False)
        return {key: unsqueeze(found[place]) for key, place in places.items()}

    def close(self) -> None:
        """Do nothing: no request outlives its call."""

    def _named(self) -> Iterator[tuple[str, int, float]]:
        for path, age in self._objects.names(GENERATIONS):
            found = named_generation(path)
            if found is not None:
                yield *found, age

    def _term_blocks(
        self, keys: Sequence[int], segments: Sequence[OpenedSegment]
    ) -> dict[tuple[str, int | None], TermBlock]:
        """Return the blocks of segments that may have terms."""
        wanted = {
            BlockKey(segment.directory.segment, number): segment
            for segment in segments
            for key in keys
            if (number := segment.term_block(key)) is not None
        }
        found = self._blocks.read(wanted)
        with _decoding():
            return {
                (key.segment, key.number): decode_terms(
                    found[key], files=len(segment.files), chunks=int(segment.first_chunks[-1])
                )
                for key, segment in wanted.items()
            }

    def _cells(self, chosen: Sequence[tuple[OpenedSegment, int]]) -> Iterator[Cell]:
        keys = [BlockKey(segment.directory.segment, segment.cell_block(cell)) for segment, cell in chosen]
        found = self._blocks.read(keys)
        for key, (segment, _) in zip(keys, chosen, strict=True):
            with _decoding():
                yield decode_cell(found[key], files=len(segment.files), dimensions=segment.directory.dimensions)

    def _allowed(self, segment: OpenedSegment, where: Conditions) -> Array:
        """Return which files of a segment meet conditions, bool[files]."""
        directory = segment.directory
        found = np.ones(len(segment.files), dtype=bool)
        dead = [key.number for key in where.dead if key.segment == directory.segment]
        found &= ~np.isin(segment.files, dead)
        if where.languages:
            wanted = [number for number, name in enumerate(directory.languages) if name in where.languages]
            found &= np.isin(np.frombuffer(directory.file_languages, np.uint8), wanted)
        if where.without_tests:
            found &= np.frombuffer(directory.tests, np.uint8) == 0
        if where.folders:
            key = BlockKey(directory.segment, segment.paths_block)
            with _decoding():
                paths = decode_paths(self._blocks.read([key])[key], count=len(found))
            found &= np.array([path.startswith(where.folders) for path in paths], dtype=bool)
        return found


def _scores(
    segment: OpenedSegment,
    blocks: Mapping[tuple[str, int | None], TermBlock],
    weights: Mapping[int, float],
    presence: bool,
) -> Array:
    """Return the score of each file of a segment, f64[files]."""
    of_files = np.zeros(len(segment.files), dtype=np.float64)
    of_chunks = np.zeros(int(segment.first_chunks[-1]), dtype=np.float64)
    for key, weight in weights.items():
        block = blocks.get((segment.directory.segment, segment.term_block(key)))
        place = -1 if block is None else block.place(key)
        if block is not None and place >= 0:
            places, factors = block.entries(place)
            (of_chunks if block.are_chunks[place] else of_files)[places] += (
                weight if presence else weight / FULL * factors
            )
    has_chunks = np.flatnonzero(np.diff(segment.first_chunks))
    if len(has_chunks):
        of_files[has_chunks] += np.maximum.reduceat(of_chunks, segment.first_chunks[has_chunks])
    return of_files


@contextmanager
def _decoding() -> Iterator[None]:
    """Raise RemoteStoreError for a block that has its digest and makes no sense."""
    try:
        yield
    except (ValueError, zlib.error, msgspec.DecodeError) as error:
        raise RemoteStoreError(f'a block of the store is damaged ({error}); run "coderag export"') from error


def _decoded(body: bytes, where: str) -> tuple[str, int, bytes]:
    try:
        return msgpack_decoder(tuple[str, int, bytes]).decode(body)
    except (msgspec.DecodeError, ValueError) as error:
        raise StoreDamagedError(f'{where} is damaged ({error}); remove it and run "coderag export"') from error
