"""A segment: the chunks of a set of files in a folder that never changes once it is written.

arrays.bin  every table, the postings and the strings (coderag.index.storage.arrays.arrays)
text.bin    the files' texts, deflated block by block
vectors-KEY.bin  the vectors of the chunks by one encoder; another's may be added beside it (see storage.vectors)
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from coderag.errors import IndexDamagedError
from coderag.files.privacy.secrets.secret import Secret
from coderag.index.storage.arrays.arrays import Array, Arrays, damaged_array, mapped, open_arrays, write_arrays
from coderag.index.storage.arrays.deflated_strings import DeflatedStrings
from coderag.index.storage.arrays.inflate import GROUP_BYTES, REMEMBERED_BYTES, inflate, remembered, remembered_bytes
from coderag.index.storage.arrays.specs import check_arrays, within
from coderag.index.storage.arrays.stored import SEGMENT, TRIGRAMS
from coderag.index.storage.arrays.strings import Strings, last_bytes
from coderag.index.storage.columns import (
    BLOCK_BYTES,
    CONTINUES,
    DEFINES,
    DETAIL_GROUP,
    IN_TESTS,
    KINDS,
    SYMBOL_FIELDS,
    Columns,
    Details,
    FileRow,
    unpack_labels,
)
from coderag.index.storage.description import Description
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import SEGMENTS, SegmentEntry
from coderag.index.storage.postings import Postings
from coderag.index.storage.vectors import Vectors, damaged_vectors, open_vectors, write_vectors
from coderag.record import record
from coderag.types import Chunk, Kind, Span, Symbol

if TYPE_CHECKING:
    from coderag.index.storage.links import Links
    from coderag.sql.in_code.records import DataUses
    from coderag.sql.records import Facts

__all__ = ["ARRAYS", "TEXT", "HeldSegment", "Segment", "SegmentWriter"]

D = TypeVar("D")

ARRAYS, TEXT = "arrays.bin", "text.bin"
CACHED_GROUPS = 256  # of details, per segment
CACHED_BYTES = 8 << 20  # of blocks of text, per segment
# The texts of so many chunks, of up to so many characters: a search looks at those of its hits several times.
CACHED_TEXTS, SHORT_TEXT = 256, 1 << 14


class SegmentWriter:
    """Columns in, a segment's folder out."""

    def __init__(self, folder: IndexPath, *, vectors: str = "") -> None:
        """Begin a segment; `vectors` is the key of the encoder whose vectors come with the columns, "" for none."""
        self.folder = folder
        self._vectors = vectors
        folder.make_folder()
        self._text = (folder / TEXT).create()
        self._columns: list[Columns] = []
        self._block_sizes: list[int] = []
        self._text_checksum = 0
        self.chunks = 0
        self.files = 0

    def add(self, columns: Columns) -> None:
        """Add a batch; files and chunks are numbered on from the last one."""
        for block in columns.blocks:
            self._text.write(block)
            self._text_checksum = zlib.crc32(block, self._text_checksum)
            self._block_sizes.append(len(block))
        columns.blocks = []
        self._columns.append(columns)
        self.chunks += len(columns.chunks)
        self.files += len(columns.files)

    def abort(self) -> None:
        """Close the files; what is written so far stays for the caller to remove."""
        with suppress(OSError):  # on a full disk there may be bytes left that cannot be written
            self._text.close()

    def finish(self) -> None:
        """Write the tables; the caller syncs the folder and names it in a manifest."""
        self._text.close()
        from coderag.index.storage.segment_tables import SegmentTables  # a search writes none

        tables = SegmentTables(self._columns, self._block_sizes, self._text_checksum)
        write_arrays(self.folder / ARRAYS, tables.arrays())
        if self._vectors:
            write_vectors(self.folder, self._vectors, np.concatenate([columns.vectors for columns in self._columns]))


@record
class HeldSegment:
    """What the files of a segment would hold, of one that was never written."""

    arrays: Mapping[str, Array]
    text: Array  # u8[bytes]: the blocks, deflated
    vectors: Vectors | None


