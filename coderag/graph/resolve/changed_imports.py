"""Two sets of files to the imports that mean other files in one than in the other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from coderag.graph.files import LinkedFile
from coderag.graph.resolve.changed_names import words_of
from coderag.graph.resolve.imports.ecmascript import LANGUAGES as SCRIPTS
from coderag.graph.resolve.imports.modules import Modules
from coderag.graph.resolve.rules import rules_of
from coderag.syntax.references.records import Imported

__all__ = ["ChangedImports", "ModuleFiles", "changed_imports"]

ALL = "*"
GONE = -1
RELATIVE = re.compile(r"\.[^?!]*/[^/?!.][^/?!]*\Z")  # a path to a file or folder that is named


@dataclass(frozen=True, slots=True)
class ModuleFiles:
    """Files and what their imports mean."""

    files: Sequence[LinkedFile]
    modules: Modules

    def shown(self, number: int) -> frozenset[str]:
        """Return the words that others get from a file that they take all of."""
        words, seen, waiting = set[str](), {number}, [number]
        while waiting:
            at = waiting.pop()
            links = self.files[at].links
            for one in links.definitions:
                words |= words_of(one.name)
            for owner, name, _, _ in links.mentions.bindings:
                if owner < 0:
                    words |= words_of(name)
            reexports, exports = rules_of(self.files[at].language).reexports, links.mentions.exports
            for imported in links.mentions.imports:
                if reexports or imported.exported or imported.alias in exports:
                    words |= words_of(imported.alias)
            new = set(self._stars(at)) - seen
            seen |= new
            waiting += new
        return frozenset(words)

    def starred(self, number: int) -> frozenset[str]:
        """Return the words that a file gets from those that it takes all of."""
        return frozenset().union(*map(self.shown, self._stars(number)))

    def _stars(self, number: int) -> Iterator[int]:
        file = self.files[number]
        for one in file.links.mentions.imports:
            if one.name == ALL or is_loaded(file, one):
                yield from self.modules.files_of(number, one.module)


@dataclass(slots=True)
class ChangedImports:
    """What is reached otherwise than before; files are numbers among the present ones."""

    files: set[int] = field(default_factory=set)  # those that have such an import
    aliases: list[tuple[int, Imported]] = field(default_factory=list)  # imports whose name means something else
    # Files of which a file knows the names without an import of each: either before or now, and not both.
    shown: list[tuple[int, int]] = field(default_factory=list)


def is_loaded(file: LinkedFile, one: Imported) -> bool:
    """Tell whether an import makes all of a file known without a name: an include."""
    return not one.name and not one.alias and rules_of(file.language).linked


def changed_imports(old: ModuleFiles, new: ModuleFiles, now: Sequence[int]) -> ChangedImports:
    """Return what the imports of the files that stayed as they were lead to otherwise, as other files came or went.

    `now` has the present number of each old file, GONE for one that is not there any more. A file that stayed is the
    same object in both.
    """
    return _Comparison(old, new, now).changes()


class _Comparison:
    """Imports under both sets of files."""

    def __init__(self, old: ModuleFiles, new: ModuleFiles, now: Sequence[int]) -> None:
        self._old, self._new, self._now = old, new, now
        pairs = enumerate(now)
        self._stayed = [(then, at) for then, at in pairs if at != GONE and new.files[at] is old.files[then]]
        self._touched = set(range(len(new.files))) - {at for _, at in self._stayed}
        left = [old.files[then].path for then, at in enumerate(now) if at == GONE]
        came = {file.path for file in new.files} - {file.path for file in old.files}
        self._names = frozenset(name for path in (*left, *came) for name in _module_names(path))
        self._found = ChangedImports()

    def changes(self) -> ChangedImports:
        """Return what is another one."""
        for then, at in self._stayed:
            file = self._new.files[at]
            is_script = file.language in SCRIPTS
            for imported in file.links.mentions.imports:
                if not is_script or self._may_move(imported.module):
                    self._compare(then, at, imported)
            self._compare_beside(then, at)
        return self._found

    def _compare(self, then: int, at: int, imported: Imported) -> None:
        module, name = imported.module, "" if imported.name == ALL else imported.name
        was = self._moved(self._old.modules.files_of(then, module, name))
        now = self._new.modules.files_of(at, module, name)
        nested = bool(name) and self._is_nested_otherwise(then, at, imported)
        if was == now and not nested:
            return
        self._found.files.add(at)
        file = self._new.files[at]
        # Any file of a package stands for all of it.
        is_package = rules_of(file.language).packages and was and now
        if imported.name == ALL or is_loaded(file, imported) or (is_package and not nested):
            self._show(at, was, now)
        else:
            self._found.aliases.append((at, imported))

    def _is_nested_otherwise(self, then: int, at: int, imported: Imported) -> bool:
        before = self._old.modules.submodule(then, imported.module, imported.name)
        return self._moved(before) != self._new.modules.submodule(at, imported.module, imported.name)

    def _may_move(self, module: str) -> bool:
        """Tell whether a module of JavaScript may be another file: a relative path ends as that of its file does."""
        if not RELATIVE.match(module):
            return True
        name = module.rpartition("/")[2]
        return name in self._names or name.partition(".")[0] in self._names

    def _compare_beside(self, then: int, at: int) -> None:
        before, after = self._old.modules.beside(then), self._new.modules.beside(at)
        if not before and not after:
            return
        was = tuple(one for one in self._moved(before) if one not in self._touched and one != GONE)
        now = tuple(one for one in after if one not in self._touched)
        if was != now:
            self._found.files.add(at)
            self._show(at, was, now)

    def _moved(self, numbers: tuple[int, ...]) -> tuple[int, ...]:
        """Return the present numbers of files of before."""
        return tuple([self._now[one] for one in numbers])

    def _show(self, at: int, was: tuple[int, ...], now: tuple[int, ...]) -> None:
        """Note the files of which a file knows the names by now, or did; all, if only their order is another one."""
        apart = set(was) ^ set(now) or set(was)
        self._found.shown += [(at, one) for one in sorted(apart) if one != GONE]


def _module_names(path: str) -> Iterator[str]:
    """Yield what the path of a module may end with that means a file: its name with or without endings, its folder."""
    folder, _, name = path.rpartition("/")
    yield name
    yield name.partition(".")[0]
    yield folder.rpartition("/")[2]
