"""Texts that no file holds, such as those of another revision, to what an index would hold of them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from pathlib import Path

from coderag.files.blob import blob_id
from coderag.files.root_file import read_root_file
from coderag.index.build.job import BuildOptions
from coderag.index.build.scan import list_root
from coderag.index.build.segment_ref import SegmentRef
from coderag.index.storage.columns import Columns, unpack_labels
from coderag.index.storage.links import Links, inflate_links
from coderag.index.storage.schema_operations import inflate_facts
from coderag.index.workers.processes import ProcessExecutor
from coderag.sql.records import Facts
from coderag.sql.settings import Settings
from coderag.syntax.language import project_languages

__all__ = ["ReadText", "indexed_texts", "read_texts"]

BATCH = 48  # files that a process reads at once


@dataclass(frozen=True, slots=True)
class ReadText:
    """What was found in a text."""

    path: str
    language: str
    labels: frozenset[str]
    links: Links
    facts: Facts


def indexed_texts(parts: Iterable[SegmentRef], texts: Mapping[str, bytes]) -> dict[str, ReadText]:
    """Return what an index holds of texts, by path: of those that are the content of the file there."""
    by_path = {}
    for part in parts:
        blobs = part.segment.arrays["file_blob"]
        live = part.live_files.tolist()
        for number, path in enumerate(part.segment.paths.all()):
            if live[number] and path in texts and bytes(blobs[number]) == blob_id(texts[path]):
                row = part.segment.file(number)
                labels = unpack_labels(row.labels)
                segment = part.segment
                by_path[path] = ReadText(path, row.language, labels, segment.links(number), segment.facts(number))
    return by_path


def read_texts(
    root: Path, sides: Sequence[Mapping[str, bytes]], options: BuildOptions, settings: Settings
) -> list[dict[str, ReadText]]:
    """Return what is found in the texts of each side, by the paths that they have below a root.

    What is no text to index has none. They are read like all files of a root: by processes that survive what ends them,
    with secrets covered. For that they are written to a folder that only this user can read, and that is removed. A
    path may have another text on each side. Raises WorkerError.
    """
    with ExitStack() as open_folders:
        tops = []
        for texts in sides:
            top = Path(os.path.realpath(open_folders.enter_context(tempfile.TemporaryDirectory(prefix="coderag-"))))
            for path, data in texts.items():
                with suppress(OSError, ValueError):  # a name that this system does not take
                    _write(top, path, data)
            for path, data in _markers(root, texts).items():
                if not os.path.lexists(top / path):
                    _write(top, path, data)
            tops.append(top)
        return [_read_folder(top, texts, options, settings) for top, texts in zip(tops, sides, strict=True)]


def _read_folder(
    top: Path, texts: Mapping[str, bytes], options: BuildOptions, settings: Settings
) -> dict[str, ReadText]:
    files = [file for file in list_root(str(top), options.walk, settings).files if file.path in texts]
    batches = [list(files[at : at + BATCH]) for at in range(0, len(files), BATCH)]
    with closing(ProcessExecutor(top)) as executor:
        batches_read = [columns for columns, _ in executor.read(batches, options.reading(embed=False))]
    return {read.path: read for columns in batches_read for read in _read(columns)}


def _write(top: Path, path: str, data: bytes) -> None:
    full = top / path
    full.parent.mkdir(parents=True, exist_ok=True)
    full.write_bytes(data)


def _markers(root: Path, paths: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of a root that mark a folder above some paths as a project: they decide about languages."""
    folders = {parent.as_posix() for path in paths for parent in Path(path).parents}
    markers = {}
    for path in (f"{folder}/{marker}" for folder in sorted(folders) for marker in project_languages()):
        with suppress(OSError):
            markers[os.path.normpath(path)] = read_root_file(root, path)
    return markers


def _read(columns: Columns) -> Sequence[ReadText]:
    rows = zip(columns.files, columns.links, columns.facts, strict=True)
    return [
        ReadText(file.path, file.language, unpack_labels(file.labels), inflate_links(links), inflate_facts(facts))
        for file, links, facts in rows
    ]
