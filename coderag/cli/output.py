"""A file that a command writes: in which format, and whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path

from coderag.errors import QueryError

__all__ = ["chosen_format", "write_output"]

MODE = 0o666  # of a new file, less what the umask takes
PERMISSIONS = 0o7777
MAX_PREFIX = 50  # characters of the name that a temporary file begins with


def chosen_format(output: str | None, asked: str | None, *, endings: Mapping[str, str]) -> str:
    """Return the format of an output: the one asked for, else that of the file's ending, else the first of `endings`.

    Raises QueryError for an ending that names none of them, and for one that names another than is asked for.
    """
    first = next(iter(endings.values()))
    ending = Path(output or "").suffix.lower()
    if not ending:
        return asked or first
    named = endings.get(ending)
    if asked and named in (asked, None):
        return asked
    if named is None:
        known = ", ".join(endings)
        raise QueryError(f"{output} is to be {ending}, which is not written; give {known}, or --format")
    if asked:
        raise QueryError(f"{output} is to be {named} by its name and {asked} by --format; leave one of them out")
    return named


def write_output(output: str, text: str) -> None:
    """Write a text to a file, which has all of it in the end or is as it was; raises OSError.

    A link stays, and what it leads to is replaced. What is no regular file, such as a FIFO, is written to as it is.
    """
    data = f"{text}\n".encode("utf-8", "backslashreplace")
    try:
        mode = _mode(output)
        if stat.S_ISREG(mode):
            _replace(Path(os.path.realpath(output)), data, mode & PERMISSIONS)
        else:
            Path(output).write_bytes(data)
    except OSError as error:
        raise OSError(error.errno, error.strerror, output) from None


def _mode(output: str) -> int:
    """Return the mode of a file, or what a new one gets."""
    try:
        return os.stat(output).st_mode
    except FileNotFoundError:
        mask = os.umask(0o077)  # which can only be read by setting it
        os.umask(mask)
        return stat.S_IFREG | MODE & ~mask


def _replace(path: Path, data: bytes, permissions: int) -> None:
    descriptor, beside = tempfile.mkstemp(prefix=f".{path.name[:MAX_PREFIX]}-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            os.fchmod(file.fileno(), permissions)
            file.flush()
            os.fsync(file.fileno())
        Path(beside).replace(path)
    finally:
        Path(beside).unlink(missing_ok=True)  # it is not there any more where all went well
