"""Indexes to how long exact matches of literals and regular expressions take in a process that stays.

    scripts/time_exact.py ROOT ... --indexes FOLDER      an index of each root is in FOLDER, by the root's name

Of each pattern it prints the matches, and the median and largest time of some turns after the first; wall and processor
time in milliseconds. An index that is not there is made.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

TURNS = 9
LITERALS = ("could not open", "connection refused", "return nil", "raise ValueError", "TODO", "zqxjkv", "{", "e")
# Each has a literal of three characters, but for the last, which is read against every text.
REGEXES = (
    *(r"foo[0-9]+bar", r"def test_\w+_timeout", r"err(or)?_code\b", r"TODO\(\w+\)", r"con.*timeout"),
    *(r"new [A-Z]\w+Exception", r"(get|set)_[a-z]+\(", r"^\s*return\b", r"[A-Z]{3}_[0-9]{4}"),
)


def main() -> int:
    """Time the checkout that this file is in."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from coderag import Index

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("roots", nargs="+", type=Path, metavar="ROOT")
    parser.add_argument("--indexes", required=True, type=Path, metavar="FOLDER")
    options = parser.parse_args()
    with Index.ensure(*options.roots, index=options.indexes, graph=False) as index:
        print(f"{len(index):,} chunks of {len(options.roots)} roots")
        print(f"{'pattern':28} {'matches':>9}  wall ms (max)    CPU ms (max)")
        for pattern in LITERALS:
            _show(repr(pattern), *_timed(index, pattern, regex=False))
        for pattern in REGEXES:
            _show(f"/{pattern}/", *_timed(index, pattern, regex=True))
    return 0


def _timed(index: object, pattern: str, *, regex: bool) -> tuple[int, list[float], list[float]]:
    from coderag import Index

    assert isinstance(index, Index)
    count = index.find(pattern, regex=regex).count
    walls, cpus = [], []
    for _ in range(TURNS):
        wall, cpu = time.perf_counter(), time.process_time()
        index.find(pattern, regex=regex)
        walls.append((time.perf_counter() - wall) * 1e3)
        cpus.append((time.process_time() - cpu) * 1e3)
    return count, walls, cpus


def _show(pattern: str, count: int, walls: list[float], cpus: list[float]) -> None:
    wall, cpu = (f"{statistics.median(one):6.1f} ({max(one):6.1f})" for one in (walls, cpus))
    print(f"{pattern:28} {count:9,}  {wall}  {cpu}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
