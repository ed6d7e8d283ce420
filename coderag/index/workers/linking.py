"""A file that was read to its links: its definitions, what it mentions, and what it does to tables."""

from __future__ import annotations

from collections.abc import Sequence

from coderag.chunking.chunk import ChunkSpec
from coderag.chunking.document_references import document_references
from coderag.frameworks.usage.file_usage import read_uses
from coderag.index.storage.links import Defined, Links
from coderag.syntax.lines import Lines
from coderag.syntax.outline import Outline
from coderag.syntax.parsed import Parsed
from coderag.syntax.references.reader import read_references

__all__ = ["code_links", "document_links"]


def code_links(parsed: Parsed, outline: Outline, *, path: str) -> Links:
    """Return the links of a file of code."""
    return Links(_defined(outline), read_references(parsed, outline), read_uses(parsed, outline, path=path))


def document_links(lines: Lines, drafts: Sequence[ChunkSpec]) -> Links:
    """Return the links of a document; its sections are its definitions."""
    mentions = document_references(lines, drafts)
    if not mentions.mentions:
        return Links()
    sections = tuple(
        Defined(
            one.name, one.qualified_name, one.kind, one.parent, one.first_row, max(one.row, one.first_row), one.last_row
        )
        for one in drafts
    )
    return Links(sections, mentions)


def _defined(outline: Outline) -> tuple[Defined, ...]:
    return tuple(
        Defined(one.name, one.qualified_name, one.kind, one.parent, one.first_row, one.row, one.last_row)
        for one in outline.definitions
    )
