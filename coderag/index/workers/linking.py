"""A file that was read to its links: its definitions, what it mentions, and what it does to tables."""

from __future__ import annotations

from collections.abc import Sequence

from coderag.chunking.chunk import ChunkSpec
from coderag.chunking.document_references import document_references
from coderag.frameworks.usage.file_usage import read_uses
from coderag.frameworks.usage.query_files import Queries
from coderag.index.storage.links import Defined, Links
from coderag.syntax.components import with_markup
from coderag.syntax.lines import Lines
from coderag.syntax.outline import Outline
from coderag.syntax.parsed import Parsed
from coderag.syntax.references.reader import read_references

__all__ = ["code_links", "component_links", "document_links", "query_links"]


def code_links(parsed: Parsed, outline: Outline, *, path: str) -> Links:
    """Return the links of a file of code."""
    return Links(_defined(outline), read_references(parsed, outline), read_uses(parsed, outline, path=path))


def component_links(parsed: Parsed, outline: Outline, lines: Lines, *, path: str) -> Links:
    """Return the links of a component: those of its scripts, and what its markup mentions of them."""
    references = with_markup(read_references(parsed, outline), lines, outline)
    return Links(_defined(outline), references, read_uses(parsed, outline, path=path))


def query_links(queries: Queries) -> Links:
    """Return the links of a file of queries."""
    return Links(_defined(queries.outline), queries.references, queries.uses)


def document_links(lines: Lines, drafts: Sequence[ChunkSpec]) -> Links:
    """Return the links of a document; its sections are its definitions."""
    mentions = document_references(lines, drafts)
    if not mentions.mentions:
        return Links()
    sections = tuple(
        Defined(
            draft.name,
            draft.qualified_name,
            draft.kind,
            draft.parent,
            draft.first_row,
            max(draft.row, draft.first_row),
            draft.last_row,
        )
        for draft in drafts
    )
    return Links(sections, mentions)


def _defined(outline: Outline) -> tuple[Defined, ...]:
    return tuple(
        Defined(
            definition.name,
            definition.qualified_name,
            definition.kind,
            definition.parent,
            definition.first_row,
            definition.row,
            definition.last_row,
        )
        for definition in outline.definitions
    )
