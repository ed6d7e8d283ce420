"""Who made an index, and what follows of it: whether it is believed, and where another one goes.

What this user made on this machine is believed where it was made. Elsewhere it may be a copy whose files somebody
changed, so all of them are compared with the sums in its manifest, once, and the manifest is signed for the new place
(coderag.index.storage.folder.adoption). What nobody known here signed is left alone, and the index of its root is made
beside it.
"""

from __future__ import annotations

from pathlib import Path

from coderag.errors import IndexDamagedError, IndexMissingError, StoredIndexError
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.signing import sign
from coderag.index.storage.manifest import INDEX_FOLDER, decode_manifest, is_at_home, read_sealed_manifest

__all__ = ["default_folder", "is_believed", "name_beside", "recorded_root"]


def is_believed(folder: IndexPath, root: Path) -> bool:
    """Tell whether the index of a root is this user's own, or there is none yet.

    One that was moved is compared with its sums, and signed again. Raises IndexUnsafeError for a link or a special file
    in its place, and IndexKeyError.
    """
    if not folder.exists():
        return True
    try:
        sealed = read_sealed_manifest(folder)
    except (IndexMissingError, IndexDamagedError):  # nothing is told by it, so nothing is to be believed
        from coderag.index.storage.database_snapshots import has_foreign_snapshot  # a search needs none of it

        return not has_foreign_snapshot(folder)
    if sealed.signer is None:
        return False
    if not is_at_home(folder, sealed.body):
        from coderag.index.storage.folder.adoption import bring_home

        bring_home(folder, sealed, root)
    return True


def recorded_root(folder: IndexPath) -> str:
    """Return the root that an index says it is of, "" if there is none that is believed."""
    try:
        sealed = read_sealed_manifest(folder)
        return decode_manifest(folder, sealed.body).root if sealed.signer is not None else ""
    except StoredIndexError:
        return ""


def default_folder(root: Path) -> tuple[IndexPath, IndexPath | None]:
    """Return where the index of a root lies if nobody says otherwise, and the one of somebody else that is in the way.

    That is ROOT/.coderag; where there is an index that is not trusted, it is a folder beside it. Raises like
    `is_believed`.
    """
    usual = IndexPath(root, (INDEX_FOLDER,))
    if is_believed(usual, root):
        return usual, None
    return usual.parent / name_beside(), usual


def name_beside() -> str:
    """Return the name of the folder for an index beside one that is not trusted; no repository can know it."""
    return f"{INDEX_FOLDER}-{sign('folder beside', b'')[:8]}"
