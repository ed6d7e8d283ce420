"""Settings, samples of the environment and services to the dialect that an application says its database has.

It holds for the files beside and below the one that says so; what is nearest counts first.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from coderag.sql.model import Facts, SchemaFile

__all__ = ["declared_dialects", "dialect_near", "read", "with_declared_dialects"]

FALLBACK = "sqlite"  # beside another database it is the one for tests and first steps
# Folders that hold what is said of the folder around them.
ASIDE = re.compile(
    r"(?:\.[\w.-]+|config|conf|settings|docker|deploy|deployment|deployments|environments|env|resources)"
)


class Kind(NamedTuple):
    """A kind of files that name the dialect."""

    name: str
    rank: int
    files: re.Pattern[str]
    patterns: Sequence[re.Pattern[bytes]]


class Declared(NamedTuple):
    """The dialects that a file names, the best kind of files first."""

    folder: tuple[str, ...]  # that it is about
    rank: int
    dialects: tuple[str, ...]


def read(data: bytes, *, language: str, path: str) -> Facts | None:  # noqa: ARG001
    """Return the dialects that a file says the application's database has, None for a file that says none."""
    found = declared_dialects(data, path)
    return Facts(settings=found) if found else None


def declared_dialects(data: bytes, path: str) -> tuple[str, ...]:
    """Return the dialects that a file with settings names, none for any other file."""
    kind = _kind(path)
    if kind is None:
        return ()
    book = _names()
    words = (found.decode("ascii", "replace") for pattern in kind.patterns for found in pattern.findall(data))
    # Of "django.db.backends.postgresql" the last part names it; of "django_prometheus.db.backends.mysql" too.
    named = (book.get(word.rpartition(".")[2].lower()) for word in words)
    return tuple(dict.fromkeys(one for one in named if one))


def dialect_near(path: str, declared: Iterable[tuple[str, tuple[str, ...]]]) -> str:
    """Return the dialect that files with settings say for a path; "" where they say none, or several.

    `declared` are the paths of such files with the dialects that they name.
    """
    return _near(path, [_declared(one, dialects) for one, dialects in declared])


def with_declared_dialects(files: Sequence[SchemaFile]) -> list[SchemaFile]:
    """Return files of which those have the declared dialect that do not say one themselves."""
    declared = [_declared(file.path, file.facts.settings) for file in files if file.facts.settings]
    if not declared:
        return list(files)
    by_folder: dict[str, str] = {}

    def of_folder(path: str) -> str:
        folder = path.rpartition("/")[0]
        if folder not in by_folder:
            by_folder[folder] = _near(path, declared)
        return by_folder[folder]

    return [_with_dialect(file, of_folder(file.path)) for file in files]


def _with_dialect(file: SchemaFile, dialect: str) -> SchemaFile:
    if file.facts.dialect or not file.facts.operations or not dialect:
        return file
    return msgspec.structs.replace(file, facts=msgspec.structs.replace(file.facts, dialect=dialect))


def _near(path: str, declared: Sequence[Declared]) -> str:
    folders = tuple(path.split("/")[:-1])
    about = [one for one in declared if folders[: len(one.folder)] == one.folder]
    for folder in sorted({one.folder for one in about}, key=len, reverse=True):
        for rank in sorted({one.rank for one in about if one.folder == folder}):
            found = {name for one in about if (one.folder, one.rank) == (folder, rank) for name in one.dialects}
            servers = found - {FALLBACK}
            if len(servers) == 1:
                return servers.pop()
    anywhere = {name for one in about or declared for name in one.dialects}
    servers = anywhere - {FALLBACK} or anywhere
    return servers.pop() if len(servers) == 1 else ""


def _declared(path: str, dialects: tuple[str, ...]) -> Declared:
    kind = _kind(path)
    folders = path.split("/")[:-1]
    while folders and ASIDE.fullmatch(folders[-1]):
        folders.pop()
    if folders and path.endswith(".py"):  # of a package beside those that have the models
        folders.pop()
    return Declared(tuple(folders), kind.rank if kind is not None else 0, dialects)


def _kind(path: str) -> Kind | None:
    name = path.rpartition("/")[2]
    return next((kind for kind in _kinds() if kind.files.fullmatch(name) or kind.files.fullmatch(path)), None)


@cache
def _kinds() -> tuple[Kind, ...]:
    return tuple(
        Kind(
            one["name"], one["rank"], re.compile(one["files"]), [re.compile(text.encode()) for text in one["patterns"]]
        )
        for one in _book()["kind"]
    )


@cache
def _names() -> Mapping[str, str]:
    return {name: dialect for dialect, names in _book()["dialects"].items() for name in names}


@cache
def _book() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("declared_dialect.toml").read_text(encoding="utf-8"))
