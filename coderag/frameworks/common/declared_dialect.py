"""Settings, samples of the environment, services and drivers to the dialect that an application says its database has.

It holds for the files beside and below the one that says so; what is nearest counts first. Of several, production's
wins, whether a part of a file or the file's name says it is production's, and any other one over SQLite, which stands
beside another database for tests and first steps. Where no settings say it, the migrations of a series do that have
what only one database has.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from coderag.sql.records import Facts, SchemaFile
from coderag.sql.statements.dialect import GENERIC

__all__ = ["declared_dialects", "dialect_near", "read", "with_declared_dialects"]

FALLBACK = "sqlite"
UNTOLD = frozenset({"", GENERIC})
PRODUCTION = re.compile(
    rb"(?m)^(?P<indent>[ \t]*)[\"']?(?:production|prod)[\"']?\s*:.*\n(?P<body>(?:(?P=indent)[ \t]+.*\n?|[ \t]*\n)*)"
)
ANCHOR = re.compile(rb"<<\s*:\s*\*(?P<name>\w+)")  # of YAML: what stands elsewhere belongs here
PRODUCTION_FILE = re.compile(r"(?:^|[-_./])prod(?:uction)?(?:[-_./]|$)")
TOOLS = frozenset({"rails", "knex", "ecto", "laravel", "sequelize"})
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
    return _named(_production(data), kind) or _named(data, kind)


def _named(data: bytes, kind: Kind) -> tuple[str, ...]:
    book = _names()
    words = (found.decode("ascii", "replace") for pattern in kind.patterns for found in pattern.findall(data))
    # Of "django.db.backends.postgresql" the last part names it; of "django_prometheus.db.backends.mysql" too.
    named = (book.get(word.rpartition(".")[2].lower()) for word in words)
    return tuple(dict.fromkeys(one for one in named if one))


def _production(data: bytes) -> bytes:
    """Return the part of settings that is about production, with what it takes over from another part of the file."""
    match = PRODUCTION.search(data)
    if match is None:
        return b""
    text = match["body"]
    for anchor in ANCHOR.findall(text):
        if taken := re.search(rb"(?m)^(\S.*&" + anchor + rb"\b.*\n(?:[ \t]+.*\n?|[ \t]*\n)*)", data):
            text += taken[1]
    return text


def dialect_near(path: str, declared: Iterable[tuple[str, tuple[str, ...]]]) -> str:
    """Return the dialect that files with settings say for a path; "" where they say none, or several.

    `declared` are the paths of such files with the dialects that they name.
    """
    named = [_declared(one, dialects) for one, dialects in declared]
    about = _about(path.rpartition("/")[0], named)
    return _nearest(about) or _only(about or named)


def with_declared_dialects(files: Sequence[SchemaFile]) -> list[SchemaFile]:
    """Return files of which those have the declared dialect that do not say one themselves."""
    declared = [_declared(file.path, file.facts.settings) for file in files if file.facts.settings]
    signs = [_signed(file) for file in files if file.facts.dialect and _is_of_tool(file)]
    if not declared and not signs:
        return list(files)

    @cache
    def dialect_of(folder: str, is_sql: bool, is_of_tool: bool) -> str:
        about = _about(folder, declared)
        found = _nearest(about) or _only(about)
        if not found and not about and not is_sql:  # SQL may be about any database
            found = _only(declared)
        return found or (_nearest(_about(folder, signs)) if is_of_tool else "")

    def dialect_for(file: SchemaFile) -> str:
        return dialect_of(file.path.rpartition("/")[0], file.facts.dialect == GENERIC, _is_of_tool(file))

    return [_with_dialect(file, dialect_for(file)) if _lacks_dialect(file) else file for file in files]


def _lacks_dialect(file: SchemaFile) -> bool:
    return file.facts.dialect in UNTOLD and bool(file.facts.operations)


def _with_dialect(file: SchemaFile, dialect: str) -> SchemaFile:
    if not dialect:
        return file
    return msgspec.structs.replace(file, facts=msgspec.structs.replace(file.facts, dialect=dialect))


def _is_of_tool(file: SchemaFile) -> bool:
    """Tell whether a file is a migration in the words of a tool, which are the same for every database."""
    return file.facts.series is not None and file.facts.series.tool in TOOLS


def _signed(file: SchemaFile) -> Declared:
    return Declared(tuple(file.path.split("/")[:-1]), 0, (file.facts.dialect,))


def _about(folder: str, declared: Sequence[Declared]) -> list[Declared]:
    folders = tuple(folder.split("/"))
    return [one for one in declared if folders[: len(one.folder)] == one.folder]


def _nearest(about: Sequence[Declared]) -> str:
    """Return the only server that the nearest folder's best kind of files names that names one."""
    for folder in sorted({declared.folder for declared in about}, key=len, reverse=True):
        for rank in sorted({declared.rank for declared in about if declared.folder == folder}):
            found = {
                name
                for declared in about
                if (declared.folder, declared.rank) == (folder, rank)
                for name in declared.dialects
            }
            servers = found - {FALLBACK}
            if len(servers) == 1:
                return servers.pop()
    return ""


def _only(declared: Sequence[Declared]) -> str:
    """Return the only server that is named anywhere, else the only database."""
    anywhere = {name for one in declared for name in one.dialects}
    servers = anywhere - {FALLBACK} or anywhere
    return servers.pop() if len(servers) == 1 else ""


def _declared(path: str, dialects: tuple[str, ...]) -> Declared:
    kind = _kind(path)
    folders = path.split("/")[:-1]
    while folders and ASIDE.fullmatch(folders[-1]):
        folders.pop()
    if folders and path.endswith(".py"):  # of a package beside those that have the models
        folders.pop()
    rank = kind.rank if kind is not None else 0
    return Declared(tuple(folders), 2 * rank + (PRODUCTION_FILE.search(path) is None), dialects)


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
