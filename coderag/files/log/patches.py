"""What `git diff-tree --stdin --raw -p -z -U0` prints to the changes of each commit, however much it prints.

Lines of files are counted and passed over: the head of a hunk says how many follow. No line is held as a whole.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from coderag.files.log.records import Change, Hunk, Patch

__all__ = ["LINE_BYTES", "read_patches"]

LINE_BYTES = 1 << 16  # of a longer line, pieces are read
COMMIT = re.compile(rb"([0-9a-f]{40}|[0-9a-f]{64})\0")
BLOBS = re.compile(rb"index ([0-9a-f]{40,64})\.\.([0-9a-f]{40,64})")
HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
END_OF_RAW = b"\0\0"
RAW_FIELDS = 5  # of a record: both modes, both blobs, and what happened
RAW_BYTES = 1 << 24  # of all records of a commit
REGULAR_FILES = frozenset({"100644", "100755"})  # not links, not submodules
NO_NEWLINE = b"\\"
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

    def commit(self, line: bytes) -> Iterator[Patch]:
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
        current = -1
        hunks: dict[int, list[Hunk]] = {}
        while line and not COMMIT.match(line):
            if line.startswith(b"diff --git "):
                current = -1
            elif blobs := BLOBS.match(line):
                same = rows.get((_blob(blobs[1].decode()), _blob(blobs[2].decode())))
                current = same.pop(0) if same else -1
            elif match := HUNK.match(line):
                hunk = Hunk(int(match[1]), int(match[2] or 1), int(match[3]), int(match[4] or 1))
                hunks.setdefault(current, []).append(hunk)
                self._pass(line, hunk.old_count + hunk.new_count)
            line = self._next(line)
        yield Patch(
            head[1].decode(),
            tuple(replace(change, hunks=tuple(hunks.get(row, ()))) for row, change in enumerate(changes)),
        )
        return line

    def _pass(self, head: bytes, count: int) -> None:
        """Pass over so many lines, which follow the head of a hunk."""
        line = head
        while count:
            line = self._next(line)
            if not line:
                return
            count -= not line.startswith(NO_NEWLINE)
        self._rest_of(line)

    def _next(self, line: bytes = b"\n") -> bytes:
        """Return the line after one of which the beginning was read."""
        self._rest_of(line)
        return self._read_line()

    def _rest_of(self, line: bytes) -> None:
        while line and not line.endswith(b"\n"):
            line = self._read_line()


def _changes(records: bytes) -> Iterator[Change]:
    """Yield the changes of regular files that the raw records of a commit name."""
    fields = iter(records.split(b"\0"))
    for field in fields:
        modes = field.decode("ascii", "replace").removeprefix(":").split(" ")
        if not field.startswith(b":") or len(modes) < RAW_FIELDS:
            continue
        old_path = os.fsdecode(next(fields, b""))
        new_path = os.fsdecode(next(fields, b"")) if modes[4].startswith(TWO_PATHS) else old_path
        is_old, is_new = modes[0] in REGULAR_FILES, modes[1] in REGULAR_FILES
        if not (is_old or is_new):
            continue
        yield Change(
            old_path if is_old else "",
            new_path if is_new else "",
            _blob(modes[2]) if is_old else "",
            _blob(modes[3]) if is_new else "",
        )


def _blob(written: str) -> str:
    return "" if not written.strip("0") else written
