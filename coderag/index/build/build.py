"""A root to an index, and an index to one that knows what changed since."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import field, replace
from pathlib import Path

from coderag._version import __version__
from coderag.encoders.spec import SHIPPED, EncoderSpec, encoder_of_settings
from coderag.errors import (
    IndexDamagedError,
    IndexFormatError,
    IndexMissingError,
    IndexTooNewError,
    StoredIndexError,
)
from coderag.files.walk import Skipped, SkipReason, SourceFile
from coderag.index.build.embed import Embedding, embed_segments
from coderag.index.build.index_change import IndexChange
from coderag.index.build.index_part import missing_portions
from coderag.index.build.job import BuildOptions, Progress, Report, Watch
from coderag.index.build.joining import segments_of_parts
from coderag.index.build.known_content import Contents, find_known
from coderag.index.build.merging import due_for_merging, merge_parts, quick_to_merge, remove_unfinished_merge
from coderag.index.build.portion import Portion, scan_of_portion
from coderag.index.build.previous_index import PreviousIndex, known_files, open_previous
from coderag.index.build.scan import Scan, first_of, scan_all, scan_changed, scan_paths
from coderag.index.build.schema import catalog_key, tells_of_schemas, write_schema
from coderag.index.build.segment_ref import SegmentRef
from coderag.index.build.sharing import adopt, offer
from coderag.index.build.writing import write_segments
from coderag.index.reader.access_control import stored_access
from coderag.index.storage.folder.entries import check_entries
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.lock import locked
from coderag.index.storage.identity import content_key, content_parts, why_outdated
from coderag.index.storage.listing import Listed, stamp_of
from coderag.index.storage.manifest import (
    FORMAT,
    NO_SUM,
    SEGMENTS,
    Manifest,
    SegmentEntry,
    generation_of,
    numbered_name,
    read_manifest,
    without_history,
)
from coderag.index.storage.manifest_writer import remove_leftovers, synced_sum, write_manifest
from coderag.index.storage.misread import DATA_ERRORS, misread
from coderag.index.storage.segment import Segment
from coderag.index.storage.symptoms import writing
from coderag.index.storage.vectors import is_wanted
from coderag.index.workers.executor import Executor
from coderag.index.workers.executors import open_executor
from coderag.record import record
from coderag.sql.settings import Settings, read_encoder_table, read_settings

__all__ = ["Builder", "build", "update"]

GRAPH_PAUSE = 30  # times as long as building a graph takes, until it is rebuilt after an update
SHARED_FILES = 256  # with fewer to read, no look at what other indexes have


@record
class _Job:
    """One build or update."""

    options: BuildOptions
    settings: Settings
    embedding: Embedding
    executor: Executor
    watch: Watch | None
    anew: bool = False  # nothing may come from what was read before
    started: float = field(default_factory=time.monotonic)


class Builder:
    """What makes the index of a root and keeps it true.

    What it opened, and the processes that read files, stay for the next time, until `close`.
    """

    def __init__(self, root: Path, folder: IndexPath, *, repository: str) -> None:
        self._root = root
        self._folder = folder
        self._repository = repository
        self._executors: dict[str, Executor] = {}
        self._opened: PreviousIndex | None = None

    def close(self) -> None:
        """End the processes that read files."""
        while self._executors:
            self._executors.popitem()[1].close()

    def build(self, options: BuildOptions, *, watch: Watch | None = None) -> Report:
        """Index the root from nothing; the index that was there answers until this one is complete.

        Raises RootError, EncoderError, WorkerError, IndexLockedError, IndexWriteError.
        """
        with self._locked(options):
            return self._build(replace(self._completed(options), most_files=None), watch, anew=True)

    def update(
        self,
        options: BuildOptions,
        *,
        paths: Iterable[str] | None = None,
        thorough: bool = False,
        watch: Watch | None = None,
    ) -> Report:
        """Bring the index up to date: read the files that are new or changed, forget those that went.

        With `paths`, from the root, only these files and folders are looked at. A `thorough` update lists every folder
        and compares every byte of the index with its sums; the files of a segment that is damaged are read again. An
        index that is missing, of an older format or made by other rules is rebuilt, and so is one that turns out to
        be wrong in a thorough update. Raises like `build`, IndexTooNewError, and IndexDamagedError.
        """
        with self._locked(options):
            options = self._completed(options)
            settings = read_settings(self._root)
            try:
                report = self._update(options, settings, paths=paths, thorough=thorough, watch=watch)
                return replace(report, missing_parts=missing_portions(options.parts))
            except (IndexDamagedError, *DATA_ERRORS) as error:
                damage = error if isinstance(error, IndexDamagedError) else misread(self._folder, error)
                if not thorough:
                    raise damage from error
                whole = replace(options, most_files=None)
                return replace(self._build(whole, watch, anew=False), rebuilt=_reason(damage))

    def _update(
        self,
        options: BuildOptions,
        settings: Settings,
        *,
        paths: Iterable[str] | None,
        thorough: bool,
        watch: Watch | None,
    ) -> Report:
        opened, reason, repaired = self._current(options, settings, thorough=thorough)
        if opened is None:
            # An index that cannot be used answers until another one is complete; where there is none, a part is better.
            options = replace(options, most_files=None) if reason else options
            return replace(self._build(options, watch, anew=False), rebuilt=reason)
        embedding = Embedding.of(opened.manifest, _wanted_encoder(self._root, options))
        job = self._job(options, settings, embedding, watch=watch)
        known = known_files(self._root, opened)
        # The files of what is lost, and with the listing all of them, are known to nobody.
        if options.portion is not None:
            scan = self._scan_portion(opened, options.portion, job)
        elif thorough or repaired or not known.listed.folders:
            scan = scan_all(known, options.walk, settings)
        elif paths is not None:
            scan = scan_paths(known, paths, options.walk, settings)
        else:
            scan = scan_changed(known, options.walk, settings)
        return replace(self._change_some(opened, scan, job), repaired=repaired)

    def _completed(self, options: BuildOptions) -> BuildOptions:
        """Return options; what they leave open is as the index has it, where there is one that can be read."""
        with suppress(StoredIndexError):
            return options.completed(read_manifest(self._folder))
        return options

    @contextmanager
    def _locked(self, options: BuildOptions) -> Iterator[None]:
        """Hold the write lock of the index's folder, made where it is missing; what a failure leaves is removed."""
        with ExitStack() as held:
            check_entries(self._folder)  # before anything is written into what may have come with the repository
            with writing(self._folder):
                (self._folder / SEGMENTS).make_folders()
                ignore = self._folder / ".gitignore"
                if (status := ignore.stat()) is None or not status.st_size:
                    ignore.write_bytes(b"*\n")
                held.enter_context(locked(self._folder, options.lock_seconds, waiting=options.waiting))
            remove_unfinished_merge(self._folder)
            try:
                yield
            except BaseException:
                self._opened = None
                _remove_unfinished(self._folder)
                raise

    def _build(self, options: BuildOptions, watch: Watch | None, *, anew: bool) -> Report:
        settings = read_settings(self._root)
        job = self._job(options, settings, self._embedding_of_old(options), watch=watch, anew=anew)
        manifest = Manifest(
            root=str(self._root),
            repository=self._repository,
            contents=tuple(sorted(options.walk.contents)),
            max_bytes=options.walk.max_bytes,
            mask=options.masks,
            with_history=self._wants_history(options),
            version=__version__,
            parts=content_parts(settings, mask=options.masks),
            generation=_generation(self._folder),
            portion=_named(options.portion),
        )
        nothing = PreviousIndex(manifest, Listed(), (), {})
        if options.portion is not None:
            return self._change_some(nothing, self._scan_portion(nothing, options.portion, job), job)
        return self._change_some(nothing, scan_all(known_files(self._root, nothing), options.walk, settings), job)

    def _job(
        self,
        options: BuildOptions,
        settings: Settings,
        embedding: Embedding,
        *,
        watch: Watch | None,
        anew: bool = False,
    ) -> _Job:
        """Return a job whose files are read, and whose models run, where its options say."""
        executor = self._executors.get(options.executor)
        if executor is None:
            executor = self._executors[options.executor] = open_executor(options.executor, self._root)
        return _Job(options, settings, replace(embedding, open=executor.open_encoder), executor, watch, anew)

    def _scan_portion(self, opened: PreviousIndex, portion: Portion, job: _Job) -> Scan:
        """Walk the whole root for the files of a portion: which those are depends on all of them."""
        nothing = PreviousIndex(opened.manifest, Listed(), (), {})
        scan = scan_all(known_files(self._root, nothing), job.options.walk, job.settings)
        return scan_of_portion(scan, portion, known=opened.places)

    def _wants_history(self, options: BuildOptions) -> bool:
        """Tell whether a new index keeps a history: what is asked for, else as the one before did."""
        if options.history is not None:
            return options.history
        with suppress(IndexMissingError, IndexFormatError, IndexDamagedError):
            return read_manifest(self._folder).with_history
        return True

    def _embedding_of_old(self, options: BuildOptions) -> Embedding:
        """Return the embedding for a new index: what is asked for, else what the one before had."""
        encoder_spec = _wanted_encoder(self._root, options)
        with suppress(IndexMissingError, IndexFormatError, IndexDamagedError):
            return Embedding.of(read_manifest(self._folder), encoder_spec)
        return Embedding(encoder_spec or SHIPPED)

    def _current(
        self, options: BuildOptions, settings: Settings, *, thorough: bool
    ) -> tuple[PreviousIndex | None, str, int]:
        """Return the index as it is, why it has to be rebuilt where it has, and how many segments are damaged."""
        try:
            manifest = read_manifest(self._folder)
        except IndexTooNewError:
            raise
        except IndexMissingError:
            return None, "", 0
        except (IndexFormatError, IndexDamagedError) as error:
            return None, _reason(error), 0
        if reason := _outdated(manifest, options, settings):
            return None, reason, 0
        if self._opened is not None and self._opened.manifest == manifest and not thorough:
            return self._opened, "", 0
        opened = open_previous(self._folder, manifest, checked=thorough)
        return opened, "", len(manifest.segments) - len(opened.parts)

    def _change_some(self, opened: PreviousIndex, scan: Scan, job: _Job) -> Report:
        """Write as many of the files that a scan found as the job may read."""
        scan, left = first_of(scan, job.options.most_files)
        if left and (watch := job.watch) is not None:
            job = replace(job, watch=lambda progress: watch(replace(progress, left=left)))
        return replace(self._change(opened, scan, job), left=left)

    def _change(self, opened: PreviousIndex, scan: Scan, job: _Job) -> Report:
        """Write what a scan found to the index, and what was done to a report."""
        draft = IndexChange(opened, scan)
        read, not_text = self._read(draft, opened, scan, job)
        parts, embedded = _embedded(self._folder, draft.finished(), job)
        parts = self._merged(parts, job.embedding)
        listed = replace(draft.listed(), stamps=tuple(part.stamps for part in parts))
        manifest = self._publish(opened, draft, scan, parts=parts, listed=listed, job=job)
        if job.options.share and (len(read) >= SHARED_FILES or not opened.parts):
            offer(self._folder, parts, content_key(manifest.parts, FORMAT))
        self._opened = PreviousIndex(manifest, listed, tuple(parts), draft.places(parts))
        return Report(
            read=len(read) - len(not_text),
            unchanged=draft.unchanged,
            removed=draft.removed,
            chunks=sum(part.live_chunks for part in parts),
            bytes_read=sum(file.size for file in read),
            seconds=time.monotonic() - job.started,
            skipped=tuple(Skipped(left.path, SkipReason(left.reason), left.detail) for left in listed.skipped),
            embedded=embedded,
            reused=draft.reused,
            merge_due=bool(due_for_merging(parts)),
            graph_due=_is_graph_due(manifest, draft),
        )

    def _read(
        self, draft: IndexChange, opened: PreviousIndex, scan: Scan, job: _Job
    ) -> tuple[list[SourceFile], list[Skipped]]:
        """Give every file of a draft its place; return those that were read, and those of them that are no text."""
        folder, options, embedding = self._folder, job.options, job.embedding
        contents = Contents(self._root, scan.differing)
        draft.take_known(find_known(scan.differing, opened.parts, opened.places, contents))
        with writing(folder):
            self._adopt_segments(draft, opened, job, contents, now=scan.now)
        files = draft.to_read
        vectors = embedding.key if embedding.in_workers else ""
        entries, not_text = write_segments(
            folder, files, executor=job.executor, options=options, vectors=vectors, watch=job.watch
        )
        draft.leave_out(not_text)
        draft.add(folder, entries, vectors=vectors)
        return files, not_text

    def _adopt_segments(
        self, draft: IndexChange, opened: PreviousIndex, job: _Job, contents: Contents, *, now: int
    ) -> None:
        """Let files count whose content lies in a part that is to be joined, or in the cache that indexes share."""
        folder, options, made_by, vectors = self._folder, job.options, opened.manifest.parts, job.embedding.key
        files = draft.to_read
        if options.parts:
            stamps = {file.path: stamp_of(file, now) for file in files}
            found = segments_of_parts(
                options.parts, folder, files, made_by=made_by, vectors=vectors, contents=contents, stamps=stamps
            )
            draft.add_parts(list(found))
            files = draft.to_read
        if options.share and not job.anew and len(files) >= SHARED_FILES:
            stamps = {file.path: stamp_of(file, now) for file in files}
            key = content_key(made_by, FORMAT)
            draft.add_parts(adopt(folder, files, key=key, vectors=vectors, contents=contents, stamps=stamps))

    def _merged(self, parts: list[SegmentRef], embedding: Embedding) -> list[SegmentRef]:
        """Return segments with those merged for which that is quick."""
        due = quick_to_merge(due_for_merging(parts))
        if not due:
            return parts
        names = {part.entry.name for part in due}
        new = merge_parts(due, folder=self._folder, into=self._folder / SEGMENTS, embedding=embedding)
        return [*(part for part in parts if part.entry.name not in names), *new]

    def _publish(
        self,
        opened: PreviousIndex,
        draft: IndexChange,
        scan: Scan,
        *,
        parts: Sequence[SegmentRef],
        listed: Listed,
        job: _Job,
    ) -> Manifest:
        """Write the catalog, where it changed, and the manifest."""
        folder, old, embedding = self._folder, opened.manifest, job.embedding
        manifest = replace(
            old,
            segments=tuple(part.entry for part in parts),
            updated_ns=scan.now,
            version=__version__,
            encoder=embedding.recorded(),
            encoder_named=embedding.spec.trusted,
            vectors=embedding.key,
            catalog_key=catalog_key(folder, job.settings),
            access=stored_access(self._root, job.settings, self._repository, folders=listed.folders),
            with_history=old.with_history if job.options.history is None else job.options.history,
        )
        if not manifest.with_history:
            manifest = without_history(manifest)
        with writing(folder):
            same = (old.catalog_key, old.vectors) == (manifest.catalog_key, manifest.vectors)
            if not manifest.portion and (not same or tells_of_schemas(draft.concerned())):
                path = folder / numbered_name("catalog", old.generation + 1)
                has_schema = write_schema(path, parts, job.settings, embedding=embedding)
                manifest = replace(
                    manifest,
                    catalog=path.name if has_schema else "",
                    catalog_sum=synced_sum(path) if has_schema else NO_SUM,
                )
            if not opened.parts:
                manifest = replace(manifest, seconds=time.monotonic() - job.started)
            return write_manifest(folder, manifest, listed)


