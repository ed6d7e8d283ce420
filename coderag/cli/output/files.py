"""A file that a command writes: in which format, and whole or not at all.

A name such as `graph.svg` can be guessed, and a repository may hold a link of that name: nothing is written where it
leads.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path

from coderag.errors import QueryError

__all__ = ["chosen_format", "output_path", "write_output"]

SYSTEM = "/dev/"  # where standard output and pipes of shells are

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
    """Write a text to a file, which has all of it in the end or is as it was.

    What is no regular file, such as a FIFO, is written to as it is. Raises OSError, and QueryError for a link.
    """
    output_path(output)
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


def output_path(name: str) -> Path:
    """Return the path of a file to write; raises QueryError for a link, and for one below a folder that is a link.

    Of the folders, those below the current one are looked at; all else is the user's own.
    """
    path = Path(name)
    if name.startswith(SYSTEM):
        return path
    below = path.parts if not path.is_absolute() and ".." not in path.parts else ()
    for one in (path, *(Path(*below[:depth]) for depth in range(1, len(below)))):
        if one.is_symlink():
            raise QueryError(f"{one} is a link, and nothing is written where it leads; name another file")
    return path
