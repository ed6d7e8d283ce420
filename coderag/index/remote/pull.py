"""An index on a store to a folder of the user's cache, as a part that can be joined (coderag.index.build.joining)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

from coderag.errors import IndexMissingError
from coderag.index.remote.layout import INDEXES, StoredObject, index_name, named_index, objects_of
from coderag.index.remote.objects import ObjectStore
from coderag.index.storage.folder.entries import check_entries
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.lock import Holder, locked
from coderag.index.storage.folder.sealed import parse_sealed
from coderag.index.storage.manifest import MANIFEST, MANIFEST_BYTES, PURPOSE, SEGMENTS, Manifest, decode_manifest
from coderag.index.storage.symptoms import writing
from coderag.record import record
from coderag.resources import user_folder

__all__ = ["LOCK_SECONDS", "Pulled", "discard", "pull_index", "pulled_folder", "pulled_folders"]

LOCK_SECONDS = 3_600.0  # that another pull of the same index may take
SHOWN_NAMES = 5  # of a store, in a message


@record
class Pulled:
    """What was read from a store."""

    folder: Path
    files: int  # all that the index has
    downloaded: int
    bytes: int  # of what was downloaded


def pulled_folders(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of all indexes that were pulled: under $XDG_CACHE_HOME, or ~/.cache."""
    return user_folder("XDG_CACHE_HOME", ".cache", environment) / "pulled"


def pulled_folder(address: str, name: str, environment: Mapping[str, str] = os.environ) -> Path:
    """Return where an index of a store lies in the user's cache."""
    digest = blake2b(f"{address}\0{name}".encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
    return pulled_folders(environment) / digest


@contextmanager
def pull_index(
    store: ObjectStore,
    *,
    name: str,
    told: Callable[[int, int], None] | None = None,
    waiting: Callable[[Holder | None], None] | None = None,
) -> Iterator[Pulled]:
    """Bring an index of a store into the user's cache; what an earlier pull brought is not read again.

    Within the block nobody else changes the folder. Nothing of it is believed yet: who joins it asks who signed it, and
    compares every byte. `told` hears how many objects of how many are there, `waiting` who else pulls the same. Raises
    QueryError, RemoteStoreError, IndexMissingError, IndexDamagedError, IndexFormatError, IndexUnsafeError,
    IndexLockedError and IndexWriteError.
    """
    target = index_name(name)
    place = pulled_folder(store.address, name)
    folder = IndexPath(place)
    with writing(folder):
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
    check_entries(folder)
    with locked(folder, LOCK_SECONDS, waiting=waiting):
        data = store.read(target, MANIFEST_BYTES)
        if data is None:
            raise _missing(store, name)
        manifest = decode_manifest(folder, parse_sealed(data, PURPOSE, where=target).body)
        objects = objects_of(manifest.segments)
        with writing(folder):
            fetched = _download(store, folder, objects, told)
            written = folder / "manifest.tmp"
            written.write_bytes(data)
            written.replace(folder / MANIFEST)
            _tidy(folder, manifest)
        yield Pulled(place, sum(len(object_.places) for object_ in objects), len(fetched), sum(fetched))


def discard(pulled: Pulled) -> None:
    """Remove what was pulled, within the block of `pull_index`, so that the next pull downloads it again."""
    folder = IndexPath(pulled.folder)
    (folder / MANIFEST).remove()
    (folder / SEGMENTS).remove_tree()


def _missing(store: ObjectStore, name: str) -> IndexMissingError:
    """Return the error for a name that a store does not have; it tells some names that it has."""
    known = [one for path, _ in store.names(INDEXES) if (one := named_index(path)) is not None]
    if not known:
        return IndexMissingError(f'there is no index {name!r} at {store.address}; "coderag push" writes one')
    shown = ", ".join(known[:SHOWN_NAMES]) + (f" and {len(known) - SHOWN_NAMES} more" * (len(known) > SHOWN_NAMES))
    return IndexMissingError(f"there is no index {name!r} at {store.address}, which has {shown}; name one by --name")


def _download(
    store: ObjectStore, folder: IndexPath, objects: list[StoredObject], told: Callable[[int, int], None] | None
) -> list[int]:
    """Write the objects that a folder lacks, and return their sizes; raises RemoteStoreError and OSError."""
    fetched = []
    for number, object_ in enumerate(objects):
        if told is not None:
            told(number, len(objects))
        for segment, file in object_.places:
            home = folder / SEGMENTS / segment
            found = (home / file).stat()
            if found is None or found.st_size != object_.bytes:
                home.make_folders()
                store.download(object_.name, home / file, object_.bytes)
                fetched.append(object_.bytes)
    return fetched


def _tidy(folder: IndexPath, manifest: Manifest) -> None:
    named = {entry.name for entry in manifest.segments}
    for segment in (folder / SEGMENTS).entries():
        if segment not in named:
            (folder / SEGMENTS / segment).remove_tree()
