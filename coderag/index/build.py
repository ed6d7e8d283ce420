"""A root to an index, and an index to one that knows what changed since."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path

import msgspec
import numpy as np
from filelock import FileLock, Timeout

from coderag import __version__
from coderag.data import data_folder
from coderag.errors import IndexDamagedError, IndexFormatError, IndexLockedError, IndexMissingError
from coderag.index.analyse import analyse
from coderag.index.embed import Embedding, embed_segments, has_vectors
from coderag.index.manifest import (
    Listed,
    Manifest,
    SegmentEntry,
    read_listing,
    read_manifest,
    remove_leftovers,
    sync_folder,
    write_manifest,
    writing,
)
from coderag.index.merge import columns_of
from coderag.index.pool import FILE_SECONDS, Batch, Result, WorkerPool
from coderag.index.schema import catalog_key, tells_of_schemas, write_schema
from coderag.index.segment import Segment, SegmentWriter
from coderag.index.sparse import SHORT_DOCS
from coderag.models.spec import SHIPPED, EncoderSpec, encoder_of_settings
from coderag.reading.walk import Listing, Skipped, SkipReason, SourceFile, WalkOptions, walk
from coderag.sql.settings import SETTINGS_FILES, FileSettings, Settings, read_encoder_table, read_settings
from coderag.text.tokens import TOKENIZER_VERSION
from coderag.types import Content

__all__ = ["BuildOptions", "Progress", "Report", "build", "content_parts", "update"]

CHUNKER_VERSION = 2  # raise it when the same file gives other chunks
BATCH_FILES, BATCH_BYTES = 48, 500_000
MAX_SMALL_SEGMENTS = 6  # more are merged: each one costs every question a little
WASTE = 4  # a segment of whose files a fourth is dead is written anew
SMALL_CHUNKS = SHORT_DOCS // 2  # a segment with more is left alone until much of it is dead
LOCK_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How to build: what to read and with how many processes."""

    walk: WalkOptions = field(default_factory=WalkOptions)
    encoder: EncoderSpec | None = None  # None: the one that the index has; the shipped one for a new index
    workers: int | None = None  # None: one a core; 0: none, and a file that crashes its parser ends this process
    file_seconds: float = FILE_SECONDS  # what the parser of a file may take in a worker
    lock_seconds: float = LOCK_SECONDS  # how long to wait for another process that writes the index

    @classmethod
    def of(cls, manifest: Manifest, workers: int | None = None) -> BuildOptions:
        """Return the options that an index was built with."""
        contents = frozenset(map(Content, manifest.contents))
        return cls(WalkOptions(max_bytes=manifest.max_bytes, contents=contents), workers=workers)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a build is."""

    files: int
    all_files: int
    bytes: int
    all_bytes: int
    chunks: int
    embedded: int = 0  # chunks that have vectors, where that is done after reading
    all_embedded: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """What a build or an update did."""

    read: int  # files
    unchanged: int
    removed: int
    chunks: int  # in the index now
    bytes_read: int
    seconds: float
    skipped: tuple[Skipped, ...]
    embedded: int = 0  # chunks that got vectors after they were read
    rebuilt: str = ""  # why an update became a full build


Watch = Callable[[Progress], None]


def build(root: Path, folder: Path, *, options: BuildOptions, repository: str, watch: Watch | None = None) -> Report:
    """Index a root from nothing; the index that was there answers until this one is complete.

    Raises RootError, WorkerError, IndexLockedError, IndexWriteError.
    """
    with _locked(folder, options.lock_seconds):
        return _build(root, folder, options=options, repository=repository, watch=watch)


def _build(root: Path, folder: Path, *, options: BuildOptions, repository: str, watch: Watch | None) -> Report:
    # Only now, because the first lock makes the index's folder and so changes the root's time.
    started, now = time.monotonic(), time.time_ns()
    settings = read_settings(root)
    listing = _list(root, options, settings)
    wanted = _wanted_encoder(root, options)
    embedding = Embedding(wanted or SHIPPED)
    with suppress(IndexMissingError, IndexFormatError, IndexDamagedError):
        known = read_manifest(folder)
        now = max(now, known.updated_ns + 1)
        embedding = Embedding.of(known, wanted)
    entries, not_text = _write_segments(root, folder, listing.files, options=options, embedding=embedding, watch=watch)
    entries, embedded = _embedded(folder, entries, embedding, watch)
    skipped = (*listing.skipped, *not_text)
    manifest = Manifest(
        root=str(root),
        repository=repository,
        segments=tuple(entries),
        contents=tuple(sorted(options.walk.contents)),
        max_bytes=options.walk.max_bytes,
        version=__version__,
        parts=content_parts(settings),
        updated_ns=now,
        generation=_generation(folder),
        encoder=embedding.recorded(),
        vectors=embedding.key,
    )
    with writing(folder):
        manifest = replace(
            manifest,
            catalog=write_schema(folder, manifest, settings, embedding=embedding),
            catalog_key=catalog_key(folder, settings),
        )
        manifest = replace(manifest, seconds=time.monotonic() - started)
        write_manifest(folder, manifest, _listed(listing, skipped))
    return Report(
        read=sum(entry.files for entry in entries),
        unchanged=0,
        removed=0,
        chunks=sum(entry.chunks for entry in entries),
        bytes_read=sum(file.size for file in listing.files),
        seconds=time.monotonic() - started,
        skipped=skipped,
        embedded=embedded,
    )


def update(root: Path, folder: Path, *, options: BuildOptions, repository: str, watch: Watch | None = None) -> Report:
    """Bring an index up to date: read the files that are new or changed, forget those that went.

    An index that is missing, damaged, of another format or made by other rules is built anew. Raises like `build`.
    """
    with _locked(folder, options.lock_seconds):
        try:
            manifest = read_manifest(folder)
            settings = read_settings(root)
            reason = _outdated(manifest, options, settings)
            listed = read_listing(folder, manifest)
            segments = [] if reason else _sound_segments(folder, manifest)
        except (IndexMissingError, IndexFormatError, IndexDamagedError) as error:
            reason = str(error)
        if reason:
            rebuilt = _build(root, folder, options=options, repository=repository, watch=watch)
            return replace(rebuilt, rebuilt=reason)
        return _update(
            root, folder, manifest, listed=listed, segments=segments, options=options, settings=settings, watch=watch
        )


def _sound_segments(folder: Path, manifest: Manifest) -> list[Segment]:
    """Return the segments of an index once every byte of them is checked; raises IndexDamagedError."""
    segments = [Segment(folder / "segments" / entry.name, vectors=manifest.vectors) for entry in manifest.segments]
    for segment in segments:
        segment.verify()
    return segments


def _update(
    root: Path,
    folder: Path,
    manifest: Manifest,
    *,
    listed: Listed,
    segments: Sequence[Segment],
    options: BuildOptions,
    settings: Settings,
    watch: Watch | None,
) -> Report:
    started, now = time.monotonic(), time.time_ns()
    listing = _list(root, options, settings)
    known_bad = _still_unreadable(listed, manifest, listing)
    changed, dead = _compare(manifest, segments, listing, unreadable={one.path for one in known_bad})
    entries = [
        replace(entry, dead=tuple(sorted({*entry.dead, *gone})))
        for entry, gone in zip(manifest.segments, dead, strict=True)
    ]
    same_key = manifest.catalog_key == catalog_key(folder, settings)
    embedding = Embedding.of(manifest, _wanted_encoder(root, options))
    same_vectors = manifest.vectors == embedding.key
    if not changed and not any(dead) and same_key and same_vectors:
        skipped = (*listing.skipped, *known_bad)
        with writing(folder):
            write_manifest(folder, replace(manifest, updated_ns=now, version=__version__), _listed(listing, skipped))
        return _update_report(listing, _live_chunks(folder, entries), started=started, skipped=skipped)
    added, found_skipped = _write_segments(root, folder, changed, options=options, embedding=embedding, watch=watch)
    skipped = (*listing.skipped, *found_skipped, *known_bad)
    concerned: list[tuple[Segment, Iterable[int]]] = list(zip(segments, dead, strict=True))
    new = [Segment(folder / "segments" / entry.name) for entry in added]
    concerned += [(segment, range(len(segment.paths))) for segment in new]
    entries, embedded = _embedded(folder, _merged(folder, [*entries, *added], embedding), embedding, watch)
    manifest = replace(
        manifest,
        segments=tuple(entries),
        updated_ns=now,
        version=__version__,
        encoder=embedding.recorded(),
        vectors=embedding.key,
    )
    with writing(folder):
        if not same_key or not same_vectors or tells_of_schemas(concerned):
            manifest = replace(
                manifest,
                catalog=write_schema(folder, manifest, settings, embedding=embedding),
                catalog_key=catalog_key(folder, settings),
            )
        write_manifest(folder, manifest, _listed(listing, skipped))
    return _update_report(
        listing,
        _live_chunks(folder, entries),
        started=started,
        skipped=skipped,
        read=len(changed),
        bytes_read=sum(file.size for file in changed),
        removed=_removed(segments, dead, changed),
        embedded=embedded,
    )


def content_parts(settings: Settings) -> dict[str, str]:
    """Return the identities of what an index's content depends on, besides the files."""
    return {
        "chunker": str(CHUNKER_VERSION),
        "tokenizer": str(TOKENIZER_VERSION),
        "languages": _data_identity("parsers", {"language.toml", "tags.scm"}),
        "dialects": _data_identity("schemas", {"dialect.toml"}),
        "settings": blake2b(msgspec.json.encode(msgspec.structs.replace(settings, name="")), digest_size=8).hexdigest(),
    }


