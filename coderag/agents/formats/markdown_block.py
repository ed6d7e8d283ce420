"""A block between two marks in a file that people write: put in at the end, replaced, taken out."""

from __future__ import annotations

from coderag.agents.formats.errors import LeftAlone
from coderag.agents.formats.line_ends import appended, without_line_ends

__all__ = ["END", "START", "block_of", "put_block", "remove_block"]

START = "<!-- coderag:start -->"
END = "<!-- coderag:end -->"


def block_of(text: str) -> str | None:
    """Return what is between the marks, None without them; raises LeftAlone for marks that are no pair."""
    span = _span(text)
    return None if span is None else text[span[0] + len(START) : span[1] - len(END)].replace("\r\n", "\n").strip("\n")


def put_block(text: str, block: str) -> str:
    """Return a text with a block, in place of the one before or at the end; it ends as it did."""
    newline = "\r\n" if "\r\n" in text else "\n"
    block_text = f"{START}\n{block.strip()}\n{END}".replace("\n", newline)
    if span := _span(text):
        return text[: span[0]] + block_text + text[span[1] :]
    return appended(text, block_text)


def remove_block(text: str) -> str:
    """Return a text without the block, nor the line ends that it brought along."""
    span = _span(text)
    if span is None:
        return text
    start, end = span
    return without_line_ends(text[:start], text[end:])


def _span(text: str) -> tuple[int, int] | None:
    starts, ends = text.count(START), text.count(END)
    if not starts and not ends:
        return None
    start, end = text.find(START), text.find(END)
    if starts != 1 or ends != 1 or end < start:
        raise LeftAlone(f"it has {starts} of the mark {START} and {ends} of {END}; remove what is too much")
    return start, end + len(END)
