"""Files of which one is like the other: migrations, and what a generator wrote once for every table.

A map names such a family in one line, since none of its members matters for itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coderag.graph.graph import Graph
from coderag.index.storage.arrays.ranges import distinct
from coderag.sql.migration_order import MIGRATION_WORDS
from coderag.text.counted import counted

__all__ = ["Family", "families", "family_lines"]

MIGRATIONS = "migrations"
LEAST_MIGRATIONS = 3
FEW_FOLDERS = 2  # of migrations that are told one by one
# A migration's file begins with its version: a number, a date, V2__, or the hash of alembic's revision.
VERSIONED = re.compile(r"(?:[VUR]?\d{1,20}|[0-9a-f]{8,14})[._-].{1,200}", re.IGNORECASE)
FOLDERS = MIGRATION_WORDS | {"versions", "alter"}
LEAST_ALIKE = 10  # files of one folder whose names end in one word
# Names that nearly all of them define: so many, or nearly all that they have.
MANY_NAMES, FEW_NAMES = 12, 6
NEARLY_ALL = 0.8
LAST_WORD = re.compile(r"(?:[A-Z][a-z0-9]{2,40}|[_-][a-z0-9]{3,40})$")


@dataclass(frozen=True, slots=True)
class Family:
    """Files of one folder that are alike."""

    kind: str  # "migrations", or "*Example.java"
    folder: str
    paths: tuple[str, ...]  # sorted

    @property
    def files(self) -> int:
        """How many they are."""
        return len(self.paths)


def family_lines(found: Sequence[Family]) -> list[str]:
    """Return families as lines: migrations of many folders in one, each other family in its own."""
    migrations = [family for family in found if family.kind == MIGRATIONS]
    others = [
        f"{counted(one.files, 'file')} {one.kind}{_where(one)} with nearly the same definitions"
        for one in found
        if one.kind != MIGRATIONS
    ]
    if len(migrations) <= FEW_FOLDERS:
        return [*(f"{counted(one.files, 'migration')}{_where(one)}" for one in migrations), *others]
    largest = max(migrations, key=lambda one: one.files)
    total = sum(one.files for one in migrations)
    return [
        f"{counted(total, 'migration')} in {len(migrations)} folders, {largest.files:,} of them{_where(largest)}",
        *others,
    ]


def _where(family: Family) -> str:
    return f" in {family.folder}" if family.folder else ""


def families(graph: Graph, files: Sequence[int]) -> list[Family]:
    """Return the families among some files, given by their numbers, by folder and kind."""
    paths = dict(zip(files, graph.paths.some(np.array(files, np.int64)), strict=True))
    by_folder: dict[str, list[int]] = {}
    for file, path in paths.items():
        by_folder.setdefault(path.rpartition("/")[0], []).append(file)
    found = []
    for folder, members in by_folder.items():
        migrations = [one for one in members if _is_migration(paths[one])]
        if len(migrations) >= LEAST_MIGRATIONS:
            found.append(Family(MIGRATIONS, folder, tuple(sorted(paths[one] for one in migrations))))
        else:
            found += _alike(graph, folder, members, paths=paths)
    return sorted(found, key=lambda family: (family.kind != MIGRATIONS, family.folder, family.kind))


def _is_migration(path: str) -> bool:
    *folders, name = path.split("/")
    words = {word for folder in folders[-3:] for word in re.split(r"[-_.]", folder.lower())}
    return not FOLDERS.isdisjoint(words) and VERSIONED.fullmatch(name) is not None


def _alike(graph: Graph, folder: str, members: Iterable[int], *, paths: Mapping[int, str]) -> Iterator[Family]:
    """Yield the families of a folder that are generated: many names are the same in nearly all of the files."""
    groups: dict[tuple[str, str], list[int]] = {}
    for file in members:
        stem, _, ending = paths[file].rpartition("/")[2].partition(".")
        if match := LAST_WORD.search(stem):
            groups.setdefault((match[0], ending), []).append(file)
    for (word, ending), group in sorted(groups.items()):
        if len(group) >= LEAST_ALIKE and _share_names(graph, group):
            yield Family(f"*{word}.{ending}", folder, tuple(sorted(paths[one] for one in group)))


def _share_names(graph: Graph, group: Sequence[int]) -> bool:
    hashes = np.zeros(len(graph), np.uint64)
    hashes[graph.arrays["name_node"]] = graph.arrays["name_hash"]
    nodes = np.flatnonzero(np.isin(graph.node_file, group))
    _, files = np.unique(graph.node_file[nodes], return_inverse=True)
    _, names = np.unique(hashes[nodes], return_inverse=True)
    pairs = distinct(files.astype(np.int64) * (int(names.max(initial=0)) + 1) + names)
    files, names = np.divmod(pairs, int(names.max(initial=0)) + 1)
    shared = np.bincount(names) >= NEARLY_ALL * len(group)
    if (count := int(shared.sum())) >= MANY_NAMES:
        return True
    own = np.bincount(files, weights=shared[names]) / np.maximum(np.bincount(files), 1)
    return count >= FEW_NAMES and float(own.mean()) >= NEARLY_ALL
