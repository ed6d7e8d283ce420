"""A file or folder of an index, reached without following a link.

What lies in an index folder may have come with a repository that somebody else made: git ships links, archives ship
FIFOs. So a path below an index folder is joined from names of a closed grammar, each folder on the way is opened
without following links (openat(2) with O_NOFOLLOW), and only regular files are read, replaced or removed.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO, NoReturn

from coderag.errors import IndexDamagedError, IndexUnsafeError
from coderag.record import ordered_record

__all__ = ["IndexPath", "is_name"]

NAME = re.compile(r"(?!\.{1,2}\Z)[A-Za-z0-9._-]{1,128}")
ON_THE_WAY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC  # a FIFO must not block
CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
UNSYNCABLE = frozenset({errno.EINVAL, errno.EBADF})


def is_name(text: str) -> bool:
    """Tell whether a text may name a file or folder of an index: letters, digits, `.`, `_` and `-`, up to 128."""
    return NAME.fullmatch(text) is not None


@ordered_record
class IndexPath:
    """A path in an index: `base` is the user's own and may be a link, none of the `names` below it may.

    Every method raises OSError as the system does, and IndexUnsafeError where a link or a special file stands.
    """

    base: Path
    names: tuple[str, ...] = ()

    def __truediv__(self, name: str) -> IndexPath:
        """Return the path of an entry; raises IndexDamagedError for what is no name."""
        if not is_name(name):
            raise IndexDamagedError(f'the index at {self} names {name[:128]!r}, which is no name; run "coderag index"')
        return IndexPath(self.base, (*self.names, name))

    def __str__(self) -> str:
        return os.path.join(self.base, *self.names)

    @property
    def path(self) -> Path:
        """The path as the system knows it, for messages and for what follows no link by itself."""
        return self.base.joinpath(*self.names)

    @property
    def name(self) -> str:
        """The last name."""
        return self.names[-1] if self.names else self.base.name

    @property
    def parent(self) -> IndexPath:
        """The folder that it is in."""
        return IndexPath(self.base, self.names[:-1]) if self.names else IndexPath(self.base.parent)

    def open(self, most_bytes: int) -> BinaryIO:
        """Open a regular file for reading; raises IndexDamagedError for one that is larger than its kind may be."""
        with self._above() as (above, name):
            try:
                handle = os.open(name, READ, dir_fd=above)
            except OSError:
                self._refuse_link(above, name)
                raise
        file = os.fdopen(handle, "rb", buffering=0)
        try:
            self._check_regular(os.fstat(handle))
            if os.fstat(handle).st_size > most_bytes:
                raise IndexDamagedError(f'{self} is larger than {most_bytes:,} bytes; run "coderag index"')
        except BaseException:
            file.close()
            raise
        return file

    def read_bytes(self, most_bytes: int) -> bytes:
        """Return what a regular file holds; raises like `open`."""
        with self.open(most_bytes) as file:
            return file.read()

    def create(self) -> BinaryIO:
        """Open a new file for writing, in place of a regular one of the same name."""
        with self._above() as (above, name):
            self._unlink(above, name)
            return os.fdopen(os.open(name, CREATE, 0o666, dir_fd=above), "wb")

    def write_bytes(self, data: bytes) -> None:
        """Write a new file, in place of a regular one of the same name."""
        with self.create() as file:
            file.write(data)

    def replace(self, target: IndexPath) -> IndexPath:
        """Give a file or folder another name, in place of a regular file that has it."""
        with self._above() as (above, name), target._above() as (there, new):
            found = self._look(there, new)
            if found is not None and not stat.S_ISDIR(found.st_mode):
                target._check_regular(found)
            os.rename(name, new, src_dir_fd=above, dst_dir_fd=there)
        return target

    def link(self, target: IndexPath) -> None:
        """Give a file a second name, which must be new."""
        with self._above() as (above, name), target._above() as (there, new):
            os.link(name, new, src_dir_fd=above, dst_dir_fd=there, follow_symlinks=False)

    def remove(self) -> None:
        """Remove a regular file, if there is one."""
        with suppress(FileNotFoundError), self._above() as (above, name):
            self._unlink(above, name)

    def remove_tree(self) -> None:
        """Remove a folder with all that it holds, if there is one; links in it are removed and not followed."""
        import shutil  # only writers need it, and it takes 5 ms

        with suppress(FileNotFoundError), self._above() as (above, name):
            found = self._look(above, name)
            if found is not None and stat.S_ISLNK(found.st_mode):
                _refuse(self, "a link")
            if found is not None:
                shutil.rmtree(name, dir_fd=above)

    def make_folder(self, *, exist_ok: bool = False) -> None:
        """Make a folder; those above it must be there."""
        with self._above() as (above, name):
            try:
                os.mkdir(name, dir_fd=above)
            except FileExistsError:
                found = self._look(above, name)
                if found is not None and not stat.S_ISDIR(found.st_mode):
                    self._refuse_link(above, name)
                    raise
                if not exist_ok:
                    raise

    def make_folders(self) -> None:
        """Make a folder and those above it, as far as they are missing."""
        self.base.mkdir(parents=True, exist_ok=True)
        for depth in range(1, len(self.names) + 1):
            IndexPath(self.base, self.names[:depth]).make_folder(exist_ok=True)

    def stat(self) -> os.stat_result | None:
        """Return what the system knows of a regular file or folder, None if there is neither."""
        try:
            with self._above() as (above, name):
                found = self._look(above, name)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if found is not None and not stat.S_ISDIR(found.st_mode):
            self._check_regular(found)
        return found

    def exists(self) -> bool:
        """Tell whether there is a regular file or a folder."""
        return self.stat() is not None

    def is_folder(self) -> bool:
        """Tell whether there is a folder."""
        found = self.stat()
        return found is not None and stat.S_ISDIR(found.st_mode)

    def entries(self) -> list[str]:
        """Return the names in a folder in alphabetical order, also those that no index has; [] if there is none."""
        try:
            with self._folder() as handle:
                return sorted(os.listdir(handle))  # noqa: PTH208 - of an open folder
        except (FileNotFoundError, NotADirectoryError):
            return []

    def check_entries(self, *, depth: int, only_folders: bool = False) -> None:
        """Raise IndexUnsafeError for folders more than `depth` deep in a folder, and for a link or special file in it.

        With `only_folders`, links and special files may be there. A folder that is missing holds nothing.
        """
        with suppress(FileNotFoundError, NotADirectoryError), self._folder() as handle:
            _check_below(handle, str(self), depth, only_folders=only_folders)

    def sync(self) -> None:
        """Make a file or folder durable; a system that cannot sync folders is believed to need none."""
        with self._above() as (above, name):
            handle = os.open(name, READ, dir_fd=above)
        try:
            os.fsync(handle)
        except OSError as error:
            if error.errno not in UNSYNCABLE:
                raise
        finally:
            os.close(handle)

    @contextmanager
    def _folder(self) -> Iterator[int]:
        """Open the folder itself; the handle is closed with the block."""
        handle = os.open(self.base, ON_THE_WAY)
        try:
            for depth, name in enumerate(self.names, 1):
                try:
                    inner = os.open(name, ON_THE_WAY | os.O_NOFOLLOW, dir_fd=handle)
                except OSError:
                    IndexPath(self.base, self.names[:depth])._refuse_link(handle, name)
                    raise
                os.close(handle)
                handle = inner
            yield handle
        finally:
            os.close(handle)

    @contextmanager
    def _above(self) -> Iterator[tuple[int, str]]:
        """Open the folder above; yield it, and the name in it. The user's own folder is taken as the user names it."""
        if self.names:
            with self.parent._folder() as handle:
                yield handle, self.names[-1]
        else:
            with self._folder() as handle:
                yield handle, "."

    def _look(self, above: int, name: str) -> os.stat_result | None:
        try:
            return os.stat(name, dir_fd=above, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def _unlink(self, above: int, name: str) -> None:
        found = self._look(above, name)
        if found is not None:
            self._check_regular(found)
            os.unlink(name, dir_fd=above)

    def _check_regular(self, found: os.stat_result) -> None:
        if stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(self))
        if not stat.S_ISREG(found.st_mode):
            _refuse(self, "a link" if stat.S_ISLNK(found.st_mode) else "no regular file")

    def _refuse_link(self, above: int, name: str) -> None:
        """Raise IndexUnsafeError if a link or a special file is why something could not be opened."""
        found = self._look(above, name)
        if found is not None and not stat.S_ISDIR(found.st_mode) and not stat.S_ISREG(found.st_mode):
            self._check_regular(found)


def _check_below(handle: int, shown: str, depth: int, *, only_folders: bool) -> None:
    with os.scandir(handle) as found:
        entries = sorted(found, key=attrgetter("name"))
    for entry in entries:
        where = f"{shown}/{entry.name}"
        if not entry.is_dir(follow_symlinks=False):
            if not only_folders and not entry.is_file(follow_symlinks=False):
                _refuse(where, "a link" if entry.is_symlink() else "no regular file")
            continue
        if not depth:
            _refuse(where, "a folder")
        inner = os.open(entry.name, ON_THE_WAY | os.O_NOFOLLOW, dir_fd=handle)
        try:
            _check_below(inner, where, depth - 1, only_folders=only_folders)
        finally:
            os.close(inner)


def _refuse(where: object, what: str) -> NoReturn:
    raise IndexUnsafeError(
        f"{where} is {what}, and an index holds regular files only: nothing was read or written there; remove "
        'it, or choose another place with "--index DIR"'
    )
