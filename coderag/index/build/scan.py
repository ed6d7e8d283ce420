"""A root compared with what an index knows of it: which files to read, which went, and what is to be listed now.

A scan looks at as little as it can. Folders whose times are the same hold the same names; files whose size, time and
inode are the same hold the same bytes. Only folders where something differs are listed again, by the same code that
walks a root. A rule file that changed, or a folder that was never seen, is walked.
"""

from __future__ import annotations

import os
import stat
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Set
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import islice, takewhile
from pathlib import Path
from posixpath import dirname

from coderag.files.walk import (
    RULE_SOURCES,
    Listing,
    Skipped,
    SkipReason,
    SourceFile,
    WalkOptions,
    list_folder,
    walk,
)
from coderag.index.build.known_files import KnownFiles, differences
from coderag.index.build.segment_ref import FileLocation
from coderag.index.reader.rule_files import OWN, is_above, rule_times
from coderag.index.storage.arrays.keys import treatment_of
from coderag.index.storage.listing import UNKNOWN, Left, Listed, Stamp, clock_ns, lstat_stamp, sooner, stamp_of
from coderag.record import record
from coderag.sql.settings import SETTINGS_FILES, FileSettings, Settings
from coderag.syntax.language import project_languages

__all__ = ["Scan", "first_of", "list_root", "scan_all", "scan_changed", "scan_paths"]

# What is left out for what it holds is looked at again when it changed.
CONTENT_REASONS = frozenset({SkipReason.EMPTY, SkipReason.TOO_LARGE, SkipReason.NO_PERMISSION})
PASSING_REASONS = frozenset({SkipReason.NO_PERMISSION, SkipReason.VANISHED})  # nothing of the file tells that they went
MAX_SHARE = 3  # where more than a third of the folders is to be listed again, a walk is quicker


@record
class Scan:
    """What a root holds now, as far as it is not as it was."""

    differing: list[SourceFile]  # new, or not certain to be as they were, in order of path
    gone: list[str]  # indexed files that are there no longer
    listed: Listed  # as it is now, with the stamps that were known
    now: int  # when the scan began, by `clock_ns`


def first_of(scan: Scan, most: int | None) -> tuple[Scan, int]:
    """Return a scan with so many differing files at most, and how many were left; the next scan finds those."""
    if most is None or len(scan.differing) <= most:
        return scan, 0
    folders = dict(scan.listed.folders)
    for file in scan.differing[most:]:
        folder = dirname(file.path)
        while folder and folder not in folders:
            folder = dirname(folder)
        folders[folder] = 0
    first = replace(scan, differing=scan.differing[:most], listed=replace(scan.listed, folders=folders))
    return first, len(scan.differing) - most


def scan_all(known: KnownFiles, options: WalkOptions, settings: Settings) -> Scan:
    """Walk the whole root; raises RootError."""
    state = _State.empty(known)
    state.merge(list_root(known.root, options, settings))
    return state.scan()


def scan_changed(known: KnownFiles, options: WalkOptions, settings: Settings) -> Scan:
    """Look where something changed since the index was written; raises RootError."""
    dirty = _dirty_folders(known)
    return scan_all(known, options, settings) if dirty is None else _scan_folders(known, dirty, options, settings)


def scan_paths(known: KnownFiles, paths: Iterable[str], options: WalkOptions, settings: Settings) -> Scan:
    """Look at some files, and folders with all that is below them, by their paths from the root; raises RootError."""
    relative = {path.strip("/") for path in paths}
    if any(path in known.listed.rules or path in SETTINGS_FILES for path in relative):
        return scan_all(known, options, settings)
    dirty = {_folder_of(known, dirname(path)) for path in relative}
    # A folder may have been put in the place of another one, of which no more is told than its name.
    folders = {path for path in relative if path == _folder_of(known, path)}
    dirty |= folders
    if folders:
        dirty.update(_folder_of(known, path) for path, _ in differences(known, below=folders))
    return _scan_folders(known, dirty, options, settings)


