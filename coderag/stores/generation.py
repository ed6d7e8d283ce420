"""A generation of an index in a store: which segments it has, who may see them, and what died in them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec
import numpy as np

from coderag.decoding import msgpack_decoder
from coderag.errors import QueryError, RemoteStoreError, StoreDamagedError
from coderag.index.storage.arrays.arrays import Array
from coderag.record import record
from coderag.stores.packet import PACKET_FORMAT
from coderag.stores.store import Conditions, FileKey

__all__ = ["Generation", "SegmentState", "VisibleGeneration", "decode_generation", "encode_generation"]

MOST_CHUNKS = 1 << 40  # of a segment; more are no count


class SegmentState(msgspec.Struct, frozen=True):
    """A segment in a generation."""

    name: str
    chunks: int  # that are alive
    # One set for each rule that names its files: who sees them is in a group of every set.
    groups: tuple[frozenset[str], ...] = ()
    dead: tuple[int, ...] = ()  # numbers of files that changed or went
    gone_keys: bytes = b""  # u64[n]: what these files held
    gone_counts: bytes = b""  # i64[n]: in how many of their chunks

    def is_seen_by(self, callers: Collection[frozenset[str]]) -> bool:
        """Tell whether all of some callers may see its files."""
        return not any(groups.isdisjoint(rule) for groups in callers for rule in self.groups)

    @property
    def gone(self) -> tuple[Array, Array]:
        """What the dead files held: keys u64[n] ascending, and in how many chunks, i64[n]; raises ValueError."""
        keys, counts = np.frombuffer(self.gone_keys, "<u8"), np.frombuffer(self.gone_counts, "<i8")
        if len(keys) != len(counts):
            raise ValueError("its counts do not fit its keys")
        return keys, counts


class Generation(msgspec.Struct, frozen=True):
    """An index at one moment."""

    repository: str
    form: int  # of the packets
    tokenizer: str  # what the terms depend on
    encoder: dict[str, Any]  # how to open it (EncoderSpec); {} for the shipped one
    encoder_named: bool  # whether the user named it, and no file of the root
    vectors: str  # the key of its identity, "" where there are none
    segments: tuple[SegmentState, ...]


@record
class VisibleGeneration:
    """What some callers see of a generation."""

    number: int
    generation: Generation
    segments: tuple[SegmentState, ...]

    @classmethod
    def of(cls, number: int, generation: Generation, callers: Collection[frozenset[str]]) -> VisibleGeneration:
        """Return the segments that all of some callers may see; () means who may see all."""
        return cls(number, generation, tuple(segment for segment in generation.segments if segment.is_seen_by(callers)))

    @property
    def live_chunks(self) -> int:
        """How many chunks are seen."""
        return sum(segment.chunks for segment in self.segments)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the segments that are seen."""
        return tuple(segment.name for segment in self.segments)

    @property
    def conditions(self) -> Conditions:
        """What every leg is bound to."""
        dead = tuple(FileKey(segment.name, number) for segment in self.segments for number in segment.dead)
        return Conditions(self.names, dead)

    def gone(self, keys: Array) -> Array:
        """Return in how many chunks of dead files each of u64[n] keys is, i64[n]; raises RemoteStoreError."""
        found = np.zeros(len(keys), dtype=np.int64)
        for segment in self.segments:
            try:
                known, counts = segment.gone
            except ValueError as error:
                raise RemoteStoreError(f"a generation of the store is damaged: {error}") from error
            if len(known):
                places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
                found += np.where(known[places] == keys, counts[places], 0)
        return found


def encode_generation(generation: Generation) -> bytes:
    """Return a generation as a store keeps it."""
    return msgspec.msgpack.encode(generation)


def decode_generation(body: bytes, *, tokenizer: str) -> Generation:
    """Return a generation; raises RemoteStoreError for a damaged one, QueryError for that of another version."""
    try:
        generation = msgpack_decoder(Generation).decode(body)
    except (msgspec.DecodeError, RecursionError) as error:
        raise StoreDamagedError(f'a generation of the store is damaged ({error}); run "coderag export"') from error
    if any(
        not 0 <= segment.chunks < MOST_CHUNKS or min(segment.dead, default=0) < 0 for segment in generation.segments
    ):
        raise StoreDamagedError('a generation of the store is damaged: it counts what cannot be; run "coderag export"')
    if (generation.form, generation.tokenizer) != (PACKET_FORMAT, tokenizer):
        raise QueryError('the store was written by another version of coderag; run "coderag export" with this one')
    return generation
