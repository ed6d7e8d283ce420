"""Texts and numbers as columns that DuckDB takes without a look at each value in Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from coderag.index.storage.arrays.arrays import Array

__all__ = ["Columns", "joined", "labelled", "lists", "nullable", "stacked", "texts"]

Columns = Mapping[str, Array]  # by name, all of one length
NONE = -1  # of positions in a pool


def texts(values: Sequence[str | None]) -> Array:
    """Return texts as an array of objects; bytes of names that are no UTF-8 become replacement characters."""
    found = np.empty(len(values), object)
    found[:] = values
    try:
        "".join(value for value in values if value).encode()
    except UnicodeEncodeError:
        found[:] = [value and value.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for value in values]
    return found


def labelled(pool: Sequence[str | None], codes: Array) -> Array:
    """Return the text of each code; NULL for -1. Equal texts are one object."""
    found: Array = texts([*pool, None])[codes]
    return found


def lists(values: Sequence[Sequence[str]]) -> Array:
    """Return lists of texts as an array of objects."""
    found = np.empty(len(values), object)
    for number, value in enumerate(values):
        found[number] = texts(list(value)).tolist()
    return found


def nullable(values: Any, missing: Any) -> Array:
    """Return numbers of which some are NULL: bool[n] says which."""
    return np.ma.masked_array(np.asarray(values), mask=np.asarray(missing))


def joined(arrays: Iterable[Array], dtype: type[np.generic]) -> Array:
    """Return arrays as one, also where there are none."""
    return np.concatenate([np.zeros(0, dtype), *arrays]).astype(dtype, copy=False)


def stacked(arrays: Sequence[Array]) -> Array:
    """Return columns of several roots as one, with their NULLs."""
    values = np.concatenate([np.ma.getdata(one) for one in arrays])
    if not any(isinstance(one, np.ma.MaskedArray) for one in arrays):
        return values
    return nullable(values, np.concatenate([np.ma.getmaskarray(one) for one in arrays]))
