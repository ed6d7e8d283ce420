"""Files for the user alone to read, in a folder for the user alone to enter: read without surprises, written whole."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

__all__ = ["UnfitFileError", "make_folder", "open_folder", "read_file", "write_file"]

FOLDER_MODE, FILE_MODE = 0o700, 0o600
OTHERS = stat.S_IRWXG | stat.S_IRWXO
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC  # a FIFO must not block
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class UnfitFileError(Exception):
    """A file or folder that is not this user's own, or not of its kind; the text says why."""


def make_folder(path: Path) -> None:
    """Make a folder and that above it; raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=FOLDER_MODE)
    path.mkdir(exist_ok=True, mode=FOLDER_MODE)


def open_folder(path: Path) -> int:
    """Return a handle of a folder that is the user's own and no link; raises UnfitFileError and FileNotFoundError."""
    try:
        handle = os.open(path, FOLDER)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise UnfitFileError(f"{path} cannot be opened, or is a link: {error.strerror}; remove it") from error
    status = os.fstat(handle)
    if status.st_uid != os.geteuid() or status.st_mode & OTHERS:
        os.close(handle)
        raise UnfitFileError(f'others may enter {path}; run "chmod 700" on it')
    return handle


def read_file(folder: int, name: str, *, most_bytes: int) -> bytes | None:
    """Return what a file of an open folder holds, None if there is none; raises UnfitFileError."""
    try:
        handle = os.open(name, READ, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnfitFileError(f"it cannot be opened, or is a link: {error.strerror}") from error
    with os.fdopen(handle, "rb", buffering=0) as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise UnfitFileError("it is no regular file")
        if status.st_uid != os.geteuid() or status.st_mode & OTHERS:
            raise UnfitFileError('others may read or write it ("chmod 600" changes that)')
        if status.st_size > most_bytes:
            raise UnfitFileError(f"it has {status.st_size:,} bytes, more than {most_bytes:,}")
        return file.read(most_bytes + 1)


def write_file(folder: int, name: str, data: bytes) -> None:
    """Put a file in the place of what an open folder has under its name, whole or not at all; raises OSError."""
    beside = f".{os.urandom(6).hex()}"
    try:
        with os.fdopen(os.open(beside, NEW, FILE_MODE, dir_fd=folder), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.rename(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        with suppress(OSError):
            os.unlink(beside, dir_fd=folder)
        raise
