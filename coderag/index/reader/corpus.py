"""Several opened segments, of one index or more, as one numbered row of chunks."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from coderag.index.reader.paths import PathTable
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.keys import path_key, symbol_hash
from coderag.index.storage.arrays.ranges import ranges
from coderag.index.storage.arrays.strings import last_bytes
from coderag.index.storage.columns import CONTINUES, DEFINES, IN_TESTS, KINDS, LABELS
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import SEGMENTS, Manifest
from coderag.index.storage.segment import Segment
from coderag.index.storage.vectors import cosines
from coderag.record import record, replaced
from coderag.text.tokens import term_hash
from coderag.types import Chunk, Content, Kind

if TYPE_CHECKING:
    from coderag.index.storage.vector_graph import VectorGraph

__all__ = ["Corpus", "Form", "Member", "open_members", "path_keys", "text_keys"]

T = TypeVar("T")
REMEMBERED_BYTES = 128 << 20  # of masks and factors
ALL = slice(None)
WHATEVER_IS_DEAD = (  # what is known of all chunks and files, and need not be found out again
    *("chunk_file", "chunk_kind", "file_labels", "file_language", "languages"),
    *("documents", "paths", "path_table", "_first_of_file", "_path_ranks", "_chunk_flags"),
)
REMEMBERED_NAMES = 100_000
REMEMBERED_SCOPES = 20_000
REMEMBERED_TERMS = 1_000
MANY_FILES = 2_000  # so many paths are not compared again for each question
LAST_NAME = re.compile(r"(?<!\w)\d*+([^\W\d]\w*+)$")
FLAGS = range((DEFINES | CONTINUES | IN_TESTS) + 1)  # all values of a chunk's flags


class Form(NamedTuple):
    """What a chunk is, whatever it says."""

    kind: Kind
    defines: bool  # a definition, and not what is left of a file beside its definitions
    continues: bool  # a further piece of a long definition, without its name


class _Recalled(Generic[T]):
    """What was read of some numbers, which is the same whenever it is read."""

    def __init__(self) -> None:
        self._known: dict[int, T] = {}

    def of(self, numbers: Array, read: Callable[[Array], Iterable[T]]) -> list[T]:
        """Return what `read` says of each of i64[n] numbers, which it is only given where that is not known."""
        known, wanted = self._known, numbers.tolist()
        missing = [number for number in wanted if number not in known]
        if missing:
            if len(known) + len(missing) > REMEMBERED_NAMES:
                known = self._known = {}  # not cleared, as another thread may be looking at it
                missing = wanted
            known.update(zip(missing, read(np.array(missing, dtype=np.int64)), strict=True))
        return [known[number] for number in wanted]


@record
class Member:
    """A segment in a corpus."""

    segment: Segment
    repository: str
    root: str
    dead: tuple[int, ...]  # numbers of files that changed or went since the segment was written
    first_chunk: int = 0  # in the corpus
    first_file: int = 0

    def form(self, chunk: int) -> Form:
        """Return the form of a chunk of this segment."""
        return _form(int(self.segment.chunk_kind[chunk]), int(self.segment.chunk_flags[chunk]))

    def are_definitions(self, chunks: Array | slice) -> Array:
        """Return which of some chunks are definitions, and the first piece of theirs: bool[n]."""
        whole: Array = (self.segment.chunk_flags[chunks] & (DEFINES | CONTINUES)) == DEFINES
        return whole

    def chunk_bounds(self, files: Array) -> tuple[Array, Array]:
        """Return the first chunk of each of some files, and the one past its last: i64[n] both."""
        chunk_file = self.segment.chunk_file  # ascending: the chunks of a file lie together
        return chunk_file.searchsorted(files, side="left"), chunk_file.searchsorted(files, side="right")

    def file_chunks(self, file: int) -> range:
        """Return the chunks of a file, in order."""
        first, past = self.chunk_bounds(np.array([file]))
        return range(int(first[0]), int(past[0]))

    def blob(self, file: int) -> bytes:
        """Return the id that git gives the content of a file as it was indexed."""
        return bytes(self.segment.arrays["file_blob"][file])


NONE_OPEN: Mapping[IndexPath, Segment] = {}


def open_members(
    folder: IndexPath, manifest: Manifest, *, known: Mapping[IndexPath, Segment] = NONE_OPEN
) -> list[Member]:
    """Return the segments of an index, of which some may be open already; raises IndexDamagedError."""
    members = []
    for entry in manifest.segments:
        path = folder / SEGMENTS / entry.name
        segment = known.get(path)
        if segment is None or segment.vectors_key != manifest.vectors:
            segment = Segment.of(folder, entry, vectors=manifest.vectors)
        members.append(Member(segment, manifest.repository, manifest.root, entry.dead))
    return members


class Corpus:
    """Chunks and files numbered over all segments; numbers last as long as the corpus."""

    def __init__(self, members: Sequence[Member]) -> None:
        placed: list[Member] = []
        chunks = files = 0
        for member in members:
            placed.append(Member(member.segment, member.repository, member.root, member.dead, chunks, files))
            chunks += len(member.segment)
            files += len(member.segment.paths)
        self.members = tuple(placed)
        self._first_chunks = [member.first_chunk for member in placed]
        self._first_files = [member.first_file for member in placed]
        self.size = chunks
        self.files = files
        self._remembered: dict[Hashable, Array] = {}
        self._companions: dict[type[Any], Any] = {}
        self._known_names, self._known_paths = _Recalled[tuple[str, str]](), _Recalled[str]()
        self._compared = 0  # paths, one with another
        self.vector_graphs: tuple[tuple[IndexPath, VectorGraph], ...] = ()  # with the folders of their indexes

    def __len__(self) -> int:
        """Return how many chunks there are, dead ones included."""
        return self.size

    @cached_property
    def chunk_file(self) -> Array:
        """The file of each chunk, i32[chunks]."""
        return self._joined([member.segment.chunk_file + member.first_file for member in self.members], np.int32)

    @cached_property
    def chunk_kind(self) -> Array:
        """The kind of each chunk as its position in KINDS, u8[chunks]."""
        return self._joined([member.segment.chunk_kind for member in self.members], np.uint8)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that a file may carry."""
        return LABELS

    @cached_property
    def file_labels(self) -> Array:
        """The labels of each file as bits, u8[files]."""
        return self._joined([member.segment.arrays["file_labels"] for member in self.members], np.uint8)

    @cached_property
    def file_language(self) -> Array:
        """The language of each file as its position in `languages`, u8[files]."""
        code = {name: number for number, name in enumerate(self.languages)}
        found = []
        for member in self.members:
            table = np.array([code[name] for name in member.segment.languages] or [0], dtype=np.uint8)
            found.append(table[member.segment.arrays["file_language"]])
        return self._joined(found, np.uint8)

    @cached_property
    def languages(self) -> list[str]:
        """The languages of all files, in alphabetical order."""
        return sorted({name for member in self.members for name in member.segment.languages})

    @cached_property
    def documents(self) -> Array:
        """Which files are documents rather than code, bool[files]."""
        contents = {name: content for member in self.members for name, content in member.segment.languages.items()}
        docs = [contents[name] == Content.DOCS for name in self.languages]
        return np.array(docs or [False])[self.file_language]

    @cached_property
    def live_file(self) -> Array:
        """Whether each file is still what was indexed, bool[files]."""
        live = np.ones(self.files, dtype=bool)
        for member in self.members:
            live[[member.first_file + number for number in member.dead]] = False
        return live

    @cached_property
    def dead_chunks(self) -> tuple[Array, ...]:
        """Of each segment its chunks of files that changed or went, i64[n], ascending."""
        return tuple(
            np.flatnonzero(np.isin(member.segment.chunk_file, member.dead))
            if member.dead
            else np.zeros(0, dtype=np.int64)
            for member in self.members
        )

    @cached_property
    def live_chunks(self) -> int:
        """How many chunks are of files that are still what was indexed."""
        return self.size - sum(map(len, self.dead_chunks))

    def text_positions(self, keys: Array) -> list[Array]:
        """Return the position of each of u64[n] terms among those of each segment, -1 if it is not: i64[n] each."""
        return [member.segment.text_postings.find(keys) for member in self.members]

    def text_frequencies(self, keys: Array, positions: Sequence[Array] | None = None) -> Array:
        """Return how many chunks hold each of u64[n] terms now, i64[n]; `positions` are the terms' where known.

        Chunks of files that changed or are gone do not count, so an updated index ranks like a fresh one.
        """
        counts = np.zeros(len(keys), dtype=np.int64)
        positions_found = self.text_positions(keys) if positions is None else positions
        for member, dead, own in zip(self.members, self.dead_chunks, positions_found, strict=True):
            here = own >= 0
            counts[here] += member.segment.text_postings.frequencies(own[here], without=dead)
        return counts

    def rough_frequencies(self, keys: Array) -> Array:
        """Return about how many chunks hold each of u64[n] terms now, i64[n]: exactly, where that costs nothing."""
        return self.text_frequencies(keys)

    def path_frequencies(self, keys: Array) -> Array:
        """Return how many files have each of u64[n] terms in their path now, i64[n]."""
        counts = np.zeros(len(keys), dtype=np.int64)
        for member in self.members:
            positions = member.segment.path_postings.find(keys)
            here = positions >= 0
            gone = np.array(sorted(member.dead), dtype=np.int64)
            counts[here] += member.segment.path_postings.frequencies(positions[here], without=gone)
        return counts

    @cached_property
    def paths(self) -> list[str]:
        """The path of each file."""
        return [path for member in self.members for path in member.segment.paths.all()]

    def with_dead(self, dead: Sequence[tuple[int, ...]]) -> Corpus:
        """Return the same chunks and files, of which others are dead: a list of numbers for each segment."""
        other = Corpus([replaced(member, dead=files) for member, files in zip(self.members, dead, strict=True)])
        other.vector_graphs = self.vector_graphs
        other.__dict__.update({name: self.__dict__[name] for name in WHATEVER_IS_DEAD if name in self.__dict__})
        return other

    @cached_property
    def path_table(self) -> PathTable:
        """The paths by their folders, for globs."""
        return PathTable(self.paths)

    def remembered(self, key: Hashable, make: Callable[[], Array]) -> Array:
        """Return what was made under a key, [chunks] that nobody changes; the oldest of many are made again."""
        value = self._remembered.get(key)
        if value is None:
            value = make()
            value.flags.writeable = False
            for oldest in list(self._remembered):
                if sum(one.nbytes for one in [*self._remembered.values()]) + value.nbytes <= REMEMBERED_BYTES:
                    break
                self._remembered.pop(oldest, None)
            self._remembered[key] = value
        return value

    def companion(self, key: type[T], make: Callable[[], T], *, anew: bool = False) -> T:
        """Return what was made under a type, which lasts as long as the corpus; `anew` makes another one."""
        companion: T | None = None if anew else self._companions.get(key)
        if companion is None:
            companion = self._companions[key] = make()
        return companion

    def files_of(self, chunks: Array) -> Array:
        """Return which files have one of some chunks (bool[chunks]), bool[files]."""
        mask = np.zeros(self.files, dtype=bool)
        files, starts = self._first_of_file
        if len(starts):
            mask[files] = np.logical_or.reduceat(chunks, starts)
        return mask

    def chunks_of(self, files: Array) -> Array:
        """Return the chunks of some files (bool[files]), i64[n] ascending."""
        known, starts = self._first_of_file
        ends = np.append(starts[1:], len(self))
        at = np.flatnonzero(files[known])
        chunks, _ = ranges(starts[at], ends[at])
        return chunks

    @cached_property
    def _first_of_file(self) -> tuple[Array, Array]:
        """The files that have chunks, and the first chunk of each: the chunks of a file lie together."""
        firsts = [np.flatnonzero(np.diff(member.segment.chunk_file, prepend=-1)) for member in self.members]
        placed = list(zip(self.members, firsts, strict=True))
        files = [one.segment.chunk_file[first] + one.first_file for one, first in placed]
        return self._joined(files, np.int64), self._joined([first + one.first_chunk for one, first in placed], np.int64)

    def with_label(self, label: str) -> Array:
        """Return which files carry a label, bool[files]."""
        return (self.file_labels >> np.uint8(LABELS.index(label)) & np.uint8(1)).astype(bool)

    def of_tests(self, chunks: Array | slice = ALL) -> Array:
        """Return which of some chunks, i64[n] or all, are of the tests in a file of other code: bool[n]."""
        flags: Array = self._chunk_flags[chunks]
        return flags & np.uint8(IN_TESTS) > 0

    @cached_property
    def _chunk_flags(self) -> Array:
        return self._joined([member.segment.chunk_flags for member in self.members], np.uint8)

    def of_kinds(self, kinds: Sequence[str]) -> Array:
        """Return which chunks are of one of some kinds, bool[chunks]."""
        wanted = np.array([kind in kinds for kind in KINDS])
        return wanted[self.chunk_kind]

    def by_file_and_form(self, of_file: Array, of_form: Callable[[Form], float | np.float32]) -> Array:
        """Return for each chunk the number of its file, f32[files], times that of its form: f32[chunks]."""
        numbers = np.array([of_form(_form(*codes)) for codes in product(range(len(KINDS)), FLAGS)], dtype=np.float32)
        found = np.empty(len(self), dtype=np.float32)
        for member in self.members:  # one by one, as what they take stays near the processor
            segment = member.segment
            of_chunk = numbers.take(segment.chunk_kind * np.uint8(len(FLAGS)) + segment.chunk_flags)
            own = of_file[member.first_file : member.first_file + len(segment.paths)][segment.chunk_file]
            np.multiply(own, of_chunk, out=found[member.first_chunk : member.first_chunk + len(segment)])
        return found

    def definitions(self, name: str) -> Iterator[tuple[Member, int, int]]:
        """Yield the definitions of a name in lower case, alone or with that of its scope: `get`, `session.get`.

        Each as its segment, its number there, and the number of the chunk there that holds it.
        """
        key = np.array([symbol_hash(name)], dtype=np.uint64)
        for member in self.members:
            segment = member.segment
            position = int(segment.symbol_postings.find(key)[0])
            for number in segment.symbol_postings.of(position)[0].tolist() if position >= 0 else ():
                chunk = segment.chunk_of_definition(number)
                if self.live_file[member.first_file + int(segment.chunk_file[chunk])]:
                    yield member, number, chunk

    def member_of(self, chunk: int) -> tuple[Member, int]:
        """Return the segment that holds a chunk, and the chunk's number in it."""
        member = self.members[bisect_right(self._first_chunks, chunk) - 1]
        return member, chunk - member.first_chunk

    def path(self, file: int) -> str:
        """Return a file's path, without reading those of the others."""
        member = self.members[bisect_right(self._first_files, file) - 1]
        return member.segment.paths[file - member.first_file]

    def paths_of(self, files: Array) -> list[str]:
        """Return the paths of some files, i64[n] ascending."""
        return self._known_paths.of(files, self._read_paths)

    def _read_paths(self, files: Array) -> list[str]:
        return [path for member, _, own in self.files_by_member(files) for path in member.segment.paths.some(own)]

    def path_ranks(self, files: Array) -> Array:
        """Return numbers by which some files, i64[n], sort as by their paths, i64[n]; equal paths have equal ones."""
        if self._compared > max(self.files, MANY_FILES):
            return self._path_ranks[files]
        some, own = np.unique_inverse(files)
        self._compared += len(some)
        return self._path_ranks[files] if len(some) > MANY_FILES else _ranks(self.paths_of(some))[own]

    @cached_property
    def _path_ranks(self) -> Array:
        """The place of each file by its path, i64[files]."""
        return _ranks(self.paths)

    def cosines(self, query: Array) -> Array:
        """Return how near each chunk's vector is to f32[dimensions], f32[chunks]: 0 if there is none."""
        found = [
            np.zeros(len(member.segment), dtype=np.float32)
            if member.segment.vectors is None
            else cosines(member.segment.vectors, query)
            for member in self.members
        ]
        return self._joined(found, np.float32)

    def by_member(self, chunks: Array) -> Iterator[tuple[Member, Array | slice, Array]]:
        """Yield each segment that holds some of i64[n] chunks, with their positions in it, and their numbers there."""
        if len(self.members) == 1:  # as after a whole build
            if len(chunks):
                yield self.members[0], slice(0, len(chunks)), chunks
            return
        order = None if (chunks[1:] >= chunks[:-1]).all() else np.argsort(chunks, kind="stable")
        ascending = chunks if order is None else chunks[order]
        bounds = [*np.searchsorted(ascending, self._first_chunks).tolist(), len(chunks)]
        for member, begin, end in zip(self.members, bounds, bounds[1:], strict=False):
            if begin < end:
                here = slice(begin, end)
                yield member, here if order is None else order[here], ascending[here] - member.first_chunk

    def files_by_member(self, files: Array) -> Iterator[tuple[Member, slice, Array]]:
        """Yield each segment that holds some of i64[n] files, ascending, with their positions in it, and their numbers
        there.
        """
        if len(self.members) == 1:
            if len(files):
                yield self.members[0], slice(0, len(files)), files
            return
        bounds = [*np.searchsorted(files, self._first_files).tolist(), len(files)]
        for member, begin, end in zip(self.members, bounds, bounds[1:], strict=False):
            if begin < end:
                here = slice(begin, end)
                yield member, here, files[here] - member.first_file

    def file_numbers(self, chunks: Array) -> Array:
        """Return the file of each of i64[n] chunks, i64[n]."""
        file_numbers: Array = self.chunk_file[chunks].astype(np.int64)
        return file_numbers

    def first_rows(self, chunks: Array) -> Array:
        """Return the first row of each of i64[n] chunks, i64[n]."""
        found = np.zeros(len(chunks), dtype=np.int64)
        for member, positions, local in self.by_member(chunks):
            found[positions] = member.segment.first_row[local]
        return found

    def kind(self, chunk: int) -> Kind:
        """Return what a chunk is."""
        member, local = self.member_of(chunk)
        return KINDS[int(member.segment.chunk_kind[local])]

    def names(self, chunks: Array) -> list[tuple[str, str]]:
        """Return of each of i64[n] chunks its own name, and the last name of what encloses it ("" at the top)."""
        return self._known_names.of(chunks, self._read_names)

    def _read_names(self, chunks: Array) -> list[tuple[str, str]]:
        found = [("", "")] * len(chunks)
        for member, positions, local in self.by_member(chunks):
            segment = member.segment
            places = np.arange(len(chunks))[positions].tolist()
            sizes = segment.name_bytes[local].tolist()
            for place, size, qualified in zip(places, sizes, segment.names.some(local), strict=True):
                found[place] = _own_and_scope(qualified, size)
        return found

    def place(self, chunk: int) -> tuple[str, int]:
        """Return a chunk's path and first row."""
        member, local = self.member_of(chunk)
        return member.segment.paths[int(member.segment.chunk_file[local])], int(member.segment.first_row[local])

    def chunk(self, number: int) -> Chunk:
        """Return a chunk with its text."""
        member, local = self.member_of(number)
        return member.segment.chunk(local, repository=member.repository)

    def _joined(self, arrays: Sequence[Array], dtype: type[np.generic]) -> Array:
        if not arrays:
            return np.zeros(0, dtype=dtype)
        return (
            arrays[0].astype(dtype, copy=False)
            if len(arrays) == 1
            else np.concatenate(arrays).astype(dtype, copy=False)
        )


