"""What is put in at the end of a text brings line ends along, which go with it."""

from __future__ import annotations

__all__ = ["appended", "without_line_ends"]


def appended(text: str, block: str) -> str:
    """Return a text with a block after a blank line; it ends as it did, with a line end or without."""
    newline = "\r\n" if "\r\n" in text else "\n"
    if not text:
        return block + newline
    if text.endswith("\n"):
        return text + newline + block + newline
    return text + newline + newline + block


def without_line_ends(head: str, tail: str) -> str:
    """Return what was before and after such a block, as it was without."""
    if tail:
        tail = tail.removeprefix("\r").removeprefix("\n")
        return _shorter(head) + tail
    return _shorter(_shorter(head))


def _shorter(head: str) -> str:
    return head.removesuffix("\n").removesuffix("\r")
