"""A text and a patch of it to the text of the other side."""

from __future__ import annotations

from coderag.files.changes.patch import NO_NEWLINE, FilePatch, Hunk

__all__ = ["new_text", "old_text"]


def new_text(old: str, patch: FilePatch) -> str | None:
    """Return what a patch makes of the old text, None if it does not fit."""
    return _patched(old, patch, taken="-", given="+")


def old_text(new: str, patch: FilePatch) -> str | None:
    """Return the text that a patch made into a new one, None if it does not fit."""
    return _patched(new, patch, taken="+", given="-")


def _patched(text: str, patch: FilePatch, *, taken: str, given: str) -> str | None:
    """Return a text in which the lines that a patch has under one sign are replaced by those under the other."""
    lines = text.split("\n")  # an empty last one: the text ends with a line end
    made: list[str] = []
    at = 0
    for hunk in patch.hunks:
        before = _side(hunk, taken)
        start = hunk.old_start if taken == "-" else hunk.new_start
        begin = max(start - 1, 0) if before else start
        if begin < at or not _fits(lines, begin, before):
            return None
        made += lines[at:begin] + _side(hunk, given)
        at = begin + len(before)
        if _ends(hunk, taken) and at == len(lines):  # the other side may end with a line end
            lines.append("")
        if _ends(hunk, given) and lines[at:] == [""]:
            at = len(lines)
    return "\n".join(made + lines[at:])


def _side(hunk: Hunk, sign: str) -> list[str]:
    return [line[1:] for line in hunk.lines if line[:1] in (" ", sign)]


def _fits(lines: list[str], begin: int, wanted: list[str]) -> bool:
    return lines[begin : begin + len(wanted)] == wanted


def _ends(hunk: Hunk, sign: str) -> bool:
    """Tell whether one side ends with a hunk's last line of it, and without a line end."""
    return any(
        after.startswith(NO_NEWLINE) and before[:1] in (" ", sign)
        for before, after in zip(hunk.lines, hunk.lines[1:], strict=False)
    )
