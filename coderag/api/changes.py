"""A change as people name it, a revision, a range or a patch, to its files, and to what it touches."""

from __future__ import annotations

from pathlib import Path

from coderag.api.snapshot import Snapshot
from coderag.errors import QueryError
from coderag.files.changes.patch_files import changes_of_patch
from coderag.files.changes.records import ChangeSet
from coderag.files.changes.revisions import changes_between, changes_of_staged, changes_of_worktree
from coderag.graph.changes.impact import impact_of_changes
from coderag.graph.changes.records import DiffImpact

__all__ = ["change_set", "changed_paths", "diff_impact"]

NEW_OF_PATCH = "a patch"  # how a patch without a name is called


def change_set(root: Path, revision: str = "", *, staged: bool = False, patch: str | None = None) -> ChangeSet:
    """Return the files of a root that a change touches.

    A range (`A..B`, or `A...B` since they parted), else the worktree, or what is `staged`, against a revision, by
    default HEAD; or a patch as text. Raises GitError, and QueryError for a patch that cannot be read.
    """
    if patch is not None:
        return changes_of_patch(root, patch, title=revision or NEW_OF_PATCH)
    if ".." in revision:
        if staged:
            raise QueryError(f"{revision!r} is a range, which has nothing staged; give one revision")
        return changes_between(root, revision)
    return changes_of_staged(root, revision) if staged else changes_of_worktree(root, revision)


def changed_paths(root: Path, revision: str = "") -> tuple[str, ...]:
    """Return the files below a root that differ from a revision, by default HEAD, or that a range changes.

    Files that were removed are left out. Raises GitError.
    """
    changes = change_set(root, revision)
    left_out = {one.path for one in changes.left_out}
    return tuple(sorted({file.new_path for file in changes.files if file.new_path} | left_out))


def diff_impact(
    snapshot: Snapshot, revision: str = "", *, staged: bool = False, patch: str | None = None, depth: int
) -> DiffImpact:
    """Return what a change touches (`change_set`), by an index of one root; raises QueryError for several."""
    if len(snapshot.roots) != 1:
        raise QueryError("a change is one of a single repository; give one root")
    (root,), (opened,), (graph,) = snapshot.roots, snapshot.opened, snapshot.graphs()
    changes = change_set(root.root, revision, staged=staged, patch=patch)
    return impact_of_changes(opened, graph, changes, depth=depth, repository=root.repository)
