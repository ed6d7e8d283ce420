"""The `[schema]` table of a root's settings to what it says of a file.

It stands in coderag.toml, or in pyproject.toml as `[tool.coderag.schema]`:

    [schema]
    dialect = "postgres"            # of every file that no table below matches

    [[schema.files]]
    path = ["sql/prod/", "*.dump"]  # globs as in .gitignore
    database = "shop"
    environment = "prod"

Of several tables that match a file, a later one overrides an earlier one key by key.

Who may see what stands in `[[access]]`, in coderag.toml alone:

    [[access]]
    paths = ["payroll/", "!payroll/README.md"]  # globs as of `--path`
    databases = ["salaries"]
    repositories = ["shop"]
    groups = ["hr", "audit"]

A table names a file when one of its globs, databases or repositories does. A file is for callers that are in at least
one group of each table that names it, and for everybody where none does. The tables of every coderag.toml in the
folders that a file lies in count (coderag.index.reader.rule_files).
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from coderag.errors import QueryError, SettingsError
from coderag.files.globs import split_globs
from coderag.files.ignore import Rules, parse_rules
from coderag.files.root_file import read_root_file
from coderag.record import record

__all__ = [
    "READS",
    "SETTINGS_FILES",
    "AccessRule",
    "FileSettings",
    "Settings",
    "check_count",
    "parse_access_rules",
    "read_access_rules",
    "read_ask_table",
    "read_encoder_table",
    "read_settings",
]

SETTINGS_FILES = ("coderag.toml", "pyproject.toml")  # the first that has a table of ours counts
# How a file is read, and the language whose files are; "" is no setting.
READS = {"ddl": "sql", "glossary": "glossary", "off": "", "queries": "sql", "querylog": "querylog"}
DOCUMENTS = (".md", ".markdown", ".rst", ".ipynb")  # what these hold is found by their own readers
TABLES = frozenset({"access", "ask", "encoder", "schema"})
TEXTS = ("database", "dialect", "domain", "environment", "read")
FLAGS = ("mask_literals",)
NAMED_BY = ("databases", "paths", "repositories")  # the keys of an access rule that name files
MOST_GLOBS = 256  # in the tables of a kind, and such tables: each file is compared with all of them
# A key of so many parts, for which tomllib would take quadratic time: hours for a megabyte of "a.a.a.a".
LONG_KEY = re.compile(
    rb"""(?:(?:(?<![\w-])[\w-]{1,100}|"(?:[^"\\\n]|\\.){0,100}"|'[^'\n]{0,100}')[ \t]*\.[ \t]*){32}"""
)


@record
class FileSettings:
    """What the settings say of a file; "" and None say nothing."""

    database: str = ""
    dialect: str = ""
    domain: str = ""
    environment: str = ""
    read: str = ""  # as what: one of READS
    mask_literals: bool | None = None

    def over(self, other: FileSettings) -> FileSettings:
        """Return these settings, and those of the other where these say nothing."""
        masks = other.mask_literals if self.mask_literals is None else self.mask_literals
        texts = {name: getattr(self, name) or getattr(other, name) for name in TEXTS}
        return FileSettings(**texts, mask_literals=masks)


@record
class FileRule:
    """A table `[[schema.files]]`: globs and what holds for the files that they match."""

    globs: tuple[str, ...]
    settings: FileSettings

    def matches(self, path: str) -> bool:
        """Tell whether the globs match a file or one of its parent folders."""
        rules = _rules(self.globs)
        raw = path.encode("utf-8", "surrogateescape")
        folder = False
        while raw:
            verdict = rules.match(raw, raw.rpartition(b"/")[2], folder=folder)
            if verdict is not None:
                return verdict
            raw, folder = raw.rpartition(b"/")[0], True
        return False


@record
class AccessRule:
    """A table `[[access]]`: which files it names, and the groups that may see them."""

    groups: tuple[str, ...]  # none: nobody but who asks without groups
    paths: tuple[str, ...] = ()
    databases: tuple[str, ...] = ()
    repositories: tuple[str, ...] = ()


