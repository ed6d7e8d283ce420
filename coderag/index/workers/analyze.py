"""Files to columns: read, outline, chunk and tokenise them. This is what a worker does."""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from hashlib import blake2b

import numpy as np

from coderag.chunking.chunk import ChunkSpec
from coderag.encoders.encoder import quantised
from coderag.encoders.static import NumberedWords, StaticEncoder, shipped_encoder
from coderag.files.decode import Contents, Decoded, read_file
from coderag.files.privacy.secrets.masking import Masked, mask_secrets
from coderag.files.walk import MAX_BYTES, Skipped, SkipReason, SourceFile
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.details import deflate_details
from coderag.index.storage.arrays.keys import NO_KEYS, definition_keys, definition_table, treatment_of
from coderag.index.storage.columns import (
    BLOCK_BYTES,
    CONTINUES,
    DEFINES,
    DETAIL_GROUP,
    IN_TESTS,
    KINDS,
    SYMBOL_FIELDS,
    TEXT_LEVEL,
    Columns,
    Details,
    FileRow,
    pack_labels,
)
from coderag.index.storage.links import deflate_links
from coderag.index.storage.schema_operations import deflate_facts
from coderag.index.storage.trigrams import signatures
from coderag.index.workers.field_terms import FieldTerms
from coderag.index.workers.readers import ReadFile, read_chunks
from coderag.index.workers.test_scopes import test_scope
from coderag.syntax.language import claimed, languages
from coderag.syntax.lines import Lines
from coderag.text.tokens import MAX_REMEMBERED, raw_words
from coderag.text.vocabulary import Vocabulary
from coderag.text.word_numbers import WordTable

__all__ = ["analyze"]

NO_FAILURES: Mapping[int, str] = {}
KIND_CODES = {kind: code for code, kind in enumerate(KINDS)}
IMPORT_KEYWORDS = frozenset(
    """as crate default export from import in include mod of package pub require require_once self static super type use
    using""".split()
)


def analyze(
    root: str | Contents,
    files: Sequence[SourceFile],
    *,
    as_lines: Mapping[int, str] = NO_FAILURES,
    left_out: Mapping[int, str] = NO_FAILURES,
    embed: bool = False,
    mask: bool = True,
    started: Callable[[int], object] | None = None,
) -> tuple[Columns, list[Skipped]]:
    """Return the columns of files below a root, and the files that turned out not to be text.

    The contents of the files may stand in place of the root.
    With `embed`, the chunks have the vectors of the shipped encoder; with `mask`, secrets are covered. No grammar
    touches those whose positions are in `as_lines`, with the reason: files that crash or stall one. What is in
    `left_out` is not read at all. `started` hears the position of each file before it is read, and the number of files
    when all are.
    """
    builder = _Builder(shipped_encoder() if embed else None, mask=mask)
    skipped: list[Skipped] = []
    for position, file in enumerate(files):
        if started is not None:
            started(position)
        if position in left_out:
            skipped.append(Skipped(file.path, SkipReason.UNREADABLE, left_out[position]))
            continue
        # The size was allowed when the file was listed, whatever the limit is; here it only bounds what may have grown.
        decoded = read_file(root, file, max_bytes=max(file.size, MAX_BYTES))
        if isinstance(decoded, Skipped):
            skipped.append(decoded)
        else:
            builder.add(file, decoded, failed=as_lines.get(position, ""))
    if started is not None:
        started(len(files))
    return builder.columns(), skipped


class _Remembered:
    """Words that were met: those of one batch need not be taken apart again in the next."""

    def __init__(self) -> None:
        self.vocabulary = Vocabulary()
        self._rows: WordTable | None = None

    def rows(self, encoder: StaticEncoder) -> WordTable:
        """Return the rows of words in the shipped encoder."""
        if self._rows is None:
            self._rows = encoder.word_rows(self.vocabulary.words)
        return self._rows


@cache
def _only_holder() -> list[_Remembered]:
    return [_Remembered()]


def _remembered() -> _Remembered:
    """Return what this process remembers."""
    holder = _only_holder()
    if len(holder[0].vocabulary.words) > MAX_REMEMBERED:
        holder[0] = _Remembered()
    return holder[0]


