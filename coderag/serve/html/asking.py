"""An answer to what its page shows: the words of a model cut at their citations, and the lines that a source has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from coderag.api.index import Index
from coderag.ask.records import Answer
from coderag.ask.source import Source
from coderag.errors import QueryError
from coderag.serve.html.code import code_lines
from coderag.serve.html.searching import Row
from coderag.serve.http.file_lines import file_lines
from coderag.text.visible import visible_prose

__all__ = ["Passage", "Piece", "passage", "pieces_of", "visible_lines"]

CITED_OR_CODE = re.compile(r"\[(\d{1,4})\]|`([^`\n]{1,200})`")
AROUND = 3  # lines above and below a source
MOST_LINES = 400


@dataclass(frozen=True, slots=True)
class Piece:
    """Words of an answer, or the source that it cites there."""

    text: str = ""
    source: Source | None = None
    is_code: bool = False


@dataclass(frozen=True, slots=True)
class Passage:
    """The lines of a source, and some around them."""

    path: str
    repository: str
    start: int
    end: int  # inclusive
    rows: tuple[Row, ...]


def pieces_of(answer: Answer) -> tuple[Piece, ...]:
    """Return what a model wrote, cut at the citations of sources that there are."""
    return tuple(_pieces(answer.text, {source.number: source for source in answer.sources}))


def _pieces(text: str, sources: dict[int, Source]) -> Iterator[Piece]:
    last = 0
    for match in CITED_OR_CODE.finditer(text):
        yield Piece(visible_lines(text[last : match.start()]))
        number, code = match.groups()
        if code is not None:
            yield Piece(visible_lines(code), is_code=True)
        elif int(number) in sources:
            yield Piece(source=sources[int(number)])
        else:
            yield Piece(match[0])
        last = match.end()
    yield Piece(visible_lines(text[last:]))


def visible_lines(text: str) -> str:
    """Return lines of text, with what would not be seen as escapes."""
    return "\n".join(map(visible_prose, text.split("\n")))


def passage(index: Index, path: str, *, start: int, end: int, repository: str = "") -> Passage:
    """Return some lines of an indexed file as they were read; raises QueryError where it is not indexed."""
    end = min(max(end, start), start + MOST_LINES)
    first = max(start - AROUND, 1)
    lines = file_lines(index, path, repository=repository, start=first, end=end + AROUND)
    if not lines.total_lines:
        raise QueryError(f"{path} is not in the index")
    html = code_lines(lines.lines, lines.language)
    rows = (Row(number, line, marked=start <= number <= end) for number, line in enumerate(html, first))
    return Passage(path, lines.repository, start, end, tuple(rows))
