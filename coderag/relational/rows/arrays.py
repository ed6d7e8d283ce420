"""Texts and numbers as columns that DuckDB takes without a look at each value in Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from coderag.index.storage.arrays.arrays import Array
from coderag.record import record

__all__ = ["Column", "Columns", "Labels", "constant", "joined", "labelled", "lists", "nullable", "stacked", "texts"]


MAX_LABELS = 64  # of a column that a query looks up; each part of a query has a list of them


@record
class Labels:
    """A column of a few texts: the place of each in a pool, counted from 1, and 0 for NULL."""

    places: Array
    pool: Array


Column = Array | Labels
Columns = Mapping[str, Column]  # by name, all of one length


def texts(values: Sequence[str | None]) -> Array:
    """Return texts as an array of objects; bytes of names that are no UTF-8 become replacement characters."""
    objects = np.empty(len(values), object)
    objects[:] = values
    try:
        "".join(value for value in values if value).encode()
    except UnicodeEncodeError:
        objects[:] = [value and value.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for value in values]
    return objects


def labelled(pool: Sequence[str | None], codes: Array) -> Column:
    """Return the text of each code; NULL for -1."""
    return _labels(texts([None, *pool]), codes.astype(np.int64) + 1)


def constant(text: str, size: int) -> Column:
    """Return a text so many times."""
    return labelled([text], np.zeros(size, np.int64))


def _labels(pool: Array, places: Array) -> Column:
    """Return the text of each place in a pool whose first is NULL; equal texts are one object."""
    if len(pool) > MAX_LABELS:
        found: Array = pool[places]
        return found
    return Labels(places.astype(np.uint8), pool[1:])


def lists(values: Sequence[Sequence[str]]) -> Array:
    """Return lists of texts as an array of objects."""
    objects = np.empty(len(values), object)
    for number, value in enumerate(values):
        objects[number] = texts(list(value)).tolist()
    return objects


def nullable(values: Any, missing: Any) -> Array:
    """Return numbers of which some are NULL: bool[n] says which."""
    return np.ma.masked_array(np.asarray(values), mask=np.asarray(missing))


def joined(arrays: Iterable[Array], dtype: type[np.generic]) -> Array:
    """Return arrays as one, also where there are none."""
    return np.concatenate([np.zeros(0, dtype), *arrays]).astype(dtype, copy=False)


def _texts_of(labels: Labels) -> Array:
    found: Array = np.concatenate([texts([None]), labels.pool])[labels.places]
    return found


def stacked(columns: Sequence[Column]) -> Column:
    """Return columns of several roots as one, with their NULLs."""
    arrays = [_texts_of(column) if isinstance(column, Labels) else column for column in columns]
    values = np.concatenate([np.ma.getdata(array) for array in arrays])
    if not any(isinstance(array, np.ma.MaskedArray) for array in arrays):
        return values
    return nullable(values, np.concatenate([np.ma.getmaskarray(array) for array in arrays]))