class _Builder:
    """Columns while files are added."""

    def __init__(self, encoder: StaticEncoder | None, *, mask: bool) -> None:
        self._mask = mask
        self._encoder = encoder
        self._files: list[FileRow] = []
        self._facts: list[bytes] = []
        self._links: list[bytes] = []
        self._trigrams: list[bytes] = []
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
        self._remembered = _remembered()
        self._terms = FieldTerms(self._remembered.vocabulary)

    def add(self, file: SourceFile, decoded: Decoded, *, failed: str) -> None:
        """Add a file's chunks; `failed` says why its reader did before."""
        # Before anything looks at the text: what is covered here is nowhere.
        masked = mask_secrets(decoded.data, path=file.path) if self._mask else Masked(decoded.data)
        language = claimed(file.path, masked.data, languages()[file.language])
        read = read_chunks(masked.data, language, path=file.path, failed=failed, dialect=file.dialect, mask=file.mask)
        data = read.lines.data
        pieces = (data[at : at + BLOCK_BYTES] for at in range(0, len(data), BLOCK_BYTES))
        self._blocks += [zlib.compress(piece, TEXT_LEVEL) for piece in pieces]
        base = len(self._chunks)
        number = len(self._files)
        self._files.append(
            FileRow(
                path=file.path,
                size=file.size,
                blob=decoded.blob,
                treatment=treatment_of(file),
                language=language.name,
                content=str(language.content),
                labels=pack_labels(file.labels | decoded.labels),
                text_bytes=len(data),
                problem=read.problem,
                masked=masked.secrets,
            )
        )
        self._facts.append(deflate_facts(read.facts))
        self._links.append(deflate_links(read.links))
        self._trigrams += signatures(data, BLOCK_BYTES)
        names = frozenset().union(*(import_.names for import_ in read.outline.imports)) - IMPORT_KEYWORDS
        imported = frozenset(name.encode() for name in names)
        path_words = raw_words(file.path.encode("utf-8", "replace"))
        members = _member_names(read.drafts)
        in_tests = test_scope(language)
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
                in_tests=in_tests(draft.qualified_name, draft.kind),
            )
        self._add_symbols(read, base)

    def _add_chunk(
        self,
        draft: ChunkSpec,
        *,
        lines: Lines,
        file: str,
        number: int,
        base: int,
        imported: frozenset[bytes],
        path_words: list[bytes],
        members: str,
        in_tests: bool,
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
                _size(draft.name),
                DEFINES * (draft.definition >= 0) | CONTINUES * draft.continues | IN_TESTS * in_tests,
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
        signature_words, doc_words, member_words = _words(draft.signature), _words(draft.doc), _words(members)
        self._terms.add((name_words, scope_words, path_words, signature_words, doc_words, member_words, body))

    def _add_symbols(self, read: ReadFile, base: int) -> None:
        """Add the definitions that are no chunk of their own, each with the chunk that holds its first row."""
        own = {draft.definition for draft in read.drafts if draft.definition >= 0}
        rest = [position for position in range(len(read.outline.definitions)) if position not in own]
        if not rest:
            return
        rows = sorted((part[0], part[1], chunk) for chunk, draft in enumerate(read.drafts) for part in draft.parts)
        firsts = [first for first, _, _ in rows]
        for position in rest:
            definition = read.outline.definitions[position]
            at = bisect_right(firsts, definition.row) - 1
            if at >= 0 and definition.row <= rows[at][1]:
                size, name_bytes = definition.last_row - definition.first_row + 1, _size(definition.name)
                self._symbols.append(
                    (base + rows[at][2], KIND_CODES[definition.kind], definition.first_row, size, name_bytes)
                )
                self._symbol_names.append(definition.qualified_name)
                self._symbol_keys.append(definition_keys(definition.qualified_name))

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
            links=self._links,
            trigrams=self._trigrams,
        )

    def _vectors(self) -> Array:
        if self._encoder is None:
            return np.zeros((len(self._chunks), 0), dtype=np.int8)
        fields = [
            NumberedWords(*self._terms.first_words(name, most))
            for name, most in zip(("body", "name", "scope", "path"), self._encoder.most_words, strict=True)
        ]
        rows = self._remembered.rows(self._encoder)
        return quantised(self._encoder.encode_numbered(fields, rows, passages=len(self._chunks)))


def _size(name: str) -> int:
    """Return the bytes of a name in UTF-8."""
    return len(name) if name.isascii() else len(name.encode("utf-8", "surrogateescape"))


def _words(text: str) -> list[bytes]:
    return raw_words(text.encode("utf-8", "replace")) if text else []


def _member_names(drafts: Sequence[ChunkSpec]) -> dict[int, str]:
    """Return the names of the definitions below each chunk that frames others, as one text."""
    names: dict[int, list[str]] = {}
    for draft in drafts:
        if draft.parent >= 0 and draft.definition >= 0 and not draft.continues:
            names.setdefault(draft.parent, []).append(draft.name)
    return {position: " ".join(found) for position, found in names.items()}
