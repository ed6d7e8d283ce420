"""A text to its sentences, and to chunks of some sentences each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from coderag.chunkers.packing import check_sizes, chunks_of, packed
from coderag.chunkers.records import TextChunk
from coderag.chunkers.size import is_inside_character
from coderag.text.sentences import ends_sentence

__all__ = ["LONGEST", "chunk_by_sentence", "paragraph_starts", "sentence_starts"]

LONGEST = 2000  # characters of a sentence; a longer one, such as a line without any full stop, is several
STOP = re.compile("[.!?\u2026\u3002\uff01\uff1f]")
WIDE_STOPS = "\u3002\uff01\uff1f"  # of Chinese and Japanese, with no space behind
CLOSING = ".!?\u2026\"')]*_\u201d\u2019\u300d\u300f\u3002\uff01\uff1f"
HEADING_OR_ITEM = re.compile(r"[ \t]{0,24}(?:#{1,6}|[-*+\u2022]|\d{1,3}[.)])[ \t]")
HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]")


def chunk_by_sentence(text: str, *, size: int = 5, overlap: int = 1) -> list[TextChunk]:
    """Return chunks of `size` sentences, each beginning with the last `overlap` sentences of the one before.

    A heading, a list item and a paragraph without a full stop are sentences of their own. One of more than 2,000
    characters is several. Raises QueryError for a size below 1 and an overlap above half of it.
    """
    check_sizes(size, overlap)
    starts = sentence_starts(text)
    borders = [*starts, len(text)]
    spans = packed([1] * len(starts), size=size, overlap=overlap)
    return chunks_of(text, [(borders[first], borders[behind]) for first, behind in spans])


def sentence_starts(text: str, *, longest: int = LONGEST) -> list[int]:
    """Return where the sentences of a text begin, in order; none is longer than `longest`."""
    return [
        cut
        for begin, end in pairwise([*_block_starts(text), len(text)])
        for start, behind in _sentences(text, begin, end)
        for cut in _shortened(text, start, behind, longest)
    ]


def paragraph_starts(text: str) -> list[int]:
    """Return where the paragraphs of a text begin, which blank lines part."""
    return [at for at, is_after_blank in _filled_lines(text) if is_after_blank]


def _block_starts(text: str) -> list[int]:
    """Return where paragraphs, headings, list items and what follows a heading begin."""
    starts: list[int] = []
    was_heading = False
    for at, is_after_blank in _filled_lines(text):
        if is_after_blank or was_heading or HEADING_OR_ITEM.match(text, at):
            starts.append(at)
        was_heading = HEADING.match(text, at) is not None
    return starts


def _filled_lines(text: str) -> Iterator[tuple[int, bool]]:
    """Yield where each line begins that is not blank, and whether it is the first or follows a blank one."""
    at, is_after_blank = 0, True
    for line in text.splitlines(keepends=True):
        if line.strip():
            yield at, is_after_blank
        is_after_blank = not line.strip()
        at += len(line)


def _sentences(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where the sentences of a block begin and end; the space behind one belongs to it."""
    marker = HEADING_OR_ITEM.match(text, begin, end)
    first = at = begin
    if marker is not None:
        at = marker.end()  # the full stop of "1." ends nothing
    while (stop := STOP.search(text, at, end)) is not None:
        at = stop.end()
        is_end = stop[0] in WIDE_STOPS or ends_sentence(text, first, at=at, end=end)
        if is_end:
            at = _behind(text, at, end)
        if is_end and at < end:
            yield first, at
            first = at
    yield first, end


def _behind(text: str, at: int, end: int) -> int:
    """Return where the next sentence begins: behind more stops, what closes a quotation, and white space."""
    while at < end and text[at] in CLOSING:
        at += 1
    while at < end and text[at].isspace():
        at += 1
    return at


def _shortened(text: str, start: int, end: int, longest: int) -> Iterator[int]:
    """Yield where the parts of a sentence begin that are no longer: behind a space where there is one."""
    yield start
    while end - start > longest:
        cut = start + longest
        while cut > start + longest // 2 and not text[cut - 1].isspace():
            cut -= 1
        if cut <= start + longest // 2:
            cut = start + longest
            while cut > start + 1 and is_inside_character(text, cut):
                cut -= 1
        start = cut if cut > start + 1 else start + longest
        yield start
