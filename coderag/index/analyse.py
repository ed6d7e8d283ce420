"""Files to columns: read, outline, chunk and tokenise them. This is what a worker does."""

from __future__ import annotations

import json
import zlib
from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b

import numpy as np

from coderag.index.arrays import Array
from coderag.index.columns import (
    BLOCK_BYTES,
    CONTINUES,
    DEFINES,
    DETAIL_GROUP,
    KINDS,
    SYMBOL_FIELDS,
    Columns,
    Details,
    FileRow,
    pack_labels,
)
from coderag.index.facts import deflate_facts
from coderag.index.keys import NO_KEYS, definition_keys, definition_table
from coderag.index.readers import ReadFile, read_chunks
from coderag.index.sparse import saturate
from coderag.models.encoder import quantised
from coderag.models.static import PassageWords, StaticEncoder, shipped_encoder
from coderag.reading.chunk import Draft
from coderag.reading.decode import Decoded, read_file
from coderag.reading.language import claimed, languages
from coderag.reading.lines import Lines
from coderag.reading.walk import MAX_BYTES, Skipped, SkipReason, SourceFile
from coderag.text.tokens import MAX_REMEMBERED, Vocabulary, raw_words

__all__ = ["FIELDS", "analyse", "deflate_details"]

K1 = 1.2  # saturation of a term's weight


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a chunk in BM25F: what a word in it weighs, and how its length counts."""

    weight: float
    pivot: float = 1.0  # the length in terms at which the weight holds as it is
    b: float = 0.0  # 0: length does not matter; 1: weight falls in proportion to length


# Pivots are constants instead of the corpus' averages: a chunk's weights then depend on nothing but the chunk, so
# segments can be built apart and merged, and an updated index ranks like a fresh one.
FIELDS: dict[str, Field] = {
    "name": Field(4.0),
    "scope": Field(1.0),
    "path": Field(1.5),
    "signature": Field(1.0),
    "doc": Field(1.0),
    "members": Field(1.0, pivot=20, b=0.5),
    "body": Field(1.0, pivot=90, b=0.6),
}
KIND_CODES = {kind: code for code, kind in enumerate(KINDS)}
IMPORT_KEYWORDS = frozenset(
    """as crate default export from import in include mod of package pub require require_once self static super type use
    using""".split()
)


def analyse(
    root: str,
    files: Sequence[SourceFile],
    *,
    as_lines: Collection[int] = (),
    left_out: Collection[int] = (),
    embed: bool = False,
    started: Callable[[int], object] | None = None,
) -> tuple[Columns, list[Skipped]]:
    """Return the columns of files below a root, and the files that turned out not to be text.

    With `embed`, the chunks have the vectors of the shipped encoder. No grammar touches those whose positions are in
    `as_lines`: files that crash or stall one. What is in `left_out` is not read at all. `started` hears the position
    of each file before it is read.
    """
    builder = _Builder(shipped_encoder() if embed else None)
    skipped: list[Skipped] = []
    for position, file in enumerate(files):
        if started is not None:
            started(position)
        if position in left_out:
            skipped.append(Skipped(file.path, SkipReason.UNREADABLE, "reading it crashed or did not end"))
            continue
        # The size was allowed when the file was listed, whatever the limit is; here it only bounds what may have grown.
        decoded = read_file(root, file, max_bytes=max(file.size, MAX_BYTES))
        if isinstance(decoded, Skipped):
            skipped.append(decoded)
        else:
            builder.add(file, decoded, as_lines=position in as_lines)
    return builder.columns(), skipped


@cache
def _only_vocabulary() -> list[Vocabulary]:
    return [Vocabulary()]


def _remembered() -> Vocabulary:
    """Return this process' vocabulary: words met in one batch need not be taken apart again in the next."""
    holder = _only_vocabulary()
    if len(holder[0]) > MAX_REMEMBERED:
        holder[0] = Vocabulary()
    return holder[0]


