"""Documents to their chunks: Markdown and reStructuredText by section, notebooks by cell."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from coderag.chunking.chunk import ChunkSpec, chunk_lines, split_spec
from coderag.syntax.lines import Lines
from coderag.types import Kind

__all__ = [
    "PATH_SEPARATOR",
    "Heading",
    "chunk_markdown",
    "chunk_notebook",
    "chunk_restructuredtext",
    "markdown_headings",
    "notebook_rows",
]

FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
ATX = re.compile(r"\s{0,3}(#{1,6})(?:\s++((?:\S++(?:\s++(?!#*+\s*+$)\S++)*+)?+))?+(?:\s++#++)?+\s*+$")
SETEXT = re.compile(r"\s{0,3}(=+|-{2,})\s*$")
UNDERLINE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*$")
MARKUP = re.compile(r"[*_`]{1,3}|!?\[([^\]]{0,500}+)\]\([^)]{0,2000}+\)|:\w{1,80}:")
PATH_SEPARATOR = " > "  # between the headings of a qualified name
STRING_ROW = re.compile(rb'\s*"(?:[^"\\]|\\.)*",?\s*$')


class Heading(NamedTuple):
    """A heading: its first row, its depth from 1, and its text without markup."""

    row: int
    depth: int
    title: str


def chunk_markdown(lines: Lines, *, name: str) -> list[ChunkSpec]:
    """Return a Markdown document's sections in order."""
    return _chunk_sections(lines, list(markdown_headings(_rows(lines))), name=name)


def chunk_restructuredtext(lines: Lines, *, name: str) -> list[ChunkSpec]:
    """Return a reStructuredText document's sections in order."""
    return _chunk_sections(lines, list(_restructuredtext_headings(_rows(lines))), name=name)


def _rows(lines: Lines) -> list[str]:
    return [
        lines.data[start:end].rstrip(b"\n").decode("utf-8", "replace")
        for start, end in zip(lines.starts, lines.ends, strict=True)
    ]


def markdown_headings(rows: list[str]) -> Iterator[Heading]:
    """Yield the headings of Markdown, given as rows without line ends."""
    fence = ""
    for row, text in enumerate(rows):
        if (mark := FENCE.match(text)) is not None:
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence) and not text.strip(" `~"):
                fence = ""
            continue
        if fence:
            continue
        if (match := ATX.match(text)) is not None and match[2]:
            yield Heading(row, len(match[1]), _title(match[2]))
        elif (under := SETEXT.match(text)) is not None and _is_title(rows, row - 1):
            yield Heading(row - 1, 1 if under[1][0] == "=" else 2, _title(rows[row - 1]))


def _is_title(rows: list[str], row: int) -> bool:
    """Tell whether a row is a paragraph of one line, which an underline makes a heading."""
    if row < 0 or not rows[row].strip() or ATX.match(rows[row]) or "|" in rows[row]:
        return False
    return row == 0 or not rows[row - 1].strip()


def _restructuredtext_headings(rows: list[str]) -> Iterator[Heading]:
    depths: dict[str, int] = {}
    for row in range(1, len(rows)):
        title, under = rows[row - 1].rstrip(), rows[row].rstrip()
        if not title.strip() or len(under) < len(title.strip()) or not UNDERLINE.match(under) or UNDERLINE.match(title):
            continue
        above = rows[row - 2].rstrip() if row >= 2 else ""
        overlined = above == under
        if above.strip() and not overlined:
            continue  # the last line of a paragraph or a table, not a title
        style = under[0] * 2 if overlined else under[0]
        yield Heading(row - 2 if overlined else row - 1, depths.setdefault(style, len(depths) + 1), _title(title))


def _title(text: str) -> str:
    return MARKUP.sub(lambda match: match[1] or "", text).strip()