def _data_identity(folder: str, names: Set[str]) -> str:
    data = blake2b(digest_size=8)
    for path in sorted(data_folder(folder).glob("*/*")):
        if path.name in names:
            data.update(path.parent.name.encode() + path.read_bytes())
    return data.hexdigest()


def _list(root: Path, options: BuildOptions, settings: Settings) -> Listing:
    """Return what a walk finds, with what the settings say of it."""
    listing = walk(root, replace(options.walk, assigned=settings.assigned))
    for name in SETTINGS_FILES:
        with suppress(OSError):
            listing.rules[name] = os.stat(root / name).st_mtime_ns
    if not settings.files and settings.defaults == FileSettings():
        return listing
    found = ((file, settings.for_path(file.path)) for file in listing.files)
    files = [replace(file, dialect=said.dialect, mask=bool(said.mask_literals)) for file, said in found]
    return replace(listing, files=files)


def _wanted_encoder(root: Path, options: BuildOptions) -> EncoderSpec | None:
    """Return the encoder that was asked for, or that the settings name; None for neither."""
    if options.encoder is not None:
        return options.encoder
    table = read_encoder_table(root)
    return encoder_of_settings(table, base=root) if table else None


def _outdated(manifest: Manifest, options: BuildOptions, settings: Settings) -> str:
    """Return why the whole index has to be built anew, "" when it has not."""
    for part, identity in content_parts(settings).items():
        if manifest.parts.get(part) != identity:
            return f"the index was made by another {part}"
    if set(manifest.contents) != set(options.walk.contents) or manifest.max_bytes != options.walk.max_bytes:
        return "the index was made with other options"
    return ""


