"""An index to what is known of it: what it holds, what was left out, and how the files have changed since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from coderag.files.privacy.secrets.secret import Secret
from coderag.files.walk import Skipped, SkipReason, WalkOptions
from coderag.index.build.embed import Embedding
from coderag.index.build.known_files import KnownFiles
from coderag.index.build.scan import scan_all
from coderag.index.build.segment_ref import SegmentRef, file_locations
from coderag.index.catalog.catalog import Catalog
from coderag.index.reader.schema_status import SchemaStatus, schema_status
from coderag.index.storage.arrays.arrays import open_arrays
from coderag.index.storage.database_snapshots import DatabaseSnapshot
from coderag.index.storage.folder.entries import bytes_of, split_entries
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.identity import content_parts, why_outdated
from coderag.index.storage.listing import Listed
from coderag.index.storage.manifest import FORMAT, Manifest
from coderag.index.storage.segment import Segment
from coderag.sql.settings import read_settings
from coderag.syntax.language import languages
from coderag.types import Content

__all__ = [
    "Changes",
    "GraphStatus",
    "LanguageCount",
    "MaskedFile",
    "Problem",
    "Status",
    "missing_grammars",
    "take_stock",
]


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
class MaskedFile:
    """A file in whose text secrets are covered, and where they were."""

    path: str
    secrets: tuple[Secret, ...]


@dataclass(frozen=True, slots=True)
class Changes:
    """The files that are not as they were indexed."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    outdated: str = ""  # why all is to be read again, "" when only these are


@dataclass(frozen=True, slots=True)
class GraphStatus:
    """How large the graph of an index is; it may be older than the index, and is rebuilt when it is queried."""

    nodes: int
    edges: int
    seconds: float  # making it took


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
    mask: bool  # whether secrets are covered
    masked: tuple[MaskedFile, ...]
    skipped: tuple[Skipped, ...]
    missing_grammars: tuple[str, ...]  # packages
    schema: SchemaStatus | None  # None: nothing declares one
    graph: GraphStatus | None  # None: there is none yet
    changes: Changes | None  # None: not looked for

    @property
    def files(self) -> int:
        """How many files are indexed."""
        return sum(language.files for language in self.languages)

    @property
    def chunks(self) -> int:
        """How many chunks can be found."""
        return sum(language.chunks for language in self.languages)

    @property
    def source_bytes(self) -> int:
        """The size of the files that are indexed."""
        return sum(language.bytes for language in self.languages)


def take_stock(
    folder: IndexPath,
    manifest: Manifest,
    segments: Sequence[Segment],
    *,
    compare: bool,
    is_unchanged: bool,
    listed: Listed,
    catalog: Catalog | None,
    snapshots: Sequence[DatabaseSnapshot],
) -> Status:
    """Return the status of an opened index; raises IndexDamagedError, and RootError where the files are compared.

    `listed` is its listing, `catalog` the schema of its files and `snapshots`, None if there is none. Where it is
    known that no file has changed, the root is not walked.
    """
    dead = [set(entry.dead) for entry in manifest.segments]
    skipped = tuple(Skipped(left.path, SkipReason(left.reason), left.detail) for left in listed.skipped)
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
        index_bytes=bytes_of(folder, split_entries(folder)[0]),
        encoder=str(Embedding.made(manifest).spec),
        languages=_language_counts(segments, dead),
        problems=_problems(segments, dead),
        mask=manifest.mask,
        masked=_masked(segments, dead),
        skipped=skipped,
        missing_grammars=missing_grammars(),
        schema=schema_status(catalog, snapshots, manifest, segments) if catalog is not None else None,
        graph=_graph_status(folder, manifest),
        changes=_changes(manifest, segments, listed, is_unchanged=is_unchanged) if compare else None,
    )


def _graph_status(folder: IndexPath, manifest: Manifest) -> GraphStatus | None:
    if not manifest.graph or not (folder / manifest.graph).exists():  # a writer may replace it meanwhile
        return None
    arrays = open_arrays(folder / manifest.graph)
    return GraphStatus(len(arrays["node_kind"]), len(arrays["edge_kind"]), manifest.graph_seconds)


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
    ordered = sorted(totals.items(), key=lambda item: (-item[1][0], item[0]))
    return tuple(LanguageCount(name, *counts) for name, counts in ordered)


def _problems(segments: Sequence[Segment], dead: Sequence[set[int]]) -> tuple[Problem, ...]:
    problems = [
        Problem(file.path, file.language, problem)
        for segment, gone in zip(segments, dead, strict=True)
        for number, problem in segment.problems.items()
        if number not in gone and (file := segment.file(number))
    ]
    return tuple(sorted(problems, key=lambda one: one.path))


def _masked(segments: Sequence[Segment], dead: Sequence[set[int]]) -> tuple[MaskedFile, ...]:
    masked_files = [
        MaskedFile(segment.paths[number], secrets)
        for segment, gone in zip(segments, dead, strict=True)
        for number, secrets in segment.masked.items()
        if number not in gone
    ]
    return tuple(sorted(masked_files, key=lambda masked_file: masked_file.path))


def _changes(manifest: Manifest, segments: Sequence[Segment], listed: Listed, *, is_unchanged: bool) -> Changes:
    """Walk the root, unless no file has changed, and tell what an update would read and forget."""
    settings = read_settings(Path(manifest.root))
    outdated = why_outdated(manifest.parts, content_parts(settings, mask=manifest.mask))
    if is_unchanged:
        return Changes(outdated=outdated)
    parts = [SegmentRef(*one) for one in zip(manifest.segments, segments, listed.stamps, strict=True)]
    places = file_locations(dict(enumerate(parts)))
    treatments = [segment.arrays["file_treatment"] for segment in segments]
    options = WalkOptions(manifest.max_bytes, frozenset(map(Content, manifest.contents)))
    scan = scan_all(KnownFiles(manifest.root, listed, places, treatments), options, settings)
    differing = [file.path for file in scan.differing]
    return Changes(
        new=tuple(path for path in differing if path not in places),
        changed=tuple(path for path in differing if path in places),
        gone=tuple(scan.gone),
        outdated=outdated,
    )
