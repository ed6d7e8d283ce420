"""Who made an index, and what follows of it: whether it is believed, where another one goes, how it is taken over.

What this user made on this machine is believed where it was made. Elsewhere it may be a copy whose files somebody
changed, so all of them are compared with the sums in its manifest, once, and the manifest is signed for the new place.
What nobody known here signed is left alone, and the index of its root is made beside it.
"""

from __future__ import annotations

from dataclasses import replace

from coderag.errors import (
    IndexDamagedError,
    IndexFormatError,
    IndexKeyError,
    IndexLockedError,
    IndexMissingError,
    IndexWriteError,
)
from coderag.index.check import damage_of, damaged_files
from coderag.index.index_path import IndexPath
from coderag.index.lock import locked
from coderag.index.manifest import (
    INDEX_FOLDER,
    Manifest,
    accept_away,
    as_foreign,
    decode_manifest,
    is_at_home,
    publish_manifest,
    read_sealed_manifest,
    writing,
)
from coderag.index.sealed import Sealed
from coderag.index.signing import Signer, sign
from coderag.index.snapshots import adopt_snapshots, has_foreign_snapshot

__all__ = ["is_believed", "name_beside", "take_over"]

PATIENCE_SECONDS = 2.0  # for another writer, until an index that was moved can be signed for its new place


def is_believed(folder: IndexPath) -> bool:
    """Tell whether an index is this user's own, or there is none yet; one that was moved is compared and signed anew.

    Raises IndexUnsafeError for a link or a special file in its place, and IndexKeyError.
    """
    if not folder.exists():
        return True
    try:
        sealed = read_sealed_manifest(folder)
    except (IndexMissingError, IndexDamagedError):  # nothing is told by it, so nothing is to be believed
        return not has_foreign_snapshot(folder)
    if sealed.signer is None:
        return False
    if not is_at_home(folder, sealed.body):
        _bring_home(folder, sealed)
    return True


def name_beside() -> str:
    """Return the name of the folder for an index beside one that is not believed; no repository can know it."""
    return f"{INDEX_FOLDER}-{sign('folder beside', b'')[:8]}"


def take_over(folder: IndexPath) -> None:
    """Make an index this user's own, whoever made it: `coderag index --trust`.

    No other index gets its segments, and an endpoint that it names is not asked. Raises IndexMissingError,
    IndexFormatError, IndexLockedError, IndexWriteError, and IndexDamagedError where a file is not what the manifest
    says.
    """
    sealed = read_sealed_manifest(folder)
    manifest = decode_manifest(folder, sealed.body)
    if damage := damaged_files(folder, manifest):
        raise IndexDamagedError(f"the index at {folder} is damaged: {damage[0].path}: {damage[0].problem}")
    with locked(folder, PATIENCE_SECONDS):
        adopt_snapshots(folder)
        _publish(folder, as_foreign(manifest))


def _bring_home(folder: IndexPath, sealed: Sealed) -> None:
    """Compare an index that was made elsewhere with its sums, and sign it for this place if it is sound."""
    try:
        manifest = decode_manifest(folder, sealed.body)
    except (IndexFormatError, IndexDamagedError):
        return  # it is built anew
    if damage_of(folder, manifest):
        return  # what reads it says so, and it is built anew
    if sealed.signer is not Signer.USER:
        manifest = as_foreign(manifest)
    if folder.names:  # it lies in its root, which was moved with it
        manifest = replace(manifest, root=str(folder.base))
    try:
        with locked(folder, PATIENCE_SECONDS):
            _publish(folder, manifest)
    except (IndexLockedError, IndexWriteError, IndexKeyError, OSError):
        accept_away(folder, sealed.body)


def _publish(folder: IndexPath, manifest: Manifest) -> None:
    with writing(folder):
        publish_manifest(folder, replace(manifest, generation=manifest.generation + 1))
