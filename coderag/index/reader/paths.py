"""The paths of an index's files to those that globs match, folder by folder before file by file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import compress

import numpy as np

from coderag.files.globs import Glob, split_globs
from coderag.index.storage.arrays.arrays import Array

__all__ = ["PathTable"]


class PathTable:
    """Paths by folder; folders are ordered so that what is inside one follows it."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = paths
        heads = [path[: path.rfind("/") + 1] for path in paths]
        folders = _with_parents(set(heads))
        place = {folder: number for number, folder in enumerate(folders)}
        self._folder = np.fromiter(map(place.__getitem__, heads), dtype=np.int32, count=len(paths))
        split = [folder[:-1].rpartition("/") for folder in folders]
        self._folder_names = [name for _, _, name in split]
        self._parents = [place[above + slash] for above, slash, _ in split]
        self._past = _past(self._parents)

    @cached_property
    def _names(self) -> list[str]:
        return [path[path.rfind("/") + 1 :] for path in self._paths]

    def matching(self, globs: Iterable[str]) -> Array:
        """Return which files some glob matches and none with "!" in front, bool[files]; only these allow the rest.

        Raises QueryError for an invalid glob.
        """
        included, excluded = split_globs(globs)
        mask = np.full(len(self._paths), not included)
        for glob in included:
            mask |= self._matching(glob)
        for glob in excluded:
            mask &= ~self._matching(glob)
        return mask

    def _matching(self, glob: Glob) -> Array:
        """Return which files a glob matches, bool[files]: most by their folder alone, the others by their names."""
        whole, beside = self._folders_matching(glob)
        found: Array = whole[self._folder]
        if beside.any():
            looked_at = beside[self._folder]
            test, names = glob.tests[-1], compress(self._names, looked_at.tolist())
            if test is not None:
                found[looked_at] = np.fromiter(map(test, names), dtype=bool)
        return found

    def _folders_matching(self, glob: Glob) -> tuple[Array, Array]:
        """Return in which folders all files match, and in which those do that the last test holds of: bool[folders]."""
        count = len(self._parents)
        whole, beside = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
        places = [glob.start] * count
        folder = 0
        while folder < count:
            if folder:
                places[folder] = glob.after(places[self._parents[folder]], self._folder_names[folder])
            here, past = places[folder], self._past[folder]
            if here & glob.end:
                whole[folder:past] = True
            elif here & glob.last:
                beside[folder] = True
            folder = past if here & glob.end or not here else folder + 1
        return whole, beside


def _with_parents(folders: Iterable[str]) -> list[str]:
    """Return folders, "/" at their ends, and their parents, so that what is inside one follows right after."""
    known = {""}
    for folder in folders:
        while folder not in known:
            known.add(folder)
            folder = folder[: folder.rfind("/", 0, -1) + 1]
    return sorted(known, key=lambda folder: folder.split("/"))


def _past(parents: Sequence[int]) -> list[int]:
    """Return of each folder the number after the last one inside it."""
    past = list(range(1, len(parents) + 1))
    for number in range(len(parents) - 1, 0, -1):
        past[parents[number]] = max(past[parents[number]], past[number])
    return past
