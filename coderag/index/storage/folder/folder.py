"""Which folder is an index, by what lies in it, and which one may become one."""

from __future__ import annotations

import re
from pathlib import Path
from stat import S_ISREG

from coderag.errors import IndexWriteError
from coderag.index.storage.folder.entries import split_entries
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import MANIFEST, SEGMENTS
from coderag.index.storage.symptoms import writing

__all__ = ["check_folder", "has_manifest"]

BEGINNING = re.compile(rb'[0-9a-f]{8}(?: [0-9a-f]{64})?\n\{"format":\d')  # of every manifest since the first format
BEGINNING_BYTES = 128
ANY_SIZE = 1 << 63  # of a file of which only the beginning is read
IGNORED = b"*\n"  # what the .gitignore of an index says; one of another size is somebody else's
MADE_FIRST = (SEGMENTS, "databases")  # what is in an index before it has a manifest


def check_folder(folder: IndexPath, *, root: Path) -> None:
    """Raise IndexWriteError unless a folder may hold the index of a root.

    It may when it is not there yet, is empty, or is an index: also one that is damaged or that was never finished.
    Whatever else is in it belongs to somebody, and an index brings a .gitignore that hides it from git.
    """
    with writing(folder):
        if not folder.is_folder():
            return
        ours, others = split_entries(folder)
        if has_manifest(folder) or (ours and not others and _was_begun(folder)):
            return
    if ours or others:
        problem = "is not empty, and no index of coderag"
    elif folder.path.samefile(root):
        problem = "is the folder that is to be indexed"
    else:
        return
    raise IndexWriteError(f'{folder} {problem}; give an empty or a new folder for the index with "--index DIR"')


def has_manifest(folder: IndexPath) -> bool:
    """Tell whether a folder has the manifest of an index."""
    status = (folder / MANIFEST).stat()
    if status is None or not S_ISREG(status.st_mode):
        return False
    with (folder / MANIFEST).open(ANY_SIZE) as file:
        return BEGINNING.match(file.read(BEGINNING_BYTES)) is not None


def _was_begun(folder: IndexPath) -> bool:
    """Tell whether an index was begun, or damaged, in a folder that holds nothing but its names."""
    if not any((folder / name).is_folder() for name in MADE_FIRST):
        return False
    status = (folder / ".gitignore").stat()
    if status is None:  # whoever made the folder was stopped at once
        return not (folder / MANIFEST).exists()
    return status.st_size in (0, len(IGNORED))
