"""Files to segments: batches of them go to an executor, and what comes back is written in order."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress

from coderag.files.walk import Skipped, SourceFile
from coderag.index.build.job import BuildOptions, Progress, Watch
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import SEGMENTS, SegmentEntry
from coderag.index.storage.manifest_writer import sums_of, sync_folder
from coderag.index.storage.postings import SHORT_DOCS
from coderag.index.storage.segment import SegmentWriter
from coderag.index.storage.symptoms import writing
from coderag.index.workers.executor import Batch, Executor

__all__ = ["finish_segment", "new_segment", "write_segments"]

BATCH_FILES, BATCH_BYTES = 48, 500_000  # of a small root
BATCHES, LARGER = 200, 4  # a root of more batches has larger ones, up to so many times: neighbours share their words


def write_segments(
    folder: IndexPath,
    files: Sequence[SourceFile],
    *,
    executor: Executor,
    options: BuildOptions,
    vectors: str,
    watch: Watch | None = None,
) -> tuple[list[SegmentEntry], list[Skipped]]:
    """Write the files' chunks to new segments, and return those and the files that are no text.

    `vectors` is the key of the shipped encoder where it is to embed the chunks, else "". No manifest names them yet.
    """
    entries: list[SegmentEntry] = []
    skipped: list[Skipped] = []
    all_bytes = sum(file.size for file in files)
    batches = list(_batches(files))
    done_files = done_bytes = done_chunks = 0
    writer: SegmentWriter | None = None
    try:
        results = executor.read(batches, options.reading(embed=bool(vectors)))
        for batch, result in zip(batches, results, strict=True):
            columns, not_text = result
            skipped += not_text
            done_chunks += len(columns.chunks)
            if writer is not None and writer.chunks + len(columns.chunks) > SHORT_DOCS:
                entries.append(finish_segment(folder, writer))
                writer = None
            with writing(folder):
                writer = writer or SegmentWriter(new_segment(folder / SEGMENTS), vectors=vectors)
                writer.add(columns)
            done_files += len(batch)
            done_bytes += sum(file.size for file in batch)
            if watch is not None:
                watch(Progress(done_files, len(files), done_bytes, all_bytes, done_chunks))
        if writer is not None and writer.files:
            entries.append(finish_segment(folder, writer))
        elif writer is not None:
            _drop(writer)
    except BaseException:
        if writer is not None:
            _drop(writer)
        raise
    return entries, skipped


def _drop(writer: SegmentWriter) -> None:
    writer.abort()
    with suppress(OSError):  # what is left no manifest names
        writer.folder.remove_tree()


def new_segment(folder: IndexPath) -> IndexPath:
    """Return the place of a new segment: under a name that never was, as readers may have an old
    one open, and that cannot be guessed."""
    return folder / f"{time.time_ns():x}-{os.urandom(6).hex()}"


def finish_segment(folder: IndexPath, writer: SegmentWriter) -> SegmentEntry:
    """Complete a segment of an index, make it durable, and return its entry; raises IndexWriteError."""
    with writing(folder):
        writer.finish()
        sync_folder(writer.folder)
        return SegmentEntry(writer.folder.name, writer.files, writer.chunks, sums_of(writer.folder))


def _batches(files: Sequence[SourceFile]) -> Iterator[Batch]:
    larger = sum(file.size for file in files) // (BATCHES * BATCH_BYTES)
    larger = min(max(larger, 1), LARGER)
    batch: list[SourceFile] = []
    size = 0
    for file in files:
        batch.append(file)
        size += file.size
        if len(batch) >= larger * BATCH_FILES or size >= larger * BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