@contextmanager
def _locked(folder: Path, seconds: float) -> Iterator[None]:
    """Hold the index's write lock; it goes with the process that holds it. What a failure leaves behind is removed."""
    lock = FileLock(folder / "lock", timeout=seconds)
    try:
        with writing(folder):
            (folder / "segments").mkdir(parents=True, exist_ok=True)
            ignore = folder / ".gitignore"
            if not ignore.exists() or not ignore.stat().st_size:
                ignore.write_text("*\n", encoding="utf-8")
            lock.acquire()
    except Timeout as error:
        raise IndexLockedError(
            f"another process has been writing the index at {folder} for {seconds:.0f} s; wait until it is done"
        ) from error
    try:
        yield
    except BaseException:
        _remove_unfinished(folder)
        raise
    finally:
        lock.release()


def _remove_unfinished(folder: Path) -> None:
    try:
        manifest = read_manifest(folder)
    except IndexMissingError:
        manifest = Manifest(root="", repository="")
    except (IndexFormatError, IndexDamagedError):
        return  # what is in use cannot be told; the next build that ends well removes the rest
    remove_leftovers(folder, manifest)


def _generation(folder: Path) -> int:
    try:
        return read_manifest(folder).generation
    except (IndexMissingError, IndexFormatError, IndexDamagedError):
        return max((int(path.stem.partition("-")[2]) for path in folder.glob("listing-*.json")), default=0)


