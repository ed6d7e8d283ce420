"""Imports of languages that load files by their paths: Bash, Dart, Terraform, Lua, OCaml and Zig."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from coderag.graph.resolve.imports.tree import NONE, Found, ImportQuery, ModuleTree, ancestors, join, outer, stem

__all__ = ["BashModules", "DartModules", "DocumentModules", "HclModules", "LuaModules", "OcamlModules", "ZigModules"]


class PathModules:
    """Files by their paths; what a language does otherwise is said below."""

    by_file = False

    def __init__(self, tree: ModuleTree) -> None:
        """Take the files of an index."""
        self._tree = tree

    def files_of(self, query: ImportQuery) -> Found:
        """Return the file of a path relative to the file that names it."""
        path = join(query.folder, query.module)
        return NONE if path is None else self._tree.first_at((path,))


class ZigModules(PathModules):
    """`@import("a/b.zig")`."""


class BashModules(PathModules):
    """`source` and `.`: the folder is often put in at run time."""

    def files_of(self, query: ImportQuery) -> Found:
        """Return the file of a path, relative to the script, to the root, or that which alone ends so."""
        folder = query.folder
        parts = query.module.strip("\"'").split("/")
        held = max((place for place, part in enumerate(parts) if set("$`*{}()") & set(part)), default=-1)
        path = "/".join(parts[held + 1 :])
        for root in (folder, ""):
            if (full := join(root, path)) and (found := self._tree.number.get(full)) is not None:
                return (found,)
        suffix = join("", path.replace("../", ""))
        return self._tree.ending_near(folder, suffix) if suffix and ("/" in suffix or held >= 0) else NONE


class DartModules(PathModules):
    """Relative paths, and packages by the folder or pubspec.yaml that they are called after."""

    def files_of(self, query: ImportQuery) -> Found:
        """Return the file of a library or part."""
        if not query.module.startswith("package:"):
            return NONE if ":" in query.module else super().files_of(query)
        package, _, path = query.module.removeprefix("package:").partition("/")
        below = [(root, f"{root}/lib/{path}" if root else f"lib/{path}") for root in self._packages.get(package, ())]
        found = [(root, self._tree.number[full]) for root, full in below if full in self._tree.number]
        return self._tree.nearest(query.folder, found)

    @cached_property
    def _packages(self) -> dict[str, tuple[str, ...]]:
        """The folders of packages: those with a folder `lib`."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for folder in sorted(self._tree.known_folders):
            if folder.rpartition("/")[2] == "lib":
                root = outer(folder)
                text = self._tree.read_text(f"{root}/pubspec.yaml" if root else "pubspec.yaml")
                said = [line[5:].strip("\"' ") for line in text.splitlines() if line.startswith("name:")]
                found[said[0] if said else root.rpartition("/")[2]].append(root)
        return {name: tuple(roots) for name, roots in found.items()}


class DocumentModules(PathModules):
    """Files that a document leads to."""

    def files_of(self, query: ImportQuery) -> Found:
        """Return the file of a path that is relative to the document, to a folder around it, or that alone ends so."""
        for root in ancestors(query.folder):
            path = join(root, query.module)
            if path is not None and (found := self._tree.number.get(path)) is not None:
                return (found,)
        suffix = join("", query.module)
        return self._tree.ending_near(query.folder, suffix) if suffix else NONE


class HclModules(PathModules):
    """`source = "./modules/x"`: a folder, whose files are one."""

    def files_of(self, query: ImportQuery) -> Found:
        """Return the files of a local module."""
        if not query.module.startswith("."):
            return NONE
        path = join(query.folder, query.module)
        return NONE if path is None else self._in(path)

    def beside(self, file: int) -> Found:
        """Return the files of the same folder."""
        return self._in(self._tree.folders[file])

    def _in(self, folder: str) -> Found:
        files = self._tree.files
        return tuple(one for one in self._tree.in_folder.get(folder, ()) if files[one].language == "hcl")


class LuaModules(PathModules):
    """`require "a.b"`: a/b.lua or a/b/init.lua below a folder of the path."""

    def files_of(self, query: ImportQuery) -> Found:
        """Return the file of a module."""
        folder, path = query.folder, query.module
        if not path.endswith(".lua"):
            path = path.replace(".", "/")
        path = path.removesuffix(".lua").strip("/")
        for root in ancestors(folder):
            for below in (path, f"lua/{path}", f"src/{path}"):
                full = f"{root}/{below}" if root else below
                if found := self._tree.first_at((f"{full}.lua", f"{full}/init.lua")):
                    return found
        if "/" not in path:
            return NONE
        return self._tree.ending_near(folder, f"{path}.lua") or self._tree.ending_near(folder, f"{path}/init.lua")


class OcamlModules(PathModules):
    """A module is a file; what a library is called may stand before it."""

    def files_of(self, query: ImportQuery) -> Found:
        """Return the file of the first module of a path that is one."""
        folder = query.folder
        parts = query.module.split(".")
        inner = self._of_library(folder, parts) if len(parts) > 1 else NONE
        for part in parts[:1] if not inner else ():
            files = self._modules.get(part[:1].lower() + part[1:], ())
            beside = tuple(file for file in files if self._tree.folders[file] == folder)
            if beside or len({outer(self._tree.paths[file]) for file in files}) == 1:
                return self._sources(beside or files)
        return inner

    def submodule(self, query: ImportQuery) -> Found:
        """Return the file of a module of a library."""
        return self._of_library(query.folder, [*query.module.split("."), query.name]) if query.name else NONE

    def _of_library(self, folder: str, parts: list[str]) -> Found:
        """Return `lib/foo.ml` of `Lib.Foo`."""
        library, module = (part[:1].lower() + part[1:] for part in parts[:2])
        for ending in (".ml", ".mli"):
            for above in (library, f"{library}/src"):
                if found := self._tree.ending_near(folder, f"{above}/{module}{ending}"):
                    return found
        return NONE

    def _sources(self, files: Found) -> Found:
        """Return code rather than its interface."""
        return tuple(file for file in files if self._tree.paths[file].endswith(".ml")) or files

    @cached_property
    def _modules(self) -> dict[str, Found]:
        found: defaultdict[str, list[int]] = defaultdict(list)
        for number, file in enumerate(self._tree.files):
            if file.language in ("ocaml", "ocaml_interface"):
                name = stem(file.path)
                found[name[:1].lower() + name[1:]].append(number)
        return {name: tuple(files) for name, files in found.items()}
