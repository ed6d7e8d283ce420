"""Folders to index, as somebody gives them, to roots: where each one's index lies, and what its hits are named by."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from coderag.errors import RootError
from coderag.index.manifest import INDEX_FOLDER

__all__ = ["Root", "place"]


@dataclass(frozen=True, slots=True)
class Root:
    """A folder to index, where its index lies, and the name its hits carry."""

    root: Path
    folder: Path
    repository: str


def place(roots: Sequence[str | os.PathLike[str]], *, index: str | os.PathLike[str] | None = None) -> list[Root]:
    """Return the roots with the place of each one's index; raises RootError.

    Repositories carry the names of their folders, made longer where two are alike.
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
        return [Root(root, root / INDEX_FOLDER, name) for root, name in zip(resolved, names, strict=True)]
    base = Path(index).absolute()
    if len(resolved) == 1:
        return [Root(resolved[0], base, names[0])]
    return [Root(root, base / name.replace("/", "-"), name) for root, name in zip(resolved, names, strict=True)]


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
