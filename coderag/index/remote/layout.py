"""What lies where on a store.

objects/SHA256        a file of a segment, by its content: what two indexes have in common lies there once
indexes/NAME.json     the manifest of an index, signed as it is on disk; it is written last
...HEX.tmp            in a folder: what is being written, or what a process that was killed left of it
"""

from __future__ import annotations

import re

from coderag.errors import QueryError
from coderag.index.storage.manifest import SegmentEntry
from coderag.record import record

__all__ = [
    "INDEXES",
    "OBJECTS",
    "StoredObject",
    "index_name",
    "is_object",
    "is_unfinished",
    "named_index",
    "object_name",
    "objects_of",
]

OBJECTS, INDEXES = "objects", "indexes"
DIGEST = re.compile(r"[0-9a-f]{64}")
NAME = re.compile(r"\w[\w.-]{0,99}(?:/\w[\w.-]{0,99}){0,7}", re.ASCII)
UNFINISHED = re.compile(
    rf"(?:{OBJECTS}/{DIGEST.pattern}|{INDEXES}/{NAME.pattern}\.json)\.[0-9a-f]{{12}}\.tmp", re.ASCII
)


@record
class StoredObject:
    """A content on a store, and the files of segments that have it."""

    name: str
    bytes: int
    places: tuple[tuple[str, str], ...]  # a segment, and a file of it; more than one where segments hold the same


def index_name(name: str) -> str:
    """Return the file of an index; raises QueryError for another name, such as one with ".." in it."""
    if not NAME.fullmatch(name):
        raise QueryError(f"{name!r} is no name for an index on a store; use letters, digits, '-', '_', '.' and '/'")
    return f"{INDEXES}/{name}.json"


def named_index(path: str) -> str | None:
    """Return the name of the index whose file this is, None for another file."""
    name = path.removeprefix(f"{INDEXES}/").removesuffix(".json")
    return name if NAME.fullmatch(name) and path == index_name(name) else None


def object_name(digest: str) -> str:
    """Return the file that has a content."""
    return f"{OBJECTS}/{digest}"


def is_object(path: str) -> bool:
    """Tell whether a file is called as a content is."""
    return DIGEST.fullmatch(path.removeprefix(f"{OBJECTS}/")) is not None


def is_unfinished(path: str) -> bool:
    """Tell whether a file is called as one is that will be an object, or the manifest of an index, once it is whole."""
    return UNFINISHED.fullmatch(path) is not None


def objects_of(entries: tuple[SegmentEntry, ...]) -> list[StoredObject]:
    """Return the objects of segments; files of one content are one object, which has several places."""
    places: dict[tuple[str, int], list[tuple[str, str]]] = {}
    for entry in entries:
        for file, (size, digest) in entry.sums.items():
            places.setdefault((object_name(digest), size), []).append((entry.name, file))
    return [StoredObject(name, size, tuple(at)) for (name, size), at in places.items()]