@record
class Settings:
    """What a root's settings say of the schemas in it."""

    name: str = ""  # the root's: a database that nothing else gives a name is called so
    defaults: FileSettings = FileSettings()
    files: tuple[FileRule, ...] = ()

    @property
    def assigned(self) -> tuple[tuple[str, str], ...]:
        """Return globs and the languages that the settings give the files that they match, "" for none."""
        return tuple(
            (glob, READS[rule.settings.read])
            for rule in self.files
            if rule.settings.read
            for glob in rule.globs
            if not glob.startswith("!") and not (READS[rule.settings.read] and glob.lower().endswith(DOCUMENTS))
        )

    def for_path(self, path: str) -> FileSettings:
        """Return what holds for the file at a path relative to the root."""
        file_settings = self.defaults
        for rule in self.files:
            if rule.matches(path):
                file_settings = rule.settings.over(file_settings)
        return file_settings


@lru_cache(maxsize=MOST_GLOBS)
def _rules(globs: tuple[str, ...]) -> Rules:
    return parse_rules("\n".join(globs).encode("utf-8", "surrogateescape"))


def read_settings(root: Path) -> Settings:
    """Return the settings of a root; those of a root without any say nothing.

    Raises SettingsError for a file that is no TOML, and for an unknown key or value, naming file and key.
    """
    name = root.resolve().name
    file, table = _own_table(root)
    return _settings(_table(table, "schema", file), name, file) if table else Settings(name)


def read_encoder_table(root: Path) -> Mapping[str, Any]:
    """Return what a root's settings say of its encoder, {} for nothing; raises like `read_settings`."""
    file, table = _own_table(root)
    return _table(table, "encoder", file)


def read_ask_table(root: Path) -> tuple[str, Mapping[str, Any]]:
    """Return a root's file of settings and what it says of answers, {} for nothing; raises like `read_settings`."""
    file, table = _own_table(root)
    return file, _table(table, "ask", file)


def read_access_rules(root: Path) -> tuple[AccessRule, ...]:
    """Return who may see what of a root, () where everybody may see all; raises like `read_settings`."""
    file, table = _own_table(root)
    if "access" in table and file != SETTINGS_FILES[0]:
        # A broken pyproject.toml is passed over, and rules must not vanish so.
        raise SettingsError(f"{file}: 'access' belongs in {SETTINGS_FILES[0]}, as [[access]]")
    return parse_access_rules(table, file)


