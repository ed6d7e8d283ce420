"""What `git diff-tree --stdin --raw -p -z -U0` prints to the changes of each commit, however much it prints.

Lines of files are counted and passed over: the head of a hunk says how many follow. No line is held as a whole.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace

from coderag.files.log.records import Change, Hunk, Patch

__all__ = ["LINE_BYTES", "read_patches"]

LINE_BYTES = 1 << 16  # of a longer line, pieces are read
COMMIT = re.compile(rb"([0-9a-f]{40}|[0-9a-f]{64})\0")
BLOBS = re.compile(rb"index ([0-9a-f]{40,64}(?:,[0-9a-f]{40,64})*)\.\.([0-9a-f]{40,64})")
HUNK = re.compile(rb"(@@+) ((?:-\d{1,9}(?:,\d{1,9})? )+)\+(\d{1,9})(?:,(\d{1,9}))? @@")
END_OF_RAW = b"\0\0"
MAX_PARENTS = 64
RAW_BYTES = 1 << 24  # of all records of a commit
REGULAR_FILES = frozenset({"100644", "100755"})  # not links, not submodules
NO_NEWLINE = b"\\"
PLUS, MINUS = ord("+"), ord("-")
TWO_PATHS = ("R", "C")


def read_patches(read_line: Callable[[], bytes]) -> Iterator[Patch]:
    """Yield the changes of each commit; `read_line` returns a line or a piece of one, b"" at the end."""
    reader = _Reader(read_line)
    line = read_line()
    while line:
        line = yield from reader.commit(line)


class _Reader:
    """The lines of a patch, and how far they were read."""

    def __init__(self, read_line: Callable[[], bytes]) -> None:
        self._read_line = read_line
        self._last = b""

    def commit(self, line: bytes) -> Generator[Patch, None, bytes]:
        """Yield the changes of the commit that begins with a line, if one does; return the line after them."""
        head = COMMIT.match(line)
        if head is None:
            return self._next()
        raw = line[head.end() :]
        while END_OF_RAW not in raw and len(raw) < RAW_BYTES and (more := self._read_line()):
            raw += more
        records, _, line = raw.partition(END_OF_RAW)
        changes = list(_changes(records))
        rows: dict[tuple[str, str], list[int]] = {}
        for row, change in enumerate(changes):
            rows.setdefault((change.old_blob, change.new_blob), []).append(row)
        current: list[int] = []  # of each parent the change that the hunks are of
        hunks: dict[int, list[Hunk]] = {}
        while line and not COMMIT.match(line):
            if line.startswith(b"diff --"):
                current = []
            elif blobs := BLOBS.match(line):
                pairs = [(_blob(old.decode()), _blob(blobs[2].decode())) for old in blobs[1].split(b",")]
                current = [same.pop(0) if (same := rows.get(pair)) else -1 for pair in pairs]
            elif match := HUNK.match(line):
                for parent, found in enumerate(self._hunks(match, line)):
                    if parent < len(current):
                        hunks.setdefault(current[parent], []).extend(found)
                line = self._last
            line = self._next(line)
        yield Patch(
            head[1].decode(),
            tuple(replace(change, hunks=tuple(hunks.get(row, ()))) for row, change in enumerate(changes)),
            is_merge=records.startswith(b"::"),
        )
        return line

    def _hunks(self, head: re.Match[bytes], line: bytes) -> list[list[Hunk]]:
        """Return of each parent the hunks that a head begins, and stop at the last line of them."""
        olds = [_range(part) for part in head[2].decode().replace("-", "").split()]
        new, new_count = int(head[3]), int(head[4] or 1)
        self._last = line
        if len(olds) == 1:
            ((old, old_count),) = olds
            self._pass(old_count + new_count)
            return [[Hunk(old, old_count, new, new_count)]]
        return self._combined(olds[:MAX_PARENTS], new, new_count)

    def _combined(self, olds: list[tuple[int, int]], new: int, new_count: int) -> list[list[Hunk]]:
        """Return the hunks of a combined one, whose lines say by a sign for each parent what they are to it."""
        sides = [_Side(old, new) for old, _ in olds]
        left = [count for _, count in olds]
        while new_count > 0 or any(count > 0 for count in left):
            line = self._last = self._next(self._last)
            if not line:
                break
            signs = line[: len(sides)]
            if line.startswith(NO_NEWLINE):
                continue
            is_gone = b"-" in signs
            new_count -= not is_gone
            for parent, (side, sign) in enumerate(zip(sides, signs, strict=False)):
                has_line = sign == MINUS if is_gone else sign != PLUS
                left[parent] -= has_line
                side.take(is_old=has_line, is_new=not is_gone)
        return [side.finished() for side in sides]

    def _pass(self, count: int) -> None:
        """Pass over so many lines."""
        while count:
            self._last = self._next(self._last)
            if not self._last:
                return
            count -= not self._last.startswith(NO_NEWLINE)

    def _next(self, line: bytes = b"\n") -> bytes:
        """Return the line after one of which the beginning was read."""
        self._rest_of(line)
        return self._read_line()

    def _rest_of(self, line: bytes) -> None:
        while line and not line.endswith(b"\n"):
            line = self._read_line()


class _Side:
    """The hunks between a parent and a merge, as its lines come."""

    def __init__(self, old: int, new: int) -> None:
        self._old, self._new = old, new  # the next line of each
        self._counts = [0, 0]
        self._hunks: list[Hunk] = []

    def take(self, *, is_old: bool, is_new: bool) -> None:
        """Take a line that the parent has, or the merge, or both."""
        if is_old and is_new:
            self._close()
            self._old, self._new = self._old + 1, self._new + 1
            return
        self._counts[0] += is_old
        self._counts[1] += is_new

    def finished(self) -> list[Hunk]:
        """Return the hunks."""
        self._close()
        return self._hunks

    def _close(self) -> None:
        old, new = self._counts
        if old or new:
            self._hunks.append(Hunk(self._old - (not old), old, self._new - (not new), new))
        self._old, self._new, self._counts = self._old + old, self._new + new, [0, 0]


def _range(text: str) -> tuple[int, int]:
    start, _, count = text.partition(",")
    return int(start), int(count or 1)


def _changes(records: bytes) -> Iterator[Change]:
    """Yield the changes of regular files that the raw records of a commit name; of a merge, one for each parent."""
    fields = iter(records.split(b"\0"))
    for field in fields:
        text = field.decode("ascii", "replace")
        parts = text.lstrip(":").split(" ")
        parents = len(text) - len(text.lstrip(":"))
        if not parents or len(parts) != 2 * (parents + 1) + 1:
            continue
        old_path = os.fsdecode(next(fields, b""))
        is_moved = parents == 1 and parts[-1].startswith(TWO_PATHS)
        new_path = os.fsdecode(next(fields, b"")) if is_moved else old_path
        modes, blobs = parts[: parents + 1], parts[parents + 1 : -1]
        is_new = modes[-1] in REGULAR_FILES
        for mode, blob in zip(modes[:-1], blobs[:-1], strict=True):
            is_old = mode in REGULAR_FILES
            if is_old or is_new:
                yield Change(
                    old_path if is_old else "",
                    new_path if is_new else "",
                    _blob(blob) if is_old else "",
                    _blob(blobs[-1]) if is_new else "",
                )


def _blob(written: str) -> str:
    return "" if not written.strip("0") else written
