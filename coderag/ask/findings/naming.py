"""Pieces of a sentence to its text and the places in it where a name is cited by a source of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from coderag.ask.records import Finding, Naming, Route
from coderag.ask.source import Source
from coderag.record import record

__all__ = ["Piece", "finding_of", "listed"]


@record
class Piece:
    """Some words of a sentence, and the source that shows them, where they have one of their own."""

    text: str
    source: Source | None = None


def listed(pieces: Iterable[Piece]) -> list[Piece]:
    """Return pieces with commas between them."""
    found = list(pieces)
    return [one for piece in found for one in (Piece(", "), piece)][1:]


def finding_of(
    pieces: Sequence[Piece], *, route: Route, confidence: float, own: Source | None = None, is_fact: bool = False
) -> Finding | None:
    """Return a sentence as a finding, whose own source is by default that of its last name; None without any source."""
    text, namings = "", list[Naming]()
    for piece in pieces:
        text += piece.text
        if piece.source is not None:
            namings.append(Naming(len(text), piece.source))
    source = own or (namings[-1].source if namings else None)
    if source is None:
        return None
    return Finding(text, source, route, confidence, is_fact=is_fact, namings=tuple(namings))
