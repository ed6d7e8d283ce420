"""SQL with what an installation puts in front of names of tables to SQL with the names alone."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

__all__ = ["without_prefixes"]


class Book(NamedTuple):
    """How placeholders of a prefix are written."""

    signs: tuple[bytes, ...]  # a text that holds none of them has no placeholder
    pattern: re.Pattern[bytes]


def without_prefixes(data: bytes) -> bytes:
    """Return SQL without the placeholders in front of names: users of `${prefix}users` and of `#__users`.

    A name that is nothing but a placeholder stays.
    """
    book = _book()
    return book.pattern.sub(b"", data) if any(sign in data for sign in book.signs) else data


@cache
def _book() -> Book:
    table = tomllib.loads(Path(__file__).with_name("prefixes.toml").read_text(encoding="utf-8"))
    # Where a name begins, bare or in quotes; not '...', which is a text.
    pattern = rf"""(?<=[\s`"\[.(,])(?:{"|".join(table["patterns"])})_?(?=[A-Za-z])"""
    return Book(tuple(sign.encode() for sign in table["signs"]), re.compile(pattern.encode()))
