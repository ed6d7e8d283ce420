"""Vectors kept on disk, with an encoder that counts what it is asked."""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

from coderag.encoders.encoder import Array, EncoderIdentity, Passage, unit_rows
from coderag.encoders.inference.passages import passage_text
from coderag.encoders.vector_cache import CachedEncoder, cache_path, trim_vectors, vectors_bytes

WIDTH = 16


class CountingEncoder:
    """An encoder whose vectors depend on the text alone, and which notes what it was asked."""

    def __init__(self, name: str = "counting") -> None:
        self.identity = EncoderIdentity("test", name, dimensions=WIDTH)
        self.asked: list[str] = []

    def encode_passages(self, passages: Sequence[Passage]) -> Array:
        texts = [passage_text(passage) for passage in passages]
        self.asked += texts
        return unit_rows(np.stack([vector(text) for text in texts]))

    def encode_query(self, text: str) -> Array:
        return vector(text)


def vector(text: str) -> Array:
    return np.random.default_rng(list(text.encode())).normal(size=WIDTH).astype(np.float32)


def passages(count: int, begin: int = 0) -> list[Passage]:
    return [
        Passage("f" if number else "", "", "a.py", f"def f{number}(): ..." if number else "")
        for number in range(begin, begin + count)
    ]


def encode_in_a_process(path: Path, begin: int) -> list[list[float]]:
    found: list[list[float]] = CachedEncoder(CountingEncoder(), path).encode_passages(passages(50, begin)).tolist()
    return found


def rows_in(path: Path) -> int:
    with closing(sqlite3.connect(path)) as file:
        count: int = file.execute("SELECT count(*) FROM vectors").fetchone()[0]
    return count


def test_no_passage_is_embedded_twice(tmp_path: Path) -> None:
    path = tmp_path / "deep/er/vectors.sqlite"
    first, second = CountingEncoder(), CountingEncoder()
    rows = CachedEncoder(first, path).encode_passages([*passages(600, 1), *passages(3, 1)])
    again = CachedEncoder(second, path).encode_passages([*passages(2, 600), *passages(600, 1)])
    assert len(first.asked) == 600
    assert second.asked == ["# a.py f\ndef f601(): ..."]
    assert np.array_equal(rows[:600], again[2:])
    assert np.array_equal(rows[600:], rows[:3])
    assert np.allclose(rows[:600], CountingEncoder().encode_passages(passages(600, 1)), atol=1e-3)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)


def test_vectors_of_another_encoder_are_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    other = CountingEncoder("other")
    CachedEncoder(CountingEncoder(), path).encode_passages(passages(5, 1))
    CachedEncoder(other, path).encode_passages(passages(5, 1))
    assert len(other.asked) == 5


def test_passages_without_text_are_zeros_and_not_asked(tmp_path: Path) -> None:
    encoder = CountingEncoder()
    cached = CachedEncoder(encoder, tmp_path / "v.sqlite")
    rows = cached.encode_passages([Passage("", "", "a.py", " "), *passages(1, 1)])
    assert not rows[0].any()
    assert len(encoder.asked) == 1
    assert cached.encode_passages([]).shape == (0, WIDTH)
    assert np.array_equal(cached.encode_query("retry"), encoder.encode_query("retry"))
    assert cached.identity == encoder.identity


def test_the_least_recently_used_go_when_it_is_full(tmp_path: Path) -> None:
    path = tmp_path / "v.sqlite"
    limit = 60_000
    old = CachedEncoder(CountingEncoder(), path, most_bytes=limit)
    old.encode_passages(passages(200, 1))
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("UPDATE vectors SET used = used - 100000")
    old.encode_passages(passages(50, 1))  # used again: they are kept
    old.encode_passages(passages(1000, 1000))
    encoder = CountingEncoder()
    CachedEncoder(encoder, path, most_bytes=limit).encode_passages(passages(200, 1))
    assert rows_in(path) < 1000
    assert path.stat().st_size < 2 * limit
    assert len(encoder.asked) >= 150


