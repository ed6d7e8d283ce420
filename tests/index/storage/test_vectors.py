"""Vectors on disk, and how near they are to a question."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderag.encoders.encoder import quantised, unit_rows
from coderag.errors import IndexDamagedError
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.vectors import (
    Vectors,
    cosines,
    damaged_vectors,
    lengths_of,
    open_vectors,
    vectors_name,
    write_vectors,
)

NUMBERS = np.random.default_rng(7)
ROWS = NUMBERS.normal(size=(500, 256)).astype(np.float32)
QUERY = NUMBERS.normal(size=256).astype(np.float32)


@pytest.fixture
def stored(tmp_path: Path) -> Vectors:
    write_vectors(IndexPath(tmp_path), "key", quantised(ROWS))
    found = open_vectors(IndexPath(tmp_path), "key")
    assert found is not None
    return found


def test_cosines_of_eight_bits_are_those_of_floats(stored: Vectors) -> None:
    exact = unit_rows(ROWS) @ (QUERY / np.linalg.norm(QUERY))
    assert np.abs(cosines(stored, QUERY) - exact).max() < 0.005


def test_a_vector_is_nearest_to_itself(stored: Vectors) -> None:
    assert int(np.argmax(cosines(stored, ROWS[42]))) == 42
    assert cosines(stored, ROWS[42])[42] == pytest.approx(1, abs=1e-3)


@given(st.integers(1, 300), st.integers(0, 20))
def test_any_width_and_number_will_do(dimensions: int, count: int) -> None:
    rows = quantised(NUMBERS.normal(size=(count, dimensions)).astype(np.float32))
    found = cosines(Vectors(rows, lengths_of(rows)), np.ones(dimensions, dtype=np.float32))
    assert found.shape == (count,)
    assert (np.abs(found) <= 1.0001).all()


def test_nothing_is_near_to_nothing(stored: Vectors) -> None:
    assert not cosines(stored, np.zeros(256, dtype=np.float32)).any()
    empty = quantised(np.zeros((2, 256), dtype=np.float32))
    assert cosines(Vectors(empty, lengths_of(empty)), QUERY).tolist() == [0.0, 0.0]


def test_those_of_another_encoder_lie_beside(tmp_path: Path, stored: Vectors) -> None:
    write_vectors(IndexPath(tmp_path), "other", quantised(ROWS[:, :8]))
    again, other = open_vectors(IndexPath(tmp_path), "key"), open_vectors(IndexPath(tmp_path), "other")
    assert again is not None
    assert other is not None
    assert again.rows.tobytes() == stored.rows.tobytes()
    assert other.rows.shape == (500, 8)
    assert open_vectors(IndexPath(tmp_path), "third") is None


@pytest.mark.usefixtures("stored")
def test_damage_is_found(tmp_path: Path) -> None:
    path = tmp_path / vectors_name("key")
    assert damaged_vectors(IndexPath(tmp_path), "key") is None
    whole = path.read_bytes()
    path.write_bytes(whole[:-2000] + bytes([whole[-2000] ^ 1]) + whole[-1999:])
    with pytest.raises(IndexDamagedError):
        damaged_vectors(IndexPath(tmp_path), "key")
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(IndexDamagedError):
        open_vectors(IndexPath(tmp_path), "key")