def _chunk_sections(lines: Lines, headings: list[Heading], *, name: str) -> list[ChunkSpec]:
    if not headings:
        return chunk_lines(lines, name=name, kind=Kind.SECTION)
    drafts: list[ChunkSpec] = []
    if (before := lines.trim((0, headings[0].row - 1))) is not None:
        drafts += _section(lines, name, name, before)
    path: list[Heading] = []
    first: int | None = None  # where a heading without a body began: it goes to the section below it
    for heading, end in zip(headings, [*(one.row for one in headings[1:]), len(lines)], strict=True):
        path = [one for one in path if one.depth < heading.depth] + [heading]
        first = heading.row if first is None else first
        body = lines.trim((heading.row + 1, end - 1))
        if end < len(lines) and (body is None or (body[0] == body[1] and _is_rule(lines, body[0]))):
            continue
        if (part := lines.trim((first, end - 1))) is not None:
            drafts += _section(lines, heading.title, PATH_SEPARATOR.join(one.title for one in path), part)
        first = None
    return drafts


def _is_rule(lines: Lines, row: int) -> bool:
    return not lines.data[lines.starts[row] : lines.ends[row]].strip(b"=-~^*+#\"'`_.: \n")


def _section(lines: Lines, name: str, qualified_name: str, part: tuple[int, int]) -> list[ChunkSpec]:
    draft = ChunkSpec(Kind.SECTION, name, qualified_name, *part, parts=(part,))
    return split_spec(lines, draft)


def notebook_rows(data: bytes) -> tuple[bytes, list[tuple[str, int, int]]]:
    """Return a notebook's text with only the cells' own lines left, and each cell: type, first and last row.

    A row of the file that holds a line of a cell becomes that line, every other row becomes empty, so that rows of
    the text are rows of the file. Raises ValueError when the file is not a notebook in JSON, one string a row.
    """
    cells = json.loads(data)["cells"]
    raw = data.split(b"\n")
    text = [b""] * len(raw)
    found: list[tuple[str, int, int]] = []
    row = 0
    for cell in cells:
        source = cell["source"]
        wanted = source.splitlines(keepends=True) if isinstance(source, str) else list(source)
        if not all(isinstance(line, str) for line in wanted):
            raise ValueError("the source of a cell is no text")
        first = row
        while row < len(raw) and wanted and b'"source"' not in raw[row]:
            row += 1
        begin = row + 1
        for line in wanted:
            while row < len(raw) and not _holds(raw[row], line):
                row += 1
            if row == len(raw):
                raise ValueError("the cells of this notebook do not stand on rows of their own")
            if "\n" in (kept := line.rstrip("\n")):
                raise ValueError("a row of this notebook holds several lines of a cell")
            text[row] = kept.encode("utf-8", "replace")
            row += 1
        if wanted and row > begin:
            found.append((str(cell.get("cell_type", "code")), max(begin, first), row - 1))
    return b"\n".join(text), found


def _holds(row: bytes, line: str) -> bool:
    stripped = row.strip()
    if not STRING_ROW.match(stripped):
        return False
    try:
        return bool(json.loads(stripped.rstrip(b",")) == line)
    except ValueError:
        return False


def chunk_notebook(lines: Lines, cells: list[tuple[str, int, int]], *, name: str) -> list[ChunkSpec]:
    """Return a notebook's cells; one is named by the last Markdown heading at or above it."""
    drafts: list[ChunkSpec] = []
    title = name
    for number, (kind, first, last) in enumerate(cells, start=1):
        part = lines.trim((first, last))
        if part is None:
            continue
        if kind == "markdown":
            for row in range(part[0], part[1] + 1):
                match = ATX.match(
                    lines.data[lines.starts[row] : lines.ends[row]].decode("utf-8", "replace").rstrip("\n")
                )
                title = _title(match[2]) if match is not None and match[2] else title
        # A name is the end of its qualified name, in an index too.
        cell = ChunkSpec(
            Kind.CELL, title, f"{name}{PATH_SEPARATOR}cell {number}{PATH_SEPARATOR}{title}", *part, parts=(part,)
        )
        drafts += split_spec(lines, cell)
    return drafts
