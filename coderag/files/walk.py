"""A root folder to its files: which are read, in which language, under which labels, and why the others are not.

Links are never followed: what one leads to inside the root is read at its own path, and nothing outside is read.
Nested repositories and submodules are folders like others. Rule files above the root count up to the folder that
holds `.git`; the user's global git settings do not, so that every machine lists the same files.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from operator import attrgetter
from pathlib import Path

from coderag.errors import RootError
from coderag.files.absent import ABSENT
from coderag.files.folder_tables import NO_LABELS, folder_tables
from coderag.files.ignore import Rules, decide, parse_globs, parse_rules
from coderag.files.skipped import Skipped, SkipReason
from coderag.files.translations import is_source_translation
from coderag.record import record
from coderag.syntax.language import Language, detect, detect_interpreter, languages, project_languages
from coderag.types import Content

__all__ = [
    "MAX_BYTES",
    "RULE_SOURCES",
    "Listing",
    "SkipReason",
    "Skipped",
    "SourceFile",
    "WalkOptions",
    "list_folder",
    "read_start",
    "skip_reason",
    "walk",
]

MAX_BYTES = 4_000_000  # TypeScript's checker.ts, the largest file we know that people write by hand, has 3.0 MB
MAX_RULE_BYTES = 256_000  # a larger .gitignore would take seconds to compile
# Files of configuration that are read: languages, what the path says, what the text begins with behind its comments.
DATABASE_FILES = (
    (frozenset({"xml", "yaml", "json"}), re.compile(r"change_?-?log|liquibase", re.IGNORECASE), b"databaseChangeLog"),
    (frozenset({"xml"}), re.compile(r"mapper|mybatis|dao|repositor|mapping|sql", re.IGNORECASE), b"<mapper"),
)
DATABASE_FILE_BYTES = 8_000
FIRST_LINE_BYTES = 256  # Linux reads as much of a "#!" line
# Rule files by the entry that names them; a later one counts more.
RULE_SOURCES = {".git": ".git/info/exclude", ".gitignore": ".gitignore", ".coderagignore": ".coderagignore"}


@record
class SourceFile:
    """A file to read."""

    path: str  # relative to the root, forward slashes; bytes that are not UTF-8 as surrogates (PEP 383)
    size: int
    mtime_ns: int
    inode: int
    language: str
    labels: frozenset[str]
    dialect: str = ""  # of SQL, where the settings name it
    mask: bool = False  # keep no values of its queries


@record
class WalkOptions:
    """What to list."""

    max_bytes: int = MAX_BYTES
    contents: frozenset[Content] = frozenset({Content.CODE, Content.DOCS})
    assigned: tuple[
        tuple[str, str], ...
    ] = ()  # glob as in .gitignore -> the language of such files, "" for none at all


@record
class Listing:
    """What a walk found, in order of path.

    `folders` and `rules` map every folder, and every rule file or file that marks a project, to its mtime_ns. A
    folder's changes when an entry comes or goes; when a rule file's does, everything below is to be listed again. A
    file that would be one, in a folder that is not listed, has the time ABSENT.
    """

    files: list[SourceFile]
    skipped: list[Skipped]
    folders: dict[str, int]  # the root is ""
    rules: dict[str, int]  # those above the root begin with "../"


DEFAULT_OPTIONS = WalkOptions()


def walk(root: str | os.PathLike[str], options: WalkOptions = DEFAULT_OPTIONS, *, start: str = "") -> Listing:
    """Return the files to read below the root, or below its folder `start`.

    Raises RootError when the root is missing, is no folder, or may not be read.
    """
    job = _Walk(_real_root(root), options)
    pending = job.lead_to(start)
    while pending:
        pending.extend(job.read(pending.pop()))
    return job.listing()


def list_folder(root: str | os.PathLike[str], folder: str, options: WalkOptions = DEFAULT_OPTIONS) -> Listing:
    """Return what one folder holds; of the folders in it, `folders` names those that a walk would read.

    Raises RootError as walk does.
    """
    job = _Walk(_real_root(root), options)
    for parent in job.lead_to(folder):
        for below in job.read(parent):
            job.note_folder(below)
    return job.listing()


def _real_root(root: str | os.PathLike[str]) -> str:
    try:
        real = os.path.realpath(root, strict=True)
        os.scandir(real).close()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        why = getattr(error, "strerror", None) or error
        raise RootError(f"cannot read {os.fspath(root)!r}: {why}; give a folder that exists and may be read") from error
    return real


def read_start(path: str, max_bytes: int) -> bytes:
    """Return the first bytes of a regular file; neither follow a link nor wait for a FIFO.

    Raises OSError; skip_reason tells what it means.
    """
    with open(path, "rb", opener=_open_safely) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.ENXIO, "not a regular file", path)
        # Not max_bytes at once: Python would allocate them all. A file that grows meanwhile is read on.
        start = file.read(min(max_bytes, status.st_size + 1))
        return start if len(start) <= status.st_size else start + file.read(max_bytes - len(start))


def _open_safely(path: str, flags: int) -> int:
    # A system without one of these flags has no such danger either.
    for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY"):
        flags |= getattr(os, flag, 0)
    return os.open(path, flags)


def skip_reason(error: OSError) -> SkipReason:
    """Return the reason that an error of the file system gives for not reading a file."""
    if isinstance(error, PermissionError):
        return SkipReason.NO_PERMISSION
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return SkipReason.VANISHED
    if isinstance(error, IsADirectoryError) or error.errno in (errno.ELOOP, errno.ENXIO):
        return SkipReason.NOT_REGULAR  # it became a folder, a link or a FIFO since it was listed
    return SkipReason.UNREADABLE


@record
class _Folder:
    """A folder to read, and what it hands down to those in it."""

    path: str  # ends with a slash, but for the root
    encoded: bytes  # the same
    labels: frozenset[str] = NO_LABELS
    ignores: tuple[Rules, ...] = ()  # of .gitignore, the deepest first
    overrides: tuple[Rules, ...] = ()  # of .coderagignore, likewise
    forced: bool = False  # .coderagignore asks for this very folder
    only_forced: bool = False  # left out as a whole: only what .coderagignore asks for is taken
    project: str = ""  # the file that marks the project it is in

    def verdict(self, name: bytes, *, folder: bool) -> tuple[SkipReason, str] | bool:
        """Return why an entry is ignored, or whether .coderagignore asks for it."""
        path = self.encoded + name
        asked = decide(self.overrides, path, name, folder=folder) if self.overrides else None
        verdict = asked or (decide(self.ignores, path, name, folder=folder) if self.ignores else None)
        return (SkipReason.IGNORED, verdict[1]) if verdict and verdict[0] else asked is not None

    def may_ask_below(self, path: bytes) -> bool:
        """Return whether .coderagignore could ask for something in a folder."""
        return any(rules.may_take_back_below(path) for rules in self.overrides)


class _Walk:
    """One walk: the root, the options, and what was found so far."""

    def __init__(self, root: str, options: WalkOptions) -> None:
        self.root = root
        self.base = root if root.endswith(os.sep) else root + os.sep
        self.options = options
        self.tables = folder_tables()
        self.telling = self.tables.telling | RULE_SOURCES.keys()
        self.found = Listing([], [], {}, {})
        self.artifacts: dict[str, SourceFile] = {}
        self.assigned = [(parse_globs([glob]), language) for glob, language in options.assigned]

    def listing(self) -> Listing:
        """Return what was found, in order."""
        files = {file.path: file for file in self.found.files} | self.artifacts
        return Listing(
            files=sorted(files.values(), key=attrgetter("path")),
            skipped=sorted(self.found.skipped, key=attrgetter("path", "reason")),
            folders=dict(sorted(self.found.folders.items())),
            rules=dict(sorted(self.found.rules.items())),
        )

    def lead_to(self, start: str) -> list[_Folder]:
        """Return the folder, in a list; or none, and note why, where a walk from the root would not read it."""
        folder: _Folder | None = self._top()
        for name in filter(None, start.split("/")):
            opened = self._open(folder) if folder else None
            if opened is None:
                return []
            above, entries = opened
            if not any(entry.name == name and _is_folder(entry) for entry in entries):
                self._skip(f"{above.path}{name}/", SkipReason.VANISHED)
                return []
            folder = self._enter(above, name, [entry.name for entry in entries])
        self.found.folders.clear()  # those on the way were opened for their rules only
        return [folder] if folder else []

    def read(self, folder: _Folder) -> list[_Folder]:
        """Note the files of a folder and return the folders in it that are to be read."""
        opened = self._open(folder)
        if opened is None:
            return []
        folder, entries = opened
        names = [entry.name for entry in entries]
        below = []
        for entry in entries:
            if not _is_folder(entry):
                self._take(folder, entry)
            elif entered := self._enter(folder, entry.name, names):
                below.append(entered)
        return below

    def note_folder(self, folder: _Folder) -> None:
        """Note when a folder changed."""
        self.found.folders[folder.path.rstrip("/")] = os.lstat(self.base + folder.path).st_mtime_ns

    def _skip(self, path: str, reason: SkipReason, detail: str = "") -> None:
        self.found.skipped.append(Skipped(path, reason, detail))

    def _top(self) -> _Folder:
        """Return the root with the rules that lie above it, up to the folder that holds .git."""
        top = _Folder("", b"")
        above = [self.root, *map(str, Path(self.root).parents)]
        repository = next((depth for depth, folder in enumerate(above) if os.path.lexists(f"{folder}/.git")), 0)
        for depth in range(repository, 0, -1):
            present = {name for name in RULE_SOURCES if os.path.lexists(f"{above[depth]}/{name}")}
            for name in RULE_SOURCES.keys() - present:
                self.found.rules["../" * depth + name] = ABSENT
            prefix = os.fsencode(Path(self.root).relative_to(above[depth]).as_posix() + "/")
            top = self._with_rules(top, present, "../" * depth, prefix)
        return top

    def _open(self, folder: _Folder) -> tuple[_Folder, list[os.DirEntry[str]]] | None:
        """Return the folder with its own rules, and its entries in order of name."""
        try:
            self.note_folder(folder)  # before the entries are read: a change after that shows as a later time
            with os.scandir(self.base + folder.path) as entries_of_folder:
                entries = sorted(entries_of_folder, key=attrgetter("name"))
        except OSError as error:
            self._skip(folder.path or "./", skip_reason(error), error.strerror or "")
            return None
        present = {entry.name for entry in entries if entry.name in self.telling and not entry.is_symlink()}
        marker = next((name for name in self.tables.inside if name in present), "")
        if marker and folder.path and not folder.forced and not folder.only_forced:
            self._skip(folder.path, self.tables.inside[marker], f"holds {marker}")
            if not folder.may_ask_below(folder.encoded[:-1]):
                return None
            folder = replace(folder, only_forced=True)
        project = next((name for name in project_languages() if name in present), "")
        if project:
            with suppress(OSError):
                self.found.rules[folder.path + project] = os.lstat(self.base + folder.path + project).st_mtime_ns
            folder = replace(folder, project=project)
            self._take_artifacts(folder, project_languages()[project])
        return self._with_rules(folder, present, folder.path), entries

    def _take_artifacts(self, folder: _Folder, language: Language) -> None:
        """Note the files that a project's tool wrote and that are read although they are ignored."""
        for artifact in language.artifacts:
            path = folder.path + artifact
            full = self.base + path
            try:
                status = os.lstat(full)
            except OSError:
                self.found.rules[path] = ABSENT  # the tool has not run
                continue
            if not os.path.realpath(full).startswith(self.base):
                continue
            if stat.S_ISREG(status.st_mode) and status.st_size <= self._max_bytes(language):
                self.artifacts[path] = SourceFile(
                    path, status.st_size, status.st_mtime_ns, status.st_ino, language.name, folder.labels
                )

    def _max_bytes(self, language: Language) -> int:
        asked = self.options.max_bytes
        return max(asked, language.max_bytes) if asked == MAX_BYTES else asked

    def _with_rules(self, folder: _Folder, present: set[str], where: str, prefix: bytes = b"") -> _Folder:
        """Return the folder with the rule files in the folder `where`, as far as they are present, put first."""
        for name, source in RULE_SOURCES.items() if present else ():
            if name not in present:
                continue
            rules = self._rules_at(where + source, skip=0 if prefix else len(os.fsencode(where)), prefix=prefix)
            if rules and name == ".coderagignore":
                folder = replace(folder, overrides=(rules, *folder.overrides))
            elif rules:
                folder = replace(folder, ignores=(rules, *folder.ignores))
        return folder

    def _rules_at(self, path: str, *, skip: int, prefix: bytes) -> Rules | None:
        full = self.base + path
        try:
            changed = os.lstat(full).st_mtime_ns
            raw = read_start(full, MAX_RULE_BYTES + 1)
        except (FileNotFoundError, NotADirectoryError):
            self.found.rules[path] = ABSENT
            return None  # .git without info/exclude, or the .git file of a worktree
        except OSError as error:
            self._skip(path, skip_reason(error), "its rules do not count")
            return None
        self.found.rules[path] = changed
        if len(raw) > MAX_RULE_BYTES:
            self._skip(path, SkipReason.TOO_LARGE, "its rules do not count")
            return None
        return parse_rules(raw, source=path, skip=skip, prefix=prefix)

    def _enter(self, above: _Folder, name: str, siblings: Sequence[str]) -> _Folder | None:
        """Return the folder of that name, or note why it is not read and return None."""
        path = f"{above.path}{name}/"
        if self.tables.is_never_read(name):
            if not above.only_forced:
                self._skip(path, SkipReason.INTERNAL)
            return None
        encoded = os.fsencode(name)
        verdict = above.verdict(encoded, folder=True)
        if verdict is False and (reason := self.tables.built(name, siblings)):
            verdict = reason, ""
        if isinstance(verdict, tuple) and not above.only_forced:
            self._skip(path, *verdict)
        only_forced = verdict is not True and (above.only_forced or verdict is not False)
        full = above.encoded + encoded
        if only_forced and not above.may_ask_below(full):
            return None
        labels = above.labels | self.tables.of_folder(full, encoded)
        return replace(
            above, path=path, encoded=full + b"/", labels=labels, forced=verdict is True, only_forced=only_forced
        )

    def _take(self, folder: _Folder, entry: os.DirEntry[str]) -> None:
        """Note a file, or why it is not read."""
        name = os.fsencode(entry.name)
        verdict = folder.verdict(name, folder=False)
        if folder.only_forced and verdict is not True:
            return  # counted with its folder
        if self.tables.is_never_read(entry.name):  # the .git of a worktree or submodule is a file
            verdict = SkipReason.INTERNAL, ""
        if isinstance(verdict, tuple):
            self._skip(folder.path + entry.name, *verdict)
            return
        try:
            source_file = self._inspect(folder, entry, name, forced=verdict)
        except OSError as error:
            source_file = skip_reason(error), error.strerror or ""
        if isinstance(source_file, SourceFile):
            self.found.files.append(source_file)
        else:
            self._skip(folder.path + entry.name, *source_file)

    def _inspect(
        self, folder: _Folder, entry: os.DirEntry[str], name: bytes, *, forced: bool
    ) -> SourceFile | tuple[SkipReason, str]:
        """Return a file to be read, or why it is left out with the detail of it.

        src/app.py                      -> the source file, in python
        an empty file, a file of 80 MB  -> (EMPTY, ""), (TOO_LARGE, "80,000,000 bytes")
        """
        path, encoded = folder.path + entry.name, folder.encoded + name
        if entry.is_symlink():
            return self._link(path)
        if not entry.is_file(follow_symlinks=False):
            return SkipReason.NOT_REGULAR, ""
        if not forced and self.tables.secrets.match(encoded, name, folder=False):
            return SkipReason.SECRET, ""
        assigned = self._assigned(encoded, name)
        if assigned == "":
            return SkipReason.IGNORED, "by the settings"
        language = languages()[assigned] if assigned else detect(entry.name, project=folder.project)
        language = language or self._by_first_line(entry.name, path)
        if language is None and forced:
            language = languages()["text"]
        if language is None:
            return SkipReason.UNKNOWN_TYPE, ""
        is_left_out = language.content not in self.options.contents and not forced and not assigned
        if is_left_out and not self._is_read_anyhow(path, language):
            config = language.content is Content.CONFIG
            return (SkipReason.CONFIGURATION if config else SkipReason.NOT_ASKED), language.name
        status = entry.stat(follow_symlinks=False)
        if not status.st_size:
            return SkipReason.EMPTY, ""
        if status.st_size > self._max_bytes(language):
            return SkipReason.TOO_LARGE, f"{status.st_size:,} bytes"
        labels = self.tables.of_file(encoded, name, language)
        labels = folder.labels | labels if labels else folder.labels
        return SourceFile(path, status.st_size, status.st_mtime_ns, status.st_ino, language.name, labels)

    def _assigned(self, path: bytes, name: bytes) -> str | None:
        """Return the language that the settings give a file; the last pattern that matches decides."""
        assigned = None
        for rules, language in self.assigned:
            if _covers(rules, path, name):
                assigned = language
        return assigned

    def _by_first_line(self, name: str, path: str) -> Language | None:
        if "." in name[1:]:
            return None
        return detect_interpreter(read_start(self.base + path, FIRST_LINE_BYTES).split(b"\n")[0])

    def _is_read_anyhow(self, path: str, language: Language) -> bool:
        """Tell whether a file is read although its content is not asked for: it has what code is about."""
        if not self.options.contents & {Content.CODE}:
            return False
        is_messages = language.content is Content.CONFIG and is_source_translation(path)
        return is_messages or self._is_about_databases(path, language)

    def _is_about_databases(self, path: str, language: Language) -> bool:
        """Tell whether a file of configuration says what tables there are or what is done to them."""
        return any(
            language.name in languages_of and called.search(path) and opening in self._start_of(path)
            for languages_of, called, opening in DATABASE_FILES
        )

    def _start_of(self, path: str) -> bytes:
        return read_start(self.base + path, DATABASE_FILE_BYTES)

    def _link(self, path: str) -> tuple[SkipReason, str]:
        try:
            real = os.path.realpath(self.base + path, strict=True)
        except PermissionError as error:
            return SkipReason.NO_PERMISSION, error.strerror or ""
        except OSError as error:
            return (SkipReason.LINK_LOOP if error.errno == errno.ELOOP else SkipReason.BROKEN_LINK), ""
        if f"{self.base}{path}".startswith(f"{real}{os.sep}"):
            return SkipReason.LINK_LOOP, real
        if real.startswith(self.base):
            return SkipReason.LINK, real[len(self.base) :]
        return SkipReason.LINK_OUTSIDE, real


def _covers(rules: Rules, path: bytes, name: bytes) -> bool:
    """Tell whether a pattern names a file or a folder around it."""
    if rules.match(path, name, folder=False):
        return True
    while path := path.rpartition(b"/")[0]:
        if rules.match(path, path.rpartition(b"/")[2], folder=True):
            return True
    return False


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False  # it is looked at again as a file, where the error becomes a reason