def list_root(root: str, options: WalkOptions, settings: Settings, *, start: str = "") -> Listing:
    """Return what a walk finds, with what the settings say of it; raises RootError."""
    listing = walk(root, replace(options, assigned=settings.assigned), start=start)
    for name in SETTINGS_FILES if not start else ():
        with suppress(OSError):
            listing.rules[name] = os.stat(os.path.join(root, name)).st_mtime_ns
    listing.rules.update(rule_times(root, listing.folders, above=not start))
    return _with_settings(listing, settings)


def _with_settings(listing: Listing, settings: Settings) -> Listing:
    if not settings.files and settings.defaults == FileSettings():
        return listing
    pairs = ((file, settings.for_path(file.path)) for file in listing.files)
    return replace(
        listing, files=[replace(file, dialect=said.dialect, mask=bool(said.mask_literals)) for file, said in pairs]
    )


def _dirty_folders(known: KnownFiles) -> set[str] | None:
    """Return the folders that are to be listed again, None for all."""
    dirty: set[str] = set()
    for path, decides in differences(known):
        if decides:
            return None
        dirty.add(_folder_of(known, path))
    return dirty


def _folder_of(known: KnownFiles, path: str) -> str:
    """Return the folder that tells what became of a path: the nearest that was read, and is there still."""
    folder = path.strip("/")
    while folder and not (folder in known.listed.folders and _is_folder(known.root, folder)):
        folder = dirname(folder)
    return folder


def _is_folder(root: str, path: str) -> bool:
    """Tell whether there is a folder, and not a link to one."""
    try:
        return stat.S_ISDIR(os.lstat(os.path.join(root, path)).st_mode)
    except OSError:
        return False


def _scan_folders(known: KnownFiles, dirty: Set[str], options: WalkOptions, settings: Settings) -> Scan:
    if MAX_SHARE * len(dirty) > len(known.listed.folders) + MAX_SHARE:
        return scan_all(known, options, settings)
    if "" in dirty and _settings_there(known.root) != {name for name in SETTINGS_FILES if name in known.listed.rules}:
        return scan_all(known, options, settings)
    state = _State.of(known)
    assigned = replace(options, assigned=settings.assigned)
    for folder in sorted(dirty):
        if folder not in state.folders:
            continue  # it went with one above it
        listing = list_folder(known.root, folder, assigned)
        listing.rules.update(rule_times(known.root, [folder], above=not folder))
        if _own_rules(listing.rules, folder) != _own_rules(state.rules, folder):
            state.forget(folder)
            state.merge(list_root(known.root, options, settings, start=folder))
            continue
        new = state.relist(folder, _with_settings(listing, settings))
        for folder in new:
            state.merge(list_root(known.root, options, settings, start=folder))
    return state.scan()


def _settings_there(root: str) -> set[str]:
    return {name for name in SETTINGS_FILES if Path(root, name).exists()}


def _own_rules(rules: Mapping[str, int], folder: str) -> dict[str, int]:
    """Return the rules that lie in a folder itself; with the root's, those above it."""
    own = (*RULE_SOURCES.values(), *project_languages(), OWN)
    names = {f"{folder}/{name}" if folder else name for name in own}
    return {path: time for path, time in rules.items() if path in names or (not folder and is_above(path))}


def _says_the_same(left: Left, stamp: Stamp) -> bool:
    """Tell whether a file that was left out would be so again."""
    return left.reason not in PASSING_REASONS and stamp.is_sure and stamp == left.stamp


