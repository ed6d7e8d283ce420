"""Imports of languages whose files declare the package, namespace or module that they belong to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from coderag.graph.resolve.imports.tree import NONE, Found, ImportQuery, ModuleTree, join, outer
from coderag.index.storage.links import Defined
from coderag.types import Kind

__all__ = ["CSHARP", "ELIXIR", "HASKELL", "JULIA", "JVM", "PHP", "DeclaredModules", "Declaring"]


@dataclass(frozen=True, slots=True)
class Declaring:
    """How the languages of a family write their packages."""

    languages: frozenset[str]
    separators: tuple[str, ...] = ()  # written between the parts of a name besides "."
    encloses: bool = False  # names of enclosing packages are known too, and names may be relative to them
    shares: bool = True  # files of a package know each other's names
    endings: tuple[str, ...] = ()  # of files that are loaded by their path


JVM = Declaring(frozenset({"java", "kotlin", "scala", "groovy"}), encloses=True)
CSHARP = Declaring(frozenset({"csharp"}), ("::",), encloses=True)
PHP = Declaring(frozenset({"php"}), ("\\", "::"), endings=(".php", ".inc", ".phtml"))
ELIXIR = Declaring(frozenset({"elixir"}), shares=False, endings=(".exs", ".ex"))
HASKELL = Declaring(frozenset({"haskell"}), shares=False)
JULIA = Declaring(frozenset({"julia"}), shares=False, endings=(".jl",))

TYPES = frozenset(
    {Kind.CLASS, Kind.INTERFACE, Kind.TRAIT, Kind.STRUCT, Kind.ENUM, Kind.TYPE, Kind.MODULE, Kind.EXTENSION}
)
MAX_MEMBERS = 2  # parts behind a type: `import static a.Outer.Inner.member`


class DeclaredModules:
    """Packages by what files say they are."""

    by_file = False

    def __init__(self, tree: ModuleTree, declaring: Declaring) -> None:
        """Take the files of an index, and how the family writes packages."""
        self._tree = tree
        self._how = declaring
        self._beside: dict[tuple[str, str], Found] = {}
        self._names_of: dict[Found, frozenset[str]] = {}

    def files_of(self, query: ImportQuery) -> Found:
        """Return the files of a package, or that of a type."""
        file, folder, module, name, _ = query
        if module.endswith(self._how.endings):
            return self._by_path(folder, module)
        said = self._plain(module)
        whole = f"{said}.{name}" if name and name != "*" else said
        for prefix in self._prefixes(file):
            if found := self._named(folder, prefix + whole) or self._named(folder, prefix + said):
                return found
            if (prefix + said) in self._packages:
                return self._of_package(folder, prefix + said)
        for _ in range(MAX_MEMBERS):
            said = said.rpartition(".")[0]
            if said and (found := self._named(folder, said)):
                return found
        return NONE

    def submodule(self, query: ImportQuery) -> Found:
        """Return the files of a package or module that is taken from an enclosing one."""
        file, folder, module, name, _ = query
        if not name or name == "*" or module.endswith(self._how.endings):
            return NONE
        said = f"{self._plain(module)}.{name}"
        for prefix in self._prefixes(file):
            if (prefix + said) in self._packages:
                return self._of_package(folder, prefix + said)
            if (prefix + said) in self._modules:
                return self._named(folder, prefix + said)
        return NONE

    def beside(self, file: int) -> Found:
        """Return the files of the same package, and of those around it where they are known too."""
        if not self._how.shares:
            return NONE
        found: dict[int, None] = {}
        for package in self._own.get(file, ()):
            found |= dict.fromkeys(self._known_beside(self._tree.folders[file], package))
        return tuple(found)

    def _known_beside(self, folder: str, package: str) -> Found:
        key = folder, package
        if (known := self._beside.get(key)) is not None:
            return known
        found = list(self._of_package(folder, package)) if package else self._without_package(folder)
        while self._how.encloses and (package := package.rpartition(".")[0]):
            if package in self._packages:
                found += self._of_package(folder, package)
        return self._beside.setdefault(key, tuple(dict.fromkeys(found)))

    def _without_package(self, folder: str) -> list[int]:
        """Return the files of a folder that declare nothing."""
        ours = (one for one in self._tree.in_folder[folder] if self._tree.files[one].language in self._how.languages)
        return [our for our in ours if self._own[our] == ("",)]

    def _plain(self, module: str) -> str:
        for separator in self._how.separators:
            module = module.replace(separator, ".")
        return module.strip(".")

    def _prefixes(self, file: int) -> Iterator[str]:
        """Yield what a name may be relative to: nothing, then the file's own package and those around it."""
        yield ""
        if not self._how.encloses:
            return
        package = (self._own.get(file) or ("",))[0]
        while package:
            yield f"{package}."
            package = package.rpartition(".")[0]

    def _by_path(self, folder: str, module: str) -> Found:
        path = module.lstrip("/") if not module.startswith("../") else module
        here = join(folder, path)
        if here is not None and (found := self._tree.number.get(here)) is not None:
            return (found,)
        below = join("", path)
        return self._tree.ending_near(folder, below) if below else NONE

    def _named(self, folder: str, name: str) -> Found:
        found = self._names.get(name, NONE)
        if len(found) < 2:
            return found
        return self._tree.nearest(folder, ((self._tree.folders[one], one) for one in found))

    def _of_package(self, folder: str, package: str) -> Found:
        """Return the files of a package; what is defined in two projects counts in the nearer one."""
        whole = self._whole.get(package)
        return whole if whole is not None else self._nearer_groups(folder, package)

    @cached_property
    def _whole(self) -> dict[str, Found]:
        """The files of the packages in which nothing is defined in two places."""
        found = {}
        for package, groups in self._packages.items():
            names = [self._defined(files) for files in groups.values()]
            if len(names) < 2 or len(frozenset[str]().union(*names)) == sum(map(len, names)):
                found[package] = tuple(file for files in groups.values() for file in files)
        return found

    def _nearer_groups(self, folder: str, package: str) -> Found:
        left = dict(self._packages[package])
        taken: set[str] = set()
        found: list[int] = []
        while left:
            nearest = self._tree.nearest(folder, ((root, files[0]) for root, files in left.items()))
            together = [left.pop(root) for root in [root for root, files in left.items() if files[0] in nearest]]
            kept = [files for files in together if not self._defined(files) & taken]
            for files in kept:
                found += files
            taken = taken.union(*map(self._defined, kept))
        return tuple(found)

    def _defined(self, files: Found) -> frozenset[str]:
        """Return the names that files define outermost."""
        known = self._names_of.get(files)
        if known is None:
            known = frozenset(defined.qualified_name for file in files for defined in self._outer(file))
            self._names_of[files] = known
        return known

    def _outer(self, file: int) -> Iterator[Defined]:
        """Yield the definitions of a file that lie in nothing but namespaces."""
        definitions = self._tree.files[file].links.definitions
        for definition in definitions:
            if definition.parent == -1 or definitions[definition.parent].kind is Kind.MODULE:
                yield definition

    @cached_property
    def _own(self) -> dict[int, tuple[str, ...]]:
        """The packages that each file of the family belongs to, first that which it says."""
        found = {}
        for number, file in enumerate(self._tree.files):
            if file.language not in self._how.languages:
                continue
            module = self._plain(file.links.mentions.module)
            said = [module] if module else []
            for defined in self._outer(number):
                qualified = self._plain(defined.qualified_name)
                before = qualified.removesuffix(defined.name).rstrip(".")
                if defined.kind is not Kind.MODULE and before and before != module:
                    said.append(before if not module or before.startswith(f"{module}.") else f"{module}.{before}")
            found[number] = tuple(dict.fromkeys(said)) or ("",)
        return found

    @cached_property
    def _packages(self) -> dict[str, dict[str, Found]]:
        """The files of each package, by the folder that the package's own folders lie in."""
        found: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for number, packages in self._own.items():
            for package in packages:
                if package:
                    found[package][_root(self._tree.folders[number], package)].append(number)
        return {name: {root: tuple(files) for root, files in groups.items()} for name, groups in found.items()}

    @cached_property
    def _names(self) -> dict[str, Found]:
        """The files that define a name: outer definitions, and types within them."""
        found: defaultdict[str, dict[int, None]] = defaultdict(dict)
        for number in self._own:
            file = self._tree.files[number]
            module = self._plain(file.links.mentions.module)
            outermost = {id(defined) for defined in self._outer(number)}
            for definition in file.links.definitions:
                if definition.kind is Kind.MODULE and self._how.shares:
                    continue  # a namespace
                if definition.kind in TYPES or id(definition) in outermost:
                    name = self._plain(definition.qualified_name)
                    if module and not (name == module or name.startswith(f"{module}.")):
                        name = f"{module}.{name}"
                    found[name][number] = None
        return {name: tuple(files) for name, files in found.items()}

    @cached_property
    def _modules(self) -> frozenset[str]:
        """The names that are modules: of Elixir, Haskell, Julia, objects of Scala."""
        return frozenset(
            self._plain(definition.qualified_name)
            for number in self._own
            for definition in self._tree.files[number].links.definitions
            if definition.kind is Kind.MODULE
        )


def _root(folder: str, package: str) -> str:
    """Return what lies above the folders that are called as the package is, as far as they are."""
    parts = package.split(".")
    while parts and folder.rpartition("/")[2] == parts[-1]:
        folder = outer(folder)
        parts.pop()
    return folder