def build(
    root: Path, folder: IndexPath, *, options: BuildOptions, repository: str, watch: Watch | None = None
) -> Report:
    """Index a root from nothing with a `Builder` of its own."""
    builder = Builder(root, folder, repository=repository)
    try:
        return builder.build(options, watch=watch)
    finally:
        builder.close()


def update(
    root: Path, folder: IndexPath, *, options: BuildOptions, repository: str, watch: Watch | None = None
) -> Report:
    """Bring an index up to date, and check it, with a `Builder` of its own."""
    builder = Builder(root, folder, repository=repository)
    try:
        return builder.update(options, thorough=True, watch=watch)
    finally:
        builder.close()


def _is_graph_due(manifest: Manifest, draft: IndexChange) -> bool:
    """Tell whether the graph should be rebuilt: it is older than the index, and building it takes a small share."""
    age = (time.time_ns() - manifest.graph_ns) / 1e9
    return bool(manifest.graph) and draft.did_something and age > GRAPH_PAUSE * manifest.graph_seconds


def _wanted_encoder(root: Path, options: BuildOptions) -> EncoderSpec | None:
    """Return the encoder that was asked for, or that the settings name; None for neither."""
    if options.encoder is not None:
        return options.encoder
    table = read_encoder_table(root)
    return encoder_of_settings(table, base=root) if table else None


