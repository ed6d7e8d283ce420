"""Markdown and reStructuredText to blocks: headings, paragraphs, list items, definitions, tables and listings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

__all__ = ["Block", "BlockKind", "markdown_blocks", "plain", "restructuredtext_blocks"]


class BlockKind(StrEnum):
    """What a block is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"  # of a list, without its sign
    TERM = "term"  # and what follows it: its first line is the term
    TABLE = "table"
    LISTING = "listing"


class Block(NamedTuple):
    """Rows of a document, 0-based and inclusive; the text has no signs of its kind."""

    kind: BlockKind
    first: int
    last: int
    text: str
    depth: int = 0  # of a heading, from 1
    info: str = ""  # of a listing: its language and whatever stands behind that; "glossary" of its terms
    body: int = 0  # of a listing: the first row of its text


FENCE = re.compile(r"\s*(`{3,}|~{3,})\s*([^`]*)$")
ATX = re.compile(r"\s{0,3}(#{1,6})\s++((?:\S++(?:\s++(?!#*+\s*+$)\S++)*+)?+)(?:\s++#++)?+\s*+$")
SETEXT = re.compile(r"\s{0,3}(=+|-{2,})\s*$")
ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+(?=\S)")
MEANING = re.compile(r"\s{0,3}:\s+(?=\S)")
TABLE_RULE = re.compile(r"\s*+(?:\|\s*+)?:?-++:?\s*+(?:\|\s*+:?-++:?\s*+)*+(?:\|\s*+)?$")
DIRECTIVE = re.compile(r"(\s*)\.\.\s+([\w-]+)::\s*(.*)$")
LISTINGS = frozenset({"code-block", "code", "sourcecode", "highlight"})
OPTION = re.compile(r"\s*:[\w-]+:")
UNDERLINE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*$")
MARKUP = re.compile(
    r"(?<!`)`++([^`]+)`++|\*{1,3}(?=\S)|(?<=\S)\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)"
    r"|!?\[([^\]]{0,500}+)\](?:\([^)]{0,2000}+\)|\[[^\]]{0,500}+\])|</?\w[^<>]*>|:\w+:(?=`)"
)


def plain(text: str) -> str:
    """Return a text without markup, on one line."""
    return " ".join(MARKUP.sub(lambda match: match[1] or match[2] or "", text).split())


def markdown_blocks(rows: Sequence[str]) -> Iterator[Block]:
    """Yield the blocks of a Markdown document in order."""
    row, count = 0, len(rows)
    while row < count:
        text = rows[row]
        if not text.strip():
            row += 1
        elif (fence := FENCE.match(text)) is not None:
            last = _fence_end(rows, row, fence[1])
            inside = rows[row + 1 : last] if last < count and last > row else rows[row + 1 :]
            yield Block(
                BlockKind.LISTING,
                row,
                min(last, count - 1 - (not rows[-1])),
                _dedented(inside),
                info=fence[2].strip(),
                body=row + 1,
            )
            row = last + 1
        elif (heading := ATX.match(text)) is not None:
            yield Block(BlockKind.HEADING, row, row, plain(heading[2]), depth=len(heading[1]))
            row += 1
        elif row + 1 < count and "|" in text and "-" in rows[row + 1] and TABLE_RULE.match(rows[row + 1]):
            last = row + 1
            while last + 1 < count and "|" in rows[last + 1]:
                last += 1
            yield Block(BlockKind.TABLE, row, last, "\n".join(rows[row : last + 1]))
            row = last + 1
        else:
            block = _text_block(rows, row)
            yield block
            row = block.last + 1


def _fence_end(rows: Sequence[str], row: int, fence: str) -> int:
    """Return the row that closes a fence, or the number of rows where none does."""
    for last in range(row + 1, len(rows)):
        closing = rows[last].strip()
        if closing.startswith(fence) and not closing.strip(fence[0]):
            return last
    return len(rows)


def _text_block(rows: Sequence[str], row: int) -> Block:
    item = ITEM.match(rows[row])
    last = row
    while last + 1 < len(rows) and not _begins(rows, last + 1):
        last += 1
    under = SETEXT.match(rows[last + 1]) if item is None and last == row and last + 1 < len(rows) else None
    if under is not None:
        return Block(BlockKind.HEADING, row, last + 1, plain(rows[row]), depth=1 if under[1][0] == "=" else 2)
    if item is None and (meanings := _meanings(rows, last)) is not None:
        text = "\n".join([*rows[row : last + 1], *(MEANING.sub("", one) for one in rows[last + 1 : meanings + 1])])
        return Block(BlockKind.TERM, row, meanings, text)
    text = "\n".join(rows[row : last + 1])
    return Block(
        BlockKind.PARAGRAPH if item is None else BlockKind.ITEM, row, last, text[item.end() :] if item else text
    )


def _begins(rows: Sequence[str], row: int) -> bool:
    """Tell whether a row is no continuation of the paragraph or item above it."""
    text = rows[row]
    return (
        not text.strip()
        or ITEM.match(text) is not None
        or ATX.match(text) is not None
        or FENCE.match(text) is not None
        or SETEXT.match(text) is not None
        or MEANING.match(text) is not None
    )


