"""Names to the 64-bit hashes they are looked up by: definitions by their names, files by the terms of their paths."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from coderag.index.arrays import Array
from coderag.text.tokens import plain_name, term_hash

__all__ = ["NO_KEYS", "definition_keys", "definition_table", "path_key", "symbol_hash"]

NO_KEYS = (0, 0)  # of a chunk that defines nothing


def symbol_hash(name: str) -> int:
    """Return the hash of a name in lower case and with dots: `get`, `session.get`."""
    return term_hash(f"={name}")


@lru_cache(maxsize=100_000)
def definition_keys(qualified_name: str) -> tuple[int, int]:
    """Return what a definition is found by: the hashes of its last name, and of that below the one before (or 0)."""
    *scopes, name = plain_name(qualified_name).split(".")
    return symbol_hash(name), symbol_hash(f"{scopes[-1]}.{name}") if scopes and scopes[-1] else 0


def definition_table(keys: Sequence[tuple[int, int]]) -> Array:
    """Return keys as a table, u64[definitions, 2]."""
    return np.array(keys, dtype=np.uint64).reshape(-1, 2)


def path_key(term: str) -> int:
    """Return the hash of a term of a path."""
    return term_hash(f"/{term}")
