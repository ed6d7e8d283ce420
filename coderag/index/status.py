"""An index to what is known of it: what it holds, what was left out, and how the files have changed since."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from coderag.index.build import content_parts
from coderag.index.embed import Embedding
from coderag.index.manifest import FORMAT, Manifest, read_listing
from coderag.index.schema_status import SchemaStatus, schema_status
from coderag.index.segment import Segment
from coderag.reading.language import languages
from coderag.reading.walk import Skipped, SkipReason, WalkOptions, walk
from coderag.sql.settings import read_settings
from coderag.types import Content

__all__ = ["Changes", "LanguageCount", "Problem", "Status", "missing_grammars", "take_stock"]


@dataclass(frozen=True, slots=True)
class LanguageCount:
    """How much of one language is indexed."""

    language: str
    files: int
    chunks: int
    bytes: int  # of source


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that was read in part or as lines, and why."""

    path: str
    language: str
    problem: str


@dataclass(frozen=True, slots=True)
class Changes:
    """The files that are not as they were indexed."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    outdated: str = ""  # why all is to be read again, "" when only these are


@dataclass(frozen=True, slots=True)
class Status:
    """What is known of the index of one root."""

    root: str
    repository: str
    folder: str
    version: str  # of coderag, when the index was written
    format: int
    contents: tuple[str, ...]
    max_bytes: int
    updated_ns: int  # when the files were listed last
    build_seconds: float  # the last full build took
    segments: int
    index_bytes: int  # on disk
    encoder: str  # what made the vectors, as the command line names it; "none" for words alone
    languages: tuple[LanguageCount, ...]  # most files first
    problems: tuple[Problem, ...]
    skipped: tuple[Skipped, ...]
    missing_grammars: tuple[str, ...]  # packages
    schema: SchemaStatus | None  # None: nothing tells of one
    changes: Changes | None  # None: not looked for

    @property
    def files(self) -> int:
        """How many files are indexed."""
        return sum(one.files for one in self.languages)

    @property
    def chunks(self) -> int:
        """How many chunks can be found."""
        return sum(one.chunks for one in self.languages)

    @property
    def source_bytes(self) -> int:
        """The size of the files that are indexed."""
        return sum(one.bytes for one in self.languages)


def take_stock(folder: Path, manifest: Manifest, segments: Sequence[Segment], *, compare: bool) -> Status:
    """Return the status of an opened index; raises IndexDamagedError, and RootError where the files are compared."""
    dead = [set(entry.dead) for entry in manifest.segments]
    skipped = tuple(
        Skipped(path, SkipReason(reason), detail) for path, reason, detail in read_listing(folder, manifest).skipped
    )
    return Status(
        root=manifest.root,
        repository=manifest.repository,
        folder=str(folder),
        version=manifest.version,
        format=FORMAT,
        contents=manifest.contents,
        max_bytes=manifest.max_bytes,
        updated_ns=manifest.updated_ns,
        build_seconds=manifest.seconds,
        segments=len(segments),
        index_bytes=sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()),
        encoder=str(Embedding.made(manifest).spec),
        languages=_language_counts(segments, dead),
        problems=_problems(segments, dead),
        skipped=skipped,
        missing_grammars=missing_grammars(),
        schema=schema_status(folder, manifest, segments),
        changes=_changes(manifest, segments, dead, skipped) if compare else None,
    )


def missing_grammars() -> tuple[str, ...]:
    """Return the packages of grammars that are not installed, in alphabetical order."""
    packages = {language.grammar for language in languages().values() if language.grammar}
    return tuple(sorted(package for package in packages if find_spec(package) is None))


def _language_counts(segments: Sequence[Segment], dead: Sequence[set[int]]) -> tuple[LanguageCount, ...]:
    totals: dict[str, list[int]] = {}
    for segment, gone in zip(segments, dead, strict=True):
        chunks = np.bincount(segment.chunk_file, minlength=len(segment.paths)).tolist()
        codes = segment.arrays["file_language"].tolist()
        sizes = segment.arrays["file_size"].tolist()
        names = list(segment.languages)
        for number, (code, found, size) in enumerate(zip(codes, chunks, sizes, strict=True)):
            if number not in gone:
                total = totals.setdefault(names[code], [0, 0, 0])
                total[0] += 1
                total[1] += found
                total[2] += size
    ordered = sorted(totals.items(), key=lambda one: (-one[1][0], one[0]))
    return tuple(LanguageCount(name, *counts) for name, counts in ordered)


def _problems(segments: Sequence[Segment], dead: Sequence[set[int]]) -> tuple[Problem, ...]:
    found = [
        Problem(file.path, file.language, problem)
        for segment, gone in zip(segments, dead, strict=True)
        for number, problem in segment.problems.items()
        if number not in gone and (file := segment.file(number))
    ]
    return tuple(sorted(found, key=lambda one: one.path))


def _changes(
    manifest: Manifest, segments: Sequence[Segment], dead: Sequence[set[int]], skipped: Iterable[Skipped]
) -> Changes:
    """Walk the root and tell what an update would read and forget."""
    settings = read_settings(Path(manifest.root))
    options = WalkOptions(manifest.max_bytes, frozenset(map(Content, manifest.contents)), settings.assigned)
    listing = walk(manifest.root, options)
    found = {file.path: (file.size, file.mtime_ns, file.inode) for file in listing.files}
    known = {
        path: (size, mtime_ns, inode)
        for segment, gone in zip(segments, dead, strict=True)
        for number, (path, size, mtime_ns, inode) in enumerate(segment.file_stats())
        if number not in gone
    }
    # What was listed and then turned out not to be text is not new, unless it was written since.
    passed_over = {one.path for one in skipped if one.path in found and found[one.path][1] < manifest.updated_ns}
    parts = [part for part, identity in content_parts(settings).items() if manifest.parts.get(part) != identity]
    return Changes(
        new=tuple(path for path in found if path not in known and path not in passed_over),
        changed=tuple(
            path
            for path, stat in found.items()
            if path in known and (stat != known[path] or stat[1] >= manifest.updated_ns)
        ),
        gone=tuple(sorted(known.keys() - found.keys())),
        outdated=f"the index was made by another {' and '.join(parts)}" if parts else "",
    )
