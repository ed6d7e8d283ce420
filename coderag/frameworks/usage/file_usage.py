"""All that a file of code does to tables: by SQL in its strings, and by calls of query builders and mappers."""

from __future__ import annotations

from msgspec.structs import replace

from coderag.frameworks.usage.dispatch import read_mapped
from coderag.sql.in_code.constants import constant_texts
from coderag.sql.in_code.records import NO_USES, DataUses
from coderag.sql.in_code.strings import read_strings
from coderag.syntax.outline import Outline
from coderag.syntax.parsed import Parsed

__all__ = ["read_uses"]


def read_uses(parsed: Parsed, outline: Outline, *, path: str) -> DataUses:
    """Return what a file of code does to tables, and the words that its constants hold."""
    uses = _written_and_mapped(parsed, outline, path=path)
    texts = tuple(constant_texts(parsed.lines.data, outline))
    return replace(uses, texts=texts) if texts else uses


def _written_and_mapped(parsed: Parsed, outline: Outline, *, path: str) -> DataUses:
    written, mapped = read_strings(parsed, outline, path=path), read_mapped(parsed, outline, path=path)
    if written == NO_USES or mapped == NO_USES:
        return mapped if written == NO_USES else written
    return replace(
        written,
        statements=(*written.statements, *mapped.statements),
        referred=(*written.referred, *mapped.referred),
        models=(*written.models, *mapped.models),
    )