def _by_folder(paths: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in paths:
        found.setdefault(path.rstrip("/").rpartition("/")[0], []).append(path)
    return found


class _State:
    """What is known to be listed, while folders are listed again."""

    def __init__(self, known: KnownFiles) -> None:
        self._known = known
        self._now = clock_ns()
        self.folders: dict[str, int] = {}
        self.rules: dict[str, int] = {}
        self._skipped: dict[str, Left] = {}
        self._unreadable = {left.path: left for left in known.listed.skipped}
        self._differing: dict[str, SourceFile] = {}
        self._gone: set[str] = set()

    @classmethod
    def empty(cls, known: KnownFiles) -> _State:
        """Return the state in which nothing has been seen yet."""
        state = cls(known)
        state._gone = set(known.places)
        return state

    @classmethod
    def of(cls, known: KnownFiles) -> _State:
        """Return the state in which all is as it was."""
        state = cls(known)
        state.folders = dict(known.listed.folders)
        state.rules = dict(known.listed.rules)
        state._skipped = dict(state._unreadable)
        return state

    def merge(self, listing: Listing) -> None:
        """Take what was listed just now."""
        for path, mtime_ns in listing.folders.items():
            self.folders[path] = sooner(mtime_ns, self._now)
        for path, mtime_ns in listing.rules.items():
            self.rules[path] = sooner(mtime_ns, self._now)
        for skipped in listing.skipped:
            self._skip(skipped)
        for file in listing.files:
            self._take(file)

    def relist(self, folder: str, listing: Listing) -> list[str]:
        """Take what a folder holds itself, and return the folders in it that were not known."""
        prefix = f"{folder}/" if folder else ""
        for below in self._known_folders.get(folder, ()):
            if below not in listing.folders:
                self.forget(below)
        for path in self._known_skipped.get(folder, ()):
            self._skipped.pop(path, None)
        self._gone.update(path for path in self._files_below(prefix) if self._owner(path) == folder)
        own = [
            skipped
            for skipped in listing.skipped
            if dirname(skipped.path.rstrip("/")) == folder or skipped.path == prefix
        ]
        new = [below for below in listing.folders if below != folder and below not in self.folders]
        self.merge(
            replace(
                listing, folders={folder: listing.folders[folder]} if folder in listing.folders else {}, skipped=own
            )
        )
        return new

    def forget(self, folder: str) -> None:
        """Let go of a folder and all that is below it."""
        prefix = f"{folder}/" if folder else ""
        for table in (self.folders, self.rules, self._skipped):
            for path in [path for path in table if path == folder or path.startswith(prefix)]:
                del table[path]
        self._gone.update(self._files_below(prefix))
        for path in [path for path in self._differing if path.startswith(prefix)]:
            del self._differing[path]

    def scan(self) -> Scan:
        """Return what was found."""
        return Scan(
            differing=[self._differing[path] for path in sorted(self._differing)],
            gone=sorted(self._gone),
            listed=Listed(
                folders=dict(sorted(self.folders.items())),
                rules=dict(sorted(self.rules.items())),
                skipped=tuple(self._skipped[path] for path in sorted(self._skipped)),
                stamps=self._known.listed.stamps,
            ),
            now=self._now,
        )

    @cached_property
    def _known_folders(self) -> dict[str, list[str]]:
        return _by_folder(path for path in self._known.listed.folders if path)

    @cached_property
    def _known_skipped(self) -> dict[str, list[str]]:
        return _by_folder(self._unreadable)

    @cached_property
    def _known_files(self) -> list[str]:
        return sorted(self._known.places)

    def _files_below(self, prefix: str) -> list[str]:
        """Return the indexed files whose paths begin with a folder and a slash."""
        first = bisect_left(self._known_files, prefix)
        return list(takewhile(lambda path: path.startswith(prefix), islice(self._known_files, first, None)))

    def _owner(self, path: str) -> str:
        """Return the folder whose listing has a file; one that a tool wrote may lie deeper, in a folder left out."""
        folder = dirname(path)
        while folder and folder not in self.folders:
            folder = dirname(folder)
        return folder

    def _skip(self, skipped: Skipped) -> None:
        looked_at = skipped.reason in CONTENT_REASONS
        stamp = lstat_stamp(os.path.join(self._known.root, skipped.path), self._now) if looked_at else UNKNOWN
        self._skipped[skipped.path] = Left(skipped.path, str(skipped.reason), skipped.detail, stamp)

    def _take(self, file: SourceFile) -> None:
        self._gone.discard(file.path)
        self._skipped.pop(file.path, None)
        stamp = stamp_of(file, self._now)
        place = self._known.places.get(file.path)
        unreadable = self._unreadable.get(file.path)
        if place is None and unreadable is not None and _says_the_same(unreadable, stamp):
            self._skipped[file.path] = unreadable
        elif place is None or not self._is_known(file, stamp, place):
            self._differing[file.path] = file

    def _is_known(self, file: SourceFile, stamp: Stamp, place: FileLocation) -> bool:
        segment, number = place
        same = stamp.is_sure and stamp == self._known.stamp(file.path)
        return same and int(self._known.treatments[segment][number]) == treatment_of(file)
