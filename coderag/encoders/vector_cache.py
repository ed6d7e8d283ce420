"""Vectors that were made once, kept on disk: by the text and by what the vectors depend on.

Format history (`user_version` of the file): **1** first.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np

from coderag.encoders.encoder import Array, Encoder, EncoderIdentity, Passage, unit_rows
from coderag.encoders.inference.passages import passage_text
from coderag.resources import user_folder

__all__ = ["MOST_BYTES", "CachedEncoder", "cache_path", "trim_vectors", "vectors_bytes"]

FORMAT = 1
FILE = f"vectors-{FORMAT}.sqlite"
MOST_BYTES = 2 << 30  # of the file; a million vectors of 768 numbers are 1.6 GB
KEPT = 0.9  # of the limit, when the least recently used are removed
SLICE = 256  # passages that are embedded before they are stored: what is lost when somebody stops
WAIT = 30.0  # seconds for another process that is writing
FRESH = 3600  # seconds in which a vector's use is not noted again
ASKED_AT_ONCE = 500  # keys in one statement; SQLite takes 999 parameters everywhere
DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
TABLE = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL, used INTEGER NOT NULL)"
INDEX = "CREATE INDEX IF NOT EXISTS vectors_used ON vectors (used)"

T = TypeVar("T")
Item = TypeVar("Item")


def cache_path(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the file of the user's cache: under $XDG_CACHE_HOME, or ~/.cache."""
    return user_folder("XDG_CACHE_HOME", ".cache", environment) / "vectors" / FILE


def vectors_bytes(path: Path) -> int:
    """Return how many bytes the cache takes on disk, with what other versions of coderag left beside it."""
    return sum(file.stat().st_size for file in _files(path))


def trim_vectors(path: Path, most_bytes: int) -> int:
    """Make the cache no larger than that, and return how many bytes were removed: 0 bytes for all of it.

    The files of other versions go first, then the vectors that were used least recently. Raises OSError, also where
    another process holds the file for too long.
    """
    before = vectors_bytes(path)
    for one in _files(path):
        if not most_bytes or not one.name.startswith(FILE):
            one.unlink(missing_ok=True)
    if vectors_bytes(path) > most_bytes:
        try:
            with closing(sqlite3.connect(path, timeout=WAIT)) as file:
                with file:
                    _remove_oldest(file, most_bytes)
                file.execute("VACUUM")  # a file whose rows went keeps its size otherwise
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF not in DAMAGED:
                raise OSError(errno.EBUSY, str(error), str(path)) from error
            for one in _files(path):
                one.unlink(missing_ok=True)
    return before - vectors_bytes(path)


def _files(path: Path) -> list[Path]:
    return sorted(one for one in path.parent.glob("vectors-*") if one.is_file() and not one.is_symlink())


def _remove_oldest(file: sqlite3.Connection, most_bytes: int) -> None:
    """Remove the least recently used vectors where they are more than may be kept."""
    counts = ("page_count", "freelist_count", "page_size")
    pages, free, page = (file.execute(f"PRAGMA {name}").fetchone()[0] for name in counts)
    size = (pages - free) * page
    if size <= most_bytes:
        return
    count = file.execute("SELECT count(*) FROM vectors").fetchone()[0]
    surplus = int(count * (1 - KEPT * most_bytes / size)) + 1
    oldest = "SELECT key FROM vectors ORDER BY used, key LIMIT ?"
    file.execute(f"DELETE FROM vectors WHERE key IN ({oldest})", (surplus,))


