"""The files of a database while they are brought together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from coderag.catalog.databases.declared import Declared
from coderag.sql.statements.dialect import GENERIC
from coderag.sql.statements.names import Key

__all__ = [
    "CHOICES",
    "DatabaseCandidate",
    "Sets",
    "are_apart",
    "common_folder",
    "dialect_of",
    "disjoint",
    "grouped_by",
    "is_migration",
    "overlap",
    "split",
]

# The dialects that an application lets its users choose from, the likeliest in production first. A warehouse that has
# some of an application's tables is a database of its own.
CHOICES = ("postgres", "mysql", "mariadb", "tsql", "oracle", "db2", "sqlite")


@dataclass(slots=True)
class DatabaseCandidate:
    """A group while files join it."""

    members: list[Declared] = field(default_factory=list)
    series: list[Declared] = field(default_factory=list)  # migrations
    snapshot: list[Declared] = field(default_factory=list)
    models: list[Declared] = field(default_factory=list)
    bases: list[Declared] = field(default_factory=list)  # what the series begins with
    editions: list[Declared] = field(default_factory=list)  # not applied: other dialects, copies
    name: str = ""  # that is certain
    environment: str = ""
    live: bool = False
    folder: str = ""
    whole_folder: bool = False  # all files of a folder belong to it
    project: bool = False  # it is a project of dbt

    @property
    def files(self) -> list[Declared]:
        """Return all files, what a series begins with first and models last."""
        return [*self.bases, *self.series, *self.members, *self.snapshot, *self.models]

    def tables(self) -> set[Key]:
        """Return the tables that the database's own files create."""
        return {
            key for declared in (*self.bases, *self.series, *self.members, *self.snapshot) for key in declared.tables
        }

    def names(self) -> set[Key]:
        """Return all that the files create or rename to, models included."""
        return {key for file in self.files for key in file.names}

    def known(self) -> set[Key]:
        """Return all that the files create or change."""
        return {key for file in self.files for key in (*file.names, *file.altered)}

    def told(self) -> str:
        """Return the database that the files say they belong to, "" if they name none or several."""
        names = {name.casefold(): name for file in self.files for name in file.databases}
        return next(iter(names.values())) if len(names) == 1 else ""

    def main(self) -> Declared:
        """Return the file that creates most tables, the first of several."""
        own = self.bases + self.members
        files = own if any(declared.names for declared in own) else self.files
        return max(files, key=lambda file: (len(file.tables), -len(file.path), file.path))

    @property
    def side(self) -> tuple[str, ...]:
        """Return the labels that keep the files apart from the product's own: of those that create something."""
        return next((file for file in self.files if file.names), self.files[0]).side


class Sets:
    """Numbers in disjoint sets."""

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))

    def root(self, number: int) -> int:
        """Return the number that stands for a set."""
        while self._parent[number] != number:
            self._parent[number] = self._parent[self._parent[number]]
            number = self._parent[number]
        return number

    def join(self, first: int, second: int) -> None:
        """Make one set of two; its lowest number stands for it."""
        low, high = sorted((self.root(first), self.root(second)))
        self._parent[high] = low

    def all(self) -> list[list[int]]:
        """Return the sets in the order of their lowest numbers."""
        found: dict[int, list[int]] = {}
        for number in range(len(self._parent)):
            found.setdefault(self.root(number), []).append(number)
        return list(found.values())


def split(files: Iterable[Declared], wanted: Callable[[Declared], bool]) -> tuple[list[Declared], list[Declared]]:
    """Return the files that are wanted, and the others."""
    taken: list[Declared] = []
    rest: list[Declared] = []
    for file in files:
        (taken if wanted(file) else rest).append(file)
    return taken, rest


def grouped_by(files: Iterable[Declared], key: Callable[[Declared], Hashable]) -> list[list[Declared]]:
    """Return lists of files of one key each, in the order in which the keys appear."""
    found: defaultdict[Hashable, list[Declared]] = defaultdict(list)
    for file in files:
        found[key(file)].append(file)
    return list(found.values())


def is_migration(declared: Declared) -> bool:
    """Tell whether a file is one of a series, and does not state the whole schema."""
    return declared.series is not None and not declared.series.snapshot


def disjoint(tables: Sequence[set[Key]], sets: Sets, first: int, second: int) -> bool:
    """Tell whether two sets of drafts are different ones and create no table both."""
    one, two = sets.root(first), sets.root(second)
    if one == two:
        return False
    mine = {key for number, keys in enumerate(tables) if sets.root(number) == one for key in keys}
    return all(mine.isdisjoint(keys) for number, keys in enumerate(tables) if sets.root(number) == two)


def overlap(first: set[Key], second: set[Key]) -> float:
    """Return the share that two sets of tables have in common, by their plain names."""
    one, two = {key[2] for key in first}, {key[2] for key in second}
    return len(one & two) / min(len(one), len(two)) if one and two else 0.0


def common_folder(folders: Sequence[str]) -> str:
    """Return the deepest folder that all folders lie in."""
    parts = [folder.split("/") for folder in folders]
    first, last = min(parts), max(parts)
    same = takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    return "/".join(one for one, _ in same)


def are_apart(first: DatabaseCandidate, second: DatabaseCandidate) -> bool:
    """Tell whether one draft is of a database that applications choose from, and the other of a warehouse."""
    dialects = {dialect_of(first), dialect_of(second)} - {GENERIC, ""}
    return len(dialects) == 2 and len(dialects.intersection(CHOICES)) == 1


def dialect_of(draft: DatabaseCandidate) -> str:
    """Return the most frequent dialect of a draft's files; MariaDB's is MySQL's."""
    counts = Counter(file.file.facts.dialect.replace("mariadb", "mysql") for file in draft.files)
    return min(counts, key=lambda name: (-counts[name], name))