def _outdated(manifest: Manifest, options: BuildOptions, settings: Settings) -> str:
    """Return why the whole index has to be rebuilt, "" when it has not."""
    if why := why_outdated(manifest.parts, content_parts(settings, mask=options.masks)):
        return why
    if manifest.portion != _named(options.portion):
        return f"it held part {manifest.portion}" if manifest.portion else "it held all files"
    if set(manifest.contents) != set(options.walk.contents) or manifest.max_bytes != options.walk.max_bytes:
        return "the index was made with other options"
    return ""


def _named(portion: Portion | None) -> str:
    return str(portion) if portion is not None else ""


def _reason(error: Exception) -> str:
    """Return why an index cannot be read, without what is to be done about it."""
    return str(error).partition(";")[0]


def _remove_unfinished(folder: IndexPath) -> None:
    try:
        manifest = read_manifest(folder)
    except IndexMissingError:
        manifest = Manifest(root="", repository="")
    except (IndexFormatError, IndexDamagedError):
        return  # what is in use cannot be told; the next build that ends well removes the rest
    remove_leftovers(folder, manifest)


def _generation(folder: IndexPath) -> int:
    try:
        return read_manifest(folder).generation
    except (IndexMissingError, IndexFormatError, IndexDamagedError):
        return max(map(generation_of, folder.entries()), default=0)


def _with_vectors_of(entry: SegmentEntry, embedding: Embedding) -> SegmentEntry:
    """Return a segment without the vectors of other encoders."""
    kept = {name: found for name, found in entry.sums.items() if is_wanted(name, embedding.key)}
    return entry if len(kept) == len(entry.sums) else replace(entry, sums=kept)


def _embedded(folder: IndexPath, parts: Sequence[SegmentRef], job: _Job) -> tuple[list[SegmentRef], int]:
    """Return the segments with their vectors, and how many chunks got theirs now."""
    embedded = 0

    def told(done: int, total: int) -> None:
        nonlocal embedded
        embedded = done
        if job.watch is not None:
            job.watch(Progress(0, 0, 0, 0, total, done, total))

    embedding = job.embedding
    with writing(folder):
        entries = embed_segments(
            folder, [_with_vectors_of(part.entry, embedding) for part in parts], embedding, told=told
        )
    return [
        part
        if entry is part.entry
        else replace(part, entry=entry, segment=Segment.of(folder, entry, vectors=embedding.key))
        for part, entry in zip(parts, entries, strict=True)
    ], embedded