class CachedEncoder:
    """An encoder that embeds no passage twice; several processes may share its file.

    Vectors are kept in half precision, and what comes back is the same whether it was kept or not. A damaged file is
    started again, and one that cannot be used is done without, both with a warning.
    """

    def __init__(self, encoder: Encoder, path: Path, *, most_bytes: int = MOST_BYTES) -> None:
        """Keep the vectors of `encoder` in the file `path`, which need not exist."""
        self._encoder = encoder
        self._path = path
        self._most_bytes = most_bytes

    @property
    def identity(self) -> EncoderIdentity:
        """What the vectors depend on."""
        return self._encoder.identity

    def encode_query(self, text: str) -> Array:
        """Return f32[dimensions]; questions are not kept."""
        return self._encoder.encode_query(text)

    def encode_passages(self, passages: Sequence[Passage]) -> Array:
        """Return f32[passages, dimensions] of unit length, zeros for passages without text; raises EncoderError."""
        dimensions = self.identity.dimensions
        texts = [passage_text(one) for one in passages]
        keys = [self._key(text) for text in texts]
        rows = np.zeros((len(passages), dimensions), dtype=np.float16)
        requested = {key for key, text in zip(keys, texts, strict=True) if text}
        known = {
            key: row for key, vector in self._kept(requested).items() if _is_vector(row := _row(vector), dimensions)
        }
        lacking: dict[bytes, Passage] = {}
        for key, passage in zip(keys, passages, strict=True):
            if key in requested and key not in known:
                lacking.setdefault(key, passage)
        for some in _batched(lacking.items(), SLICE):
            vectors = self._encoder.encode_passages([passage for _, passage in some]).astype("<f2")
            made = {key: vector for (key, _), vector in zip(some, vectors, strict=True)}
            self._keep({key: vector.tobytes() for key, vector in made.items()})
            known |= made
        for place, key in enumerate(keys):
            if key in requested:
                rows[place] = known[key]
        return unit_rows(rows.astype(np.float32))

    def _key(self, text: str) -> bytes:
        data = f"{self.identity.key}\0{text}".encode("utf-8", "surrogatepass")
        return blake2b(data, digest_size=16).digest()

    def _kept(self, keys: set[bytes]) -> dict[bytes, bytes]:
        def read(file: sqlite3.Connection) -> dict[bytes, bytes]:
            vectors: dict[bytes, bytes] = {}
            stale: list[bytes] = []
            now = int(time.time())
            for some in _batched(sorted(keys), ASKED_AT_ONCE):
                marks = ",".join("?" * len(some))
                query = f"SELECT key, vector, used FROM vectors WHERE key IN ({marks})"
                for key, vector, used in file.execute(query, some):
                    vectors[key] = vector
                    if abs(now - used) > FRESH:
                        stale.append(key)
            if stale:
                file.executemany("UPDATE vectors SET used = ? WHERE key = ?", [(now, key) for key in stale])
            return vectors

        return self._with_file(read) or {}

    def _keep(self, vectors: Mapping[bytes, bytes]) -> None:
        def write(file: sqlite3.Connection) -> None:
            now = int(time.time())
            rows = [(key, vector, now) for key, vector in vectors.items()]
            file.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
            _remove_oldest(file, self._most_bytes)

        self._with_file(write)

    def _with_file(self, use: Callable[[sqlite3.Connection], T]) -> T | None:
        """Return what `use` makes of the file within one transaction; None, with a warning, where it cannot be used."""
        try:
            return self._used(use)
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF not in DAMAGED:
                self._warn(f"cannot be used, so vectors are not kept: {error}")
                return None
            self._warn(f"is damaged ({error}), so it is begun anew")
        except OSError as error:
            self._warn(f"cannot be used, so vectors are not kept: {error.strerror}")
            return None
        try:
            for end in ("", "-journal"):
                Path(f"{self._path}{end}").unlink(missing_ok=True)
            return self._used(use)
        except (OSError, sqlite3.DatabaseError) as error:
            self._warn(f"cannot be begun anew: {error}")
            return None

    def _used(self, use: Callable[[sqlite3.Connection], T]) -> T:
        # A connection for each use: none outlives a fork or is shared by threads, and opening one takes a fifth of a
        # millisecond.
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with closing(sqlite3.connect(self._path, timeout=WAIT)) as file, file:
            if file.execute("PRAGMA user_version").fetchone()[0] != FORMAT:
                file.execute(TABLE)
                file.execute(INDEX)
                file.execute(f"PRAGMA user_version = {FORMAT}")
            return use(file)

    def _warn(self, text: str) -> None:
        warnings.warn(f"the cache of vectors at {self._path} {text}", RuntimeWarning, stacklevel=3)


def _row(vector: bytes) -> Array:
    return np.frombuffer(vector, dtype="<f2") if len(vector) % 2 == 0 else np.empty(0, dtype="<f2")


def _is_vector(row: Array, dimensions: int) -> bool:
    return len(row) == dimensions and bool(np.isfinite(row).all())


def _batched(items: Iterable[Item], count: int) -> Iterator[list[Item]]:
    """Yield the items in order, so many at a time."""
    left = iter(items)
    while some := list(islice(left, count)):
        yield some
