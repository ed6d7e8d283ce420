"""An index folder to what in it is coderag's, which has to be free of links before anything is written or removed.

A repository, or what is pulled into it later, may bring links under any name. Each path is looked at when it is used
(coderag.index.storage.folder.index_path); what is looked at here is all of them at once, so that nothing is done by
halves.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from contextlib import suppress

from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import MERGING, SEGMENTS

__all__ = ["bytes_of", "check_entries", "split_entries"]

OURS = re.compile(
    r"manifest\.(?:json|tmp)|(?:listing|catalog|graph|history|hnsw)-[0-9a-f.-]*bin|databases|views|segments|merging|"
    r"(?:(?:merging|indexing|graph|history)\.)?lock|(?:lock|indexing)\.json|\.gitignore"
)
DEPTHS = {SEGMENTS: 1, MERGING: 1}  # of folders in the folders of an index


def split_entries(folder: IndexPath) -> tuple[list[str], list[str]]:
    """Return the names of what coderag wrote into a folder, and of what it did not."""
    names = folder.entries()
    ours = [name for name in names if OURS.fullmatch(name)]
    return ours, [name for name in names if name not in ours]


def check_entries(folder: IndexPath, *, to_remove: bool = False) -> None:
    """Raise IndexUnsafeError where a link or a special file stands in the place of something of coderag's.

    What is only to be removed may hold some in its folders, which are not followed then.
    """
    for name in split_entries(folder)[0]:
        if (folder / name).is_folder():
            (folder / name).check_entries(depth=DEPTHS.get(name, 0), only_folders=to_remove)


def bytes_of(folder: IndexPath, names: Iterable[str]) -> int:
    """Return how many bytes some entries take, from which a writer may remove some meanwhile."""
    size = 0
    waiting = [os.path.join(folder.path, name) for name in names]
    while waiting:
        path = waiting.pop()
        with suppress(OSError):
            status = os.lstat(path)
            if stat.S_ISDIR(status.st_mode):
                waiting += [os.path.join(path, name) for name in os.listdir(path)]  # noqa: PTH208 - of names
            else:
                size += status.st_size
    return size