class _Builder:
    """Columns while files are added."""

    def __init__(self, encoder: StaticEncoder | None) -> None:
        self._encoder = encoder
        self._passages: list[PassageWords] = []
        self._files: list[FileRow] = []
        self._facts: list[bytes] = []
        self._blocks: list[bytes] = []
        self._chunks: list[tuple[int, ...]] = []
        self._ids: list[int] = []
        self._names: list[str] = []
        self._keys: list[tuple[int, int]] = []
        self._details: list[Details] = []
        self._parts: list[tuple[int, int, int, int]] = []
        self._symbols: list[tuple[int, ...]] = []
        self._symbol_names: list[str] = []
        self._symbol_keys: list[tuple[int, int]] = []
        self._vocabulary = _remembered()
        self._terms = _Terms(self._vocabulary)

    def add(self, file: SourceFile, decoded: Decoded, *, as_lines: bool) -> None:
        """Add a file's chunks."""
        language = claimed(file.path, decoded.data, languages()[file.language])
        read = read_chunks(
            decoded.data, language, path=file.path, as_lines=as_lines, dialect=file.dialect, mask=file.mask
        )
        data = read.lines.data
        self._blocks += [zlib.compress(data[at : at + BLOCK_BYTES], 1) for at in range(0, len(data), BLOCK_BYTES)]
        base = len(self._chunks)
        number = len(self._files)
        self._files.append(
            FileRow(
                path=file.path,
                size=file.size,
                mtime_ns=file.mtime_ns,
                inode=file.inode,
                digest=int.from_bytes(blake2b(decoded.data, digest_size=8).digest(), "little"),
                language=language.name,
                content=str(language.content),
                labels=pack_labels(file.labels | decoded.labels),
                text_bytes=len(data),
                problem=read.problem,
            )
        )
        self._facts.append(deflate_facts(read.facts))
        names = frozenset().union(*(one.names for one in read.outline.imports)) - IMPORT_KEYWORDS
        imported = frozenset(name.encode() for name in names)
        path_words = raw_words(file.path.encode("utf-8", "replace"))
        members = _member_names(read.drafts)
        for position, draft in enumerate(read.drafts):
            self._add_chunk(
                draft,
                lines=read.lines,
                file=file.path,
                number=number,
                base=base,
                imported=imported,
                path_words=path_words,
                members=members.get(position, ""),
            )
        self._add_symbols(read, base)

    def _add_chunk(
        self,
        draft: Draft,
        *,
        lines: Lines,
        file: str,
        number: int,
        base: int,
        imported: frozenset[bytes],
        path_words: list[bytes],
        members: str,
    ) -> None:
        raw = lines.text(draft.parts)
        self._chunks.append(
            (
                number,
                KIND_CODES[draft.kind],
                draft.first_row,
                draft.last_row,
                base + draft.parent if draft.parent >= 0 else -1,
                len(draft.parts),
                len(draft.name.encode("utf-8", "surrogateescape")),
                DEFINES * (draft.definition >= 0) | CONTINUES * draft.continues,
            )
        )
        identity = b"\0".join(
            (file.encode("utf-8", "surrogateescape"), draft.qualified_name.encode("utf-8", "surrogateescape"), raw)
        )
        self._ids.append(int.from_bytes(blake2b(identity, digest_size=8).digest(), "little"))
        self._names.append(draft.qualified_name)
        defines = draft.definition >= 0 and not draft.continues
        self._keys.append(definition_keys(draft.qualified_name) if defines else NO_KEYS)
        self._parts += [(first, last, lines.starts[first], lines.ends[last]) for first, last in draft.parts]
        body = raw_words(raw)
        used = tuple(sorted(one.decode() for one in imported.intersection(body))) if imported else ()
        self._details.append(Details(draft.signature, draft.doc, draft.decorators, used, draft.calls))
        scope = draft.qualified_name[: -len(draft.name)] if draft.name else draft.qualified_name
        name_words, scope_words = _words(draft.name), _words(scope)
        if self._encoder is not None:
            self._passages.append(PassageWords(name_words, scope_words, path_words, body))
        numbers = self._vocabulary.numbers
        self._terms.add(
            (
                numbers(name_words),
                numbers(scope_words),
                numbers(path_words),
                numbers(_words(draft.signature)),
                numbers(_words(draft.doc)),
                numbers(_words(members)),
                numbers(body),
            )
        )

    def _add_symbols(self, read: ReadFile, base: int) -> None:
        """Add the definitions that are no chunk of their own, each with the chunk that holds its first row."""
        own = {draft.definition for draft in read.drafts if draft.definition >= 0}
        rest = [position for position in range(len(read.outline.definitions)) if position not in own]
        if not rest:
            return
        rows = sorted((part[0], part[1], chunk) for chunk, draft in enumerate(read.drafts) for part in draft.parts)
        firsts = [first for first, _, _ in rows]
        for position in rest:
            one = read.outline.definitions[position]
            at = bisect_right(firsts, one.row) - 1
            if at >= 0 and one.row <= rows[at][1]:
                name_bytes = len(one.name.encode("utf-8", "surrogateescape"))
                row = (base + rows[at][2], KIND_CODES[one.kind], one.first_row, one.last_row, name_bytes)
                self._symbols.append(row)
                self._symbol_names.append(one.qualified_name)
                self._symbol_keys.append(definition_keys(one.qualified_name))

    def columns(self) -> Columns:
        """Return what was added."""
        vocabulary, terms, docs, weights = self._terms.postings()
        groups = range(0, len(self._details), DETAIL_GROUP)
        return Columns(
            files=self._files,
            blocks=self._blocks,
            chunks=np.array(self._chunks, dtype=np.int32).reshape(-1, 8),
            chunk_ids=np.array(self._ids, dtype=np.uint64),
            chunk_names=self._names,
            chunk_keys=definition_table(self._keys),
            details=[deflate_details(self._details[at : at + DETAIL_GROUP]) for at in groups],
            parts=np.array(self._parts, dtype=np.int32).reshape(-1, 4),
            symbols=np.array(self._symbols, dtype=np.int32).reshape(-1, len(SYMBOL_FIELDS)),
            symbol_names=self._symbol_names,
            symbol_keys=definition_table(self._symbol_keys),
            vocabulary=vocabulary,
            posting_terms=terms,
            posting_docs=docs,
            posting_weights=weights,
            vectors=self._vectors(),
            facts=self._facts,
        )

    def _vectors(self) -> Array:
        if self._encoder is None:
            return np.zeros((len(self._chunks), 0), dtype=np.int8)
        return quantised(self._encoder.encode_words(self._passages))


