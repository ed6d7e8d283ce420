"""A patch and a root to the changed files with the texts of both sides: one of them is what the root holds."""

from __future__ import annotations

import os
from pathlib import Path

from coderag.files.changes.patch import FilePatch, parse_patch
from coderag.files.changes.patching import new_text, old_text
from coderag.files.changes.records import ChangedFile, ChangeSet, LeftOut, WhyLeftOut
from coderag.files.root_file import read_root_file
from coderag.files.walk import MAX_BYTES

__all__ = ["MAX_PATCH_BYTES", "changes_of_patch"]

MAX_PATCH_BYTES = 64_000_000
LINKS = frozenset({"120000", "160000"})  # modes of links and submodules


def changes_of_patch(root: Path, text: str, *, title: str) -> ChangeSet:
    """Return what a patch changes, whether it is applied to the root yet or not; raises QueryError.

    Files that it fits neither way are left out, and said.
    """
    files: list[ChangedFile] = []
    left_out: list[LeftOut] = []
    for patch in parse_patch(text.replace("\r\n", "\n")):
        file = _file(root, patch)
        if isinstance(file, ChangedFile):
            files.append(file)
        elif file is not None:
            left_out.append(LeftOut(patch.new_path or patch.old_path, file))
    return ChangeSet(title, tuple(files), tuple(left_out))


def _file(root: Path, patch: FilePatch) -> ChangedFile | WhyLeftOut | None:
    if set(patch.modes) & LINKS:
        return WhyLeftOut.LINK
    if patch.binary:
        return WhyLeftOut.BINARY
    if not patch.hunks and patch.old_path == patch.new_path:
        return None
    texts = _texts(root, patch)
    if texts is None:
        return WhyLeftOut.DOES_NOT_FIT
    old, new = (text.encode("utf-8", "surrogateescape") for text in texts)
    return ChangedFile(patch.old_path, patch.new_path, old, new, patch.old_lines, patch.new_lines)


def _texts(root: Path, patch: FilePatch) -> tuple[str, str] | None:
    """Return the old and the new text; None if the patch fits neither after nor before it is applied."""
    after = _read(root, patch.new_path)
    if after is not None and (before := old_text(after, patch)) is not None:
        return before, after
    current = _read(root, patch.old_path)
    if current is not None and (made := new_text(current, patch)) is not None:
        return current, made
    return None


def _read(root: Path, path: str) -> str | None:
    """Return the text of a file below a root, "" for no path, None for one that cannot be read."""
    if not path:
        return ""
    try:
        data = read_root_file(root, os.path.normpath(path), most_bytes=MAX_BYTES)
    except (OSError, ValueError):
        return None
    return data.replace(b"\r\n", b"\n").decode("utf-8", "surrogateescape")