def parse_access_rules(table: Mapping[str, Any], file: str) -> tuple[AccessRule, ...]:
    """Return the access rules among the settings of a file; raises SettingsError, also for a table that is unknown."""
    _only(table, TABLES, where=f"{file}:")
    found = table.get("access", [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise SettingsError(f"{file}: 'access' must be tables, written [[access]]")
    where = f"{file}: [[access]]"
    check_count(len(found), where)
    rules = tuple(_access_rule(one, f"{where} number {number}") for number, one in enumerate(found, 1))
    check_count(sum(len(rule.paths) for rule in rules), where)
    return rules


def _access_rule(table: Mapping[str, Any], where: str) -> AccessRule:
    _only(table, {*NAMED_BY, "groups"}, where=where)
    for key, value in table.items():
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
            raise SettingsError(f"{where}: {key!r} must be a list of texts")
    if "groups" not in table:
        raise SettingsError(f"{where}: 'groups' is missing; [] lets nobody see")
    if not any(table.get(key) for key in NAMED_BY):
        raise SettingsError(f"{where}: it names nothing; give {', '.join(NAMED_BY)}")
    try:
        split_globs(table.get("paths", ()))
    except QueryError as error:
        raise SettingsError(f"{where}: {error}") from error
    return AccessRule(**{key: tuple(value) for key, value in table.items()})


def _own_table(root: Path) -> tuple[str, Mapping[str, Any]]:
    """Return the file that holds a root's settings, and all of them: {} if there are none."""
    for file in SETTINGS_FILES:
        found = _read_toml(root, file)
        table = found if file == SETTINGS_FILES[0] else _table(_table(found, "tool", file), "coderag", file)
        if table:
            _only(table, TABLES, where=f"{file}:")
            return file, table
    return SETTINGS_FILES[0], {}


def _read_toml(root: Path, name: str) -> Mapping[str, Any]:
    if not os.path.lexists(root / name) or not os.access(root, os.R_OK | os.X_OK):
        return {}  # the walk says what is wrong with the root
    import tomllib  # most roots have no settings

    try:
        data = read_root_file(root, name)
        if LONG_KEY.search(data):
            raise tomllib.TOMLDecodeError("a key has more parts than any table of coderag's")
        return tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError, OSError) as error:
        if name != SETTINGS_FILES[0]:
            return {}  # a file of other tools, which may be broken on purpose; they will say so
        if isinstance(error, OSError):
            if not os.path.lexists(root / name):  # it was removed meanwhile
                return {}
            raise SettingsError(f"{root / name} cannot be read: {error.strerror}") from error
        raise SettingsError(f"{name} is no valid TOML: {error}") from error


def _table(parent: Mapping[str, Any], key: str, file: str) -> Mapping[str, Any]:
    found = parent.get(key, {})
    if not isinstance(found, dict):
        raise SettingsError(f"{file}: {key!r} must be a table")
    return found


def _settings(table: Mapping[str, Any], name: str, file: str) -> Settings:
    where = f"{file}: [schema]"
    _only(table, {*TEXTS, *FLAGS, "files"}, where=where)
    files = table.get("files", [])
    if not isinstance(files, list) or not all(isinstance(one, dict) for one in files):
        raise SettingsError(f"{where}: 'files' must be tables, written [[schema.files]]")
    rules = [_rule(one, f"{file}: [[schema.files]] number {number}") for number, one in enumerate(files, 1)]
    check_count(sum(len(rule.globs) for rule in rules), f"{file}: [[schema.files]]")
    return Settings(name, _file_settings(table, where), tuple(rules))


def check_count(count: int, where: str) -> None:
    """Raise SettingsError for more tables, or globs in them, than there may be."""
    if count > MOST_GLOBS:
        raise SettingsError(f"{where} has {count:,} tables or globs; {MOST_GLOBS} are the most: join some of them")


def _rule(table: Mapping[str, Any], where: str) -> FileRule:
    _only(table, {*TEXTS, *FLAGS, "path"}, where=where)
    globs = table.get("path", [])
    globs = [globs] if isinstance(globs, str) else globs
    if not isinstance(globs, list) or not globs or not all(isinstance(glob, str) and glob for glob in globs):
        raise SettingsError(f"{where}: 'path' must be a glob or a list of globs")
    return FileRule(tuple(globs), _file_settings(table, where))


def _file_settings(table: Mapping[str, Any], where: str) -> FileSettings:
    for key in TEXTS:
        if not isinstance(table.get(key, ""), str):
            raise SettingsError(f"{where}: {key!r} must be a text")
    for key in FLAGS:
        if not isinstance(table.get(key, False), bool):
            raise SettingsError(f"{where}: {key!r} must be true or false")
    if table.get("read", "ddl") not in READS:
        raise SettingsError(f"{where}: 'read' is {table['read']!r}; it must be one of {', '.join(READS)}")
    if table.get("dialect"):
        _check_dialect(table["dialect"], where)
    return FileSettings(**{key: table[key] for key in (*TEXTS, *FLAGS) if key in table})


def _check_dialect(name: str, where: str) -> None:
    from coderag.sql.statements.dialect import (
        find_dialect,  # only where a dialect is named are the dialects' files read
    )

    try:
        find_dialect(name)
    except QueryError as error:
        raise SettingsError(f"{where}: 'dialect': {error}") from error


def _only(table: Mapping[str, Any], known: Collection[str], *, where: str) -> None:
    if unknown := sorted(table.keys() - set(known)):
        raise SettingsError(f"{where} unknown key {unknown[0]!r}; known are {', '.join(sorted(known))}")
