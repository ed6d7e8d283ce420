"""Summaries kept under the user's cache folder, each in a file named by a hash of all that it was made of.

What is kept is a model's draft and no more trusted than one: it is checked again whenever it is used.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from coderag.ask.source import Source
from coderag.resources import user_folder

__all__ = ["SummaryStore", "summary_key", "summary_store"]

VERSION = "1"  # of what a summary is asked by; 1: two sentences about a part
MOST_BYTES = 4 << 20  # of all summaries; the least recently used go first
MOST_OF_ONE = 16 << 10
FOLDER_MODE, FILE_MODE = 0o700, 0o600


def summary_key(model: str, sources: Sequence[Source]) -> str:
    """Return the name of the summary that a model writes of some sources; it changes with any of their lines."""
    parts = [VERSION, model, *(f"{source.place}\0{source.name}\0{source.text}" for source in sources)]
    hashed = sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape")
        hashed.update(len(data).to_bytes(8, "little") + data)
    return hashed.hexdigest()


def summary_store(environment: Mapping[str, str] = os.environ) -> SummaryStore | None:
    """Return the store under $XDG_CACHE_HOME, or ~/.cache; None where the user has no such folder."""
    try:
        return SummaryStore(user_folder("XDG_CACHE_HOME", ".cache", environment) / "summaries")
    except FileNotFoundError:
        return None


class SummaryStore:
    """A folder of summaries that nobody but the user may read; where it cannot be written nothing is kept."""

    def __init__(self, folder: Path, *, most_bytes: int = MOST_BYTES) -> None:
        """Keep summaries in a folder, `most_bytes` of them at most."""
        self._folder = folder
        self._most = most_bytes

    def get(self, key: str) -> str:
        """Return a summary, "" for one that is not kept."""
        path = self._folder / key
        try:
            with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
                data = file.read(MOST_OF_ONE + 1)
            text = data.decode() if len(data) <= MOST_OF_ONE else ""
            os.utime(path, follow_symlinks=False)
        except (OSError, UnicodeDecodeError):
            return ""
        return text

    def put(self, key: str, text: str) -> None:
        """Keep a summary, whole or not at all, and drop the least recently used where there are too many."""
        data = text.encode("utf-8", "replace")
        if not data or len(data) > MOST_OF_ONE:
            return
        beside = self._folder / f"{key}.{os.getpid()}"
        with suppress(OSError):
            self._folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with open(os.open(beside, flags, FILE_MODE), "wb") as file:
                file.write(data)
            beside.replace(self._folder / key)
            self._trim()

    def _trim(self) -> None:
        entries = []
        for path in self._folder.iterdir():
            with suppress(FileNotFoundError):  # another process removed it
                state = path.lstat()
                entries.append((state.st_mtime_ns, path.name, state.st_size))
        left = sum(size for *_, size in entries)
        for _, name, size in sorted(entries):
            if left <= self._most:
                return
            (self._folder / name).unlink(missing_ok=True)
            left -= size
