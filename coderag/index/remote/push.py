"""An index to a store, from which other machines pull it."""

from __future__ import annotations

from collections.abc import Callable

from coderag.errors import IndexDamagedError, IndexFormatError, IndexPartError, IndexTooNewError
from coderag.index.remote.layout import INDEXES, OBJECTS, StoredObject, index_name, is_object, is_unfinished, objects_of
from coderag.index.remote.objects import ObjectStore
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.sealed import parse_sealed
from coderag.index.storage.manifest import (
    MANIFEST,
    MANIFEST_BYTES,
    PURPOSE,
    SEGMENTS,
    Manifest,
    decode_manifest,
    read_manifest,
)
from coderag.record import record

__all__ = ["GRACE_SECONDS", "Pushed", "push_index"]

GRACE_SECONDS = 86_400.0  # what no index names may belong to one that is being pushed, or pulled
MOST_LOOKS = 3  # at what is stored after the manifest is written


@record
class Pushed:
    """What was written to a store."""

    name: str
    files: int  # of different content, all that the index has there
    uploaded: int
    bytes: int  # of what was uploaded
    removed: int = 0  # files that no index named any longer


def push_index(
    folder: IndexPath,
    store: ObjectStore,
    *,
    name: str,
    prune: bool = False,
    grace: float = GRACE_SECONDS,
    told: Callable[[int, int], None] | None = None,
) -> Pushed:
    """Write the segments of an index to a store, those that are not there yet, and its manifest in the end.

    Whoever pulls meanwhile gets the old index or the new one. With `prune`, what no index there names, and is older
    than `grace` seconds, is removed, halves of uploads that broke off too. `told` hears how many objects of how many
    are there. Raises QueryError, RemoteStoreError, and StoredIndexError like
    `coderag.index.storage.manifest.read_manifest`.
    """
    target = index_name(name)
    sent: list[int] = []
    while True:
        raw, manifest = _read(folder)
        objects = objects_of(manifest.segments)
        try:
            sent += _upload(folder, store, objects, told)
            store.write(target, raw)
            # An object that was there may have been named by no index, and removed by a prune that did not see this
            # manifest yet. Who prunes from now on sees it.
            for _ in range(MOST_LOOKS):
                put_again = _upload(folder, store, objects, told)
                sent += put_again
                if not put_again:
                    break
            break
        except FileNotFoundError:
            if _read(folder)[0] == raw:
                raise
            # Another process replaced the index; what was uploaded is of use to the next attempt.
    removed = _pruned(folder, store, grace) if prune else 0
    return Pushed(name, len(objects), len(sent), sum(sent), removed)


def _read(folder: IndexPath) -> tuple[bytes, Manifest]:
    """Return the manifest of an index as it is stored, and what it says."""
    read_manifest(folder)  # which raises what there is to say of one that cannot be used
    raw = (folder / MANIFEST).read_bytes(MANIFEST_BYTES)
    manifest = decode_manifest(folder, parse_sealed(raw, PURPOSE, where=folder).checked(folder))
    if manifest.portion:
        raise IndexPartError(f'{folder} holds part {manifest.portion} of an index; join all with "coderag merge" first')
    return raw, manifest


def _upload(
    folder: IndexPath, store: ObjectStore, objects: list[StoredObject], told: Callable[[int, int], None] | None
) -> list[int]:
    """Write the objects that a store lacks, and return their sizes."""
    sent = []
    for number, object_ in enumerate(objects):
        if told is not None:
            told(number, len(objects))
        if not store.has(object_.name, object_.bytes):
            segment, file = object_.places[0]
            store.upload(folder / SEGMENTS / segment / file, object_.name)
            sent.append(object_.bytes)
    return sent


def _pruned(folder: IndexPath, store: ObjectStore, grace: float) -> int:
    """Remove what no index names; nothing where one cannot be read, as a newer coderag may have written it."""
    named = _named(folder, store)
    if named is None:
        return 0
    listed = [*store.names(OBJECTS), *store.names(INDEXES)]
    old = [
        name for name, age in listed if age > grace and (is_unfinished(name) or (is_object(name) and name not in named))
    ]
    # Listing a large store takes a while; what was pushed meanwhile may name some of it.
    named = _named(folder, store) if old else named
    if named is None:
        return 0
    return sum(store.remove(name) for name in old if name not in named)


def _named(folder: IndexPath, store: ObjectStore) -> set[str] | None:
    """Return the objects that the indexes of a store name, None where one of these cannot be read."""
    named: set[str] = set()
    for name, _ in store.names(INDEXES):
        data = store.read(name, MANIFEST_BYTES) if name.endswith(".json") else None
        if data is None:
            continue
        try:
            manifest = decode_manifest(folder, parse_sealed(data, PURPOSE, where=name).body)
        except (IndexDamagedError, IndexFormatError, IndexTooNewError):
            return None
        named |= {one.name for one in objects_of(manifest.segments)}
    return named
