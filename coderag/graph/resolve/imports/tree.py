"""The paths of an index by folder, by name and by how they end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol, runtime_checkable

from coderag.graph.files import LinkedFile

__all__ = [
    "NONE",
    "Family",
    "Found",
    "ImportQuery",
    "ModuleTree",
    "Nesting",
    "Reading",
    "Sharing",
    "ancestors",
    "join",
    "outer",
    "stem",
]

MAX_ABOVE = 24  # folders above a file in which something is looked for, and the root
Found = tuple[int, ...]  # positions of files, ascending where their order tells nothing
Candidate = tuple[str, int]  # the folder that a path is looked up from, and the file
Reading = Callable[[str], bytes | None]  # a path to the content of a file below the root that may be read
NONE: Found = ()


class ImportQuery(NamedTuple):
    """An import of a file."""

    file: int
    folder: str  # of the file
    module: str  # as written
    name: str = ""  # what is taken from it
    owner: int = -1  # the definition that the import is written in


class Family(Protocol):
    """How the languages of a family tell what they import."""

    by_file: bool  # the answers depend on the file and the owner that ask, not only on the folder

    def files_of(self, query: ImportQuery) -> Found:
        """Return the files that a module as written means."""


@runtime_checkable
class Nesting(Protocol):
    """A family in which modules are taken from others by their names."""

    def submodule(self, query: ImportQuery) -> Found:
        """Return the files of a module that is imported from another by its name."""


@runtime_checkable
class Sharing(Protocol):
    """A family in which the files of a package know each other's names."""

    def beside(self, file: int) -> Found:
        """Return the files whose names are known without an import."""


class ModuleTree:
    """All files of an index."""

    def __init__(self, files: Sequence[LinkedFile], read: Reading | None = None) -> None:
        """Take files; `read` gives the bytes of a file below the root that may be read."""
        self.files = files
        self.paths = [file.path for file in files]
        self.number = {path: number for number, path in enumerate(self.paths)}
        self.folders = [outer(path) for path in self.paths]
        self.read = read
        self._suffixes: dict[str, list[int]] = {}

    @cached_property
    def in_folder(self) -> dict[str, list[int]]:
        """The files directly in each folder."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for number, folder in enumerate(self.folders):
            found[folder].append(number)
        return dict(found)

    @cached_property
    def known_folders(self) -> frozenset[str]:
        """Every folder that holds a file, at any depth; "" is the root."""
        found: set[str] = set()
        for folder in self.in_folder:
            for ancestor in ancestors(folder):
                if ancestor in found:
                    break
                found.add(ancestor)
        return frozenset(found)

    @cached_property
    def _by_last(self) -> dict[str, list[int]]:
        """The files by the last part of their path, and by the last two."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for number, path in enumerate(self.paths):
            parts = path.rsplit("/", 2)
            found[parts[-1]].append(number)
            if len(parts) > 1:
                found["/".join(parts[-2:])].append(number)
        return dict(found)

    def ending(self, suffix: str) -> list[int]:
        """Return the files whose path ends with whole parts of a path."""
        known = self._suffixes.get(suffix)
        if known is None:
            last = "/".join(suffix.rsplit("/", 2)[-2:])
            known = [one for one in self._by_last.get(last, ()) if f"/{self.paths[one]}".endswith(f"/{suffix}")]
            self._suffixes[suffix] = known
        return known

    def ending_near(self, folder: str, suffix: str) -> Found:
        """Return of the files whose path ends so those that are looked up from the folder nearest to this one."""
        found = self.ending(suffix)
        if len(found) < 2:
            return tuple(found)
        return self.nearest(folder, ((self.paths[one][: -len(suffix) - 1], one) for one in found))

    def first_at(self, paths: Iterable[str]) -> Found:
        """Return the first of some paths that is a file."""
        for path in paths:
            if (found := self.number.get(path)) is not None:
                return (found,)
        return NONE

    def nearest(self, folder: str, candidates: Iterable[Candidate]) -> Found:
        """Return the files whose root shares most with a folder, and of those the ones with the shortest way down."""
        here = folder.split("/") if folder else []
        best: list[int] = []
        best_key = (-1, 0)
        for root, file in candidates:
            there = root.split("/") if root else []
            shared = 0
            for one, other in zip(here, there, strict=False):
                if one != other:
                    break
                shared += 1
            key = shared, shared - len(there)
            if key > best_key:
                best, best_key = [file], key
            elif key == best_key:
                best.append(file)
        return tuple(best)

    def read_text(self, path: str) -> str:
        """Return a file of settings, "" where there is none."""
        data = self.read(path) if self.read is not None else None
        return data.decode("utf-8", "replace") if data else ""


def outer(path: str) -> str:
    """Return the folder of a path; "" is the root."""
    return path.rpartition("/")[0]


def stem(path: str) -> str:
    """Return the name of a file without its last extension."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[0] or name


def ancestors(folder: str) -> Iterable[str]:
    """Yield a folder and those around it, and the root "" ."""
    for _ in range(MAX_ABOVE):
        if not folder:
            break
        yield folder
        folder = outer(folder)
    yield ""


def join(folder: str, relative: str) -> str | None:
    """Return a path with "." and ".." taken away, None when it leaves the root."""
    parts = folder.split("/") if folder else []
    for part in relative.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
