"""Modules of Swift: a target is a folder, and its files know each other's names."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from coderag.graph.resolve.imports.tree import NONE, Found, ImportQuery, ModuleTree

__all__ = ["SwiftModules"]

TARGETS = frozenset(
    {"Sources", "Tests", "Plugins"}
)  # each folder within is a target, as Swift's package manager has it


class SwiftModules:
    """Modules of Swift."""

    by_file = False

    def __init__(self, tree: ModuleTree) -> None:
        """Take the files of an index."""
        self._tree = tree

    def files_of(self, query: ImportQuery) -> Found:
        """Return the files of a target."""
        targets = self._named.get(query.module.partition(".")[0], ())
        first = ((target, self._targets[target][0]) for target in targets)
        nearest = self._tree.nearest(query.folder, first)
        return tuple(one for target in targets if self._targets[target][0] in nearest for one in self._targets[target])

    def beside(self, file: int) -> Found:
        """Return the files of the same target."""
        return self._targets.get(_target(self._tree.folders[file]), NONE)

    @cached_property
    def _targets(self) -> dict[str, Found]:
        found: defaultdict[str, list[int]] = defaultdict(list)
        for number, file in enumerate(self._tree.files):
            if file.language == "swift":
                found[_target(self._tree.folders[number])].append(number)
        return {target: tuple(files) for target, files in found.items()}

    @cached_property
    def _named(self) -> dict[str, list[str]]:
        found: defaultdict[str, list[str]] = defaultdict(list)
        for target in self._targets:
            found[target.rpartition("/")[2]].append(target)
        return dict(found)


def _target(folder: str) -> str:
    """Return the folder of a target: one of Sources or Tests, else the first of the path."""
    parts = folder.split("/")
    for place, part in enumerate(parts[:-1]):
        if part in TARGETS:
            return "/".join(parts[: place + 2])
    return parts[0]