def _write_segments(
    root: Path,
    folder: Path,
    files: Sequence[SourceFile],
    *,
    options: BuildOptions,
    embedding: Embedding,
    watch: Watch | None,
) -> tuple[list[SegmentEntry], list[Skipped]]:
    """Write the files' chunks to new segments; nothing names them yet."""
    entries: list[SegmentEntry] = []
    skipped: list[Skipped] = []
    all_bytes = sum(file.size for file in files)
    batches = list(_batches(files))
    done_files = done_bytes = done_chunks = 0
    vectors = embedding.key if embedding.in_workers else ""
    writer: SegmentWriter | None = None
    try:
        for batch, result in zip(batches, _results(root, batches, options, embed=embedding.in_workers), strict=True):
            columns, not_text = result
            skipped += not_text
            done_chunks += len(columns.chunks)
            if writer is not None and writer.chunks + len(columns.chunks) > SHORT_DOCS:
                entries.append(_finish(folder, writer))
                writer = None
            with writing(folder):
                writer = writer or SegmentWriter(_new_segment(folder), vectors=vectors)
                writer.add(columns)
            done_files += len(batch)
            done_bytes += sum(file.size for file in batch)
            if watch is not None:
                watch(Progress(done_files, len(files), done_bytes, all_bytes, done_chunks))
        if writer is not None and writer.files:
            entries.append(_finish(folder, writer))
    except BaseException:
        if writer is not None:
            writer.abort()
            shutil.rmtree(writer.folder, ignore_errors=True)
        raise
    return entries, skipped


def _results(root: Path, batches: list[Batch], options: BuildOptions, *, embed: bool) -> Iterator[Result]:
    count = available_cores() if options.workers is None else options.workers
    if count == 0 or not batches:
        for batch in batches:
            yield analyse(str(root), batch, embed=embed)
        return
    # A single small file goes to a worker too: it costs 0.15 s, and no other way ends a parser that does not end.
    with WorkerPool(str(root), min(count, len(batches)), file_seconds=options.file_seconds, embed=embed) as pool:
        yield from pool.map(batches)


def available_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _batches(files: Iterable[SourceFile]) -> Iterator[Batch]:
    batch: list[SourceFile] = []
    size = 0
    for file in files:
        batch.append(file)
        size += file.size
        if len(batch) == BATCH_FILES or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _new_segment(folder: Path) -> Path:
    # Never a name that was used before: a reader of an old manifest may still have it open.
    return folder / "segments" / f"{time.time_ns():x}-{os.getpid():x}"


def _finish(folder: Path, writer: SegmentWriter) -> SegmentEntry:
    with writing(folder):
        writer.finish()
        sync_folder(writer.folder)
    sizes = {path.name: path.stat().st_size for path in sorted(writer.folder.iterdir())}
    return SegmentEntry(writer.folder.name, writer.files, writer.chunks, sizes)


def _compare(
    manifest: Manifest, segments: Sequence[Segment], listing: Listing, *, unreadable: Set[str]
) -> tuple[list[SourceFile], list[set[int]]]:
    """Return the files to read, and of each segment the numbers of those that changed or went."""
    files = {file.path: file for file in listing.files}
    dead: list[set[int]] = []
    unchanged: set[str] = set()
    for entry, segment in zip(manifest.segments, segments, strict=True):
        gone: set[int] = set()
        already = set(entry.dead)
        for number, (path, *known) in enumerate(segment.file_stats()):
            if number in already:
                continue
            file = files.get(path)
            # A file as new as the last listing may have been written again within one tick of its clock.
            if (
                file is not None
                and known == [file.size, file.mtime_ns, file.inode]
                and file.mtime_ns < manifest.updated_ns
            ):
                unchanged.add(path)
            else:
                gone.add(number)
        dead.append(gone)
    return [file for path, file in files.items() if path not in unchanged and path not in unreadable], dead


