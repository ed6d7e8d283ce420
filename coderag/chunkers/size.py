"""A text to chunks of a number of characters or tokens."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from coderag.chunkers.packing import Cut, check_sizes, chunks_of, packed
from coderag.chunkers.records import TextChunk

__all__ = ["chunk_by_characters", "chunk_by_tokens", "is_inside_character", "token_starts"]

# A character of a script without spaces between words, up to 24 letters and digits, or any other sign.
TOKEN = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]|\w{1,24}|[^\w\s]")
JOINER = "\u200d"  # of emoji
SKIN_TONES = range(0x1F3FB, 0x1F400)
FLAG_LETTERS = range(0x1F1E6, 0x1F200)  # two of them are a flag
MARKS = frozenset({"Mn", "Me", "Mc"})
MAX_TOKEN = 200  # characters, with all marks above and below its letters


def chunk_by_characters(text: str, *, size: int = 1000, overlap: int = 100) -> list[TextChunk]:
    """Return windows of `size` characters, each beginning `overlap` characters before the end of the one before.

    Words may be cut. What is shown as one character is not, if it is shorter than a window: a letter with its accents,
    an emoji of several parts, a line break of two characters; then a window, or what two share, is that much shorter.
    Raises QueryError for a size below 1 and an overlap above half of it.
    """
    check_sizes(size, overlap)
    return chunks_of(text, _windows(text, size, overlap))


def chunk_by_tokens(text: str, *, size: int = 200, overlap: int = 20) -> list[TextChunk]:
    """Return windows of `size` tokens, each beginning with the last `overlap` tokens of the one before.

    A token is a word or number of up to 24 characters (a longer one is several), a character of Chinese, Japanese,
    Korean or Thai, or a sign. Raises QueryError for a size below 1 and an overlap above half of it.
    """
    check_sizes(size, overlap)
    starts = token_starts(text)
    borders = [*starts, len(text)]
    spans = packed([1] * len(starts), size=size, overlap=overlap)
    return chunks_of(text, [(borders[first], borders[behind]) for first, behind in spans])


def token_starts(text: str) -> list[int]:
    """Return where the tokens of a text begin; accents belong to the letter before them."""
    starts: list[int] = []
    for found in TOKEN.finditer(text):
        at = found.start()
        if not starts or at - starts[-1] >= MAX_TOKEN or not is_inside_character(text, at):
            starts.append(at)
    return starts


def is_inside_character(text: str, at: int) -> bool:
    """Tell whether a cut would part what is shown as one character: the common cases of Unicode's annex 29."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if after.isascii():
        return before == "\r" and after == "\n"
    if after == JOINER or before == JOINER or ord(after) in SKIN_TONES:
        return True
    if ord(after) in FLAG_LETTERS:
        begin = at
        while begin > 0 and at - begin < MAX_TOKEN and ord(text[begin - 1]) in FLAG_LETTERS:
            begin -= 1
        return (at - begin) % 2 == 1
    return unicodedata.category(after) in MARKS


def _windows(text: str, size: int, overlap: int) -> Iterator[Cut]:
    start = end = 0
    while end < len(text):
        end = _border(text, min(start + size, len(text)), end)
        yield start, end
        start = max(end - overlap, start + 1)
        while start < end and is_inside_character(text, start):
            start += 1


def _border(text: str, end: int, last: int) -> int:
    """Return the last place up to `end` that parts no character, `end` where there is none behind the `last` one."""
    at = end
    while at > last and is_inside_character(text, at):
        at -= 1
    return at if at > last else end
