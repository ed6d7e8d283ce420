"""Folders to index, as somebody gives them, to roots: where each one's index lies, and what its hits are named by."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from coderag.errors import RootError
from coderag.index.index_path import IndexPath
from coderag.index.manifest import INDEX_FOLDER
from coderag.index.ownership import is_believed, name_beside

__all__ = ["Root", "place"]


@dataclass(frozen=True, slots=True)
class Root:
    """A folder to index, where its index lies, and the name its hits carry."""

    root: Path
    folder: IndexPath
    repository: str
    index: Path | None = None  # the folder that was named for the index, None for the usual one
    untrusted: IndexPath | None = None  # an index of somebody else in the usual folder, which is left alone


def place(roots: Sequence[str | os.PathLike[str]], *, index: str | os.PathLike[str] | None = None) -> list[Root]:
    """Return the roots with the place of each one's index; raises RootError, IndexUnsafeError and IndexKeyError.

    The index of a root lies in ROOT/.coderag, or beside that where an index of somebody else does. Repositories carry
    the names of their folders, made longer where two are alike.
    """
    if not roots:
        raise RootError("no root given")
    resolved = list(dict.fromkeys(Path(os.path.realpath(root)) for root in roots))
    for given, root in zip(roots, resolved, strict=False):
        if not root.is_dir():
            what = "is not a folder" if root.exists() else "does not exist"
            raise RootError(f"{os.fspath(given)!r} {what}; give the folder of a repository")
    names = _repository_names(resolved)
    if index is None:
        return [_in_its_root(root, name) for root, name in zip(resolved, names, strict=True)]
    base = Path(index).absolute()
    if len(resolved) == 1:
        return [_elsewhere(resolved[0], base, names[0])]
    return [_elsewhere(root, base / name.replace("/", "-"), name) for root, name in zip(resolved, names, strict=True)]


def _in_its_root(root: Path, repository: str) -> Root:
    usual = IndexPath(root, (INDEX_FOLDER,))
    if is_believed(usual):
        return Root(root, usual, repository)
    return Root(root, usual.parent / name_beside(), repository, untrusted=usual)


def _elsewhere(root: Path, index: Path, repository: str) -> Root:
    """Return a root with the index that the user named, be it believed or not: what reads it says so."""
    folder = IndexPath(index)
    is_believed(folder)  # one that was moved is signed for its place
    return Root(root, folder, repository, index=index)


def _repository_names(roots: Sequence[Path]) -> list[str]:
    names = [root.name or "root" for root in roots]
    depth = 2
    while len(set(names)) < len(names):
        names = [
            "/".join(root.parts[-depth:]).strip("/") if names.count(name) > 1 else name
            for root, name in zip(roots, names, strict=True)
        ]
        depth += 1
    return names
