"""Names to the 64-bit hashes they are looked up by: definitions by their names, files by the terms of their paths."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from coderag.index.storage.arrays.arrays import Array
from coderag.text.tokens import plain_name, term_hash

if TYPE_CHECKING:
    from coderag.files.walk import SourceFile

__all__ = ["NO_KEYS", "definition_keys", "definition_table", "path_key", "symbol_hash", "treatment_of"]

NO_KEYS = (0, 0)  # of a chunk that defines nothing


def symbol_hash(name: str) -> int:
    """Return the hash of a name in lower case and with dots: `get`, `session.get`."""
    return term_hash(f"={name}")


@lru_cache(maxsize=100_000)
def definition_keys(qualified_name: str) -> tuple[int, int]:
    """Return what a definition is found by: the hashes of its last name, and of that below the one before (or 0)."""
    if qualified_name.isidentifier():  # as most are: nothing to take apart
        return symbol_hash(qualified_name.lower()), 0
    *scopes, name = plain_name(qualified_name).split(".")
    return symbol_hash(name), symbol_hash(f"{scopes[-1]}.{name}") if scopes and scopes[-1] else 0


def definition_table(keys: Sequence[tuple[int, int]]) -> Array:
    """Return keys as a table, u64[definitions, 2]."""
    return np.array(keys, dtype=np.uint64).reshape(-1, 2)


def treatment_of(file: SourceFile) -> int:
    """Return the hash of what decides, beside path and content, how a file is read."""
    return _treatment(file.language, file.labels, file.dialect, file.mask)


@lru_cache(maxsize=1024)
def _treatment(*parts: object) -> int:
    joined = "\0".join(",".join(sorted(part)) if isinstance(part, frozenset) else str(part) for part in parts)
    return int.from_bytes(blake2b(joined.encode(), digest_size=8).digest(), "little")


def path_key(term: str) -> int:
    """Return the hash of a term of a path."""
    return term_hash(f"/{term}")