@pytest.mark.parametrize("content", [b"nonsense" * 1000, b"SQLite format 3\0" + b"x" * 5000])
def test_a_damaged_file_is_begun_anew_with_a_warning(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "v.sqlite"
    path.write_bytes(content)
    encoder = CountingEncoder()
    with pytest.warns(RuntimeWarning, match=r"v\.sqlite is damaged .* begun anew"):
        rows = CachedEncoder(encoder, path).encode_passages(passages(5, 1))
    assert rows.any(axis=1).all()
    assert rows_in(path) == 5
    CachedEncoder(encoder, path).encode_passages(passages(5, 1))
    assert len(encoder.asked) == 5


def test_a_file_damaged_in_the_middle_gives_right_vectors(tmp_path: Path) -> None:
    path = tmp_path / "v.sqlite"
    right = CachedEncoder(CountingEncoder(), path).encode_passages(passages(500, 1))
    data = bytearray(path.read_bytes())
    data[4096 : 3 * 4096] = b"\xff" * (2 * 4096)
    path.write_bytes(data)
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        rows = CachedEncoder(CountingEncoder(), path).encode_passages(passages(500, 1))
    assert np.allclose(rows, right, atol=1e-3)


def test_a_row_that_is_no_vector_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "v.sqlite"
    right = CachedEncoder(CountingEncoder(), path).encode_passages(passages(4, 1))
    with closing(sqlite3.connect(path)) as file, file:
        keys = [key for (key,) in file.execute("SELECT key FROM vectors ORDER BY key")]
        for key, bad in zip(keys, [b"", b"abc", b"\x00\x7e" * WIDTH, b"\x00\x00" * (WIDTH + 1)], strict=True):
            file.execute("UPDATE vectors SET vector = ? WHERE key = ?", (bad, key))
    assert np.array_equal(CachedEncoder(CountingEncoder(), path).encode_passages(passages(4, 1)), right)


def test_a_file_that_cannot_be_used_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    for path in (tmp_path / "folder", tmp_path / "file/v.sqlite"):
        with pytest.warns(RuntimeWarning, match="vectors are not kept"):
            rows = CachedEncoder(CountingEncoder(), path).encode_passages(passages(3, 1))
        assert rows.any(axis=1).all()


@pytest.mark.slow
def test_several_processes_and_threads_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "v.sqlite"
    begins = [1, 20, 40, 60] * 3
    with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as pool:
        found = list(pool.map(encode_in_a_process, [path] * len(begins), begins))
    with ThreadPoolExecutor(4) as threads:
        again = list(threads.map(encode_in_a_process, [path] * len(begins), begins))
    assert found == again
    assert rows_in(path) == 109


def test_the_file_lies_where_caches_lie(tmp_path: Path) -> None:
    assert cache_path({"XDG_CACHE_HOME": str(tmp_path)}) == tmp_path / "coderag/vectors/vectors-1.sqlite"
    assert cache_path({"XDG_CACHE_HOME": "relative"}) == Path.home() / ".cache/coderag/vectors/vectors-1.sqlite"


@pytest.mark.slow
def test_the_least_recently_used_are_removed_when_it_is_trimmed(tmp_path: Path) -> None:
    path = tmp_path / "vectors-1.sqlite"
    encoder = CountingEncoder()
    cached = CachedEncoder(encoder, path)
    cached.encode_passages(passages(3000))
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("UPDATE vectors SET used = used - 10000")
    cached.encode_passages(passages(20, 1000))  # used again
    (tmp_path / "vectors-0.sqlite").write_bytes(b"x" * 5000)  # of an older version
    before, limit = vectors_bytes(path), 200_000
    assert trim_vectors(path, limit) == before - vectors_bytes(path)
    assert 0 < vectors_bytes(path) <= limit
    assert not (tmp_path / "vectors-0.sqlite").exists()
    asked = len(encoder.asked)
    cached.encode_passages(passages(20, 1000))
    assert len(encoder.asked) == asked
    assert trim_vectors(path, 0) > 0
    assert vectors_bytes(path) == 0


def test_a_damaged_cache_is_removed_when_it_is_trimmed(tmp_path: Path) -> None:
    path = tmp_path / "vectors-1.sqlite"
    path.write_bytes(b"no database" * 1000)
    assert trim_vectors(path, 1000) == 11_000
    assert trim_vectors(path, 1000) == 0