class Segment:
    """A segment opened for reading; nothing is read before it is asked for."""

    def __init__(self, folder: IndexPath, *, vectors: str = "", held: HeldSegment | None = None) -> None:
        """Open a segment, with the vectors of the encoder of a key where it has them; `held` stands for its files.

        Raises IndexDamagedError when a file is missing, truncated or not what was written.
        """
        self.folder = folder
        self.vectors_key = vectors
        self.arrays: Mapping[str, Array]
        if held is None:
            self.vectors: Vectors | None = open_vectors(folder, vectors) if vectors else None
            self.arrays = self._open_arrays()
        else:
            self.vectors, self.arrays = held.vectors, held.arrays
        arrays = self.arrays
        self._has_trigrams = not TRIGRAMS.keys().isdisjoint(arrays)
        self._size = len(arrays["chunk_file"])
        if self.vectors is not None and len(self.vectors) != self._size:
            raise self._damaged("it has another number of vectors")
        self.chunk_kind: Array = arrays["chunk_kind"]
        self.chunk_flags: Array = arrays["chunk_flags"]
        self.chunk_parent: Array = arrays["chunk_parent"]
        self.name_bytes: Array = arrays["chunk_name_bytes"]
        self.first_row: Array = arrays["chunk_first_row"]
        self.last_row: Array = arrays["chunk_last_row"]
        self.text_postings = Postings.from_packed(arrays, "text")
        self.path_postings = Postings.from_arrays(arrays, "path")
        self.symbol_postings = Postings.from_arrays(arrays, "symbol")
        self.paths = Strings(arrays["file_path_blob"], arrays["file_path_offsets"])
        self.names = Strings(arrays["chunk_name_blob"], arrays["chunk_name_offsets"])
        self.symbol_names = DeflatedStrings(
            arrays["symbol_name_blob"], arrays["symbol_name_offsets"], count=len(arrays["symbol_chunk"])
        )
        try:
            self._about = Description(bytes(arrays["meta"]))
        except ValueError as error:
            raise self._damaged(str(error)) from error
        self._text = self._open_text(int(arrays["block_offsets"][-1])) if held is None else held.text
        self._block = remembered_bytes(self._read_block, most=CACHED_BYTES)
        self._detail_group = remembered(self._small_details, most=CACHED_GROUPS)
        self._short_text = remembered(self._short_parts_and_text, most=CACHED_TEXTS)

    @classmethod
    def of(cls, folder: IndexPath, entry: SegmentEntry, *, vectors: str = "") -> Segment:
        """Open a segment that the manifest of an index names; raises IndexDamagedError."""
        segment = cls(folder / SEGMENTS / entry.name, vectors=vectors)
        if (len(segment.paths), len(segment)) != (entry.files, entry.chunks):
            raise segment._damaged("it has other files than the manifest says")
        return segment

    def __len__(self) -> int:
        """Return how many chunks there are."""
        return self._size

    @cached_property
    def chunk_file(self) -> Array:
        """The file of each chunk, i32[chunks]."""
        return within(self.arrays["chunk_file"], len(self.paths), what="chunk_file")

    @cached_property
    def symbol_chunk(self) -> Array:
        """The chunk of each definition that has no chunk of its own, [symbols]."""
        return within(self.arrays["symbol_chunk"], len(self), what="symbol_chunk")

    @property
    def languages(self) -> dict[str, str]:
        """The languages of the files, by code, each with what its files hold: a Content."""
        return self._about.languages

    @cached_property
    def _language_names(self) -> list[str]:
        return list(self.languages)

    @property
    def problems(self) -> dict[int, str]:
        """What went wrong with files, by their number."""
        return {number: self._about.problem(number) for number in self._about.files_with_problems()}

    @property
    def masked(self) -> dict[int, tuple[Secret, ...]]:
        """The secrets that files hold no longer, by the files' numbers."""
        return {number: self._about.masked(number) for number in self._about.files_masked()}

    def _open_arrays(self) -> Arrays:
        path = self.folder / ARRAYS
        arrays = open_arrays(path)
        check_arrays(path, arrays, SEGMENT if TRIGRAMS.keys().isdisjoint(arrays) else {**SEGMENT, **TRIGRAMS})
        return arrays

    def _open_text(self, size: int) -> Array:
        # With the segment, not on first use: an update removes the files that it replaces, and who opened them before
        # goes on reading them.
        path = self.folder / TEXT
        try:
            text = mapped(path)
        except OSError as error:
            raise self._damaged(f"{TEXT}: {error.strerror}") from error
        if len(text) != size:
            raise self._damaged(f"{TEXT} has {len(text)} bytes and should have {size}")
        return text

    def verify(self) -> None:
        """Compare every byte with its checksum; raises IndexDamagedError."""
        if (name := damaged_array(self.folder / ARRAYS)) is not None:
            raise self._damaged(f"{name} is not what was written")
        if zlib.crc32(self._text.data) != self._about.text_checksum:
            raise self._damaged(f"{TEXT} is not what was written")
        if self.vectors_key and (name := damaged_vectors(self.folder, self.vectors_key)) is not None:
            raise self._damaged(f"the {name} of its vectors are not what was written")

    def file(self, number: int) -> FileRow:
        """Return a file as it was when it was read."""
        arrays = self.arrays
        language = self._language_names[arrays["file_language"][number]]
        return FileRow(
            path=self.paths[number],
            size=int(arrays["file_size"][number]),
            blob=bytes(arrays["file_blob"][number]),
            treatment=int(arrays["file_treatment"][number]),
            language=language,
            content=self.languages[language],
            labels=int(arrays["file_labels"][number]),
            text_bytes=int(arrays["file_text_bytes"][number]),
            problem=self._about.problem(number),
            masked=self._about.masked(number),
        )

    def text(self, file: int, start: int = 0, end: int | None = None) -> bytes:
        """Return some bytes of a file's text."""
        first, size = self._text_of(file)
        return self._between(first, start, size if end is None else min(end, size))

    def _between(self, first: int, start: int, end: int) -> bytes:
        """Return some bytes of the text that begins with a block."""
        low, past = start // BLOCK_BYTES, -(-end // BLOCK_BYTES)
        blocks = [self._block(first + number) for number in range(low, past)]
        base = low * BLOCK_BYTES
        return (blocks[0] if len(blocks) == 1 else b"".join(blocks))[start - base : end - base]

    def _text_of(self, file: int) -> tuple[int, int]:
        """Return the first block of a file's text, and how many bytes there are."""
        first, past = self.arrays["file_first_block"][file : file + 2].tolist()
        size = int(self.arrays["file_text_bytes"][file])
        if not 0 <= first <= past < len(self.arrays["block_offsets"]) or size > (past - first) * BLOCK_BYTES:
            raise self._damaged(f"the text of file {file} is not there")
        return first, size

    def deflated_block(self, number: int) -> bytes:
        """Return a block of text as it is stored."""
        begin, end = self.arrays["block_offsets"][number : number + 2]
        return bytes(self._text[begin:end])

    def _read_block(self, number: int) -> bytes:
        try:
            return inflate(self.deflated_block(number), BLOCK_BYTES)
        except zlib.error as error:
            raise self._damaged(f"block {number} of {TEXT}: {error}") from error

    def _block_head(self, number: int, size: int) -> bytes:
        try:
            return zlib.decompressobj().decompress(self.deflated_block(number), size)
        except zlib.error as error:
            raise self._damaged(f"block {number} of {TEXT}: {error}") from error

    def may_contain(self, groups: Sequence[Sequence[bytes]]) -> Array:
        """Return which files may hold one literal of each group (storage.trigrams), bool[files]."""
        mask = np.ones(len(self.paths), dtype=bool)
        firsts = self.arrays["file_first_block"]
        for literals in groups if self._has_trigrams else ():
            before = np.concatenate([[0], np.cumsum(self.blocks_with(literals))])
            mask &= before[firsts[1:]] > before[firsts[:-1]]
        return mask

    def blocks_with(self, literals: Sequence[bytes]) -> Array:
        """Return which blocks of text may hold the beginning of one of some literals, bool[blocks]."""
        if not self._has_trigrams:
            return np.ones(len(self.arrays["block_offsets"]) - 1, dtype=bool)
        from coderag.index.storage.trigrams import may_contain

        return may_contain(self.arrays["trigram_blob"], self.arrays["trigram_offsets"], literals)

    def texts_of_blocks(self, file: int, blocks: Array, *, tail: int) -> Iterator[tuple[int, bytes]]:
        """Yield each run of some of a file's blocks, bool[blocks of the segment]: its first byte, and its text.

        A text goes on by up to `tail` bytes of the block behind the run, at most a block.
        """
        first, size = self._text_of(file)
        past = first + -(-size // BLOCK_BYTES)
        chosen = np.flatnonzero(blocks[first:past])
        for run in np.split(chosen, np.flatnonzero(np.diff(chosen) > 1) + 1) if len(chosen) else ():
            begin, end = first + int(run[0]), first + int(run[-1]) + 1
            pieces = [self._block(number) for number in range(begin, end)]
            if end < past:
                pieces.append(self._block_head(end, min(tail, BLOCK_BYTES)))
            start = (begin - first) * BLOCK_BYTES
            yield start, b"".join(pieces)[: size - start]

    def trigrams(self, number: int) -> bytes:
        """Return the signature of a block of text, b"" for none."""
        if not self._has_trigrams:
            return b""
        begin, end = self.arrays["trigram_offsets"][number : number + 2]
        return bytes(self.arrays["trigram_blob"][begin:end])

    def deflated_facts(self, number: int) -> bytes:
        """Return the facts of a file as they are stored, b"" for none."""
        begin, end = self.arrays["facts_offsets"][number : number + 2]
        return bytes(self.arrays["facts_blob"][begin:end])

    def files_with_facts(self) -> list[int]:
        """Return the numbers of the files that tell something of schemas."""
        numbers: list[int] = np.flatnonzero(np.diff(self.arrays["facts_offsets"])).tolist()
        return numbers

    def deflated_links(self, number: int) -> bytes:
        """Return the links of a file as they are stored, b"" for none."""
        begin, end = self.arrays["links_offsets"][number : number + 2]
        return bytes(self.arrays["links_blob"][begin:end])

    def links(self, number: int) -> Links:
        """Return the links of a file."""
        from coderag.index.storage.links import inflate_links  # a search needs none of it

        try:
            return inflate_links(self.deflated_links(number))
        except (zlib.error, ValueError) as error:
            raise self._damaged(f"links of file {number}: {error}") from error

    def uses(self, number: int) -> DataUses:
        """Return what a file of code does to tables."""
        from coderag.index.storage.links import inflate_uses  # a search needs none of it

        try:
            return inflate_uses(self.deflated_links(number))
        except (zlib.error, ValueError) as error:
            raise self._damaged(f"links of file {number}: {error}") from error

    def facts(self, number: int) -> Facts:
        """Return the facts of a file."""
        from coderag.index.storage.schema_operations import inflate_facts  # a search needs none of it

        try:
            return inflate_facts(self.deflated_facts(number))
        except (zlib.error, ValueError) as error:
            raise self._damaged(f"facts of file {number}: {error}") from error

    def parts(self, chunk: int) -> Array:
        """Return a chunk's parts, i32[parts, 4]: first row, last row, first byte, end byte."""
        begin, end = self.arrays["chunk_part_offsets"][chunk : chunk + 2]
        parts: Array = self.arrays["parts"][begin:end]
        self._check_parts(chunk, parts.tolist(), self._text_of(int(self.chunk_file[chunk]))[1])
        return parts

    def _check_parts(self, chunk: int, parts: list[list[int]], size: int) -> None:
        """Raise IndexDamagedError for parts that a text of a size has not."""
        room = size
        for first, last, start, stop in parts:
            room -= stop - start  # parts do not overlap
            if not 0 <= start <= stop or not 0 <= first <= last <= first + stop - start or room < 0:
                raise self._damaged(f"chunk {chunk} has parts that are not there")

    def _parts_and_text(self, chunk: int) -> tuple[list[list[int]], str]:
        """Return a chunk's parts as `parts` does, and the text of them."""
        return self._short_text(chunk) or self._read_text(chunk)

    def _read_text(self, chunk: int) -> tuple[list[list[int]], str]:
        first, size = self._text_of(int(self.chunk_file[chunk]))
        begin, end = self.arrays["chunk_part_offsets"][chunk : chunk + 2].tolist()
        parts: list[list[int]] = self.arrays["parts"][begin:end].tolist()
        self._check_parts(chunk, parts, size)
        pieces = [self._between(first, start, stop) for _, _, start, stop in parts]
        return parts, (pieces[0] if len(pieces) == 1 else b"".join(pieces)).decode("utf-8", "replace")

    def _short_parts_and_text(self, chunk: int) -> tuple[list[list[int]], str] | None:
        """Return the parts and the text of a chunk, None for one that takes too much to be remembered."""
        found = self._read_text(chunk)
        return found if len(found[1]) <= SHORT_TEXT else None

    def details(self, chunk: int) -> Details:
        """Return what only a shown chunk needs."""
        return self._details(chunk, Details.decoded)

    def _details(self, chunk: int, decoded: Callable[[bytes], D]) -> D:
        groups = self.arrays["detail_groups"]
        group = int(groups.searchsorted(chunk, "right")) - 1
        try:
            lines = self._detail_group(group) or self._read_details(group)
            return decoded(lines[chunk - int(groups[group])])
        except (zlib.error, ValueError, IndexError) as error:
            raise self._damaged(f"details {group}: {error}") from error

    def _read_details(self, group: int) -> list[bytes]:
        begin, end = self.arrays["detail_offsets"][group : group + 2]
        return inflate(bytes(self.arrays["detail_blob"][begin:end]), GROUP_BYTES).split(b"\n", DETAIL_GROUP)

    def _small_details(self, group: int) -> list[bytes]:
        """Return the lines of a group, [] for one that takes too much to be remembered."""
        lines = self._read_details(group)
        return lines if sum(map(len, lines)) <= REMEMBERED_BYTES else []

    def name(self, chunk: int) -> str:
        """Return a chunk's own name, without what qualifies it."""
        return last_bytes(self.names[chunk], int(self.arrays["chunk_name_bytes"][chunk]))

    def chunk_text(self, number: int) -> str:
        """Return the text of a chunk: its parts, joined."""
        return self._parts_and_text(number)[1]

    def chunk(self, number: int, *, repository: str = "") -> Chunk:
        """Return a chunk with its text."""
        file = int(self.chunk_file[number])
        parts, text = self._parts_and_text(number)
        details = self.details(number)
        parent = int(self.chunk_parent[number])
        qualified_name = self.names[number]
        return Chunk(
            path=self.paths[file],
            language=self._language_names[self.arrays["file_language"][file]],
            kind=KINDS[self.chunk_kind[number]],
            name=last_bytes(qualified_name, int(self.arrays["chunk_name_bytes"][number])),
            qualified_name=qualified_name,
            span=Span(int(self.first_row[number]) + 1, int(self.last_row[number]) + 1),
            parts=tuple(Span(first + 1, last + 1) for first, last, _, _ in parts),
            text=text,
            signature=details.signature,
            doc=details.doc,
            decorators=details.decorators,
            imports=details.imports,
            calls=details.calls,
            parent=self.names[parent] if parent >= 0 else "",
            members=tuple(self._details(member, Details.decoded_signature) for member in self._members(number)),
            labels=self._labels(number),
            repository=repository,
            id=f"{int(self.arrays['chunk_id'][number]):016x}",
        )

    def _labels(self, number: int) -> frozenset[str]:
        """Return the labels of a chunk: those of its file, and of the tests in it."""
        labels = unpack_labels(int(self.arrays["file_labels"][self.chunk_file[number]]))
        return labels | {"test"} if self.chunk_flags[number] & IN_TESTS else labels

    def _members(self, number: int) -> list[int]:
        """Return the chunks that are defined directly inside a type or module, in order."""
        if not self.chunk_flags[number] & DEFINES or KINDS[self.chunk_kind[number]] in (Kind.FUNCTION, Kind.METHOD):
            return []
        file = self.chunk_file[number]
        first, past = self.chunk_file.searchsorted(file), self.chunk_file.searchsorted(file, "right")
        inside = np.flatnonzero(self.chunk_parent[first:past] == number) + first
        members: list[int] = inside[(self.chunk_flags[inside] & (DEFINES | CONTINUES)) == DEFINES].tolist()
        return members

    def symbol(self, number: int, *, repository: str = "") -> Symbol:
        """Return a definition by its number in the postings of symbols: a chunk's, or beyond them a symbol's."""
        if number < len(self):
            details = self.details(number)
            return Symbol(
                name=self.name(number),
                qualified_name=self.names[number],
                kind=KINDS[self.chunk_kind[number]],
                span=Span(int(self.first_row[number]) + 1, int(self.last_row[number]) + 1),
                signature=details.signature,
                doc=details.doc,
                path=self.paths[int(self.chunk_file[number])],
                repository=repository,
            )
        row = number - len(self)
        chunk, kind, first, rows, name_bytes = (int(self.arrays[f"symbol_{name}"][row]) for name in SYMBOL_FIELDS)
        qualified_name = self.symbol_names[row]
        return Symbol(
            name=last_bytes(qualified_name, name_bytes),
            qualified_name=qualified_name,
            kind=Kind(KINDS[kind]),
            span=Span(first + 1, first + rows),
            path=self.paths[int(self.chunk_file[chunk])],
            repository=repository,
        )

    def outline(self, file: int, *, repository: str = "") -> list[Symbol]:
        """Return the definitions of a file in order of their lines."""
        chunks = np.flatnonzero(self.chunk_file == file)
        defining = chunks[(self.chunk_flags[chunks] & (DEFINES | CONTINUES)) == DEFINES].tolist()
        inner = np.flatnonzero(np.isin(self.symbol_chunk, chunks)) + len(self)
        symbols = [self.symbol(number, repository=repository) for number in (*defining, *inner.tolist())]
        return sorted(symbols, key=lambda symbol: (symbol.span.start_line, -symbol.span.end_line))

    def definition_names(self) -> list[tuple[int, str]]:
        """Return every definition that is a chunk or a symbol: its number and its name."""
        flags = self.chunk_flags
        defining = np.flatnonzero((flags & (DEFINES | CONTINUES)) == DEFINES).tolist()
        names, sizes = self.names.all(), self.arrays["chunk_name_bytes"].tolist()
        found = [(number, last_bytes(names[number], sizes[number])) for number in defining]
        sizes = self.arrays["symbol_name_bytes"].tolist()
        for number, (name, size) in enumerate(zip(self.symbol_names.all(), sizes, strict=True), start=len(self)):
            found.append((number, last_bytes(name, size)))
        return found

    def inner_kind(self, number: int) -> Kind:
        """Return the kind of a definition that is no chunk of its own."""
        kind: Kind = KINDS[self.arrays["symbol_kind"][number - len(self)]]
        return kind

    def chunk_of_definition(self, number: int) -> int:
        """Return the chunk that holds a definition."""
        return number if number < len(self) else int(self.symbol_chunk[number - len(self)])

    def _damaged(self, what: str) -> IndexDamagedError:
        return IndexDamagedError(
            f'the index segment {self.folder} is damaged ({what}); run "coderag index", with --rebuild if that finds '
            "nothing"
        )
