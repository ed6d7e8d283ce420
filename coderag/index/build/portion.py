"""A portion of a root's files: what one machine of several reads, `coderag index --part 2/4`.

Every machine lists the whole root and takes its portion, without a word to the others. Files are put in order of a hash
of their paths, and the row is cut where as many bytes lie on either side of a cut as should: so portions are of a size,
each is a mix of the whole root, and an edit moves no more than the files next to a cut.

6 files of 10, 10, 60, 10, 20, 10 bytes in 2 portions:  10 10 60 | 10 20 10
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import blake2b

from coderag.errors import QueryError
from coderag.files.walk import SourceFile
from coderag.index.build.scan import Scan
from coderag.record import record

__all__ = ["MOST_PORTIONS", "Portion", "parse_portion", "portion_of", "scan_of_portion"]

MOST_PORTIONS = 10_000
WRITTEN = re.compile(r"([0-9]{1,5})/([0-9]{1,5})")


@record
class Portion:
    """One of `of` portions; the first is number 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def parse_portion(text: str) -> Portion:
    """Return the portion that "2/4" names; raises QueryError."""
    match = WRITTEN.fullmatch(text.strip())
    portion = Portion(int(match[1]), int(match[2])) if match else Portion(0, 0)
    if not 1 <= portion.number <= portion.of <= MOST_PORTIONS:
        raise QueryError(f"{text!r} is no part; write the second of four as 2/4, with {MOST_PORTIONS:,} at most")
    return portion


def portion_of(files: Sequence[SourceFile], portion: Portion) -> list[SourceFile]:
    """Return the files of a portion in the order in which they are given."""
    all_bytes = sum(file.size + 1 for file in files)  # an empty file counts, too
    mine = set()
    before = 0
    for file in sorted(files, key=lambda file: blake2b(file.path.encode("utf-8", "surrogateescape")).digest()):
        middle = 2 * before + file.size + 1
        if middle * portion.of // (2 * all_bytes) == portion.number - 1:
            mine.add(file.path)
        before += file.size + 1
    return [file for file in files if file.path in mine]


def scan_of_portion(scan: Scan, portion: Portion, *, known: Iterable[str]) -> Scan:
    """Return a scan of all files of a root for an index of a portion, in which some are known."""
    files = portion_of(scan.differing, portion)
    paths = {file.path for file in files}
    return replace(scan, differing=files, gone=[path for path in known if path not in paths])
