"""Imports of JavaScript and TypeScript: relative paths, paths of a tsconfig.json, packages of a workspace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

from coderag.graph.resolve.imports.settings import Package, PathRules, package_settings, path_rules
from coderag.graph.resolve.imports.tree import NONE, Found, ImportQuery, ModuleTree, ancestors, join

__all__ = ["LANGUAGES", "EcmaScriptModules"]

ENDINGS = (
    *(".ts", ".tsx", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".d.ts", ".vue", ".svelte", ".es6"),
    *("/index.ts", "/index.tsx", "/index.js", "/index.jsx", "/index.mts", "/index.mjs", "/index.cjs", "/index.d.ts"),
    *("/index.vue", "/index.svelte"),
)
# What is written may be what the compiler makes of it.
COMPILED = {
    ".js": (".ts", ".tsx", ".d.ts", ".jsx"),
    ".jsx": (".tsx",),
    ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
}
BUILT = ("dist", "lib", "build", "out", "es", "esm", "cjs")  # folders that src is compiled to
MAX_COPIES = 16  # of a package, by its name
ALIASES = ("@/", "~/")  # the source folder, as bundlers have it where nothing says otherwise
SOURCES = ("src", "app", "")
LANGUAGES = frozenset({"javascript", "typescript", "tsx", "vue", "svelte"})


class EcmaScriptModules:
    """Modules of JavaScript, TypeScript, Vue and Svelte."""

    by_file = False

    def __init__(self, tree: ModuleTree) -> None:
        """Take the files of an index."""
        self._tree = tree
        self._rules: dict[str, PathRules | None] = {}

    def files_of(self, query: ImportQuery) -> Found:
        """Return the file of a module."""
        folder = query.folder
        spec = query.module.partition("?")[0].rpartition("!")[2]  # without what only a bundler reads
        if spec.startswith("."):
            return self._at(join(folder, spec))
        if spec.startswith("#"):
            return self._own_import(folder, spec)
        if not spec or spec.startswith("/") or ":" in spec:
            return NONE
        return self._mapped(folder, spec) or self._packaged(folder, spec) or self._aliased(folder, spec)

    def _at(self, path: str | None) -> Found:
        """Return the file that a path means, with whatever ending it has."""
        if path is None:
            return NONE
        number = self._tree.number
        if (found := number.get(path)) is not None:
            return (found,)
        if not path:
            return self._tree.first_at(ending[1:] for ending in ENDINGS if ending.startswith("/"))
        base, dot, extension = path.rpartition(".")
        if dot and (sources := COMPILED.get(f".{extension}")):
            for source in sources:
                if (found := number.get(base + source)) is not None:
                    return (found,)
        for ending in ENDINGS:
            if (found := number.get(path + ending)) is not None:
                return (found,)
        return NONE

    def _mapped(self, folder: str, spec: str) -> Found:
        """Return what the nearest tsconfig.json makes of a name."""
        for root in ancestors(folder):
            if root not in self._rules:
                self._rules[root] = path_rules(self._tree, root)
            rules = self._rules[root]
            if rules is None:
                continue
            for target in rules.patterns.fitting(spec):
                if found := self._at(target):
                    return found
            if rules.base is not None and (found := self._at(join(rules.base, spec))):
                return found
            if rules.patterns or rules.base is not None:
                return NONE
        return NONE

    def _packaged(self, folder: str, spec: str) -> Found:
        """Return a module of a package in this index."""
        parts = spec.split("/")
        size = 2 if spec.startswith("@") else 1
        packages = self._packages.get("/".join(parts[:size]))
        if packages is None:
            return NONE
        below = "/".join(parts[size:])
        found = [(package.folder, one) for package in packages for one in self._of_package(package, below)]
        return self._tree.nearest(folder, found)

    def _of_package(self, package: Package, below: str) -> Found:
        targets = list(package.exports.fitting(f"./{below}" if below else "."))
        targets += [below] if below else [*package.mains, "src/index", "index", "src/main", "src"]
        for target in targets:
            for path in _sources(target):
                if found := self._at(join(package.folder, path)):
                    return found
        return self._at(join(package.folder, f"src/{below}")) if below else NONE

    def _own_import(self, folder: str, spec: str) -> Found:
        """Return what the nearest package.json makes of a name that begins with "#"."""
        for root in ancestors(folder):
            if (package := self._by_folder.get(root)) is not None:
                for target in package.imports.fitting(spec):
                    for path in _sources(target):
                        if found := self._at(join(root, path)):
                            return found
                return NONE
        return NONE

    def _aliased(self, folder: str, spec: str) -> Found:
        alias = next((one for one in ALIASES if spec.startswith(one)), "")
        if not alias:
            return NONE
        for root in ancestors(folder):
            for source in SOURCES:
                if found := self._at(join(root, f"{source}/{spec[len(alias) :]}")):
                    return found
        return NONE

    @cached_property
    def _by_folder(self) -> dict[str, Package]:
        folders: dict[str, None] = {}
        for number, file in enumerate(self._tree.files):
            if file.language in LANGUAGES:
                for folder in ancestors(self._tree.folders[number]):
                    if folder in folders:
                        break
                    folders[folder] = None
        found = ((folder, package_settings(self._tree, folder)) for folder in folders)
        return {folder: package for folder, package in found if package is not None}

    @cached_property
    def _packages(self) -> dict[str, list[Package]]:
        found: defaultdict[str, list[Package]] = defaultdict(list)
        for package in self._by_folder.values():
            if package.name and len(found[package.name]) < MAX_COPIES:
                found[package.name].append(package)
        return dict(found)


def _sources(path: str) -> Iterator[str]:
    """Yield a path, and those that it may be compiled from."""
    yield path
    parts = path.removeprefix("./").split("/")
    if parts[0] in BUILT and len(parts) > 1:
        yield "/".join(("src", *parts[1:]))
        yield "/".join(parts[1:])
        if len(parts) > 2:  # dist/esm/index.js
            yield "/".join(("src", *parts[2:]))