def _still_unreadable(listed: Listed, manifest: Manifest, listing: Listing) -> list[Skipped]:
    """Return the files that were read before, were no text, and have not changed since."""
    found = {file.path: file for file in listing.files}
    known: list[Skipped] = []
    for path, reason, detail in listed.skipped:
        file = found.get(path)
        if file is not None and file.mtime_ns < manifest.updated_ns:
            known.append(Skipped(path, SkipReason(reason), detail))
    return known


def _embedded(
    folder: Path, entries: list[SegmentEntry], embedding: Embedding, watch: Watch | None
) -> tuple[list[SegmentEntry], int]:
    """Return the segments with their vectors, and how many chunks got theirs now."""
    embedded = 0

    def told(done: int, total: int) -> None:
        nonlocal embedded
        embedded = done
        if watch is not None:
            watch(Progress(0, 0, 0, 0, total, done, total))

    with writing(folder):
        return embed_segments(folder, entries, embedding, told=told), embedded


def _merged(folder: Path, entries: list[SegmentEntry], embedding: Embedding) -> list[SegmentEntry]:
    """Return the segments without empty ones, the small ones merged when there are too many or too much is dead."""
    entries = [entry for entry in entries if len(entry.dead) < entry.files]
    small = [entry for entry in entries if entry.chunks < SMALL_CHUNKS]
    wasteful = {entry.name for entry in entries if WASTE * len(entry.dead) > entry.files}
    chosen = [
        entry for entry in entries if entry.name in wasteful or (entry in small and len(small) > MAX_SMALL_SEGMENTS)
    ]
    if not chosen:
        return entries
    merged: list[SegmentEntry] = []
    vectors = embedding.key if all(has_vectors(folder, entry, embedding) for entry in chosen) else ""
    writer: SegmentWriter | None = None
    with writing(folder):
        for entry in chosen:
            columns = columns_of(Segment(folder / "segments" / entry.name, vectors=vectors), entry.dead)
            if writer is not None and writer.chunks + len(columns.chunks) > SHORT_DOCS:
                merged.append(_finish(folder, writer))
                writer = None
            writer = writer or SegmentWriter(_new_segment(folder), vectors=vectors)
            writer.add(columns)
    if writer is not None:
        merged.append(_finish(folder, writer))
    return [*(entry for entry in entries if entry not in chosen), *merged]


def _listed(listing: Listing, skipped: Iterable[Skipped]) -> Listed:
    return Listed(
        folders=listing.folders,
        rules=listing.rules,
        skipped=tuple((one.path, str(one.reason), one.detail) for one in skipped),
    )


def _removed(segments: Sequence[Segment], dead: Iterable[set[int]], changed: Sequence[SourceFile]) -> int:
    gone = {path for segment, numbers in zip(segments, dead, strict=True) for path in segment.paths.some(numbers)}
    return len(gone - {file.path for file in changed})


def _live_chunks(folder: Path, entries: Iterable[SegmentEntry]) -> int:
    """Return how many chunks can be found: those of files that have not changed since."""
    count = 0
    for entry in entries:
        count += entry.chunks
        if entry.dead:
            segment = Segment(folder / "segments" / entry.name)
            count -= int(np.isin(segment.chunk_file, entry.dead).sum())
    return count


def _update_report(
    listing: Listing,
    chunks: int,
    *,
    started: float,
    skipped: tuple[Skipped, ...],
    read: int = 0,
    bytes_read: int = 0,
    removed: int = 0,
    embedded: int = 0,
) -> Report:
    return Report(
        read=read,
        unchanged=len(listing.files) - read,
        removed=removed,
        chunks=chunks,
        bytes_read=bytes_read,
        seconds=time.monotonic() - started,
        skipped=skipped,
        embedded=embedded,
    )
