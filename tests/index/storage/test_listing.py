"""What the file system said, to a file and back; and which of it can be relied on."""

from __future__ import annotations

import os
import random
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderag.errors import IndexDamagedError
from coderag.index.storage.listing import (
    UNKNOWN,
    Left,
    Listed,
    Stamp,
    clock_ns,
    lstat_stamp,
    read_listing,
    signed,
    sooner,
    stamps_of,
    write_listing,
)
from tests.workspace import index_file, let_clock_tick

LISTED = Listed(
    folders={"": 17, "src": 0, "src/\udcff": 2**62},
    rules={".gitignore": 4, "../.gitignore": -1},
    skipped=(Left("a\nb.png", "unknown type"), Left("empty.py", "empty", "", Stamp(0, 5, -7))),
    stamps=(stamps_of([Stamp(1, 2, 3), UNKNOWN]), stamps_of([]), stamps_of([Stamp(4, 5, 6)])),
)


def same(one: Listed, other: Listed) -> bool:
    return (
        (one.folders, one.rules, one.skipped) == (other.folders, other.rules, other.skipped)
        and len(one.stamps) == len(other.stamps)
        and all(np.array_equal(*pair) for pair in zip(one.stamps, other.stamps, strict=True))
    )


@pytest.mark.parametrize("listed", [LISTED, Listed(), Listed(stamps=(stamps_of([]),))])
def test_there_and_back(tmp_path: Path, listed: Listed) -> None:
    write_listing(index_file(tmp_path / "listing.bin"), listed)
    assert same(read_listing(index_file(tmp_path / "listing.bin")), listed)


def test_damage(tmp_path: Path) -> None:
    path = tmp_path / "listing.bin"
    write_listing(index_file(path), LISTED)
    whole = path.read_bytes()
    chosen = random.Random(1)
    for _ in range(300):
        changed = bytearray(whole)
        changed[chosen.randrange(len(whole))] ^= 1 << chosen.randrange(8)
        path.write_bytes(changed)
        with suppress(IndexDamagedError):
            assert same(read_listing(index_file(path)), LISTED)  # a bit between two tables
    for size in (0, 5, 16, len(whole) // 2):
        path.write_bytes(whole[:size])
        with pytest.raises(IndexDamagedError):
            read_listing(index_file(path))
    path.unlink()
    with pytest.raises(IndexDamagedError, match="No such file"):
        read_listing(index_file(path))


@given(st.integers(0, 2**64 - 1))
def test_numbers_of_64_bits_have_a_place(inode: int) -> None:
    assert signed(inode) % 2**64 == inode
    assert np.array([signed(inode)], dtype=np.int64)[0] == signed(inode)


def test_what_is_as_new_as_the_look_at_it_is_not_sure(tmp_path: Path) -> None:
    path = tmp_path / "a.py"

    def written_after_the_look() -> bool:
        before = clock_ns()
        path.write_text("x")
        return lstat_stamp(str(path), before).is_sure

    # A virtual machine's clock may be set back between the two, once in a while.
    assert not all(written_after_the_look() for _ in range(3))
    now = clock_ns()
    let_clock_tick()
    assert lstat_stamp(str(path), clock_ns()).is_sure
    os.utime(path, ns=(now, now // 10**9 * 10**9))  # a file system that keeps seconds
    assert not lstat_stamp(str(path), now).is_sure
    os.utime(path, ns=(now, now + 10**12))  # of a clock that goes ahead
    assert not lstat_stamp(str(path), now).is_sure
    assert lstat_stamp(str(tmp_path / "nothing"), now) == UNKNOWN
    assert sooner(-1, now) == -1  # a rule file that is not there
