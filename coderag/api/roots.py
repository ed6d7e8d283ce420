"""Folders to index, as somebody gives them, to roots: where each index is stored, and the name its hits carry."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from coderag.api.clone import Clone, clone_of_tree
from coderag.errors import RootError
from coderag.index.storage.folder.folder import check_folder
from coderag.index.storage.folder.index_path import IndexPath, is_name
from coderag.index.storage.folder.ownership import default_folder, is_believed
from coderag.limits import NAME, ROOTS, fault_of_text
from coderag.record import record

__all__ = ["Root", "check_folders", "resolve_roots"]


@record
class Root:
    """A folder to index, where its index is stored, and the name its hits carry."""

    root: Path
    folder: IndexPath
    repository: str
    index: Path | None = None  # the folder that was named for the index, None for the usual one
    untrusted: IndexPath | None = None  # an index of somebody else in the usual folder, which is left alone


def resolve_roots(
    roots: Sequence[str | os.PathLike[str]], *, index: str | os.PathLike[str] | None = None
) -> list[Root]:
    """Return the roots with the place of each one's index.

    The index of a root lies in ROOT/.coderag, or beside that where an index of somebody else does; that of a clone lies
    beside its work tree. Repositories carry
    the names of their folders, those of clones owner/name, made longer where two are alike. Raises RootError for a root
    that is no folder, and for a path that is empty or none at all; TypeError for what is no path; IndexUnsafeError and
    IndexKeyError.
    """
    if not roots:
        raise RootError("no root given")
    if len(roots) > ROOTS.most:
        raise RootError(f"{len(roots):,} roots are given; give at most {ROOTS.most:,}")
    written = [_path(root, what="a root") for root in roots]
    base = None if index is None else Path(_path(index, what="the folder of the index")).absolute()
    resolved = list(dict.fromkeys(Path(os.path.realpath(root)) for root in written))
    for root in written:
        if not Path(root).is_dir():
            what = "is not a folder" if Path(root).exists() else "does not exist"
            raise RootError(f"{root!r} {what}; give the folder of a repository")
    clones = {root: clone for root in resolved if (clone := clone_of_tree(root))}
    names = _repository_names(resolved, clones)
    if base is None:
        return [_in_its_place(root, name, clones) for root, name in zip(resolved, names, strict=True)]
    places = [base] if len(resolved) == 1 else [base / name.replace("/", "-") for name in names]
    return [
        Root(root, _named(place, root, roots=resolved), name, index=place)
        for root, name, place in zip(resolved, names, places, strict=True)
    ]


def _in_its_place(root: Path, repository: str, clones: Mapping[Path, Clone]) -> Root:
    if root in clones:  # beside the work tree, where nothing of the repository can be in its way
        index = clones[root].index
        return Root(root, _named(index, root, roots=[root]), repository, index=index)
    folder, untrusted = default_folder(root)
    return Root(root, folder, repository, untrusted=untrusted)


def _named(index: Path, root: Path, *, roots: Sequence[Path]) -> IndexPath:
    """Return the place of the index of a root that the user named, be it believed or not: what reads it says so.

    On the way to it, links are the user's own but for those in one of the roots, which may have come with it.
    """
    folder = IndexPath(index)
    for above in index.parents:
        names = index.relative_to(above).parts
        if all(map(is_name, names)) and any(_is_same(above, path) for path in roots):
            folder = IndexPath(above, names)
    is_believed(folder, root)  # one that was moved is signed for its place
    return folder


def _is_same(folder: Path, root: Path) -> bool:
    try:
        return folder.samefile(root)
    except OSError:
        return False


def check_folders(roots: Sequence[Root]) -> None:
    """Raise IndexWriteError unless each root's index may be written where it is to lie; nothing is written for that."""
    for root in roots:
        check_folder(root.folder, root=root.root)


def _path(value: str | os.PathLike[str], *, what: str) -> str:
    """Return a path as text; raises RootError and TypeError."""
    path = os.fspath(value) if isinstance(value, str | os.PathLike) else value
    if not isinstance(path, str):
        raise TypeError(f"{what} is of type {type(value).__name__}; give a path")
    if not path:
        raise RootError(f"{what} is an empty path; give a folder, or leave it out")
    if "\0" in path:
        raise RootError(f"{what} is {path[:200]!r}; no path holds a NUL")
    if fault := fault_of_text(NAME, path):
        raise RootError(f"{what} {fault}")
    return path


def _repository_names(roots: Sequence[Path], clones: Mapping[Path, Clone]) -> list[str]:
    parts = {root: (clones[root].folder.name, *clones[root].parts) if root in clones else root.parts for root in roots}
    names = [clones[root].repository if root in clones else root.name or "root" for root in roots]
    depth = 2
    while len(set(names)) < len(names):
        names = [
            "/".join(parts[root][-depth:]).strip("/") if names.count(name) > 1 else name
            for root, name in zip(roots, names, strict=True)
        ]
        depth += 1
    return names
