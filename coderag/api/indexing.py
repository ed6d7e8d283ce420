"""A first index, made by a process of its own in parts that can be searched one after another.

indexing.lock  held by the one process that does it
indexing.json  how far it is, for those who answer meanwhile; whatever it says counts only while the lock is held
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from coderag.api.detached import spawn_detached
from coderag.api.roots import Root
from coderag.errors import CoderagError
from coderag.index.build.job import BuildOptions, Progress
from coderag.index.storage.folder.entries import check_entries
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.lock import is_locked, the_only_one
from coderag.index.storage.symptoms import writing

__all__ = ["IndexingProgress", "indexing_progress", "main", "spawn_indexing"]

LOCK, PROGRESS = "indexing.lock", "indexing.json"
PROGRESS_BYTES = 1 << 10
TOLD_SECONDS = 0.5  # between two lines about how far it is
FIRST_FILES, GROWTH = 100, 4  # files of the first part, and how much larger each further one is
NICENESS = 5  # of this process and of those that read: who searches gets three times as much of a core


@dataclass(frozen=True, slots=True)
class IndexingProgress:
    """How far a first index is; 0 of 0 before the files are listed."""

    files: int  # that can be searched, or soon can
    all_files: int


def spawn_indexing(root: Root) -> subprocess.Popen[bytes]:
    """Start a process that completes the index of a root, its graph and its history; where one does it, it ends."""
    names = [str(root.root), root.repository, str(root.folder.base), *root.folder.names]
    return spawn_detached(__name__, names)


def indexing_progress(folder: IndexPath) -> IndexingProgress | None:
    """Return how far the first index of a folder is, None if no process makes one."""
    try:
        if not is_locked(folder / LOCK):
            return None
    except (OSError, CoderagError):
        return None
    try:
        said = json.loads((folder / PROGRESS).read_bytes(PROGRESS_BYTES))
        progress = IndexingProgress(int(said["files"]), int(said["all_files"]))
    except (OSError, CoderagError, ValueError, TypeError, LookupError, OverflowError, RecursionError):
        return IndexingProgress(0, 0)  # it has said nothing yet, or is just writing
    return progress if 0 <= progress.files <= progress.all_files else IndexingProgress(0, 0)


class _Teller:
    """What writes down how far an index is."""

    def __init__(self, folder: IndexPath) -> None:
        self._folder = folder
        self._told = 0.0
        self.known = 0  # files of the parts before

    def __call__(self, progress: Progress) -> None:
        """Hear how far the part is that is being made."""
        now = time.monotonic()
        if now - self._told < TOLD_SECONDS or not progress.all_files:
            return
        self._told = now
        files = self.known + progress.files
        state = IndexingProgress(files, self.known + progress.all_files + progress.left)
        with suppress(OSError):  # the rest of the work does not depend on it
            (self._folder / PROGRESS).write_bytes(json.dumps(asdict(state)).encode())


def _complete(root: Root) -> None:
    """Index a root over the base that the user's remote has, or in parts, until nothing is left."""
    from coderag.api.remote_base import over_remote_base
    from coderag.api.updater import IndexUpdater
    from coderag.index.build.index_part import open_parts

    teller = _Teller(root.folder)
    updater = IndexUpdater([root])

    def join(folders: Sequence[Path]) -> None:
        if folders:
            updater.update_one(root, BuildOptions(parts=tuple(open_parts(folders))), watch=teller)

    try:
        over_remote_base(root, join, said=lambda _: None)
        most_files = FIRST_FILES
        while True:
            report = updater.update_one(root, BuildOptions(most_files=most_files), watch=teller)
            if not report.left:
                return
            teller.known = report.read + report.unchanged + report.reused
            most_files *= GROWTH
    finally:
        updater.close()


def main() -> None:
    """Complete the index of the root that the command line names, and its graph."""
    path, repository, base, *names = sys.argv[1:]
    root = Root(Path(path), IndexPath(Path(base), tuple(names)), repository)
    os.nice(NICENESS)
    with suppress(CoderagError, OSError):  # what asks for the index meets the same, and says it
        check_entries(root.folder)
        with writing(root.folder):
            root.folder.make_folders()
        with the_only_one(root.folder / LOCK) as alone:
            if not alone:
                return
            _complete(root)
            with suppress(OSError):
                (root.folder / PROGRESS).remove()
            from coderag.api.updater import read_history
            from coderag.graph.store import write_graph

            write_graph(root.folder, root.root)
            read_history(root)


if __name__ == "__main__":
    main()
