"""Text for a language model that never exceeds a budget of tokens (coderag.text.budget)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from coderag.text.budget import CHARACTERS_PER_TOKEN

__all__ = ["Page", "cut"]

ELLIPSIS = "…"


class Page:
    """Blocks of text, one below the other, and last words, for which there is always room."""

    def __init__(self, budget: int) -> None:
        """Start a page of at most `budget` tokens."""
        self._blocks: list[str] = []
        self._room = budget * CHARACTERS_PER_TOKEN
        self._kept = 0

    def keep(self, tokens: int) -> None:
        """Keep room for the last words."""
        self._kept = tokens * CHARACTERS_PER_TOKEN

    def tokens_left(self) -> int:
        """Return how many tokens the next block may have."""
        return max(self._room - self._kept - 1, 0) // CHARACTERS_PER_TOKEN

    def add(self, block: str, *, most: int | None = None) -> bool:
        """Add a block if it fits, and tell whether it did; `most` is the tokens that it may have."""
        size = len(block) + 1
        if size > self._room - self._kept or (most is not None and size > most * CHARACTERS_PER_TOKEN):
            return False
        self._blocks.append(block)
        self._room -= size
        return True

    def add_sections(self, sections: Sequence[tuple[str, int, Iterable[str]]], *, rest: str) -> None:
        """Add sections by title, number of rows and rows; none takes the room of those below it.

        What is left out of a section is counted, and `rest` says how to get it.
        """
        for number, (title, total, rows) in enumerate(sections):
            self.add(f"  {title} {total:,}")
            before = self.tokens_left()
            room = before // (len(sections) - number)
            shown = 0
            for row in rows:
                if before - self.tokens_left() >= room or not self.add(f"    {row}"):
                    break
                shown += 1
            if more := total - shown:
                self.add(f"    … {more:,} more; {rest}")

    def finished(self, last_words: Sequence[str]) -> str:
        """Return the text with last words below it, the first of which matter most."""
        lines: list[str] = []
        for words in last_words:
            line = cut(words, self._room - 1)
            if not line:
                break
            lines.append(line)
            self._room -= len(line) + 1
        return "\n".join([*self._blocks, *lines])


def cut(text: str, size: int) -> str:
    """Return text of at most `size` characters; what is cut off is said by an ellipsis."""
    if len(text) <= size:
        return text
    return text[: size - 1].rstrip() + ELLIPSIS if size > 1 else ""
