"""What a chunker returns."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TextChunk"]


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A piece of a text: `text` is the original's `[start:end]`, without white space at its ends."""

    text: str
    start: int  # in characters
    end: int
    title: str = ""  # the headings above it, outermost first, in a text with headings
