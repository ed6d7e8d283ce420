"""Arrays and strings on disk: what was written comes back, or is said to be damaged."""

from __future__ import annotations

import json
import tempfile
import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderag.errors import IndexDamagedError
from coderag.index.storage.arrays.arrays import (
    ALIGNMENT,
    CHECKED_BYTES,
    MAGIC,
    PREFIX,
    Array,
    damaged_array,
    open_arrays,
    write_arrays,
)
from coderag.index.storage.arrays.deflated_strings import DeflatedStrings, deflate_strings
from coderag.index.storage.arrays.number_blocks import NumberBlocks, pack_blocks
from coderag.index.storage.arrays.packing import PACKED_BYTES, pack, unpack
from coderag.index.storage.arrays.ranges import distinct
from coderag.index.storage.arrays.strings import Strings, pack_strings
from tests.workspace import index_file

DTYPES = st.sampled_from(["<u1", "<u2", "<i4", "<u8", "<f4"])


@pytest.mark.slow
@given(st.dictionaries(st.text(max_size=8), st.tuples(DTYPES, st.integers(0, 200), st.integers(1, 4)), max_size=6))
def test_arrays_come_back_as_they_were(shapes: dict[str, tuple[str, int, int]]) -> None:
    arrays = {
        name: (np.arange(rows * width) % 120).astype(dtype).reshape(rows, width)
        for name, (dtype, rows, width) in shapes.items()
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "arrays.bin")
        write_arrays(index_file(path), arrays)
        found = open_arrays(index_file(path))
        assert list(found) == list(arrays)
        for name, array in arrays.items():
            assert found[name].dtype == array.dtype
            np.testing.assert_array_equal(found[name], array)
        assert damaged_array(index_file(path)) is None


NUMBERS = st.sampled_from([np.bool_, np.uint8, np.int16, np.uint32, np.int64, np.uint64, np.float32])


@given(NUMBERS, st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=4), st.integers(1, 3), st.booleans())
def test_packed_arrays_come_back_as_they_were(
    dtype: type[np.generic], values: list[int], width: int, flat: bool
) -> None:
    with np.errstate(all="ignore"):
        numbers = np.resize(np.array(values, np.uint64).astype(dtype), 6000)
    array = numbers if flat else numbers.reshape(-1, width)
    packed = pack(array)
    assert packed is not None
    coding, data = packed
    assert len(data) < array.nbytes
    found = unpack(data, coding, dtype=array.dtype, shape=array.shape)
    assert found.dtype == array.dtype
    np.testing.assert_array_equal(found, array)


def test_what_does_not_become_smaller_is_not_packed() -> None:
    assert pack(np.random.default_rng(1).integers(256, size=5000, dtype=np.uint8)) is None
    assert pack(np.zeros(PACKED_BYTES + 1, dtype=np.uint8)) is None


@pytest.mark.slow
def test_a_packed_array_that_grows_beyond_its_size_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "arrays.bin"
    bomb = zlib.compress(bytes(64 << 20))

    def write(shape: int) -> None:
        header = json.dumps({"bomb": ["|u1", [shape], 0, zlib.crc32(bomb), 1, len(bomb)]}).encode()
        header += b" " * (-(PREFIX.size + len(header)) % ALIGNMENT)
        path.write_bytes(PREFIX.pack(MAGIC, len(header), zlib.crc32(header)) + header + bomb)

    write(1000)
    tracemalloc.start()
    with pytest.raises(IndexDamagedError, match=r"bomb: it is not the 1,000 bytes of an array"):
        open_arrays(index_file(path))["bomb"]
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()
    write(64 << 20)
    with pytest.raises(IndexDamagedError, match="bomb is no packed array"):
        open_arrays(index_file(path))


def test_large_arrays_are_checked_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "arrays.bin"
    large = np.random.default_rng(1).integers(256, size=CHECKED_BYTES + 1, dtype=np.uint8)  # which nothing packs
    write_arrays(index_file(path), {"small": np.arange(10), "large": large})
    raw = bytearray(path.read_bytes())
    raw[-100] ^= 4
    path.write_bytes(raw)
    assert open_arrays(index_file(path))["small"].tolist() == list(range(10))
    assert damaged_array(index_file(path)) == "large"


