"""The index of a git work tree to the content of its files, without reading them.

Format: gitformat-index(5), versions 2 to 4. Nothing is run. What git is not sure of itself is left out: files as new as
the index ("racily clean"), and whatever may not lie in the work tree as it is checked in: all files of a work tree
whose attributes name a filter or another change of content.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path

from coderag.files.walk import read_start
from coderag.record import record

__all__ = ["Checked", "checked_in", "git_folder"]

MAX_INDEX_BYTES = 200_000_000
MAX_LINE_BYTES = 4096
MAX_NAME_BYTES = 4096  # no system has longer paths; in version 4, each name may add to the one before
MAX_ATTRIBUTES_BYTES = 1_000_000
CHANGES_CONTENT = (b"filter", b"ident", b"encoding")  # gitattributes(5); line ends change the size as well
HEADER = struct.Struct(">4sII")
# ctime s, ns, mtime s, ns, dev, inode, mode, uid, gid, size, id, flags
ENTRY = struct.Struct(">10I20sH")
EXTENDED, STAGE, NAME_BITS = 0x4000, 0x3000, 0x0FFF
ASSUME_VALID = 0x8000  # git was told not to look at the file
REGULAR = 0o100000
TYPE_BITS = 0o170000
PADDED_TO = 8
SECOND_NS = 1_000_000_000
TICK_NS = 20_000_000  # clocks of file systems step by up to 10 ms, or by two seconds


@record
class Checked:
    """What git saw of a file when it had the content of a blob."""

    size: int
    mtime_ns: int
    blob: bytes


def checked_in(root: str) -> dict[str, Checked]:
    """Return what git knows of the files below a root, by path from the root; nothing where git knows nothing."""
    index = _index_of(root)
    if index is None:
        return {}
    top, git, prefix = index
    try:
        written = os.stat(git / "index").st_mtime_ns
        raw = read_start(str(git / "index"), MAX_INDEX_BYTES)
        entries = list(_entries(raw))
    except (OSError, struct.error, ValueError, IndexError):
        return {}  # it is being written, damaged, or of a format to come: files are read instead
    attributes = [top / path for path, _ in entries if path.rpartition("/")[2] == ".gitattributes"]
    if any(map(_change_content, (git / "info/attributes", *attributes))):
        return {}
    return {
        name[len(prefix) :]: checked
        for name, checked in entries
        if name.startswith(prefix) and _was_before(checked.mtime_ns, written)
    }


def _was_before(mtime_ns: int, written: int) -> bool:
    """Tell whether a file cannot have changed again since git looked at it, with the same time."""
    return 0 < mtime_ns < written - (2 * SECOND_NS if mtime_ns % SECOND_NS == 0 else TICK_NS)


def _change_content(attributes: Path) -> bool:
    """Tell whether some attributes may let files hold something else than what is checked in, of the same size."""
    try:
        raw = read_start(str(attributes), MAX_ATTRIBUTES_BYTES)
    except OSError:
        return False
    return len(raw) == MAX_ATTRIBUTES_BYTES or any(word in raw for word in CHANGES_CONTENT)


def git_folder(root: str) -> tuple[Path, Path] | None:
    """Return the top of the work tree that a root is in, and where git keeps its state; None outside of one."""
    real = Path(os.path.realpath(root))
    for folder in (real, *real.parents):
        marker = folder / ".git"
        if marker.is_dir() and not marker.is_symlink():
            return folder, marker
        if marker.is_file():
            return folder, _linked(marker, folder)
    return None


def _index_of(root: str) -> tuple[Path, Path, str] | None:
    """Return the top of the work tree that a root is in, its git folder, and the root's path in it with a slash."""
    folder = git_folder(root)
    if folder is None:
        return None
    top, git = folder
    prefix = Path(os.path.realpath(root)).relative_to(top).as_posix()
    return top, git, "" if prefix == "." else f"{prefix}/"


def _linked(marker: Path, folder: Path) -> Path:
    """Return the folder that a worktree's or submodule's .git file names; it is only ever read for an index."""
    try:
        line = read_start(str(marker), MAX_LINE_BYTES).split(b"\n")[0]
    except OSError:
        return marker
    named = os.fsdecode(line.removeprefix(b"gitdir:").strip())
    return folder / named if line.startswith(b"gitdir:") and "\0" not in named else marker


def _entries(raw: bytes) -> Iterator[tuple[str, Checked]]:
    magic, version, count = HEADER.unpack_from(raw)
    if magic != b"DIRC" or version not in (2, 3, 4):
        raise ValueError(f"an index of version {version}")
    at, name = HEADER.size, b""
    for _ in range(count):
        begin = at
        _, _, seconds, nanoseconds, _, _, mode, _, _, size, blob, flags = ENTRY.unpack_from(raw, at)
        at += ENTRY.size + (2 if flags & EXTENDED else 0)
        if version == 4:
            dropped, at = _varint(raw, at)
            end = raw.index(b"\0", at)
            name = name[: len(name) - dropped] + raw[at:end]
            at = end + 1
        else:
            end = raw.index(b"\0", at + min(flags & NAME_BITS, NAME_BITS - 1))
            name = raw[at:end]
            at = begin + (end - begin + PADDED_TO) // PADDED_TO * PADDED_TO
        if len(name) > MAX_NAME_BYTES:
            raise ValueError(f"a name of {len(name)} bytes")
        # In a split index, what has no name changes an entry of the other file, which is not read.
        if name and mode & TYPE_BITS == REGULAR and not flags & (STAGE | ASSUME_VALID | EXTENDED):
            path = name.decode("utf-8", "surrogateescape")
            yield path, Checked(size, seconds * SECOND_NS + nanoseconds, blob)


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    """Return a number as version 4 writes it, and where it ends (varint.c of git)."""
    byte = raw[at]
    value = byte & 0x7F
    while byte & 0x80:
        at += 1
        byte = raw[at]
        value = (value + 1) << 7 | (byte & 0x7F)
    return value, at + 1
