"""Who may see what: the rules that an index was written with, and what they keep from a caller of some groups.

What a caller may not see is treated like a file that is gone: it counts nowhere. A file is hidden by each rule that
names it and that none of the caller's groups meets (`[[access]]` in coderag.sql.settings), so what a caller sees
depends on the rules that are not met, and on nothing else. Rules that were written or changed since the index was
count as well as those that it keeps, so an index that is not brought up to date shows no more for it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from coderag.decoding import converted
from coderag.errors import AccessError, IndexDamagedError, QueryError, SettingsError
from coderag.files.globs import path_test, split_globs
from coderag.index.catalog.catalog import Catalog
from coderag.index.reader.cleared import blobs_of, cleared_files, files_of_databases, index_state, is_called
from coderag.index.reader.paths import PathTable
from coderag.index.reader.rule_files import OWN, RuleFile, rule_files
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.database_snapshots import DatabaseSnapshot
from coderag.index.storage.folder.database_files import places_of_database
from coderag.index.storage.manifest import Manifest
from coderag.index.storage.segment import Segment
from coderag.record import record
from coderag.sql.settings import AccessRule, Settings, check_count, read_access_rules

__all__ = [
    "Access",
    "AccessScope",
    "Denied",
    "access_of",
    "access_scope",
    "denied_rules",
    "hides_path",
    "others_state",
    "stored_access",
    "unread_rules",
    "visible_manifest",
]


class Access(msgspec.Struct, frozen=True):
    """What a manifest keeps of a root's settings for those who may not see all of it."""

    rules: tuple[AccessRule, ...] = ()
    names: tuple[str, ...] = ()  # the repository's when the index was written
    settings: Settings = Settings()  # of its schemas, which are folded again for such a caller
    others: tuple[RuleFile, ...] = ()  # above the root and inside it


@record
class Denied:
    """A rule that a caller does not meet, and the file that it is written in."""

    file: RuleFile
    rule: AccessRule

    @property
    def hides_all(self) -> bool:
        """Whether the rule names the repository of its file: all that lies below it."""
        known = {part.casefold() for name in self.file.names for part in (name, name.split("/")[-1])}
        return any(repository.casefold() in known for repository in self.rule.repositories)

    def hides(self, path: str) -> bool:
        """Tell whether the rule names what lies at a path from the root, which may lead out of it."""
        inner = self.file.inner(path)
        if inner is None:
            return False
        return self.hides_all or bool(self.rule.paths and path_test(self.rule.paths)(inner))


@record
class AccessScope:
    """What a caller does not see of a root."""

    denied: tuple[Denied, ...]
    blind: bool  # nothing is seen at all
    databases: frozenset[str] = frozenset()  # the files of hidden databases, and the names of such databases

    @property
    def is_whole(self) -> bool:
        """Whether nothing is hidden."""
        return not self.denied

    @property
    def hides_databases(self) -> bool:
        """Whether a file may be hidden for what is in it."""
        return any(denied.rule.databases for denied in self.denied)

    def hides(self, path: str) -> bool:
        """Tell whether what lies at a path from the root, indexed or not, is hidden."""
        return self.blind or path in self.databases or any(denied.hides(path) for denied in self.denied)

    def hides_each(self, paths: Sequence[str]) -> Array:
        """Return which of the files at some paths are hidden, bool[paths]."""
        if self.blind:
            return np.ones(len(paths), dtype=bool)
        hidden = np.fromiter((path in self.databases for path in paths), dtype=bool, count=len(paths))
        for file, rules in _by_file(self.denied).items():
            inner = [file.inner(path) for path in paths]
            at = np.flatnonzero([one is not None for one in inner])
            table = PathTable([one for one in inner if one is not None])
            for rule in rules:
                if rule.hides_all:
                    hidden[at] = True
                elif rule.rule.paths:
                    hidden[at] |= table.matching(rule.rule.paths)
        return hidden

    def hides_database(self, snapshot: DatabaseSnapshot, root: str) -> bool:
        """Tell whether a database that was asked is hidden: by its name, or as the file that it is."""
        if self.blind or snapshot.name in self.databases:
            return True
        if any(is_called(denied.rule, snapshot.facts.database) for denied in self.denied):
            return True
        return any(self.hides(path) for path in places_of_database(snapshot, root))


def stored_access(root: Path, settings: Settings, repository: str, *, folders: Iterable[str]) -> dict[str, Any]:
    """Return what a manifest keeps of who may see what of a root, {} where everybody may see all.

    `folders` are those of the root that are read. Raises SettingsError for the root's own settings.
    """
    rules = read_access_rules(root)
    others = tuple(rule_file for rule_file in rule_files(root, folders, repository=repository) if rule_file.path != OWN)
    if not rules and not others:
        return {}
    stored: dict[str, Any] = msgspec.to_builtins(Access(rules, (repository, root.resolve().name), settings, others))
    return stored


def access_of(manifest: Manifest) -> Access:
    """Return who may see what of an index; raises IndexDamagedError."""
    if not manifest.access:
        return Access()
    try:
        access = converted(manifest.access, Access)
        for rules in (access.rules, *(file.rules for file in access.others)):
            check_count(len(rules) + sum(len(access_rule.paths) for access_rule in rules), "the index")
        for rule in access.rules:
            split_globs(rule.paths)
        for glob in (glob for file in access.settings.files for glob in file.globs):
            glob.encode()  # half a pair is no text, and no settings have it
        return access
    except (msgspec.ValidationError, QueryError, SettingsError, UnicodeEncodeError, RecursionError) as error:
        raise IndexDamagedError(f'the access rules of the index are damaged: {error}; run "coderag index"') from error


