"""One file on disk to the definitions in it, without an index."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from coderag.chunking.chunk import ChunkSpec
from coderag.errors import QueryError
from coderag.files.decode import read_file
from coderag.files.named_file import read_named
from coderag.files.privacy.secrets.masking import mask_secrets
from coderag.files.walk import Skipped, SourceFile
from coderag.index.workers.readers import read_chunks
from coderag.limits import MAX_BYTES
from coderag.syntax.language import Language, detect, detect_interpreter
from coderag.syntax.outline import Definition
from coderag.types import Kind, Span, Symbol

__all__ = ["FileOutline", "outline_file"]

FIRST_LINE_BYTES = 256  # enough for a "#!" line
DOCUMENT_KINDS = frozenset({Kind.SECTION, Kind.CELL})


@dataclass(frozen=True, slots=True)
class FileOutline:
    """What a file defines; of a document, its sections or cells."""

    path: str  # as it was asked for
    language: str
    lines: int
    symbols: tuple[Symbol, ...]  # in order of their lines, the outer one first
    problem: str = ""  # why it was read in part or not at all


def outline_file(path: str) -> FileOutline:
    """Return the definitions of a file; raises OSError, and QueryError when it is no text in a known language."""
    real = Path(os.path.realpath(path))
    language = _language(real, path)
    status = real.stat()
    if status.st_size > MAX_BYTES.most:
        raise QueryError(f"{path!r} has {status.st_size:,} bytes, and outlines are of at most {MAX_BYTES.most:,}")
    file = SourceFile(real.name, status.st_size, status.st_mtime_ns, status.st_ino, language.name, frozenset())
    decoded = read_file(real.parent, file, max_bytes=max(status.st_size, 1))
    if isinstance(decoded, Skipped):
        detail = f" ({decoded.detail})" if decoded.detail else ""
        raise QueryError(f"{path!r} has no outline: {decoded.reason}{detail}")
    read = read_chunks(mask_secrets(decoded.data, path=real.name).data, language, path=real.name)
    symbols = [_symbol(definition, path) for definition in read.outline.definitions]
    if not symbols:
        symbols = [
            _symbol(draft, path) for draft in read.drafts if draft.kind in DOCUMENT_KINDS and not draft.continues
        ]
    symbols.sort(key=lambda symbol: (symbol.span.start_line, -symbol.span.end_line))
    return FileOutline(path, language.name, len(read.lines), tuple(symbols), read.problem)


def _language(real: Path, path: str) -> Language:
    first_line = read_named(real, FIRST_LINE_BYTES).split(b"\n")[0]
    language = detect(real.name) or detect_interpreter(first_line)
    if language is None:
        raise QueryError(f'the language of {path!r} is not known; run "coderag languages" for the list')
    return language


def _symbol(one: Definition | ChunkSpec, path: str) -> Symbol:
    span = Span(one.first_row + 1, one.last_row + 1)
    return Symbol(one.name, one.qualified_name, one.kind, span, one.signature, one.doc, path)
