"""Which folder is an index, by what lies in it, and which one may become one."""

from __future__ import annotations

import re
from pathlib import Path

from coderag.errors import IndexWriteError
from coderag.index.manifest import MANIFEST, SEGMENTS, writing

__all__ = ["check_folder", "has_manifest", "index_entries"]

OURS = re.compile(
    r"manifest\.(?:json|tmp)|(?:listing|catalog|graph)-.*|databases|segments|merging|(?:merging\.)?lock|lock\.json|\.gitignore"
)
BEGINNING = re.compile(rb'[0-9a-f]{8}\n\{"format":\d')  # of every manifest since the first format
IGNORED = b"*\n"  # what the .gitignore of an index says
MADE_FIRST = (SEGMENTS, "databases")  # what is in an index before it has a manifest


def check_folder(folder: Path, *, root: Path) -> None:
    """Raise IndexWriteError unless a folder may hold the index of a root.

    It may when it is not there yet, is empty, or is an index: also one that is damaged or that was never finished.
    Whatever else is in it belongs to somebody, and an index brings a .gitignore that hides it from git.
    """
    with writing(folder):
        if not folder.is_dir():
            return
        ours, others = index_entries(folder)
        if has_manifest(folder) or (ours and not others and _was_begun(folder)):
            return
    if ours or others:
        problem = "is not empty, and no index of coderag"
    elif folder.samefile(root):
        problem = "is the folder that is to be indexed"
    else:
        return
    raise IndexWriteError(f'{folder} {problem}; give an empty or a new folder for the index with "--index DIR"')


def has_manifest(folder: Path) -> bool:
    """Tell whether a folder has the manifest of an index."""
    manifest = folder / MANIFEST
    if not manifest.is_file() or manifest.is_symlink():
        return False
    with manifest.open("rb") as file:
        return BEGINNING.match(file.read(64)) is not None


def index_entries(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return what in a folder is called as coderag calls its files, and what is not."""
    found = sorted(folder.iterdir())
    ours = [one for one in found if OURS.fullmatch(one.name)]
    return ours, [one for one in found if one not in ours]


def _was_begun(folder: Path) -> bool:
    """Tell whether an index was begun, or damaged, in a folder that holds nothing but its names."""
    ignore = folder / ".gitignore"
    if not any((folder / name).is_dir() for name in MADE_FIRST):
        return False
    if not ignore.exists():  # whoever made the folder was stopped at once
        return not (folder / MANIFEST).exists()
    return ignore.read_bytes() in (IGNORED, b"")
