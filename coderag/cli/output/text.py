"""Text for people: what a terminal must not obey made visible, colours, sizes, tables."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import TextIO

from coderag.record import record
from coderag.text.visible import visible

__all__ = ["Screen", "Style", "bytes_text", "screen", "shorten", "table", "visible"]

DEFAULT_WIDTH = 100  # of a terminal that does not tell
KILO = 1000
SHORT = 99.95  # a size below it, in its unit, has a digit behind the point
MAX_LINE = 400  # characters of a line that are shown where nothing else limits it


class Style(StrEnum):
    """Colours of the terminal's own palette, so that they fit a light and a dark one."""

    PATH = "35"
    LINE = "32"
    KIND = "36"
    NAME = "1"
    DIM = "2"
    GOOD = "32"
    BAD = "31"
    NOTE = "2"
    MATCH = "1;31"
    TITLE = "1;4"


@record
class Screen:
    """Where text is written: in colours or not, and how wide."""

    colour: bool
    width: int

    def paint(self, text: str, style: Style) -> str:
        """Return the text in a style where there are colours."""
        return f"\x1b[{style.value}m{text}\x1b[0m" if self.colour and text else text


def screen(choice: str, stream: TextIO | None = None) -> Screen:
    """Return how to write to a stream (default: stdout), given `auto`, `always` or `never` for colours."""
    terminal = (stream or sys.stdout).isatty()
    has_colour = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    colour = has_colour if choice == "auto" else choice == "always"
    return Screen(colour, _terminal_width() if terminal else MAX_LINE)


def _terminal_width() -> int:
    import shutil  # not at the top: it costs a search in a pipe 10 ms

    return shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns


def shorten(text: str, width: int) -> str:
    """Return the text in at most `width` characters."""
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"


def bytes_text(size: float) -> str:
    """Return a size in decimal units: 1.2 MB."""
    if size < KILO:
        return f"{size:.0f} B"
    for unit in ("kB", "MB", "GB"):
        size /= KILO
        if size < KILO - 0.5 or unit == "GB":
            break
    return f"{size:.1f} {unit}" if size < SHORT else f"{size:,.0f} {unit}"


def table(rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), indent: str = "  ") -> list[str]:
    """Return rows as lines with aligned columns; those in `right` are flush right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append((indent + "  ".join(cells)).rstrip())
    return lines
