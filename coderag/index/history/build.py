"""A git repository to the arrays of its history: from scratch, or from what is known by the commits since."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from coderag.files.log.log import MAX_COMMITS, GitLog
from coderag.files.log.records import Commit, Hunk, Patch
from coderag.index.history.history import ID_BYTES, History
from coderag.index.history.line_map import places
from coderag.index.history.records import LoggedCommit
from coderag.index.history.subjects import author_text, subject_text
from coderag.index.history.trace import Touch, Tracer
from coderag.index.history.writing import blob_key, history_arrays
from coderag.index.storage.arrays.arrays import Array

__all__ = ["build_history"]


@dataclass(frozen=True, slots=True)
class _Part:
    """Some commits, newest first, and what they changed."""

    commits: list[LoggedCommit]
    touches: list[Touch]


def build_history(log: GitLog, *, masks: bool, known: History | None = None) -> dict[str, Array]:
    """Return the arrays of the history of a folder; of what is `known`, only commits since are read.

    What is known has to lead to a commit of this history. Raises GitError.
    """
    blobs = {path: blob_key(blob) for path, blob in log.files().items()}
    tracer = Tracer(blobs)
    part = _read(log, tracer, log.commits(since=known.head if known else ""), masks=masks)
    if known is not None:
        part = _joined(part, known, tracer)
    touched = {touch.commit for touch in part.touches}
    commits = [commit for commit in part.commits if commit.id in touched]
    return history_arrays(log.head, commits, part.touches, blobs)


def _read(log: GitLog, tracer: Tracer, commits: list[Commit], *, masks: bool) -> _Part:
    by_id = {commit.id: commit for commit in commits}
    logged: dict[str, LoggedCommit] = {}
    touches: list[Touch] = []
    for patch in log.patches(commits):
        found = tracer.touches(_short(patch))
        if found and patch.commit in by_id:
            commit = _logged(by_id[patch.commit], patch, masks=masks)
            logged[commit.id] = commit
            touches += found
    return _Part([logged[_id(commit.id)] for commit in commits if _id(commit.id) in logged], touches)


def _short(patch: Patch) -> Patch:
    """Return a patch whose ids are as long as they are kept."""
    changes = tuple(
        replace(change, old_blob=blob_key(change.old_blob), new_blob=blob_key(change.new_blob))
        for change in patch.changes
    )
    return Patch(_id(patch.commit), changes, patch.is_merge)


def _id(commit: str) -> str:
    return commit[: 2 * ID_BYTES]


def _logged(commit: Commit, patch: Patch, *, masks: bool) -> LoggedCommit:
    return LoggedCommit(
        _id(commit.id),
        commit.time,
        author_text(commit.author),
        subject_text(commit.subject, masks=masks),
        len(patch.changes),
        patch.lines,
    )


def _joined(part: _Part, known: History, tracer: Tracer) -> _Part:
    """Return newer commits and those that are known, whose lines move to where they stand now."""
    new = {commit.id for commit in part.commits}
    older = [commit for commit in map(known.commit, range(len(known))) if commit.id not in new]
    commits = [*part.commits, *older][:MAX_COMMITS]
    kept = {commit.id for commit in commits}
    moved = (touch for touch in _moved(known, tracer) if touch.commit in kept and touch.commit not in new)
    return _Part(commits, list(chain(part.touches, moved)))


def _moved(known: History, tracer: Tracer) -> Iterator[Touch]:
    """Yield what is known, with its lines where they stand now."""
    ids = [commit.id for commit in map(known.commit, range(len(known)))]
    for path, number in known.files.items():
        version = tracer.version(path, known.blob(number))
        for change in known.of_file(path) if version is not None else ():
            if version is not None:
                hunks = [Hunk(first, 0, first, last - first + 1) for first, last in change.spans]
                yield Touch(version.path, ids[change.commit], tuple(places(version.lines, hunks)))
