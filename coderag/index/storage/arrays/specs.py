"""What arrays a file of an index must have: of which type, and which are as long as which others.

That much is known without reading them, so it is looked at whenever a file is opened. What their numbers refer to is
not: whoever uses a number as a place finds out, and `misread` is what that ends in.
"""

from __future__ import annotations

from collections.abc import Mapping

from coderag.errors import IndexDamagedError
from coderag.index.storage.arrays.arrays import Array, Arrays
from coderag.index.storage.folder.index_path import IndexPath
from coderag.record import record

__all__ = [
    "BYTES",
    "ArraySpec",
    "Specs",
    "bounds",
    "check_arrays",
    "column",
    "in_order",
    "lists",
    "packed_postings",
    "postings",
    "strings",
    "vectors",
    "within",
]

INTEGERS = frozenset("iu")  # kinds of numpy's types
ANY_LENGTH, ANY_WIDTH = "", -1


@record
class ArraySpec:
    """What an array must be."""

    kinds: frozenset[str] = INTEGERS
    rows: str = ANY_LENGTH  # of what it has a row for each, such as "chunks"; every array of a file has as many
    more: int = 0  # rows beside: 1 if its rows are the bounds of something
    width: int = 0  # numbers of a row; 0: one, and no second dimension; ANY_WIDTH: some
    item_bytes: int = 0  # of a number; 0: any


Specs = Mapping[str, ArraySpec]

BYTES = ArraySpec(frozenset("u"), item_bytes=1)


def column(rows: str, kinds: str = "iu", *, width: int = 0) -> ArraySpec:
    """Return the spec of an array that has a number, or `width` of them, for each of something."""
    return ArraySpec(frozenset(kinds), rows, width=width)


def vectors(rows: str) -> ArraySpec:
    """Return the spec of the vectors of something: eight bits a number, as many numbers as an encoder gives."""
    return ArraySpec(frozenset("i"), rows, width=ANY_WIDTH, item_bytes=1)


def bounds(rows: str) -> ArraySpec:
    """Return the spec of an array that says where each of something begins, and where the last one ends."""
    return ArraySpec(INTEGERS, rows, more=1)


def strings(name: str, rows: str) -> Specs:
    """Return the specs of what `pack_strings` gave."""
    return {f"{name}_blob": BYTES, f"{name}_offsets": bounds(rows)}


def postings(name: str) -> dict[str, ArraySpec]:
    """Return the specs of what `Postings.arrays` gave."""
    terms, found = f"terms of {name}", f"postings of {name}"
    return {
        f"{name}_hashes": column(terms),
        f"{name}_offsets": bounds(terms),
        f"{name}_docs": column(found),
        f"{name}_weights": column(found),
    }


def packed_postings(name: str) -> Specs:
    """Return the specs of what `Postings.packed` gave."""
    plain = postings(name)
    del plain[f"{name}_docs"]
    return plain | {f"{name}_doc_blob": BYTES, f"{name}_doc_starts": bounds(f"blocks of {name}")}


def lists(name: str, rows: str) -> Specs:
    """Return the specs of lists of numbers, one for each of something."""
    return {f"{name}_items": column(f"items of {name}"), f"{name}_starts": bounds(rows)}


def check_arrays(path: IndexPath, arrays: Arrays, specs: Specs) -> None:
    """Raise IndexDamagedError unless a file has the arrays that it must have."""
    counts: dict[str, int] = {}
    for name, spec in specs.items():
        form = arrays.form(name)
        if form is None:
            raise _damaged(path, f"it has no {name}")
        kind, shape = form
        if kind.kind not in spec.kinds or (spec.item_bytes and kind.itemsize != spec.item_bytes):
            raise _damaged(path, f"{name} has numbers of another type")
        if len(shape) != (2 if spec.width else 1) or (spec.width > 0 and shape[1] != spec.width):
            raise _damaged(path, f"{name} has another shape")
        if spec.rows:
            rows = shape[0] - spec.more
            if rows < 0 or counts.setdefault(spec.rows, rows) != rows:
                raise _damaged(path, f"{name} has another length")


def within(numbers: Array, count: int, *, what: str, least: int = 0) -> Array:
    """Return numbers of `count` things as they are; raises ValueError for one that is out of range."""
    if len(numbers) and not (least <= int(numbers.min()) and int(numbers.max()) < count):
        raise ValueError(f"{what} refers to what is not there")
    return numbers


def in_order(starts: Array, count: int, *, what: str) -> Array:
    """Return bounds as they are; raises ValueError where they overlap, or leave some of `count` things out."""
    if not len(starts) or starts[0] or int(starts[-1]) != count or (starts[1:] < starts[:-1]).any():
        raise ValueError(f"{what} are not there")
    return starts


def _damaged(path: IndexPath, why: str) -> IndexDamagedError:
    return IndexDamagedError(f'{path} is damaged: {why}; run "coderag index"')
