"""What lies where on a store.

objects/SHA256        a file of a segment, by its content: what two indexes have in common lies there once
indexes/NAME.json     the manifest of an index, signed as it is on disk; it is written last
"""

from __future__ import annotations

import re

from coderag.errors import QueryError
from coderag.index.storage.manifest import SegmentEntry

__all__ = ["INDEXES", "OBJECTS", "Objects", "index_name", "object_name", "objects_of"]

OBJECTS, INDEXES = "objects", "indexes"
Objects = dict[str, tuple[str, str, int]]  # a name on the store to a segment, a file of it, and its bytes
NAME = re.compile(r"\w[\w.-]{0,99}(?:/\w[\w.-]{0,99}){0,7}", re.ASCII)


def index_name(name: str) -> str:
    """Return the file of an index; raises QueryError for another name, such as one with ".." in it."""
    if not NAME.fullmatch(name):
        raise QueryError(f"{name!r} is no name for an index on a store; use letters, digits, '-', '_', '.' and '/'")
    return f"{INDEXES}/{name}.json"


def object_name(digest: str) -> str:
    """Return the file that has a content."""
    return f"{OBJECTS}/{digest}"


def objects_of(entries: tuple[SegmentEntry, ...]) -> Objects:
    """Return the objects of segments: their names to a segment, a file of it, and its bytes."""
    return {
        object_name(digest): (entry.name, file, size)
        for entry in entries
        for file, (size, digest) in entry.sums.items()
    }
