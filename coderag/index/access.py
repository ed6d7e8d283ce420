"""Who may see what: the rules that an index was written with, and what they keep from a caller of some groups.

What a caller may not see is treated like a file that is gone: it counts nowhere. A file is hidden by each rule that
names it and that none of the caller's groups meets (`[[access]]` in coderag.sql.settings), so what a caller sees
depends on the rules that are not met, and on nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from coderag.errors import IndexDamagedError
from coderag.index.arrays import Array
from coderag.index.catalog_files import FileDatabases
from coderag.index.manifest import Manifest
from coderag.index.paths import PathTable
from coderag.index.segment import Segment
from coderag.index.snapshots import Snapshot
from coderag.reading.globs import path_test
from coderag.sql.settings import AccessRule, Settings, read_access_rules

__all__ = ["Access", "Sight", "access_of", "seen_manifest", "sight_of", "stored_access"]

FILE_SCHEMES = ("sqlite:", "duckdb:")  # databases that are files


class Access(msgspec.Struct, frozen=True):
    """What a manifest keeps of a root's settings for those who may not see all of it."""

    rules: tuple[AccessRule, ...] = ()
    names: tuple[str, ...] = ()  # the repository's when the index was written
    settings: Settings = Settings()  # of its schemas, which are folded anew for such a caller

    def unmet(self, groups: Collection[str]) -> frozenset[int]:
        """Return the numbers of the rules that none of some groups meets."""
        return frozenset(number for number, rule in enumerate(self.rules) if not set(rule.groups) & set(groups))


@dataclass(frozen=True, slots=True)
class Sight:
    """What a caller does not see of a root."""

    rules: tuple[AccessRule, ...]  # those that are not met
    blind: bool  # nothing is seen at all
    databases: frozenset[str] = frozenset()  # the files that tell of hidden databases, and the names of such databases

    @property
    def is_whole(self) -> bool:
        """Whether nothing is hidden."""
        return not self.rules

    def hides(self, path: str) -> bool:
        """Tell whether what lies at a path, indexed or not, is hidden."""
        if self.blind or path in self.databases:
            return True
        return any(rule.paths and path_test(rule.paths)(path) for rule in self.rules)

    def hides_each(self, paths: Sequence[str]) -> Array:
        """Return which of the files at some paths are hidden, bool[paths]."""
        if self.blind:
            return np.ones(len(paths), dtype=bool)
        hidden = np.fromiter((path in self.databases for path in paths), dtype=bool, count=len(paths))
        globs = [rule.paths for rule in self.rules if rule.paths]
        if globs:
            table = PathTable(paths)
            for one in globs:
                hidden |= table.matching(one)
        return hidden

    def hides_database(self, snapshot: Snapshot, root: str) -> bool:
        """Tell whether a database that was asked is hidden: by its name, or as the file that it is."""
        if self.blind or snapshot.name in self.databases:
            return True
        if any(_is_called(rule, snapshot.facts.database) for rule in self.rules):
            return True
        return any(self.hides(path) for path in _file_of(snapshot.name, root))


def stored_access(root: Path, settings: Settings, repository: str) -> dict[str, Any]:
    """Return what a manifest keeps of who may see what of a root, {} where everybody may see all.

    Raises SettingsError.
    """
    rules = read_access_rules(root)
    if not rules:
        return {}
    stored: dict[str, Any] = msgspec.to_builtins(Access(rules, (repository, root.resolve().name), settings))
    return stored


def access_of(manifest: Manifest) -> Access:
    """Return who may see what of an index; raises IndexDamagedError."""
    if not manifest.access:
        return Access()
    try:
        return msgspec.convert(manifest.access, Access)
    except msgspec.ValidationError as error:
        raise IndexDamagedError(f'the access rules of the index are damaged: {error}; run "coderag index"') from error


def sight_of(
    manifest: Manifest,
    segments: Sequence[Segment],
    *,
    access: Access,
    unmet: Collection[int],
    databases: FileDatabases | None,
) -> Sight:
    """Return what is hidden of an index where some rules, by their numbers, are not met.

    `databases` tells which files speak of which, None where no schema is known.
    """
    rules = tuple(access.rules[number] for number in sorted(unmet))
    names = {part.casefold() for name in (*access.names, manifest.repository) for part in (name, name.split("/")[-1])}
    blind = any(one.casefold() in names for rule in rules for one in rule.repositories)
    if blind or not any(rule.databases for rule in rules):
        return Sight(rules, blind)
    hidden = set(_naming(manifest, segments, rules, access.settings))
    if databases is not None:
        wanted = [any(_is_called(rule, name) for rule in rules) for name, _ in databases.places]
        hidden |= databases.at(wanted)
    return Sight(rules, False, frozenset(hidden))


def seen_manifest(manifest: Manifest, segments: Sequence[Segment], sight: Sight) -> Manifest:
    """Return a manifest in which the files that are hidden are dead."""
    entries = []
    for entry, segment in zip(manifest.segments, segments, strict=True):
        hidden = np.flatnonzero(sight.hides_each(segment.paths.all())).tolist()
        entries.append(replace(entry, dead=tuple(sorted({*entry.dead, *hidden}))))
    return replace(manifest, segments=tuple(entries))


def _naming(
    manifest: Manifest, segments: Sequence[Segment], rules: Iterable[AccessRule], settings: Settings
) -> Iterator[str]:
    """Yield the files that hidden databases are written in, or set for, also where nothing else tells of these."""
    for entry, segment in zip(manifest.segments, segments, strict=True):
        dead = set(entry.dead)
        for number in segment.files_with_facts():
            if number in dead:
                continue
            path = segment.paths[number]
            told = (settings.for_path(path).database, segment.facts(number).database)
            if any(_is_called(rule, name) for rule in rules for name in told):
                yield path


def _is_called(rule: AccessRule, database: str) -> bool:
    """Tell whether a rule names a database, by what the catalog calls it or by the part of that which is its own."""
    whole = database.casefold()
    bare = whole.split("@")[0]  # without its environment
    known = {whole, bare, bare.rpartition("/")[2]} - {""}
    return any(name.casefold() in known for name in rule.databases)


def _file_of(name: str, root: str) -> Iterator[str]:
    """Yield the path, relative to a root, of a database that is a file inside it."""
    if not name.startswith(FILE_SCHEMES):
        return
    path = Path(name.partition("://")[2].removeprefix("/"))
    for one in (path, Path("/") / path):
        if not one.is_absolute():
            yield one.as_posix()
        elif one.is_relative_to(root):
            yield one.relative_to(root).as_posix()
