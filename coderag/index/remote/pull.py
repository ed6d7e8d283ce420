"""An index on a store to a folder of the user's cache, as a part that can be joined (coderag.index.build.joining)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from hashlib import blake2b
from pathlib import Path

from coderag.errors import IndexMissingError
from coderag.index.remote.layout import index_name, objects_of
from coderag.index.remote.objects import ObjectStore
from coderag.index.storage.folder.entries import check_entries
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.sealed import parse_sealed
from coderag.index.storage.manifest import MANIFEST, MANIFEST_BYTES, PURPOSE, SEGMENTS, decode_manifest
from coderag.record import record
from coderag.resources import user_folder

__all__ = ["Pulled", "pull_index", "pulled_folder"]


@record
class Pulled:
    """What was read from a store."""

    folder: Path
    files: int  # all that the index has
    downloaded: int
    bytes: int  # of what was downloaded


def pulled_folder(address: str, name: str, environment: Mapping[str, str] = os.environ) -> Path:
    """Return where an index of a store lies in the user's cache."""
    digest = blake2b(f"{address}\0{name}".encode(), digest_size=16).hexdigest()
    return user_folder("XDG_CACHE_HOME", ".cache", environment) / "pulled" / digest


def pull_index(store: ObjectStore, *, name: str, told: Callable[[int, int], None] | None = None) -> Pulled:
    """Bring an index of a store into the user's cache; what an earlier pull brought is not read again.

    Nothing of it is believed yet: who joins it asks who signed it, and compares every byte. `told` hears how many files
    of how many are there. Raises QueryError, RemoteStoreError, IndexMissingError, IndexDamagedError,
    IndexFormatError and IndexUnsafeError.
    """
    target = index_name(name)
    data = store.read(target, MANIFEST_BYTES)
    if data is None:
        raise IndexMissingError(f'there is no index {name!r} at {store.address}; "coderag push" writes one')
    place = pulled_folder(store.address, name)
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder = IndexPath(place)
    check_entries(folder)
    manifest = decode_manifest(folder, parse_sealed(data, PURPOSE, where=target).body)
    objects = objects_of(manifest.segments)
    downloaded = size = 0
    for number, (object_name, (segment, file, bytes_)) in enumerate(objects.items()):
        if told is not None:
            told(number, len(objects))
        home = folder / SEGMENTS / segment
        found = (home / file).stat()
        if found is None or found.st_size != bytes_:
            home.make_folders()
            store.download(object_name, home / file, bytes_)
            downloaded += 1
            size += bytes_
    written = folder / "manifest.tmp"
    written.write_bytes(data)
    written.replace(folder / MANIFEST)
    named = {entry.name for entry in manifest.segments}
    for segment in (folder / SEGMENTS).entries():
        if segment not in named:
            (folder / SEGMENTS / segment).remove_tree()
    return Pulled(place, len(objects), downloaded, size)
