"""All clones under the user's cache folder: where each belongs, and the removal of those that are not used.

clones/KEY/        a clone (coderag.api.clone); KEY follows from the address without credentials
clones/KEY.new/    a clone that is being made; it is renamed when it is whole
clones/KEY.lock    held by who writes the clone
"""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from filelock import Timeout

from coderag.api.clone import STATE, Clone, clones_folder, read_clone
from coderag.files.git_address import GitAddress
from coderag.index.storage.folder.index_path import IndexPath, is_name
from coderag.index.storage.folder.lock import file_lock

__all__ = ["MOST_BYTES", "ClonePlace", "clones", "clones_size", "remove_clone", "trim_clones"]

MOST_BYTES = 10 << 30
LOCK_SUFFIX, NEW_SUFFIX = ".lock", ".new"
KEY_CHARACTERS = 60  # of the readable part
DIGEST_CHARACTERS = 16
UNNAMEABLE = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class ClonePlace:
    """Where the clone of an address lies, be it there or not."""

    folder: IndexPath
    tree_name: str

    @property
    def tree(self) -> Path:
        """The work tree."""
        return self.folder.path / self.tree_name

    @property
    def lock(self) -> IndexPath:
        """The file that is locked by who writes the clone."""
        return self.folder.parent / f"{self.folder.name}{LOCK_SUFFIX}"

    @property
    def new(self) -> IndexPath:
        """The folder that a first clone is made in."""
        return self.folder.parent / f"{self.folder.name}{NEW_SUFFIX}"

    @classmethod
    def of(cls, address: GitAddress) -> ClonePlace:
        """Return the place of an address; its credentials change nothing."""
        digest = hashlib.sha256(f"{address.scheme} {address}".encode("utf-8", "surrogatepass")).hexdigest()
        readable = UNNAMEABLE.sub("-", "-".join(filter(None, address.parts))).strip("-.")[-KEY_CHARACTERS:]
        return cls(
            IndexPath(clones_folder(), (f"{readable}-{digest[:DIGEST_CHARACTERS]}",)),
            UNNAMEABLE.sub("-", address.parts[-1])[:KEY_CHARACTERS].lstrip(".-") or "repository",
        )


def clones() -> list[Clone]:
    """Return all clones with their sizes, the least recently used first."""
    known = [clone for clone in map(read_clone, _folders()) if clone is not None]
    return sorted(
        (replace(clone, bytes=_size(clone.folder)) for clone in known), key=lambda clone: (clone.used, clone.address)
    )


def clones_size() -> int:
    """Return how many bytes all clones take, with what was left of some."""
    return sum(_size(folder.path) for folder in _folders())


def trim_clones(max_bytes: int) -> int:
    """Remove the least recently used clones until no more than `max_bytes` are left; return the bytes removed."""
    used = {clone.folder: clone.used for clone in map(read_clone, _folders()) if clone is not None}
    # What is no clone was left by a process that was killed, and goes first.
    folders = sorted(_folders(), key=lambda folder: (used.get(folder.path, 0.0), folder))
    sizes = {folder: _size(folder.path) for folder in folders}
    left = sum(sizes.values())
    removed = 0
    for folder in folders:
        if left - removed <= max_bytes:
            break
        removed += sizes[folder] if remove_clone(folder) else 0
    return removed


def remove_clone(folder: IndexPath) -> bool:
    """Remove a clone with its index; False where another process is writing it."""
    lock = file_lock(folder.parent / f"{folder.name.removesuffix(NEW_SUFFIX)}{LOCK_SUFFIX}")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return False
    try:
        (folder / STATE).remove()
        folder.remove_tree()
    finally:
        lock.release()
    return True


def _folders() -> list[IndexPath]:
    base = IndexPath(clones_folder())
    return [base / name for name in base.entries() if is_name(name) and (base.path / name).is_dir()]


def _size(folder: Path) -> int:
    size = 0
    for above, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                size += os.lstat(os.path.join(above, name)).st_size
    return size
