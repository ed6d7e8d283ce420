"""Definitions of a file to how deep each stands in the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from coderag.types import Kind, Symbol

__all__ = ["with_depth"]

SECTION_SEPARATOR = " > "  # between the parts of a section's qualified name


def with_depth(symbols: Iterable[Symbol]) -> Iterator[tuple[Symbol, int]]:
    """Yield each definition with how many are around it; a section lies in those that its name tells."""
    around: list[int] = []  # last lines
    for symbol in symbols:
        if symbol.kind is Kind.SECTION:
            yield symbol, symbol.qualified_name.count(SECTION_SEPARATOR)
            continue
        while around and around[-1] < symbol.span.end_line:
            around.pop()
        yield symbol, len(around)
        around.append(symbol.span.end_line)
