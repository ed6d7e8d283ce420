"""A text to its sections: by the headings of Markdown, and by paragraphs where one is too long."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from coderag.chunkers.packing import check_sizes, chunk_of, chunks_of, lengths_of, packed
from coderag.chunkers.records import TextChunk
from coderag.chunkers.sentences import paragraph_starts, sentence_starts

if TYPE_CHECKING:
    from coderag.chunking.sections import Heading

__all__ = ["chunk_by_section"]


def chunk_by_section(text: str, *, size: int = 2000, overlap: int = 0) -> list[TextChunk]:
    """Return a text's sections in order, each with the path of its headings as title.

    A heading without text goes to the section below it. A section of more than `size` characters is parted between
    paragraphs, and between sentences where a paragraph is longer; so is a text without headings. Parts of a section
    share the last paragraphs or sentences of at most `overlap` characters. Raises QueryError for a size below 1 and an
    overlap above half of it.
    """
    check_sizes(size, overlap)
    return [
        chunk for start, end, title in _sections(text) for chunk in _parts(text[start:end], start, title, size, overlap)
    ]


def _sections(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where the sections of a text begin and end, and their titles."""
    from coderag.chunking.sections import PATH_SEPARATOR, markdown_headings  # it imports what reads code

    lines = text.split("\n")
    places = list(accumulate((len(line) + 1 for line in lines), initial=0))
    headings = list(markdown_headings([line.rstrip() for line in lines]))
    first_heading = places[headings[0].row] if headings else len(text)
    yield 0, first_heading, ""
    path: list[Heading] = []
    start = first_heading
    for number, heading in enumerate(headings):
        behind = headings[number + 1].row if number + 1 < len(headings) else len(lines)
        path = [one for one in path if one.depth < heading.depth] + [heading]
        if number + 1 < len(headings) and not _has_body(lines[heading.row : behind]):
            continue
        end = min(places[behind], len(text))
        yield start, end, PATH_SEPARATOR.join(one.title for one in path)
        start = end


def _has_body(lines: list[str]) -> bool:
    """Tell whether anything but rules and underlines follows the heading that lines begin with."""
    return any(line.strip(" \t\r=-~^*_") for line in lines[1:])


def _parts(text: str, offset: int, title: str, size: int, overlap: int) -> list[TextChunk]:
    """Return a section as one chunk, or as several where it is longer than `size`."""
    section = chunk_of(text, (0, len(text)), title=title)
    if section is None:
        return []
    chunks = [section]
    if len(section.text) > size:
        starts = _units(text, size)
        borders = [*starts, len(text)]
        spans = packed(lengths_of(starts, len(text)), size=size, overlap=overlap)
        chunks = chunks_of(text, [(borders[first], borders[behind]) for first, behind in spans], title=title)
    return [TextChunk(chunk.text, chunk.start + offset, chunk.end + offset, title) for chunk in chunks]


def _units(text: str, size: int) -> list[int]:
    """Return where the paragraphs of a text begin, and the sentences of those that are longer than `size`."""
    return [
        begin + at
        for begin, end in pairwise([*paragraph_starts(text), len(text)])
        for at in ([0] if end - begin <= size else sentence_starts(text[begin:end], longest=size))
    ]
