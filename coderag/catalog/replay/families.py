"""Tables that are alike but for a number or date in their names, to one table that stands for all."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from coderag.catalog.replay.mutable import MutableTable
from coderag.sql.records import ObjectKind
from coderag.sql.statements.names import Key, key_of

__all__ = ["families", "natural_key"]

MIN_FAMILY = 3  # of two, the numbers may mean something
MIN_COUNTED = 5  # of tables that are just counted, as address1, address2
MIN_WIDTH = 2  # digits of numbers that are written with as many each: dates and parts of them, shards
DIGITS = re.compile(r"\d+")
KINDS = frozenset({ObjectKind.TABLE, ObjectKind.EXTERNAL_TABLE})


def families(tables: Iterable[MutableTable]) -> list[list[MutableTable]]:
    """Return the lists of tables of one schema whose names differ in digits only and whose columns are the same.

    Each is sorted by the numbers; the last, which is the newest of date shards, is to stand for all.
    """
    found: defaultdict[tuple[Key, tuple[str, ...]], list[MutableTable]] = defaultdict(list)
    for table in tables:
        database, schema, name = key_of(table.name)
        pattern = DIGITS.sub("#", name)
        if pattern != name and table.record.kind in KINDS and table.columns:
            found[(database, schema, pattern), tuple(map(str.casefold, table.columns))].append(table)
    return [
        sorted(members, key=lambda table: natural_key(table.name.name))
        for members in found.values()
        if len(members) >= (MIN_FAMILY if _are_shards(members) else MIN_COUNTED)
    ]


def _are_shards(members: Sequence[MutableTable]) -> bool:
    """Tell whether the numbers that differ are written with as many digits each, as dates are."""
    for runs in zip(*(DIGITS.findall(table.name.name) for table in members), strict=True):
        if len(set(runs)) > 1 and (len({len(run) for run in runs}) > 1 or len(runs[0]) < MIN_WIDTH):
            return False
    return True


def natural_key(name: str) -> tuple[tuple[int, ...], str]:
    """Return what sorts names by the numbers in them, the first number first."""
    return tuple(int(digits) for digits in DIGITS.findall(name)), name.casefold()
