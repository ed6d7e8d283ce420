"""All of a segment read once: what somebody else made may match its sums, and make no sense.

Whoever searches finds that out as far as it is used. Before an index is taken over, it is found out of all.
"""

from __future__ import annotations

from coderag.errors import IndexDamagedError
from coderag.index.storage.arrays.specs import in_order, within
from coderag.index.storage.columns import KINDS
from coderag.index.storage.misread import DATA_ERRORS
from coderag.index.storage.postings import Postings
from coderag.index.storage.segment import Segment

__all__ = ["check_readable"]


def check_readable(segment: Segment) -> None:
    """Read every file, chunk and definition of a segment; raises IndexDamagedError."""
    try:
        _read_files(segment)
        _read_chunks(segment)
        _check_postings(segment.text_postings, len(segment))
        _check_postings(segment.path_postings, len(segment.paths))
        _check_postings(segment.symbol_postings, len(segment) + len(segment.symbol_names))
    except DATA_ERRORS as error:
        raise IndexDamagedError(
            f'the index segment {segment.folder} makes no sense ({error}); run "coderag index --rebuild"'
        ) from error


def _read_files(segment: Segment) -> None:
    for number in range(len(segment.paths.below_root())):
        segment.file(number)
        segment.text(number)
        segment.links(number)
        segment.facts(number)
    known = {*segment.problems, *segment.masked}
    if known and not (min(known) >= 0 and max(known) < len(segment.paths)):
        raise ValueError("it says something of files that are not there")


def _read_chunks(segment: Segment) -> None:
    within(segment.chunk_parent, len(segment), least=-1, what="chunk_parent")
    within(segment.chunk_kind, len(KINDS), what="chunk_kind")
    segment.names.all()
    for number in range(len(segment)):
        segment.parts(number)
        segment.details(number)
    for number in range(len(segment.symbol_names)):
        segment.symbol(len(segment) + number)


def _check_postings(postings: Postings, count: int) -> None:
    in_order(postings.offsets, len(postings.docs), what="postings")
    within(postings.every_doc(), count, what="a posting")