def text_keys(terms: Iterable[str]) -> Array:
    """Return the keys of terms in the postings of texts, u64[terms]."""
    return np.array([_term_key(term) for term in terms], dtype=np.uint64)


_term_key = lru_cache(maxsize=REMEMBERED_TERMS)(term_hash)  # a search asks several times for those of its question


def path_keys(terms: Iterable[str]) -> Array:
    """Return the keys of terms in the postings of paths, u64[terms]."""
    return np.array([path_key(term) for term in terms], dtype=np.uint64)


def _form(kind: int, flags: int) -> Form:
    """Return a form by the codes that an index has for it."""
    return Form(KINDS[kind], bool(flags & DEFINES), bool(flags & CONTINUES))


def _ranks(texts: Sequence[str]) -> Array:
    """Return the place of each text among all of them, i64[n]; equal texts have the same."""
    place = {text: number for number, text in enumerate(sorted(set(texts)))}
    return np.array([place[text] for text in texts], dtype=np.int64)


@lru_cache(maxsize=REMEMBERED_SCOPES)
def _own_and_scope(qualified: str, size: int) -> tuple[str, str]:
    """Return the last `size` bytes of a qualified name, and the last name in what comes before them."""
    own = last_bytes(qualified, size)
    rest = qualified[: len(qualified) - len(own)]
    scope = LAST_NAME.search(rest.rstrip(".:#/ >")) if rest else None
    return own, scope[1] if scope else ""
