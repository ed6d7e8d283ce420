"""What coderag needs of a database that serves an index: the protocol, and the records that cross it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from coderag.errors import RemoteStoreError
from coderag.index.storage.arrays.arrays import Array
from coderag.record import record

__all__ = [
    "Conditions",
    "FileKey",
    "Found",
    "Published",
    "Reach",
    "Store",
    "StoredFile",
    "StoredSegment",
    "check_still_there",
]


class FileKey(NamedTuple):
    """A file in a store."""

    segment: str
    number: int


class StoredFile(NamedTuple):
    """A file as rows of a store: what filters ask for, and everything else as bytes (coderag.stores.packet)."""

    number: int
    path: str
    language: str
    is_test: bool
    packet: bytes


@record
class StoredSegment:
    """Some files of a segment that the same groups may see, with what finds them; it never changes."""

    name: str  # by content: equal names have equal rows
    files: tuple[StoredFile, ...]
    # Sparse vectors of the files, sorted by key and file: hashes of the terms of texts (the greatest weight of a
    # chunk), of the terms of paths, and of the names of definitions.
    keys: Array  # u64[entries]
    key_files: Array  # i32[entries]: numbers of files
    weights: Array  # u8[entries], of 255
    terms: Array  # u64[terms]: the same keys, each once
    counts: Array  # i64[terms]: in how many chunks each is; of a path's, in how many files
    vectors: Array  # f16[chunks, dimensions] of unit length; of chunks without a direction there are none
    vector_files: Array  # i32[chunks]


@record
class Conditions:
    """What a leg may find. `segments` are those that the caller may see, so no leg goes without."""

    segments: tuple[str, ...]
    dead: tuple[FileKey, ...] = ()  # files of these that changed or went since
    languages: tuple[str, ...] = ()  # () for all
    without_tests: bool = False
    folders: tuple[str, ...] = ()  # beginnings of paths, one of which a file has; () for all


class Found(NamedTuple):
    """A file that a leg found, and its score there; of a leg over chunks, that of one chunk of the file."""

    file: FileKey
    score: float


class Published(NamedTuple):
    """A generation of an index: which segments it is made of, encoded (coderag.stores.generation)."""

    name: str  # of the index
    number: int
    age: float  # seconds since it was published
    body: bytes


@record
class Reach:
    """How many files and chunks of a leg are worth fetching from a store; the first numbers double up to the last."""

    files: int = 200
    chunks: int = 400
    defining: int = 400  # files that define what the question names
    holders: int = 64  # files that have the most words of a message, and that have all words of a name
    most_files: int = 6_400  # a question of a few words that everything holds ends here
    most_chunks: int = 6_400


class Store(Protocol):
    """A database that holds segments and generations, and finds files by inner products.

    Segments are immutable and named by their content; `put_segment` may be repeated, by two processes at once, and
    killed at any moment: `segments` names those alone of which every row is there. A generation appears whole: a reader
    that read one finds all its segments until they are dropped, which the exporter does when nobody can need them.
    Every method raises RemoteStoreError for what the database says.
    """

    def reach(self, chunks: int) -> Reach:
        """Return how much of a leg is worth fetching from an index of so many chunks.

        With the usual numbers that is whatever can be among the best.
        """

    def put_segment(self, segment: StoredSegment) -> None:
        """Write the rows of a segment; it is among `segments` when all are there."""

    def drop_segment(self, name: str) -> None:
        """Remove the rows of a segment, and first of all its name from `segments`."""

    def segments(self) -> dict[str, float]:
        """Return the segments that are there whole, with the seconds since each was written."""

    def remains(self) -> dict[str, float]:
        """Return the segments of which only a part may be there, with the seconds since they were begun.

        An export writes them now, or was killed. A store that writes a segment at once has none.
        """

    def publish(self, name: str, number: int, body: bytes) -> None:
        """Make a generation the current one of an index, for all readers at one moment."""

    def current(self, name: str) -> Published | None:
        """Return the current generation of an index, None where there is none; StoreDamagedError for a damaged one."""

    def generations(self) -> list[Published]:
        """Return all generations of all indexes, the current ones among them."""

    def names(self) -> list[str]:
        """Return the names of all indexes, in order."""

    def forget(self, name: str, number: int) -> None:
        """Remove a generation."""

    def reading(self) -> AbstractContextManager[set[str]]:
        """Return a block that reads one generation, and adds the names of the segments that it reads to the set.

        Raises RemoteStoreError at the end where one of them was dropped meanwhile: rows that a leg does not find are
        no error by themselves. What is read in it is of one moment if the store has transactions.
        """

    def exclusive(self) -> AbstractContextManager[None]:
        """Return what keeps other processes out of their `exclusive` blocks, as far as the database can."""

    def by_terms(
        self, keys: Array, weights: Array, where: Conditions, *, k: int, presence: bool = False
    ) -> list[Found]:
        """Return the files with the greatest inner product with a sparse vector, u64[n] and f32[n], best first.

        With `presence` a file has each of its keys with weight 1. The score may be an upper bound.
        """

    def by_vector(self, vector: Array, where: Conditions, *, k: int) -> list[Found]:
        """Return the k chunks, as their files, whose vectors have the greatest cosine with f32[dimensions]."""

    def frequencies(self, keys: Array, segments: Sequence[str], *, roughly: bool = False) -> Array:
        """Return the sum of the counts of each of u64[n] keys over some segments, i64[n].

        With `roughly` the order of magnitude will do.
        """

    def fetch(self, files: Iterable[FileKey], where: Conditions) -> dict[FileKey, bytes]:
        """Return the packets of files, of those that meet `where.segments`."""

    def close(self) -> None:
        """Give up the connection."""


def check_still_there(read: Collection[str], found: Collection[str]) -> None:
    """Raise RemoteStoreError where segments that were read are not among those that are there in the end."""
    if not set(read) <= set(found):
        raise RemoteStoreError("the store dropped a segment of a generation while it was read; ask again")
