"""A unified diff, as git and diff -u write it, to the files and lines that it changes.

Format: "Generating patch text with -p" of git-diff(1), and "Detailed Unified" of GNU diffutils.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from coderag.errors import QueryError
from coderag.types import Span

__all__ = ["NO_NEWLINE", "FilePatch", "Hunk", "parse_patch"]

HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
COMBINED = re.compile(r"diff --(?:cc|combined) |@@@+ -")
BLOBS = re.compile(r"index ([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: ([0-7]{6}))?\Z")
ESCAPE = re.compile(r"\\([0-7]{3}|.)")
ESCAPED = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
PREFIX = re.compile(r"[abciow12]/")  # a/ and b/, or what diff.mnemonicPrefix makes of them
NOTHING = "/dev/null"
NO_BLOB = re.compile(r"0+\Z")
NO_NEWLINE = "\\"  # the sign of "\ No newline at end of file"


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that stand together, each behind its sign: a blank, "-" or "+"."""

    old_start: int  # line of the first one that the old side has, 1-based; of an empty side the one before it
    new_start: int
    lines: tuple[str, ...]

    def spans(self, sign: str) -> Iterator[Span]:
        """Yield the lines of the old side ("-") or the new one ("+") that the other side lacks."""
        other = "+" if sign == "-" else "-"
        start = self.old_start if sign == "-" else self.new_start
        line = start if any(text[:1] not in (other, NO_NEWLINE) for text in self.lines) else start + 1
        first = 0
        for text in self.lines:
            if text[:1] == sign:
                first = first or line
            elif first and text[:1] not in (other, NO_NEWLINE):
                yield Span(first, line - 1)
                first = 0
            line += text[:1] not in (other, NO_NEWLINE)
        if first:
            yield Span(first, line - 1)


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What a patch does to one file."""

    old_path: str  # "" for a file that comes
    new_path: str  # "" for a file that goes
    hunks: tuple[Hunk, ...] = ()
    old_blob: str = ""  # of git, abbreviated or not, where the patch says it
    new_blob: str = ""
    modes: tuple[str, ...] = ()  # that it states
    binary: bool = False

    @property
    def old_lines(self) -> tuple[Span, ...]:
        """The lines of the old side that went or changed."""
        return tuple(span for hunk in self.hunks for span in hunk.spans("-"))

    @property
    def new_lines(self) -> tuple[Span, ...]:
        """The lines of the new side that came or changed."""
        return tuple(span for hunk in self.hunks for span in hunk.spans("+"))


def parse_patch(text: str) -> tuple[FilePatch, ...]:
    """Return what a patch does to each file, in its order; what stands around the diffs is passed over.

    Raises QueryError for a combined diff, and for hunks that end before they should or have no file.
    """
    return tuple(_Reader(text.split("\n")).files())


class _Reader:
    """The lines of a patch, and how far it was read."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0

    def files(self) -> Iterator[FilePatch]:
        """Yield the patch of each file."""
        current: FilePatch | None = None
        while self._at < len(self._lines):
            line = self._lines[self._at].rstrip("\r")
            if COMBINED.match(line):
                raise QueryError(
                    f"line {self._at + 1} of the patch begins a combined diff, that of a merge with both its parents; "
                    "give the diff with one of them, such as A..B"
                )
            if line.startswith("diff --git ") or self._is_plain_header():
                if current is not None:
                    yield current
                current = self._header()
            elif HUNK.match(line):
                if current is None:
                    raise QueryError(f"line {self._at + 1} of the patch has a hunk and no file")
                current = replace(current, hunks=(*current.hunks, *self._hunks()))
            else:
                self._at += 1
        if current is not None:
            yield current

    def _is_plain_header(self) -> bool:
        """Tell whether here a file begins as diff -u writes it."""
        before, after = self._lines[self._at], self._line(self._at + 1)
        return (
            before.startswith("--- ") and after.startswith("+++ ") and HUNK.match(self._line(self._at + 2)) is not None
        )

    def _line(self, at: int) -> str:
        return self._lines[at] if at < len(self._lines) else ""

    def _header(self) -> FilePatch:
        """Return a file from its header, and stop behind it.

        diff --git a/x b/x, new file mode 100644  -> old "", new "x", modes ("100644",)
        rename from x, rename to y                -> old "x", new "y"
        """
        old, new, found = "", "", FilePatch("", "")
        gone: set[str] = set()
        first = self._line(self._at).rstrip("\r")
        if first.startswith("diff --git "):
            old, new = _both_names(first.removeprefix("diff --git "))
            self._at += 1
        while (line := self._line(self._at).rstrip("\r")) and not line.startswith(("diff ", "@@ ")):
            key, _, value = line.partition(" ")
            if key in ("rename", "copy"):
                side, _, name = value.partition(" ")
                old, new = (_unquoted(name), new) if side == "from" else (old, _unquoted(name))
            elif key in ("new", "deleted", "old") and " mode " in f" {value}":
                gone |= {"old"} if line.startswith("new file") else {"new"} if key == "deleted" else set()
                found = replace(found, modes=(*found.modes, value.rpartition(" ")[2]))
            elif blobs := BLOBS.match(line):
                found = replace(found, old_blob=_blob(blobs[1]), new_blob=_blob(blobs[2]))
                found = replace(found, modes=(*found.modes, *filter(None, [blobs[3]])))
            elif line.startswith(("Binary files ", "GIT binary patch")):
                found = replace(found, binary=True)
            elif key == "---" and self._line(self._at + 1).startswith("+++ "):
                old, new = self._sides(old, new, is_git=first.startswith("diff --git "))
                gone |= {side for side, name in (("old", old), ("new", new)) if name == NOTHING}
                self._at += 1
            elif key not in ("similarity", "dissimilarity"):
                break
            self._at += 1
        return replace(
            found,
            old_path="" if "old" in gone else _checked(old),
            new_path="" if "new" in gone else _checked(new),
        )

    def _sides(self, old: str, new: str, *, is_git: bool) -> tuple[str, str]:
        """Return the names of both sides as the lines with --- and +++ say them, else as they are known."""
        written = [_unquoted(_without_time(self._line(at)[4:].rstrip("\r"))) for at in (self._at, self._at + 1)]
        plain = [old, new] if is_git and old else list(_without_prefixes(*written))
        return tuple(NOTHING if name == NOTHING else known for name, known in zip(written, plain, strict=True))  # type: ignore[return-value]

    def _hunks(self) -> Iterator[Hunk]:
        """Yield the hunks that begin here, and stop behind the last."""
        while head := HUNK.match(self._line(self._at)):
            begin = self._at
            left = [int(head[2] or 1), int(head[4] or 1)]
            self._at += 1
            lines: list[str] = []
            while left != [0, 0] or self._line(self._at).startswith(NO_NEWLINE):
                line = self._line(self._at)
                sign = line[:1] if line.rstrip("\r") else " "  # mail programs drop the blank of an empty line
                if self._at >= len(self._lines) or sign not in ("", " ", "-", "+", NO_NEWLINE):
                    raise QueryError(f"the hunk at line {begin + 1} of the patch ends early, at line {self._at + 1}")
                left[0] -= sign in (" ", "-")
                left[1] -= sign in (" ", "+")
                if min(left) < 0:
                    raise QueryError(f"the hunk at line {begin + 1} of the patch has more lines than its head says")
                lines.append(line if line.rstrip("\r") else f" {line}")
                self._at += 1
            yield Hunk(int(head[1]), int(head[3]), tuple(lines))


