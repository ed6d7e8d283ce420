"""The history of an index on disk: read of the repository around its root, and read on when that has new commits."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

from coderag.errors import GitError, IndexDamagedError
from coderag.files.git import is_in_repository
from coderag.files.log.log import GitLog
from coderag.files.privacy.secrets.identity import rules_identity
from coderag.index.history.build import build_history
from coderag.index.history.history import History
from coderag.index.storage.arrays.arrays import Array, write_arrays
from coderag.index.storage.folder.entries import check_entries
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.lock import locked, the_only_one
from coderag.index.storage.manifest import HISTORY_LOCK, Manifest, numbered_name, read_manifest
from coderag.index.storage.manifest_writer import synced_sum, write_manifest
from coderag.index.storage.symptoms import reading_tables, writing

__all__ = ["HISTORY_VERSION", "is_history_outdated", "missing_history", "open_history", "write_history"]

HISTORY_VERSION = 1  # raise it when the same commits give another history
LOCK_SECONDS = 60.0
FORM_CHARACTERS = 16  # of a key, which say how a history was read; the commit follows
COMMIT_CHARACTERS = 40


def open_history(folder: IndexPath, manifest: Manifest, held: Array | None = None) -> History | None:
    """Return the history of an index, None if there is none; raises IndexDamagedError."""
    return History.open(folder / manifest.history, held) if manifest.history else None


def is_history_outdated(folder: IndexPath, root: Path) -> bool:
    """Tell whether an index should have a history and has none, or one of an older commit.

    Raises IndexMissingError, IndexFormatError and IndexDamagedError.
    """
    manifest = read_manifest(folder)
    log = _log(manifest, root)
    return log is not None and not _is_of(folder, manifest, _key(log, manifest))


def write_history(folder: IndexPath, root: Path) -> bool:
    """Read the history of a root if the index has none of its commit, and tell whether it was read.

    A root in no git repository, or one that git refuses, has none, and so has an index that wants none. Of several
    processes one reads. Raises IndexMissingError, IndexFormatError, IndexDamagedError, IndexLockedError,
    IndexWriteError and GitError.
    """
    manifest = read_manifest(folder)
    log = _log(manifest, root)
    if log is None or _is_of(folder, manifest, key := _key(log, manifest)):
        return False
    check_entries(folder)
    with writing(folder), the_only_one(folder / HISTORY_LOCK) as alone:
        if not alone:
            return False
        arrays = build_history(log, masks=manifest.mask, known=_known(folder, manifest, log, key))
        with locked(folder, LOCK_SECONDS):
            now = read_manifest(folder)
            if not now.with_history or now.mask != manifest.mask:
                return False
            path = folder / numbered_name("history", now.generation + 1)
            write_arrays(path, arrays)
            made = replace(now, history=path.name, history_sum=synced_sum(path), history_key=key)
            write_manifest(folder, made, None)
    return True


def missing_history(manifest: Manifest, root: Path) -> str:
    """Return why an index has no history, "" if it has commits."""
    if not manifest.with_history:
        return 'it was made with "--no-history"; run "coderag index --history"'
    try:
        log = GitLog(root)
    except GitError as error:
        return str(error)
    if log.is_shallow:
        return f'{root} is a shallow clone; run "git fetch --unshallow", then "coderag index"'
    return "" if manifest.history else f"no commit of {root} could be read"


def _log(manifest: Manifest, root: Path) -> GitLog | None:
    if not manifest.with_history or not is_in_repository(root):
        return None
    try:
        return GitLog(root)
    except GitError:  # in no repository, without a commit, without git: there is nothing to read
        return None


def _key(log: GitLog, manifest: Manifest) -> str:
    """Return the identity of a history: how it is read, and the commit that it leads to."""
    form = f"{HISTORY_VERSION}\0{log.prefix}\0{log.is_shallow}\0{rules_identity() if manifest.mask else ''}"
    digest = blake2b(form.encode("utf-8", "surrogateescape"), digest_size=FORM_CHARACTERS // 2)
    return digest.hexdigest() + log.head[:COMMIT_CHARACTERS]


def _is_of(folder: IndexPath, manifest: Manifest, key: str) -> bool:
    return bool(manifest.history) and manifest.history_key == key and (folder / manifest.history).exists()


def _known(folder: IndexPath, manifest: Manifest, log: GitLog, key: str) -> History | None:
    """Return the stored history where the repository only went on from it."""
    if manifest.history_key[:FORM_CHARACTERS] != key[:FORM_CHARACTERS]:
        return None
    with suppress(IndexDamagedError), reading_tables(lambda: str(folder)):
        known = open_history(folder, manifest)
        if known is not None:
            known.check()
            return known if log.contains(known.head) else None
    return None
