"""Standard streams as a process may get them, closed, full or without a reader, to streams that say what failed."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

__all__ = ["open_standard_streams"]

STDIN, STDOUT, STDERR = 0, 1, 2
NAMES = {STDIN: "standard input", STDOUT: "standard output"}


class _Stream(io.FileIO):
    """A standard stream whose errors name it; what cannot be written to standard error is dropped."""

    def readinto(self, buffer: WriteableBuffer, /) -> int | None:
        """Read as FileIO does."""
        try:
            return super().readinto(buffer)
        except OSError as error:
            raise self._named(error) from None

    def write(self, data: ReadableBuffer, /) -> int:
        """Write as FileIO does."""
        try:
            return super().write(data)
        except OSError as error:
            if self.fileno() == STDERR:  # nobody is left to be told
                return memoryview(data).nbytes
            raise self._named(error) from None

    def _named(self, error: OSError) -> OSError:
        reason = "it is closed" if error.errno == errno.EBADF else error.strerror
        return OSError(error.errno, reason, NAMES[self.fileno()])


def open_standard_streams() -> None:
    """Put streams in place of sys.stdin, sys.stdout and sys.stderr whose errors name them.

    A descriptor that is closed is opened, or else the next file would get its number, and an index what is printed. Use
    of standard input or output fails all the same then, as for any other program.
    """
    for descriptor, flags in ((STDIN, os.O_WRONLY), (STDOUT, os.O_RDONLY), (STDERR, os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            opened = os.open(os.devnull, flags)  # the lowest free number, as those below are open
            os.set_inheritable(opened, True)
    sys.stdin = _wrapped(sys.stdin, io.BufferedReader(_Stream(STDIN, "rb", closefd=False)))
    sys.stdout = _wrapped(sys.stdout, io.BufferedWriter(_Stream(STDOUT, "wb", closefd=False)))
    sys.stderr = _wrapped(sys.stderr, io.BufferedWriter(_Stream(STDERR, "wb", closefd=False)), by_line=True)


def _wrapped(before: TextIO | None, binary: io.BufferedReader | io.BufferedWriter, *, by_line: bool = False) -> TextIO:
    """Return a stream of text that is encoded as the one before it."""
    known = before if isinstance(before, io.TextIOWrapper) else None
    return io.TextIOWrapper(
        binary,
        encoding=known.encoding if known else "utf-8",
        errors=known.errors if known else "backslashreplace",
        line_buffering=by_line or (known is not None and (known.line_buffering or known.write_through)),
    )
