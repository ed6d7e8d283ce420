"""A list of applications, as TOML, to records.

[forem]
tree = "trees/forem"                # relative to the list
framework = "Rails"
truth = "schema.rb"                 # or "sqlite", "postgres", or "json" ({tables: {name: {columns, pk, fks}}})
files = ["db/schema.rb"]            # what the truth is read from, or run; globs, each one's files in natural order
snapshot = ["db/schema.rb"]         # left out in the variant "folded"
elsewhere = ["db/queue_schema.rb"]  # tables of these are of other databases: neither asked for nor held against it
databases = 2                       # that the application really has; 1 unless said
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Application", "BookError", "matching", "read_book"]

TRUTHS = ("schema.rb", "sqlite", "postgres", "json")
DIGITS = re.compile(r"(\d+)")


class BookError(Exception):
    """A list of applications that cannot be used."""


@dataclass(frozen=True, slots=True)
class Application:
    """An application and where its truth is."""

    name: str
    tree: Path
    truth: str
    files: tuple[str, ...]
    framework: str = ""
    snapshot: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    databases: int = 1


def read_book(path: Path) -> list[Application]:
    """Return the applications of a list; raises BookError."""
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BookError(f"{path}: {error}") from error
    return [_application(path, name, entry) for name, entry in entries.items()]


def _application(path: Path, name: str, entry: object) -> Application:
    if not isinstance(entry, dict):
        raise BookError(f"{path}: {name} is no table")
    known: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
    try:
        one = Application(name, path.parent / known.pop("tree"), **known)
    except (KeyError, TypeError) as error:
        raise BookError(f"{path}: [{name}] needs tree, truth and files: {error}") from error
    if one.truth not in TRUTHS:
        raise BookError(f"{path}: [{name}] has the truth {one.truth!r}; it is one of {', '.join(TRUTHS)}")
    if not one.tree.is_dir():
        raise BookError(f"{path}: the tree of [{name}], {one.tree}, is no folder")
    return one


def matching(tree: Path, globs: Sequence[str]) -> list[Path]:
    """Return the files of a tree in the order of the globs, those of one glob as people count: 2 before 10."""
    return [path for glob in globs for path in sorted(tree.glob(glob), key=lambda path: _natural(path, tree))]


def _natural(path: Path, tree: Path) -> list[tuple[int, str]]:
    parts = DIGITS.split(path.relative_to(tree).as_posix())
    return [(int(part), "") if number % 2 else (0, part) for number, part in enumerate(parts)]
