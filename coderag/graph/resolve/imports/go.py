"""Imports of Go: a package is a folder below a module, whose path go.mod tells."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property

from coderag.graph.resolve.imports.tree import NONE, Found, ImportQuery, ModuleTree, ancestors, outer

__all__ = ["GoModules"]

MODULE = re.compile(r'^module[ \t]+"?([^\s"/][^\s"]{0,400})', re.MULTILINE)
PROGRAM = "main"
STANDARD = ("fmt", "runtime", "os")  # folders that only the standard library has side by side


class GoModules:
    """Packages of Go."""

    by_file = False

    def __init__(self, tree: ModuleTree) -> None:
        """Take the files of an index."""
        self._tree = tree

    def files_of(self, query: ImportQuery) -> Found:
        """Return the files of a package, without its tests and programs that stand in its folder."""
        folder = self._folder(query.folder, query.module)
        return self._packages.get(folder, NONE) if folder is not None else NONE

    def beside(self, file: int) -> Found:
        """Return the files of the file's own package; what a package is called tells whether tests are of it."""
        tree, package = self._tree, self._tree.files[file].links.mentions.module
        return tuple(
            one
            for one in tree.in_folder[tree.folders[file]]
            if tree.files[one].language == "go" and tree.files[one].links.mentions.module == package
        )

    @cached_property
    def _packages(self) -> dict[str, Found]:
        found: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for number, file in enumerate(self._tree.files):
            if file.language == "go" and not file.path.endswith("_test.go"):
                found[self._tree.folders[number]][file.links.mentions.module].append(number)
        # Beside the package a folder may hold a program that makes files of it: a package `main` that is not built.
        return {
            folder: tuple(max(packages.items(), key=lambda one: (one[0] != PROGRAM, len(one[1])))[1])
            for folder, packages in found.items()
        }

    @cached_property
    def _modules(self) -> dict[str, tuple[str, ...]]:
        """The folders of each module path; several where an index holds copies."""
        tried: set[str] = set()
        found: defaultdict[str, list[str]] = defaultdict(list)
        for package in self._packages:
            for folder in ancestors(package):
                if folder in tried:
                    break
                tried.add(folder)
                text = self._tree.read_text(f"{folder}/go.mod" if folder else "go.mod")
                if text and (match := MODULE.search(text)) is not None:
                    found["" if match[1] == "std" else match[1]].append(folder)
        if not found and (guessed := self._guessed()):
            found[guessed].append("")
        if not found and all(folder in self._packages for folder in STANDARD):
            found[""].append("")
        return {path: tuple(sorted(folders)) for path, folders in found.items()}

    def _guessed(self) -> str:
        """Return what most imports of folders of the root begin with, where no go.mod can be read."""
        votes: defaultdict[str, set[str]] = defaultdict(set)
        for file in self._tree.files:
            if file.language != "go":
                continue
            for imported in file.links.mentions.imports:
                parts = imported.module.split("/")
                if "." not in parts[0]:
                    continue
                for cut in range(1, len(parts)):
                    if (below := "/".join(parts[cut:])) in self._packages:
                        votes["/".join(parts[:cut])].add(below)
                        break  # the longest that is a folder
        return max(votes, key=lambda prefix: (len(votes[prefix]), prefix), default="")

    def _folder(self, here: str, module: str) -> str | None:
        """Return the folder of a package, seen from another."""
        if module.startswith("."):
            return None  # only outside of modules
        for root in ancestors(here):
            vendored = f"{root}/vendor/{module}" if root else f"vendor/{module}"
            if vendored in self._packages:
                return vendored
        prefix, below = module, ""
        while True:
            if (folders := self._modules.get(prefix)) is not None:
                fits = [one for one in (f"{root}/{below}".strip("/") for root in folders) if one in self._packages]
                return self._nearest(here, fits)
            if not prefix:
                return None
            prefix, _, last = prefix.rpartition("/")
            below = f"{last}/{below}".rstrip("/")

    def _nearest(self, here: str, folders: list[str]) -> str | None:
        if len(folders) < 2:
            return folders[0] if folders else None
        found = self._tree.nearest(here, ((folder, self._packages[folder][0]) for folder in folders))
        return outer(self._tree.paths[found[0]])
