"""Paths of Rust to the files of their modules."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property

from coderag.graph.resolve.imports.tree import NONE, Found, ImportQuery, ModuleTree, ancestors, outer, stem
from coderag.types import Kind

__all__ = ["RustModules"]

ROOTS = ("lib.rs", "main.rs")
OWN_FOLDER = frozenset({"lib.rs", "main.rs", "mod.rs", "build.rs"})  # their modules lie beside them
PROGRAMS = frozenset({"tests", "examples", "benches", "bin"})  # each file in such a folder is a crate
NAME = re.compile(r'^name[ \t]*=[ \t]*"([^"\n]{1,200})"', re.MULTILINE)
STANDARD = frozenset({"std", "core", "alloc", "proc_macro", "test"})


class RustModules:
    """Modules of Rust."""

    by_file = True

    def __init__(self, tree: ModuleTree) -> None:
        """Take the files of an index."""
        self._tree = tree

    def files_of(self, query: ImportQuery) -> Found:
        """Return the file of a module, or that which the last modules of the path are written in."""
        return self._follow(query, query.module, exact=False)

    def submodule(self, query: ImportQuery) -> Found:
        """Return the file of a module that is named in `use path::{name}`."""
        if not query.name or query.name == "*":
            return NONE
        return self._follow(query, f"{query.module}::{query.name}", exact=True)

    def _follow(self, query: ImportQuery, module: str, *, exact: bool) -> Found:
        file = query.file
        parts = [part.removeprefix("r#") for part in module.strip(":").split("::")]
        base = self._inside(file)
        here: Found = (file,)
        depth = self._depth(query)
        if parts[0] == "crate":
            base = self._crate(file)
            here = self._root_files(base, file)
            parts = parts[1:]
        elif parts[0] in ("self", "super"):
            while parts and parts[0] in ("self", "super"):
                if parts[0] == "super" and depth:
                    depth -= 1
                elif parts[0] == "super":
                    here, base = self._above(here, base)
                parts = parts[1:]
        elif module.startswith("::") or not self._at(base, parts[:1]):
            if parts[0] in STANDARD or parts[0] not in self._crates:
                return NONE
            found = []
            for root in self._crates[parts[0]]:
                found += [(outer(root), one) for one in self._down(root, parts[1:], self._lib(root), exact=exact)]
            return self._tree.nearest(self._tree.folders[file], found)
        return self._down(base, parts, here, exact=exact)

    def _depth(self, query: ImportQuery) -> int:
        """Return how many modules within its file an import is written in."""
        definitions = self._tree.files[query.file].links.definitions
        depth, owner = 0, query.owner
        while owner >= 0:
            depth += definitions[owner].kind is Kind.MODULE
            owner = definitions[owner].parent
        return depth

    def _down(self, base: str, parts: list[str], here: Found, *, exact: bool) -> Found:
        """Return the deepest file of a path below a module, or with `exact` that of the whole path."""
        for size in range(len(parts), 0, -1):
            if found := self._at(base, parts[:size]):
                return found
            if exact:
                return NONE
        return here

    def _at(self, base: str, parts: list[str]) -> Found:
        path = "/".join((base, *parts)) if base else "/".join(parts)
        return self._tree.first_at((f"{path}.rs", f"{path}/mod.rs"))

    def _above(self, here: Found, base: str) -> tuple[Found, str]:
        """Return the module around one that is a file."""
        if not here:
            return NONE, base
        path = self._tree.paths[here[0]]
        folder = outer(path)
        inside = outer(folder) if path.endswith("/mod.rs") else folder
        for candidate in (f"{inside}.rs", f"{inside}/mod.rs", *(f"{inside}/{one}" for one in ROOTS)):
            if (found := self._tree.number.get(candidate.lstrip("/"))) is not None and found != here[0]:
                return (found,), inside
        return NONE, inside

    def _inside(self, file: int) -> str:
        """Return the folder that the modules of a file lie in."""
        path = self._tree.paths[file]
        folder = outer(path)
        if path.rpartition("/")[2] in OWN_FOLDER or folder.rpartition("/")[2] in PROGRAMS:
            return folder
        return f"{folder}/{stem(path)}" if folder else stem(path)

    def _crate(self, file: int) -> str:
        folder = self._tree.folders[file]
        for ancestor in ancestors(folder):
            if ancestor.rpartition("/")[2] in PROGRAMS:
                return ancestor
            if any((f"{ancestor}/{root}" if ancestor else root) in self._tree.number for root in ROOTS):
                return ancestor
        return folder

    def _lib(self, folder: str) -> Found:
        return self._tree.first_at(f"{folder}/{root}" if folder else root for root in ROOTS)

    def _root_files(self, folder: str, file: int) -> Found:
        return self._lib(folder) or (file,)

    @cached_property
    def _crates(self) -> dict[str, tuple[str, ...]]:
        """The source folders of each crate with a library, by its name."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for path in self._tree.paths:
            if path.rpartition("/")[2] != "lib.rs":
                continue
            source = outer(path)
            folder = outer(source) if source.rpartition("/")[2] == "src" else source
            said = NAME.findall(self._tree.read_text(f"{folder}/Cargo.toml" if folder else "Cargo.toml"))
            for name in dict.fromkeys(said[:1] or [folder.rpartition("/")[2]]):
                found[name.replace("-", "_")].append(source)
        return {name: tuple(folders) for name, folders in found.items()}