def _meanings(rows: Sequence[str], row: int) -> int | None:
    """Return the last row of the ": text" below a term, which a blank row may set off."""
    first = row + 2 if row + 2 < len(rows) and not rows[row + 1].strip() else row + 1
    if first >= len(rows) or not MEANING.match(rows[first]):
        return None
    last = first
    while last + 1 < len(rows) and (MEANING.match(rows[last + 1]) or not _begins(rows, last + 1)):
        last += 1
    return last


def _indent(row: str) -> int:
    return len(row) - len(row.lstrip(" \t"))


def _dedented(rows: Sequence[str]) -> str:
    indents = [_indent(row) for row in rows if row.strip()]
    return "\n".join(row[min(indents, default=0) :] for row in rows)


def restructuredtext_blocks(rows: Sequence[str]) -> Iterator[Block]:
    """Yield the blocks of a reStructuredText document in order; the entries of a glossary are terms."""
    depths: dict[str, int] = {}
    row, count = 0, len(rows)
    while row < count:
        text = rows[row]
        if not text.strip():
            row += 1
        elif (directive := DIRECTIVE.match(text)) is not None:
            last = _indented_end(rows, row, len(directive[1]))
            if directive[2] in LISTINGS:
                body = _body(rows, row + 1, last)
                yield Block(
                    BlockKind.LISTING, row, last, _dedented(rows[body : last + 1]), info=directive[3], body=body
                )
            elif directive[2] == "glossary":
                yield from _entries(rows, row + 1, last)
            else:  # a note, a figure: its text is text
                yield from _inner(rows, _body(rows, row + 1, last), last)
            row = last + 1
        elif (heading := _heading(rows, row, depths)) is not None:
            yield heading
            row = heading.last + 1
        else:
            last = row
            while last + 1 < count and rows[last + 1].strip() and not ITEM.match(rows[last + 1]):
                last += 1
            yield _paragraph(rows, row, last)
            row = last + 1


def _indented_end(rows: Sequence[str], row: int, indent: int) -> int:
    last = row
    for one in range(row + 1, len(rows)):
        if rows[one].strip():
            if _indent(rows[one]) <= indent:
                break
            last = one
    return last


def _body(rows: Sequence[str], first: int, last: int) -> int:
    """Return the first row of a directive's content, behind its options."""
    while first <= last and (not rows[first].strip() or OPTION.match(rows[first])):
        first += 1
    return first


def _inner(rows: Sequence[str], first: int, last: int) -> Iterator[Block]:
    shift = _indent(rows[first]) if first <= last else 0
    inner = [row[min(shift, _indent(row)) :] for row in rows[first : last + 1]]
    for block in restructuredtext_blocks(inner):
        yield block._replace(first=block.first + first, last=block.last + first, body=block.body + first)


def _entries(rows: Sequence[str], first: int, last: int) -> Iterator[Block]:
    """Yield the entries of a glossary directive: lines at its indent, each with deeper ones below."""
    first = _body(rows, first, last)
    if first > last:
        return
    indent = _indent(rows[first])
    begins = [row for row in range(first, last + 1) if rows[row].strip() and _indent(rows[row]) <= indent]
    terms: list[int] = []  # several may share one text
    for begin, after in zip(begins, [*begins[1:], last + 1], strict=True):
        terms.append(begin)
        text = "\n".join(rows[begin + 1 : after]).rstrip()
        if text:
            names = [rows[row].split(" : ", 1)[0].strip() for row in terms]
            name = f"{names[0]} ({', '.join(names[1:])})" if names[1:] else names[0]
            last = begin + text.count("\n") + 1
            yield Block(BlockKind.TERM, terms[0], last, f"{name}\n{text}", info="glossary")
            terms = []


def _heading(rows: Sequence[str], row: int, depths: dict[str, int]) -> Block | None:
    title = row
    overlined = UNDERLINE.match(rows[row]) is not None
    if overlined:
        title = row + 1
    under = title + 1
    if under >= len(rows) or not rows[title].strip() or not UNDERLINE.match(rows[under]):
        return None
    if len(rows[under].rstrip()) < len(rows[title].strip()) or (overlined and rows[under].strip() != rows[row].strip()):
        return None
    style = rows[under][0] * (2 if overlined else 1)
    return Block(BlockKind.HEADING, row, under, plain(rows[title]), depth=depths.setdefault(style, len(depths) + 1))


def _paragraph(rows: Sequence[str], first: int, last: int) -> Block:
    if (item := ITEM.match(rows[first])) is not None:
        return Block(BlockKind.ITEM, first, last, "\n".join(rows[first : last + 1])[item.end() :])
    indent = _indent(rows[first])
    if last > first and all(_indent(row) > indent for row in rows[first + 1 : last + 1]):
        return Block(BlockKind.TERM, first, last, "\n".join(rows[first : last + 1]))
    return Block(BlockKind.PARAGRAPH, first, last, "\n".join(rows[first : last + 1]))