def _both_names(text: str) -> tuple[str, str]:
    """Return the names in "a/x b/x"; of unquoted ones, which no sign parts, both are the same or a header tells."""
    if text.startswith('"'):
        end = _end_of_quoted(text)
        return _without_prefixes(_unquoted(text[:end]), _unquoted(text[end:].strip()))
    if text.endswith('"'):
        before, _, after = text.partition(' "')
        return _without_prefixes(before, _unquoted(f'"{after}'))
    half = len(text) // 2
    if len(text) % 2 and text[half] == " ":
        old, new = _without_prefixes(text[:half], text[half + 1 :])
        if old == new:
            return old, new
    return "", ""


def _end_of_quoted(text: str) -> int:
    at = 1
    while at < len(text) and text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return at + 1


def _without_prefixes(old: str, new: str) -> tuple[str, str]:
    """Return two names without a/ and b/, where both have such a prefix and not the same one."""
    sides = [name for name in (old, new) if name != NOTHING]
    prefixes = {name[:2] for name in sides}
    if all(map(PREFIX.match, sides)) and (len(sides) == 1 or len(prefixes) == 2):
        return old if old == NOTHING else old[2:], new if new == NOTHING else new[2:]
    return old, new


def _without_time(name: str) -> str:
    """Return a name without the time that diff -u writes behind a tab."""
    return name if name.startswith('"') else name.partition("\t")[0]


def _unquoted(name: str) -> str:
    """Return a name that git quoted as in C (core.quotePath)."""
    if not (name.startswith('"') and name.endswith('"') and len(name) > 1):
        return name
    raw, at = bytearray(), 0
    inner = name[1:-1]
    for escape in ESCAPE.finditer(inner):
        raw += inner[at : escape.start()].encode("utf-8", "surrogateescape")
        said = escape[1]
        raw.append(int(said, 8) & 0xFF if len(said) == 3 else ESCAPED.get(said, ord(said) & 0xFF))
        at = escape.end()
    raw += inner[at:].encode("utf-8", "surrogateescape")
    return raw.decode("utf-8", "surrogateescape")


def _checked(path: str) -> str:
    """Return the path of a file; raises QueryError for one that leads out of the root."""
    if path.startswith("/") or "\0" in path or ".." in path.split("/") or not path.strip("/"):
        raise QueryError(f"the patch names {path!r}, which is no path below the root" if path else "a file has no name")
    return path.removeprefix("./")


def _blob(written: str) -> str:
    return "" if NO_BLOB.match(written) else written
