"""An import as it is written to the files that it means."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from coderag.graph.files import LinkedFile
from coderag.graph.resolve.imports.declared import CSHARP, ELIXIR, HASKELL, JULIA, JVM, PHP, DeclaredModules
from coderag.graph.resolve.imports.ecmascript import EcmaScriptModules
from coderag.graph.resolve.imports.go import GoModules
from coderag.graph.resolve.imports.include import IncludeModules
from coderag.graph.resolve.imports.paths import (
    BashModules,
    DartModules,
    DocumentModules,
    HclModules,
    LuaModules,
    OcamlModules,
    ZigModules,
)
from coderag.graph.resolve.imports.python import PythonModules
from coderag.graph.resolve.imports.ruby import RubyModules
from coderag.graph.resolve.imports.rust import RustModules
from coderag.graph.resolve.imports.swift import SwiftModules
from coderag.graph.resolve.imports.tree import NONE, Family, Found, ImportQuery, ModuleTree, Nesting, Sharing
from coderag.syntax.language import languages

__all__ = ["FAMILIES", "Modules", "is_by_path"]

# What `modules` in a language.toml may be.
FAMILIES: dict[str, Callable[[ModuleTree], Family]] = {
    "bash": BashModules,
    "csharp": lambda tree: DeclaredModules(tree, CSHARP),
    "dart": DartModules,
    "document": DocumentModules,
    "ecmascript": EcmaScriptModules,
    "elixir": lambda tree: DeclaredModules(tree, ELIXIR),
    "go": GoModules,
    "haskell": lambda tree: DeclaredModules(tree, HASKELL),
    "hcl": HclModules,
    "include": IncludeModules,
    "julia": lambda tree: DeclaredModules(tree, JULIA),
    "jvm": lambda tree: DeclaredModules(tree, JVM),
    "lua": LuaModules,
    "ocaml": OcamlModules,
    "php": lambda tree: DeclaredModules(tree, PHP),
    "python": PythonModules,
    "ruby": RubyModules,
    "rust": RustModules,
    "swift": SwiftModules,
    "zig": ZigModules,
}

# Of these, what an import means depends on paths and settings, not on what files define.
BY_PATH = frozenset(
    {
        "",
        "bash",
        "dart",
        "document",
        "ecmascript",
        "go",
        "hcl",
        "include",
        "lua",
        "ocaml",
        "python",
        "rust",
        "swift",
        "zig",
    }
)

Key = tuple[str, str | tuple[int, int], str, str]  # family, folder or place, module, name


class Modules:
    """What imports mean among the files of an index; every answer is kept, so that a question costs a look."""

    def __init__(self, files: Sequence[LinkedFile], read: Callable[[str], bytes | None] | None = None) -> None:
        """Take files; `read` gives the bytes of a file of settings below the root (go.mod, tsconfig.json)."""
        self._tree = ModuleTree(files, read)
        known = {name: language.modules for name, language in languages().items()}
        self._family = [known.get(file.language, "") for file in files]
        self._families: dict[str, tuple[Family, Nesting | None, Sharing | None]] = {}
        self._files: dict[Key, Found] = {}
        self._submodules: dict[Key, Found] = {}

    def files_of(self, file: int, module: str, name: str = "", *, owner: int = -1) -> Found:
        """Return the files that a module as written in a file means, () when it is outside of the index.

        A package of Go or Java is all of its files. With the name that is taken from it, a language that declares its
        packages gives only the files that define this name there, if any does. `owner` is the definition that the
        import is written in: within a module of Rust, `super` is the file itself.
        """
        family, _, _ = self._of(file)
        if family is None or not module:
            return NONE
        folder = self._tree.folders[file]
        key = self._family[file], (file, owner) if family.by_file else folder, module, name
        found = self._files.get(key)
        if found is None:
            found = self._files[key] = family.files_of(ImportQuery(file, folder, module, name, owner))
        return found

    def submodule(self, file: int, module: str, name: str, *, owner: int = -1) -> Found:
        """Return the files of the module that `from module import name` means, () when the name is no module."""
        family, nesting, _ = self._of(file)
        if family is None or nesting is None or not module:
            return NONE
        folder = self._tree.folders[file]
        key = self._family[file], (file, owner) if family.by_file else folder, module, name
        found = self._submodules.get(key)
        if found is None:
            found = self._submodules[key] = nesting.submodule(ImportQuery(file, folder, module, name, owner))
        return found

    def beside(self, file: int) -> Found:
        """Return the other files whose top definitions a file knows without an import: those of its package."""
        _, _, sharing = self._of(file)
        return tuple(one for one in sharing.beside(file) if one != file) if sharing is not None else NONE

    def _of(self, file: int) -> tuple[Family | None, Nesting | None, Sharing | None]:
        name = self._family[file]
        if not name:
            return None, None, None
        known = self._families.get(name)
        if known is None:
            family = FAMILIES[name](self._tree)
            known = self._families[name] = (
                family,
                family if isinstance(family, Nesting) else None,
                family if isinstance(family, Sharing) else None,
            )
        return known


def is_by_path(language: str) -> bool:
    """Tell whether the imports of a language mean files by their paths, whatever these define."""
    known = languages().get(language)
    return known is None or known.modules in BY_PATH
