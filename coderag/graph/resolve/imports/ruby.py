"""What Ruby loads: files by path, and constants as Zeitwerk and Rails' autoloader find them."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property

from coderag.graph.resolve.imports.tree import NONE, Found, ImportQuery, ModuleTree, join
from coderag.types import Kind

__all__ = ["RubyModules"]

ENDINGS = ("", ".rb", ".rbi")
LOAD_FOLDERS = frozenset({"lib", "test", "tests", "spec", "features", "ext"})
AUTOLOADED = "app"  # Rails: each folder within is a root, and its "concerns" too
ACRONYM = re.compile(r"([A-Z0-9])([A-Z][a-z])")
WORD = re.compile(r"([a-z0-9])([A-Z])")
TYPES = frozenset({Kind.CLASS, Kind.MODULE, Kind.STRUCT, Kind.CONSTANT})


class RubyModules:
    """Files of Ruby."""

    by_file = False

    def __init__(self, tree: ModuleTree) -> None:
        """Take the files of an index."""
        self._tree = tree

    def files_of(self, query: ImportQuery) -> Found:
        """Return the file that `require` loads ("./x": require_relative), or those that a constant ("A::B") means."""
        folder, module = query.folder, query.module
        if module.startswith("."):
            path = join(folder, module)
            return NONE if path is None else self._tree.first_at(path + ending for ending in ENDINGS)
        if module.lstrip(":")[:1].isupper():
            return self._constant(folder, module.lstrip(":"))
        return self._loaded(folder, module)

    def _loaded(self, folder: str, path: str) -> Found:
        """Return the files of a path that lie below a folder from which Ruby loads."""
        for ending in ENDINGS:
            suffix = join("", path + ending)
            if not suffix:
                return NONE
            ended = ((self._tree.paths[one][: -len(suffix) - 1], one) for one in self._tree.ending(suffix))
            if found := self._tree.nearest(folder, [one for one in ended if _is_load_path(one[0])]):
                return found
        return NONE

    def _constant(self, folder: str, constant: str) -> Found:
        if found := self._loaded(folder, _path(constant)):
            return found
        known = self._constants.get(constant, NONE)
        if len(known) < 2:
            return known
        return self._tree.nearest(folder, ((self._tree.folders[one], one) for one in known))

    @cached_property
    def _constants(self) -> dict[str, Found]:
        found: defaultdict[str, dict[int, None]] = defaultdict(dict)
        for number, file in enumerate(self._tree.files):
            if file.language == "ruby":
                for definition in file.links.definitions:
                    if definition.kind in TYPES:
                        found[definition.qualified_name][number] = None
        return {name: tuple(files) for name, files in found.items()}


def _is_load_path(root: str) -> bool:
    parts = root.split("/")
    return (
        not root
        or parts[-1] in LOAD_FOLDERS
        or parts[-2:-1] == [AUTOLOADED]
        or (parts[-1] == "concerns" and AUTOLOADED in parts)
    )


def _path(constant: str) -> str:
    """Return the path that a constant is autoloaded from, as ActiveSupport's `underscore` makes it."""
    text = constant.replace("::", "/")
    return WORD.sub(r"\1_\2", ACRONYM.sub(r"\1_\2", text)).lower()