@pytest.mark.slow
def test_every_flipped_bit_and_every_lost_byte_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "arrays.bin"
    arrays: dict[str, Array] = {
        "numbers": np.arange(40, dtype=np.uint32),
        "text": np.frombuffer(b"some text", dtype=np.uint8),
        "packed": np.arange(1000, dtype=np.int64),
    }
    write_arrays(index_file(path), arrays)
    raw = path.read_bytes()
    for at in range(len(raw)):
        changed = bytearray(raw)
        changed[at] ^= 1 << at % 8
        path.write_bytes(changed)
        try:
            found = open_arrays(index_file(path))
        except IndexDamagedError:
            continue
        # The filling between two arrays.
        assert {name: array.tolist() for name, array in found.items()} == {
            name: array.tolist() for name, array in arrays.items()
        }
    last = max(at for at, byte in enumerate(raw) if byte)
    for size in range(last + 1):
        path.write_bytes(raw[:size])
        with pytest.raises(IndexDamagedError):
            open_arrays(index_file(path))


def test_a_missing_file_is_damage(tmp_path: Path) -> None:
    with pytest.raises(IndexDamagedError, match="No such file"):
        open_arrays(index_file(tmp_path / "arrays.bin"))
    with pytest.raises(IndexDamagedError, match="directory"):
        open_arrays(index_file(tmp_path))


# Names of files may hold bytes that are no text: surrogates, as Python has them (PEP 383).
NAMES = st.lists(st.text() | st.binary(max_size=6).map(lambda raw: raw.decode("utf-8", "surrogateescape")))


@given(NAMES)
def test_strings_come_back_as_they_were(strings: list[str]) -> None:
    packed = Strings(*pack_strings(strings))
    assert len(packed) == len(strings)
    assert packed.all() == strings
    assert [packed[at] for at in range(len(strings))] == strings
    assert packed.some(range(len(strings) - 1, -1, -1)) == strings[::-1]


@given(st.lists(st.text(max_size=20), max_size=600))
def test_deflated_strings_come_back_as_they_were(strings: list[str]) -> None:
    blob, offsets = deflate_strings(strings)
    found = DeflatedStrings(blob, offsets, count=len(strings))
    assert len(found) == len(strings)
    assert found.all() == strings
    some = list(range(0, len(strings), 7))
    assert found.some(some) == [strings[at] for at in some]


@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=40), st.integers(1, 7000), st.data())
def test_blocks_of_numbers_come_back_as_they_were(values: list[int], count: int, data: st.DataObject) -> None:
    numbers = np.resize(np.array(values, np.uint32), count)
    found = NumberBlocks(*pack_blocks(numbers), count=count)
    np.testing.assert_array_equal(found.all(), numbers)
    begin, end = data.draw(st.integers(0, count)), data.draw(st.integers(0, count + 1))
    np.testing.assert_array_equal(found[begin:end], numbers[begin:end])


def test_numbers_of_many_blocks_are_the_same_when_they_are_read_again() -> None:
    numbers = np.arange(0, 600_000, 3, dtype=np.uint32)
    found = NumberBlocks(*pack_blocks(numbers), count=len(numbers))
    slices = [slice(begin, begin + 5000) for begin in range(0, 190_000, 2500)] + [slice(0, len(numbers))]
    for _ in range(2):
        for one in slices:
            np.testing.assert_array_equal(found[one], numbers[one])


def test_damaged_blocks_of_numbers_say_so() -> None:
    blob, starts = pack_blocks(np.arange(9000) ** 2)
    broken = blob.copy()
    broken[len(broken) // 2 :] ^= 0xFF
    found = NumberBlocks(broken, starts, count=9000)
    assert found[:3].tolist() == [0, 1, 4]
    with pytest.raises(IndexDamagedError, match="numbers of an index are damaged"):
        found.all()
    with pytest.raises(IndexDamagedError, match="their number"):
        NumberBlocks(blob, starts, count=90_000)


def test_damaged_deflated_strings_say_so() -> None:
    blob, offsets = deflate_strings([f"name_{number}" for number in range(1000)])
    broken = blob.copy()
    broken[len(broken) // 2 :] ^= 0xFF
    found = DeflatedStrings(broken, offsets, count=1000)
    assert found[0] == "name_0"
    with pytest.raises(IndexDamagedError, match="names of an index are damaged"):
        found.all()


@pytest.mark.parametrize("numbers", [[], [4], [3, 1, 3, 2, 1], [-1, 5, -1]])
def test_distinct_numbers_are_in_order_and_each_there_once(numbers: list[int]) -> None:
    assert distinct(np.array(numbers, dtype=np.int64)).tolist() == sorted(set(numbers))
