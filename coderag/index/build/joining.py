"""Parts of an index that several machines made, to segments of one: `coderag merge`.

A part is an index of a portion of a root's files, without a catalog and a graph. Nothing of it is rewritten: its
segments are linked or copied, and those of its files count that the root holds as they were read. What no part has is
read here, so the result never depends on who made what, and an old part is only of less use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from coderag.errors import IndexDamagedError
from coderag.files.walk import SourceFile
from coderag.index.build.adopting import adopt_segment, in_common
from coderag.index.build.index_part import IndexPart
from coderag.index.build.known_content import Contents
from coderag.index.build.segment_ref import SegmentRef
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.identity import content_key
from coderag.index.storage.listing import Stamp
from coderag.index.storage.manifest import (
    FORMAT,
    SEGMENTS,
)
from coderag.index.storage.misread import DATA_ERRORS, misread
from coderag.index.storage.segment import Segment

__all__ = ["segments_of_parts"]


def segments_of_parts(
    parts: Sequence[IndexPart],
    folder: IndexPath,
    files: Iterable[SourceFile],
    *,
    made_by: Mapping[str, str],
    vectors: str,
    contents: Contents,
    stamps: Mapping[str, Stamp],
) -> Iterator[SegmentRef]:
    """Yield segments of an index in `folder`, from parts, for some files of its root.

    A part that other versions of chunker, tokenizer or languages made than `made_by` says has none. `vectors` is the
    key of the vectors that the index should have; parts may lack them. Raises IndexDamagedError and OSError.
    """
    files_by_path = {file.path: file for file in files}
    key = content_key(made_by, FORMAT)
    for part in parts:
        if content_key(part.manifest.parts, FORMAT) != key:
            continue
        for entry in part.manifest.segments:
            source = part.folder / SEGMENTS / entry.name
            try:
                live = in_common(Segment(source), files_by_path, contents, least=0) - set(entry.dead)
                if not live:
                    continue
                entry = replace(entry, dead=())
                ref = adopt_segment(source, entry, folder, live=live, vectors=vectors, stamps=stamps)
            except (IndexDamagedError, *DATA_ERRORS) as error:
                raise error if isinstance(error, IndexDamagedError) else misread(part.folder, error) from error
            paths = ref.segment.paths.all()
            for number in live:
                del files_by_path[paths[number]]
            yield ref
