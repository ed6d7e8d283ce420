"""Imports of Python, as its import system finds them: packages below roots, nearest first."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from coderag.graph.resolve.imports.tree import NONE, Found, ImportQuery, ModuleTree, ancestors, join, outer, stem

__all__ = ["PythonModules"]

# A package wins over a module, and code over its stub.
ENDINGS = ("/__init__.py", ".py", "/__init__.pyi", ".pyi", ".pyx", "/__init__.pyx", ".pyw", ".py3")
INITS = ("__init__.py", "__init__.pyi", "__init__.pyx")
SOURCE_FOLDERS = ("src", "lib", "python")  # beside tests and scripts: they are put on the path
PROJECT_FILES = ("setup.py", "setup.cfg", "pyproject.toml", "manage.py")
APART = frozenset({"test", "example", "vendored"})  # labels of code that others do not import by its bare name
BARE = sys.stdlib_module_names  # never looked for in another project


class Below(NamedTuple):
    """A module as the roots that are visible from a place have it."""

    files: Found
    final: bool  # another project is not asked


class PythonModules:
    """Modules of Python."""

    by_file = False

    def __init__(self, tree: ModuleTree) -> None:
        """Take the files of an index."""
        self._tree = tree
        self._packages = self._found_packages()
        self._roots: dict[str, tuple[str, ...]] = {}
        self._below: dict[tuple[tuple[str, ...], str], Below] = {}

    def files_of(self, query: ImportQuery) -> Found:
        """Return the module's file, or that of a package."""
        if query.module.startswith("."):
            path = self._relative(query.folder, query.module)
            return NONE if path is None else self._at(path)
        return self._absolute(query.folder, query.module.split("."))

    def submodule(self, query: ImportQuery) -> Found:
        """Return the file of a module that is imported from its package."""
        module, name = query.module, query.name
        if not name or name == "*":
            return NONE
        return self.files_of(query._replace(module=module + name if module.endswith(".") else f"{module}.{name}"))

    def _found_packages(self) -> set[str]:
        """Return the folders that are packages; an empty __init__.py is no file of an index, so it is asked for."""
        tree = self._tree
        found = {outer(path) for path in tree.paths if path.rpartition("/")[2] in INITS}
        folders = {tree.folders[number] for number, file in enumerate(tree.files) if file.language == "python"}
        for package in sorted(folders - found):
            for folder in ancestors(package):
                if folder in found:
                    break
                if not folder or tree.read is None or tree.read(f"{folder}/{INITS[0]}") is None:
                    break
                found.add(folder)
        for number, file in enumerate(tree.files):
            if file.language != "python" or tree.folders[number] in found:
                continue
            for imported in file.links.mentions.imports:
                if imported.module.startswith("."):
                    dots = len(imported.module) - len(imported.module.lstrip("."))
                    found.update(tree.folders[number].rsplit("/", up)[0] for up in range(dots))
        return found - {""}

    def _relative(self, folder: str, module: str) -> str | None:
        name = module.lstrip(".")
        up = "/".join([".."] * (len(module) - len(name) - 1))
        return join(folder, f"{up}/{name.replace('.', '/')}")

    def _at(self, path: str) -> Found:
        if not path:
            return self._tree.first_at(INITS)
        return self._tree.first_at(path + ending for ending in ENDINGS)

    def _absolute(self, folder: str, parts: list[str]) -> Found:
        roots = self._visible(folder)
        top, path = parts[0], "/".join(parts)
        key = roots[:1] if top in BARE else roots, path
        below = self._below.get(key)
        if below is None:
            below = self._below[key] = self._below_roots(*key, top)
        if below.final or top in BARE:
            return below.files
        return self._elsewhere(folder, path)

    def _below_roots(self, roots: tuple[str, ...], path: str, top: str) -> Below:
        for root in roots:
            below = f"{root}/" if root else ""
            if found := self._at(below + path):
                return Below(found, final=True)
            if below + top in self._packages or self._at(below + top):
                return Below(NONE, final=True)  # the package is this one, and it has no such module
        return Below(NONE, final=False)

    def _visible(self, folder: str) -> tuple[str, ...]:
        """Return the folders that imports are looked up from, nearest first: no package lies in its own path."""
        known = self._roots.get(folder)
        if known is None:
            known = self._roots[folder] = tuple(dict.fromkeys(self._upwards(folder)))
        return known

    def _upwards(self, folder: str) -> Iterator[str]:
        for root in ancestors(folder):
            if root in self._packages:
                continue
            yield root
            for name in SOURCE_FOLDERS:
                beside = f"{root}/{name}" if root else name
                if beside in self._tree.known_folders and beside not in self._packages:
                    yield beside

    def _elsewhere(self, folder: str, path: str) -> Found:
        """Return what a project beside this one calls so."""
        files = self._tree.files
        labels = frozenset[str]().union(*(files[one].labels for one in self._tree.in_folder[folder]))
        found = [
            (root, one)
            for root in self._tops.get(path.partition("/")[0], ())
            for one in self._at(f"{root}/{path}" if root else path)
            if not (files[one].labels - labels) & APART
        ]
        return tuple(sorted(set(self._tree.nearest(folder, found))))

    @cached_property
    def _tops(self) -> dict[str, tuple[str, ...]]:
        """The roots below which there is a package or module of a name."""
        found: defaultdict[str, dict[str, None]] = defaultdict(dict)
        projects = {outer(path) for path in self._tree.paths if path.rpartition("/")[2] in PROJECT_FILES}
        for folder in self._packages:
            top = folder
            while outer(top) and outer(top) in self._packages:
                top = outer(top)
            if top:
                found[top.rpartition("/")[2]][outer(top)] = None
        for number, path in enumerate(self._tree.paths):
            if self._tree.files[number].language != "python":
                continue
            folder = outer(path)
            if folder not in self._packages:
                found[stem(path)][folder] = None
            below = folder.rpartition("/")[2]
            for root in ancestors(outer(folder)) if folder else ():
                if root in projects or root.rpartition("/")[2] in SOURCE_FOLDERS:
                    found[below][root] = None
                below = root.rpartition("/")[2]
        return {name: tuple(sorted(roots)) for name, roots in found.items()}
