"""The answer without the thoughts that some models write before it, between <think> and </think>."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

__all__ = ["final_text", "without_thoughts"]

OPEN, CLOSE = "<think>", "</think>"


def without_thoughts(pieces: Iterable[str]) -> Iterator[str]:
    """Yield the pieces of an answer that follow a thought at its beginning; nothing of one that does not end."""
    rest = iter(pieces)
    head = ""
    for piece in rest:
        head += piece
        begin = head.lstrip()
        if begin.startswith(OPEN):
            yield from _after_thought(begin, rest)
            return
        if not OPEN.startswith(begin):
            break
    yield from filter(None, (head,))
    yield from rest


def final_text(pieces: Iterable[str]) -> str:
    """Return a whole answer; a thought may also lack its beginning, where that was part of the prompt."""
    text = "".join(pieces)
    return text.partition(CLOSE)[2].strip() if CLOSE in text and OPEN not in text else text.strip()


def _after_thought(text: str, rest: Iterator[str]) -> Iterator[str]:
    while CLOSE not in text:
        piece = next(rest, None)
        if piece is None:
            return
        # Only the end of what came may begin the mark: a long thought is not kept.
        text = text[-len(CLOSE) :] + piece
    yield from filter(None, (text.partition(CLOSE)[2].lstrip(),))
    yield from rest