def _words(text: str) -> list[bytes]:
    return raw_words(text.encode("utf-8", "replace")) if text else []


def deflate_details(details: Sequence[Details]) -> bytes:
    """Return the details of some chunks as they are stored: a line of JSON each, so that one is read alone."""
    lines = (json.dumps(one, separators=(",", ":"), ensure_ascii=False) for one in details)
    return zlib.compress("\n".join(lines).encode("utf-8", "replace"), 1)


def _member_names(drafts: Sequence[Draft]) -> dict[int, str]:
    """Return the names of the definitions below each chunk that frames others, as one text."""
    names: dict[int, list[str]] = {}
    for draft in drafts:
        if draft.parent >= 0 and draft.definition >= 0 and not draft.continues:
            names.setdefault(draft.parent, []).append(draft.name)
    return {position: " ".join(found) for position, found in names.items()}


class _Terms:
    """The terms of chunks, field by field, until they become postings."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._flat: list[int] = []
        self._lengths: list[int] = []  # of each field of each chunk, in the order of FIELDS

    def add(self, fields: Sequence[list[int]]) -> None:
        """Add a chunk: the numbers of the terms of each field, in the order of FIELDS."""
        for numbers in fields:
            self._flat += numbers
            self._lengths.append(len(numbers))

    def postings(self) -> tuple[Array, Array, Array, Array]:
        """Return (vocabulary u64, term u32, chunk u32, weight u8); a (term, chunk) pair appears once."""
        lengths = np.array(self._lengths, dtype=np.int64).reshape(-1, len(FIELDS))
        vocabulary, terms = self._used_terms()
        # One sort brings equal (chunk, term, field) together: 20 bits hold a batch's chunks, 40 its terms.
        places = np.repeat(np.arange(lengths.size, dtype=np.int64), lengths.ravel())
        docs, fields = np.divmod(places, len(FIELDS))
        keys = docs << 43 | terms << 3 | fields
        keys.sort()
        pairs = keys >> 3
        starts = np.flatnonzero(np.diff(pairs, prepend=-1))
        docs = pairs >> 40
        summed = np.add.reduceat(_shares(lengths)[docs, keys & 7], starts) if len(starts) else np.zeros(0)
        found_terms = pairs[starts] & ((1 << 40) - 1)
        return vocabulary, found_terms.astype(np.uint32), docs[starts].astype(np.uint32), saturate(summed, K1)

    def _used_terms(self) -> tuple[Array, Array]:
        """Return the hashes of the terms that occur, u64[terms], and every occurrence as a position among them."""
        flat = np.array(self._flat, dtype=np.int64)
        hashes = self._vocabulary.hashes()
        used = np.zeros(len(hashes), dtype=bool)
        used[flat] = True
        return hashes[used], (np.cumsum(used) - 1)[flat]


def _shares(lengths: Array) -> Array:
    """Return what a word weighs in each field of each chunk, f64[chunks, fields], from the fields' lengths."""
    return np.stack(
        [
            field.weight / (1 - field.b + field.b * np.maximum(lengths[:, at], field.pivot / 4) / field.pivot)
            for at, field in enumerate(FIELDS.values())
        ],
        axis=1,
    )
