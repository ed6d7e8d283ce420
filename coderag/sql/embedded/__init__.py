"""SQL inside code, and calls of query builders and mappers: which tables and columns a function reads and writes."""

from __future__ import annotations

from contextlib import suppress

from coderag.reading.outline import Outline
from coderag.reading.parsed import Parsed
from coderag.sql.embedded.records import NO_USES, DataUses

__all__ = ["read_uses"]


def read_uses(parsed: Parsed, outline: Outline, *, path: str) -> DataUses:
    """Return what a file of code does to tables."""
    written, mapped = NO_USES, NO_USES
    with suppress(ModuleNotFoundError):
        from coderag.sql.embedded.strings import read_strings

        written = read_strings(parsed, outline, path=path)
    with suppress(ModuleNotFoundError):
        from coderag.sql.embedded.mapped import read_mapped

        mapped = read_mapped(parsed, outline, path=path)
    if written == NO_USES or mapped == NO_USES:
        return mapped if written == NO_USES else written
    return DataUses(
        (*written.statements, *mapped.statements),
        (*written.referred, *mapped.referred),
        (*written.models, *mapped.models),
    )