def denied_rules(manifest: Manifest, folders: Iterable[str], callers: Collection[frozenset[str]]) -> tuple[Denied, ...]:
    """Return the rules that not all of some callers meet: those that an index keeps, and those that hold now.

    `folders` are those of the root that are read. Raises IndexDamagedError, and SettingsError where the rules of the
    root, or of a folder above it, cannot be read.
    """
    root = Path(manifest.root)
    # What could not be read when the index was written is read now, unless it is no longer there.
    kept = [rule_file for rule_file in _kept(manifest) if not (rule_file.problem and (root / rule_file.path).is_file())]
    now = rule_files(root, folders, repository=manifest.repository)
    return _denied((*kept, *now), callers, root=manifest.root)


def unread_rules(manifest: Manifest) -> list[str]:
    """Return which rule files could not be read when an index was written, and why; raises IndexDamagedError."""
    files = (other for other in access_of(manifest).others if other.problem)
    return [f"{rule_file.home(manifest.root) / OWN}: {rule_file.problem}" for rule_file in files]


def hides_path(path: Path, callers: Collection[frozenset[str]]) -> bool:
    """Tell whether the rules of the folders that an absolute path lies in hide it from one of some callers.

    Rules for databases are not looked at: what these name depends on an index. Raises SettingsError.
    """
    folder = path.parent
    files = rule_files(folder, (), repository=folder.name)
    return any(denied.hides(path.name) for denied in _denied(files, callers, root=str(folder)))


def others_state(root: str, denied: Iterable[Denied]) -> tuple[tuple[int, int, int], ...]:
    """Return what changes with the indexes of other folders that tell what rules for databases hide in a root."""
    homes = {one.file.home(root) for one in denied if one.rule.databases and one.file.path != OWN}
    return tuple(map(index_state, sorted(homes)))


def access_scope(
    manifest: Manifest, segments: Sequence[Segment], *, denied: tuple[Denied, ...], catalog: Catalog | None
) -> AccessScope:
    """Return what is hidden of an index from who does not meet some rules.

    `catalog` is the schema of its files, None if they declare none. Raises AccessError where a folder
    above the root has rules for databases, and no index that tells which files these are in.
    """
    if any(one.hides_all and not one.file.folder for one in denied):
        return AccessScope(denied, True)
    settings = access_of(manifest).settings
    hidden: set[str] = set()
    for file, hiding in _by_file(denied).items():
        rules = [one.rule for one in hiding if one.rule.databases]
        if rules and file.path == OWN:
            hidden |= files_of_databases(manifest, segments, rules, settings=settings, catalog=catalog)
        elif rules:
            hidden |= _not_cleared(manifest, segments, file, rules)
    return AccessScope(denied, False, frozenset(hidden))


def visible_manifest(manifest: Manifest, segments: Sequence[Segment], sight: AccessScope) -> Manifest:
    """Return a manifest in which the files that are hidden are dead."""
    entries = []
    for entry, segment in zip(manifest.segments, segments, strict=True):
        hidden = np.flatnonzero(sight.hides_each(segment.paths.all())).tolist()
        entries.append(replace(entry, dead=tuple(sorted({*entry.dead, *hidden}))))
    return replace(manifest, segments=tuple(entries))


def _kept(manifest: Manifest) -> Iterator[RuleFile]:
    """Yield the rule files as an index keeps them."""
    access = access_of(manifest)
    if access.rules:
        # The index may have been written under another name than it is opened by.
        yield RuleFile(OWN, access.rules, tuple(sorted({*access.names, manifest.repository})))
    yield from access.others


def _denied(files: Iterable[RuleFile], callers: Collection[frozenset[str]], *, root: str) -> tuple[Denied, ...]:
    found: dict[Denied, None] = {}
    for file in files:
        if file.problem and not file.folder:
            where = file.home(root) / OWN
            raise SettingsError(f"{where}: {file.problem}; callers of groups get no answer before its rules are known")
        for rule in file.rules:
            if any(groups.isdisjoint(rule.groups) for groups in callers):
                found[Denied(file, rule)] = None
    return tuple(found)


def _by_file(denied: Iterable[Denied]) -> Mapping[RuleFile, list[Denied]]:
    found: dict[RuleFile, list[Denied]] = {}
    for one in denied:
        found.setdefault(one.file, []).append(one)
    return found


def _not_cleared(
    manifest: Manifest, segments: Sequence[Segment], file: RuleFile, rules: Sequence[AccessRule]
) -> set[str]:
    """Return the files of an index that rules for databases, written in another folder, may name.

    What a database is called depends on all that is in the folder of the rules, so the index of that folder says which
    files belong to it. One that it does not know as it is here is hidden.
    """
    home = file.home(manifest.root)
    cleared = cleared_files(home, rules)
    if cleared is None and not file.folder:
        raise AccessError(
            f"{home / OWN} keeps databases from some groups, and which files these are in only an index of {home} "
            f'tells; run "coderag index {home}"'
        )
    found = set()
    for path, blob in blobs_of(manifest, segments):
        inner = file.inner(path)
        if inner is not None and (cleared or {}).get(inner) != blob:
            found.add(path)
    return found
