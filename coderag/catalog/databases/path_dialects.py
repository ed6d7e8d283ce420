"""Paths to the dialects that they name, and to what is left of them without."""

from __future__ import annotations

import re
from functools import cache

from coderag.sql.statements.dialect import dialects

__all__ = ["OTHERS", "edition_key", "path_dialect", "without_dialect"]

# Databases whose SQL is read as another dialect's, as names of files and folders say them.
OTHERS = frozenset("cockroach cockroachdb derby firebird h2 hana hsqldb informix sybase yugabyte".split())
SEPARATORS = re.compile(r"[^a-z0-9/]+")
MIN_GLUED = 5  # letters of a dialect's name that tells it inside a word too: MySqlMigrations


@cache
def _words() -> dict[str, str]:
    return {word: dialect.name for dialect in dialects().values() for word in dialect.paths} | {
        word: word for word in OTHERS
    }


@cache
def _pattern() -> re.Pattern[str]:
    words = sorted(_words(), key=len, reverse=True)
    glued = [word for word in words if len(word) >= MIN_GLUED]
    alone = rf"(?<![a-z0-9])(?:{'|'.join(map(re.escape, words))})(?![a-z0-9])"
    return re.compile(rf"{alone}|(?<![a-z0-9])(?:{'|'.join(map(re.escape, glued))})(?=[a-z0-9])")


@cache
def path_dialect(path: str) -> str:
    """Return the dialect that a path names, the innermost; "" if it names none."""
    found = _pattern().findall(path.lower())
    return _words()[found[-1]] if found else ""


@cache
def edition_key(path: str) -> str:
    """Return a path without the dialects in it, which is the same for each edition of a file; "" if it has none."""
    without, count = _pattern().subn("", path.lower())
    if not count:
        return ""
    pieces = (SEPARATORS.sub("-", piece).strip("-") for piece in without.split("/"))
    return "/".join(filter(None, pieces))


def without_dialect(name: str) -> str:
    """Return a name without the dialects in it: shop of shop_mysql."""
    matches = list(_pattern().finditer(name.lower()))
    for match in reversed(matches):
        name = f"{name[: match.start()]} {name[match.end() :]}"
    return re.sub(r"[-_. ]* [-_. ]*", "_", name).strip("-_. ") if matches else name
