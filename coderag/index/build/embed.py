"""The chunks of segments to vectors: which encoder an index has, and the vectors that a segment lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from coderag.encoders.encoder import Passage, quantised
from coderag.encoders.opening import open_encoder
from coderag.encoders.spec import SHIPPED, WORDS_ONLY, EncoderSpec, pinned
from coderag.errors import EncoderError
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import Manifest, SegmentEntry, Sum
from coderag.index.storage.manifest_writer import synced_sum
from coderag.index.storage.segment import Segment
from coderag.index.storage.vectors import vectors_name, write_vectors

if TYPE_CHECKING:
    from coderag.encoders.encoder import Encoder

__all__ = ["Embedding", "embed_segments", "has_vectors", "passage_of"]

BATCH = 512  # passages handed to an encoder at a time

Told = Callable[[int, int], None]  # how many passages have vectors now, and how many will


@dataclass(frozen=True)
class Embedding:
    """Which encoder an index has, opened when it is needed."""

    spec: EncoderSpec = SHIPPED
    known_key: str = ""  # of the vectors that an index has by this spec; "" asks the encoder
    open: Callable[[EncoderSpec], Encoder] = field(default=open_encoder, compare=False)

    @classmethod
    def of(cls, manifest: Manifest, spec: EncoderSpec | None = None) -> Embedding:
        """Return the embedding of an index, or the one that is wanted instead."""
        made = cls.made(manifest)
        if spec is not None and made.spec.vouches_for(spec):
            spec = replace(spec, trusted=True)  # the settings name what the user named before
        # The shipped encoder changes with a new version of coderag, and its key costs nothing to ask for.
        if spec is None and made.spec != SHIPPED:
            return made
        return cls(spec or made.spec)

    @classmethod
    def made(cls, manifest: Manifest) -> Embedding:
        """Return the embedding that an index has, whatever this version of coderag would make."""
        if not manifest.encoder:
            return cls(SHIPPED, manifest.vectors)
        return cls(EncoderSpec.from_dict(manifest.encoder, trusted=manifest.encoder_named), manifest.vectors)

    @property
    def in_workers(self) -> bool:
        """Whether the processes that read the files embed them too."""
        return self.spec == SHIPPED

    @cached_property
    def encoder(self) -> Encoder | None:
        """The encoder, None where an index has words alone; raises EncoderError."""
        if self.spec == WORDS_ONLY:
            return None
        encoder = self.open(self.spec)
        if self.spec == SHIPPED:  # looking up its vectors would take longer than making them
            return encoder
        from coderag.encoders.vector_cache import CachedEncoder, cache_path

        return CachedEncoder(encoder, cache_path())

    def recorded(self) -> dict[str, Any]:
        """Return how a manifest names the encoder: what opens the same one later."""
        return (pinned(self.spec, self.encoder.identity) if self.encoder else self.spec).as_dict()

    @cached_property
    def key(self) -> str:
        """The key of its vectors, "" where there are none; raises EncoderError."""
        if self.known_key or self.encoder is None:
            return self.known_key
        return self.encoder.identity.key

    def opened(self) -> Encoder:
        """Return the encoder that made the vectors of this key; raises EncoderError for another or none."""
        if self.encoder is None:
            raise EncoderError('the index has vectors and names no encoder; run "coderag index" to embed it anew')
        if self.encoder.identity.key != self.key:
            raise EncoderError(
                f"the index was made with another version of {self.encoder.identity.model} (revision, pooling, "
                f'prefixes or dimensions differ); run "coderag index --encoder {self.spec}" to embed it anew'
            )
        return self.encoder


def has_vectors(folder: IndexPath, entry: SegmentEntry, embedding: Embedding) -> bool:
    """Tell whether a segment has the vectors that its index should have."""
    name = vectors_name(embedding.key)
    # What no manifest names was left by a process that was killed, and may not be whole.
    return not embedding.key or (name in entry.sums and (folder / "segments" / entry.name / name).exists())


def embed_segments(
    folder: IndexPath, entries: Sequence[SegmentEntry], embedding: Embedding, *, told: Told | None = None
) -> list[SegmentEntry]:
    """Return the segments once each has its vectors; those that it lacks are written. Raises EncoderError."""
    lacking = {entry.name for entry in entries if not has_vectors(folder, entry, embedding)}
    if not lacking:
        return list(entries)
    encoder = embedding.opened()
    all_chunks = sum(entry.chunks for entry in entries if entry.name in lacking)
    done = 0
    made: dict[str, dict[str, Sum]] = {}
    for entry in entries:
        if entry.name not in lacking:
            continue
        segment = Segment.of(folder, entry)
        rows: list[Array] = []
        for passages in _batches(segment):
            rows.append(quantised(encoder.encode_passages(passages)))
            done += len(passages)
            if told is not None:
                told(done, all_chunks)
        dimensions = encoder.identity.dimensions
        path = write_vectors(
            segment.folder, embedding.key, np.concatenate(rows) if rows else np.zeros((0, dimensions), dtype=np.int8)
        )
        path.parent.sync()
        made[entry.name] = {path.name: synced_sum(path)}
    return [replace(entry, sums=entry.sums | made[entry.name]) if entry.name in made else entry for entry in entries]


def passage_of(segment: Segment, number: int) -> Passage:
    """Return what is embedded of a chunk."""
    name, qualified = segment.name(number), segment.names[number]
    scope = qualified[: len(qualified) - len(name)] if name else qualified
    file = int(segment.chunk_file[number])
    return Passage(name, scope, segment.paths[file], segment.chunk_text(number))


def _batches(segment: Segment) -> Iterator[list[Passage]]:
    for begin in range(0, len(segment), BATCH):
        yield [passage_of(segment, number) for number in range(begin, min(begin + BATCH, len(segment)))]
