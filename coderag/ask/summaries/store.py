"""Summaries kept under the user's cache folder, each in a file named by a hash of all that it was made of.

What is kept is a model's draft and no more trusted than one: it is checked again whenever it is used.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from coderag.ask.cached_files import read_cached, sizes_of, trim_cached, write_cached
from coderag.ask.private_files import UnfitFileError
from coderag.ask.source import Source
from coderag.resources import user_folder

__all__ = [
    "MOST_BYTES",
    "SummaryStore",
    "summaries_folder",
    "summaries_size",
    "summary_key",
    "summary_store",
    "trim_summaries",
]

VERSION = "1"  # of what a summary is asked by; 1: two sentences about a part
MOST_BYTES = 4 << 20  # of all summaries; the least recently used go first
MOST_OF_ONE = 16 << 10
NAME = re.compile(r"[0-9a-f]{1,64}")


def summary_key(model: str, sources: Sequence[Source]) -> str:
    """Return the name of the summary that a model writes of some sources; it changes with any of their lines."""
    parts = [VERSION, model, *(f"{source.place}\0{source.name}\0{source.text}" for source in sources)]
    hashed = sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape")
        hashed.update(len(data).to_bytes(8, "little") + data)
    return hashed.hexdigest()


def summaries_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of summaries: under $XDG_CACHE_HOME, or ~/.cache; raises FileNotFoundError without both."""
    return user_folder("XDG_CACHE_HOME", ".cache", environment) / "summaries"


def summaries_size() -> int:
    """Return how many bytes are kept."""
    return sum(size for _, size, _ in sizes_of(summaries_folder(), NAME))


def trim_summaries(most_bytes: int) -> int:
    """Remove the least recently used summaries until no more than so many bytes are left; return the bytes removed."""
    return trim_cached(summaries_folder(), NAME, most_bytes)


def summary_store(environment: Mapping[str, str] = os.environ) -> SummaryStore | None:
    """Return the store under $XDG_CACHE_HOME, or ~/.cache; None if the user has no such folder."""
    try:
        return SummaryStore(summaries_folder(environment))
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
        data = read_cached(path, most_bytes=MOST_OF_ONE)
        if data is None:
            return ""
        with suppress(OSError):
            os.utime(path, follow_symlinks=False)
        try:
            return data.decode()
        except UnicodeDecodeError:
            return ""

    def put(self, key: str, text: str) -> None:
        """Keep a summary, whole or not at all, and drop the least recently used where there are too many."""
        data = text.encode("utf-8", "replace")
        if not data or len(data) > MOST_OF_ONE:
            return
        with suppress(OSError, UnfitFileError):
            write_cached(self._folder / key, data)
            trim_cached(self._folder, NAME, self._most)
