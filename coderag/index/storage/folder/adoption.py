"""An index that was moved, or that somebody else made, to one of this user's own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from coderag.errors import IndexDamagedError, IndexFormatError, IndexKeyError, IndexLockedError, IndexWriteError
from coderag.index.storage.checksums import damage_of, damaged_files
from coderag.index.storage.database_snapshots import adopt_snapshots
from coderag.index.storage.folder.entries import check_entries
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.lock import locked
from coderag.index.storage.folder.sealed import Sealed
from coderag.index.storage.folder.signing import Signer
from coderag.index.storage.manifest import (
    NO_SUM,
    Manifest,
    accept_away,
    as_foreign,
    decode_manifest,
    listing_of,
    read_sealed_manifest,
    without_history,
)
from coderag.index.storage.manifest_writer import publish_manifest
from coderag.index.storage.symptoms import writing

__all__ = ["bring_home", "take_over"]

PATIENCE_SECONDS = 2.0  # for another writer, until an index that was moved can be signed for its new place


def bring_home(folder: IndexPath, sealed: Sealed, root: Path) -> None:
    """Compare the index of a root that was made elsewhere with its sums, and sign it for this place if it is sound.

    One that is not sound stays as it is: who reads it is told, and it is rebuilt.
    """
    try:
        manifest = decode_manifest(folder, sealed.body)
    except (IndexFormatError, IndexDamagedError):
        return
    if damage_of(folder, manifest):
        return
    if sealed.signer is not Signer.USER:
        manifest = as_foreign(manifest)
    manifest = replace(manifest, root=str(root))
    try:
        with locked(folder, PATIENCE_SECONDS):
            _publish(folder, manifest)
    except (IndexLockedError, IndexWriteError, IndexKeyError, OSError):
        accept_away(folder, sealed.body)


def take_over(folder: IndexPath, root: Path) -> None:
    """Make an index this user's own and that of a root, whoever made it: `coderag index --trust`.

    No other index gets its segments, an endpoint that it names is not asked, of a model that it names the usual
    revision is taken, and its catalog and graph are rebuilt by the next update and query. Raises
    IndexUnsafeError, IndexMissingError, IndexFormatError, IndexLockedError, IndexWriteError, and IndexDamagedError
    where a file is not what the manifest says, or says what cannot be.
    """
    from coderag.index.storage.readable import check_readable  # whoever opens an index needs none of it
    from coderag.index.storage.segment import Segment

    check_entries(folder)
    sealed = read_sealed_manifest(folder)
    manifest = decode_manifest(folder, sealed.body)
    if damage := damaged_files(folder, manifest):
        raise IndexDamagedError(f"the index at {folder} is damaged: {damage[0].path}: {damage[0].problem}")
    listing_of(folder, manifest)
    for entry in manifest.segments:
        check_readable(Segment.of(folder, entry, vectors=manifest.vectors))
    encoder = {name: value for name, value in manifest.encoder.items() if name != "revision"}
    manifest = replace(as_foreign(manifest), root=str(root), encoder=encoder)
    with locked(folder, PATIENCE_SECONDS):
        adopt_snapshots(folder)
        _publish(folder, without_history(replace(manifest, catalog_key="", graph="", graph_sum=NO_SUM, graph_key="")))


def _publish(folder: IndexPath, manifest: Manifest) -> None:
    with writing(folder):
        publish_manifest(folder, replace(manifest, generation=manifest.generation + 1))
