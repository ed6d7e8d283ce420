"""Names by which files know other files as a whole: what such a name is a part of means what these files say."""

from __future__ import annotations

from coderag.graph.resolve.changed_imports import ModuleFiles
from coderag.graph.resolve.imports.modules import is_by_path
from coderag.graph.resolve.rules import rules_of
from coderag.syntax.references.records import Imported

__all__ = ["ModuleRoots"]

ALL = "*"
NO_ROOTS: dict[str, tuple[int, ...]] = {}


class ModuleRoots:
    """The modules that files import, by the name that stands for each; () is one outside of the index."""

    def __init__(self, modules: ModuleFiles) -> None:
        self._files, self._modules = modules.files, modules.modules
        self._known: dict[int, dict[str, tuple[int, ...]]] = {}
        self._targets: dict[tuple[int, str, str], tuple[int, ...]] = {}

    def of(self, number: int) -> dict[str, tuple[int, ...]]:
        """Return the files by the names that stand for them, and for nothing else in a file."""
        found = self._known.get(number)
        if found is None:
            found = self._known[number] = self._find(number)
        return found

    def has_stars(self, number: int) -> bool:
        """Tell whether a file has names that it takes from others without naming them."""
        return any(one.name == ALL for one in self._files[number].links.mentions.imports)

    def targets(self, number: int, one: Imported) -> tuple[int, ...]:
        """Return the files that an import may take something from."""
        key = number, one.module, one.name
        found = self._targets.get(key)
        if found is None:
            name = "" if one.name == ALL else one.name
            files = self._modules.files_of(number, one.module, name)
            found = self._targets[key] = files + (self._modules.submodule(number, one.module, name) if name else ())
        return found

    def _find(self, number: int) -> dict[str, tuple[int, ...]]:
        file = self._files[number]
        rules = rules_of(file.language)
        if not (rules.closed or rules.packages) or not is_by_path(file.language):
            return NO_ROOTS
        links = file.links
        found: dict[str, tuple[int, ...]] = {}
        others = {one.name for one in links.definitions} | {one.name for one in links.mentions.bindings}
        for one in links.mentions.imports:
            if not one.alias or one.owner >= 0 or one.alias in found or "." in one.alias or "." in one.name:
                others.add(one.alias.partition(".")[0])
            elif one.name and one.name != ALL and self.targets(number, one):
                others.add(one.alias)  # something in a file
            elif not one.name and "." in one.module and rules.submodules:
                others.add(one.alias)  # import a.b: the name may stand for the package
            else:
                found[one.alias] = self.targets(number, one)
        return {name: files for name, files in found.items() if name not in others}
