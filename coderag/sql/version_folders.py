"""Folders to the versions that they are named after: upgrades/1.2/tables.sql, delta/72/01_users.sql."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable

__all__ = ["MIGRATION_FOLDERS", "folder_versions", "states_all"]

# Folders that hold what leads from one version to the next.
MIGRATION_FOLDERS = frozenset(
    """migrations migration migrate versions changelog changelogs changesets delta deltas evolutions update updates
    upgrade upgrades patch patches sqls revisions releases""".split()
)
SNAPSHOT_WORDS = frozenset("baseline baselines full snapshot snapshots".split())  # of folders with all of a version
NUMBER = re.compile(r"\d+")
DOTTED = re.compile(r"[vV]?\d+(?:[._]\d+)+(?:[-_.]?[xX])?(?:[-_](?:schema|release|final|ga|rc\d*|beta\d*))?|[vV]\d+")
MIN_DOTTED = 2  # versions side by side; one alone may be that of a tool
WORDS = re.compile(r"[-_. ]+")


def folder_versions(folders: Iterable[str]) -> dict[str, str]:
    """Return the versions of those folders that are named after one, given all folders that hold SQL.

    A bare number is a version below a folder of migrations, one with dots also beside others.
    """
    named: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for folder in folders:
        parent, _, name = folder.rpartition("/")
        if not _is_version(name):  # a folder for each dialect in that of the version
            parent, _, name = parent.rpartition("/")
        if _is_version(name):
            named[parent][name].append(folder)
    return {
        folder: name
        for parent, names in named.items()
        for name, found in names.items()
        for folder in found
        if _holds_versions(parent) or (DOTTED.fullmatch(name) and _dotted(names) >= MIN_DOTTED)
    }


def states_all(folder: str) -> bool:
    """Tell whether a folder named after a version holds the whole schema of that version."""
    parent = folder.rpartition("/")[0].rpartition("/")[2]
    return not SNAPSHOT_WORDS.isdisjoint(WORDS.split(parent.casefold()))


def _is_version(name: str) -> bool:
    return (NUMBER.fullmatch(name) or DOTTED.fullmatch(name)) is not None


def _holds_versions(parent: str) -> bool:
    """Tell whether the folders in a folder are versions by its name, or by that of the one around it."""
    return not MIGRATION_FOLDERS.isdisjoint(parent.casefold().split("/")[-2:]) or states_all(f"{parent}/")


def _dotted(names: Collection[str]) -> int:
    return sum(DOTTED.fullmatch(name) is not None for name in names)
