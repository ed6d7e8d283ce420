"""A clone of a git repository under the user's cache folder, as its state file describes it.

clones/KEY/.clone.json   what was cloned, and when; without it, the folder is no clone
clones/KEY/.index        the index
clones/KEY/NAME          the work tree, whose name has no point in front

Format history of .clone.json: **1** first.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from coderag.index.storage.folder.index_path import IndexPath
from coderag.record import record
from coderag.resources import user_folder

__all__ = ["STATE", "Clone", "clone_of_tree", "clones_folder", "mark_used", "read_clone", "write_clone"]

FORMAT = 1
CLONES, STATE, INDEX = "clones", ".clone.json", ".index"
STATE_BYTES = 1 << 16


@record
class Clone:
    """What is known of a clone; times are seconds since 1970."""

    address: str  # without credentials, with the revision
    parts: tuple[str, ...]  # the host, the folders and the name; the last with the revision
    repository: str  # owner/name
    commit: str  # that is checked out; "" while that is not finished
    fetched: float  # when the commit was the newest
    tried: float  # when a fetch failed since, 0 if none did
    tree: Path
    used: float = 0.0
    bytes: int = 0

    @property
    def folder(self) -> Path:
        """The folder that holds all of the clone."""
        return self.tree.parent

    @property
    def index(self) -> Path:
        """Where its index is stored."""
        return self.folder / INDEX

    @property
    def place(self) -> IndexPath:
        """The same folder, as one that no link leads to."""
        return IndexPath(self.folder.parent, (self.folder.name,))


def clones_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of all clones: under $XDG_CACHE_HOME, or ~/.cache."""
    return user_folder("XDG_CACHE_HOME", ".cache", environment) / CLONES


def read_clone(folder: IndexPath) -> Clone | None:
    """Return the clone in a folder, None if there is none, or none that this version can read."""
    try:
        stored = json.loads((folder / STATE).read_bytes(STATE_BYTES))
        if stored.pop("format") != FORMAT:
            return None
        tree = folder.path / str(stored.pop("tree"))
        parts = tuple(map(str, stored.pop("parts")))
        clone = Clone(**stored, parts=parts, tree=tree, used=(folder / STATE).path.stat().st_mtime)
    except (OSError, ValueError, TypeError, LookupError, AttributeError):
        return None
    return clone if tree.is_dir() and tree.parent == folder.path else None


def write_clone(folder: IndexPath, clone: Clone) -> None:
    """Store what is known of a clone, all or nothing."""
    record = asdict(clone) | {"format": FORMAT, "tree": clone.tree.name}
    del record["used"], record["bytes"]
    fresh = folder / f"{STATE}.new"
    fresh.write_bytes(json.dumps(record, indent=1).encode())
    fresh.sync()
    fresh.replace(folder / STATE)


def mark_used(clone: Clone) -> None:
    """Note that a clone was used now; what was not used for long goes first."""
    with suppress(OSError):  # a cache that may only be read
        os.utime(clone.folder / STATE)


def clone_of_tree(root: Path) -> Clone | None:
    """Return the clone whose work tree a folder is (a real path), None for any other folder."""
    above = root.parent
    with suppress(OSError):
        if above.parent.name == CLONES and above.parent == Path(os.path.realpath(clones_folder())):
            return read_clone(IndexPath(above.parent, (above.name,)))
    return None
