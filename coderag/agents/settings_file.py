"""A file of settings: read without surprises, and written whole or not at all, through links but never out of a root.

A user's file may be a link into a folder of dotfiles, and is written where it leads. The files of a project come with
the repository, so there a link has to stay in the root, and folders are opened without following any.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from coderag.agents.formats.errors import LeftAlone
from coderag.files.walk import read_start

__all__ = ["SettingsFile"]

MOST_BYTES = 64_000_000  # of a user's settings; Claude Code keeps its history in them
MOST_PROJECT_BYTES = 1_000_000
NEW_MODE, PERMISSIONS = 0o666, 0o7777
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
MAX_PREFIX = 50  # characters of the name that a temporary file begins with


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A file by its path, without links, and the root that it must not leave."""

    path: Path
    root: Path | None = None

    @classmethod
    def at(cls, path: Path, root: Path | None) -> SettingsFile:
        """Return the file that a path leads to; raises LeftAlone where that is out of the root."""
        real = Path(os.path.realpath(path))
        if root is not None and not real.is_relative_to(root):
            raise LeftAlone("it is a link that leads out of the project")
        return cls(real, root)

    def read(self) -> bytes | None:
        """Return what the file holds, None if there is none; raises LeftAlone for what is not a regular file."""
        most = MOST_BYTES if self.root is None else MOST_PROJECT_BYTES
        try:
            data = read_start(str(self.path), most + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise LeftAlone(f"it cannot be read: {error.strerror}") from None
        if len(data) > most:
            raise LeftAlone(f"it is larger than {most:,} bytes")
        return data

    def write(self, data: bytes) -> list[Path]:
        """Replace the file, and return the folders that were made for it, the outermost first; raises OSError."""
        made: list[Path] = []
        with self._folder(made) as folder:
            name, beside = self.path.name, f".{self.path.name[:MAX_PREFIX]}-{os.urandom(6).hex()}"
            handle = os.open(beside, NEW, 0o600, dir_fd=folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                    os.fchmod(file.fileno(), self._mode())
                    file.flush()
                    os.fsync(file.fileno())
                os.rename(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with suppress(OSError):
                    os.unlink(beside, dir_fd=folder)
                raise
        return made

    def remove(self) -> None:
        """Remove the file; raises OSError."""
        with self._folder([]) as folder:
            os.unlink(self.path.name, dir_fd=folder)

    def _mode(self) -> int:
        with suppress(FileNotFoundError):
            return stat.S_IMODE(os.lstat(self.path).st_mode) & PERMISSIONS
        mask = os.umask(0o077)  # which can only be read by setting it
        os.umask(mask)
        return NEW_MODE & ~mask

    @contextmanager
    def _folder(self, made: list[Path]) -> Iterator[int]:
        """Open the folder of the file, made where there is none; below the root no link is followed."""
        base = self.root or next(parent for parent in self.path.parents if parent.is_dir())
        handle = os.open(base, FOLDER)
        try:
            for name in self.path.parent.relative_to(base).parts:
                base = base / name
                try:
                    os.mkdir(name, dir_fd=handle)
                    made.append(base)
                except FileExistsError:
                    pass
                inner = os.open(name, FOLDER | os.O_NOFOLLOW, dir_fd=handle)
                os.close(handle)
                handle = inner
            yield handle
        finally:
            os.close(handle)
