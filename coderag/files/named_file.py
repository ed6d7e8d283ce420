"""A file that a user names, which may be anything by now: git ships links, and archives ship FIFOs."""

from __future__ import annotations

import os
from pathlib import Path

from coderag.files.walk import read_start

__all__ = ["read_named"]

SYSTEM = "/dev/"  # where shells put pipes, as of <(command)


def read_named(name: str | os.PathLike[str], most_bytes: int) -> bytes:
    """Return the first bytes of a file; raises OSError, with ENXIO for one that may never end."""
    path = os.fspath(name)
    if path.startswith(SYSTEM):
        with Path(path).open("rb") as file:
            return file.read(most_bytes)
    try:
        return read_start(os.path.realpath(path), most_bytes)
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error
