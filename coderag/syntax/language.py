"""The folders in parsers/ as records, and which language a file is in."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from coderag.errors import LanguageDataError
from coderag.record import record
from coderag.resources import data_folder
from coderag.types import Content

__all__ = ["Language", "claimed", "detect", "detect_interpreter", "languages", "project_languages"]


@record
class Language:
    """One folder of parsers/: how files of a language are recognised and read."""

    name: str
    title: str
    content: Content = Content.CODE
    # outline (needs grammar and tags.scm), lines, markdown, restructuredtext, notebook, sql, dbt, glossary, querylog
    reader: str = "outline"
    extensions: tuple[str, ...] = ()  # with the dot, lower case; ".d.ts" wins over ".ts"
    filenames: tuple[str, ...] = ()  # whole file names
    interpreters: tuple[str, ...] = ()  # of a "#!" line, without version: "python" matches python3.11
    tests: tuple[str, ...] = ()  # globs of test files, matched against the whole relative path or the file name
    test_scopes: tuple[str, ...] = ()  # globs of modules in other files that hold these files' tests: "tests" of Rust
    grammar: str = ""  # the Python module of the tree-sitter grammar
    inherits: str = ""  # a language whose tags.scm follows this one's own
    grammar_function: str = "language"  # the function in it that returns the grammar
    separator: str = "."  # between the parts of a qualified name
    body_fields: tuple[str, ...] = ("body",)  # grammar fields where a definition's signature ends
    name_strip: str = ""  # signs around a name that are not part of it
    defines: bool = False  # a file of nothing but #define lines is read without the grammar
    clauses: bool = False  # neighbours of one name are one definition: a signature and its equations
    preprocessor: bool = False  # C's, whose conditionals and macros no grammar can follow everywhere
    reserved: tuple[str, ...] = ()  # words that no definition but a macro is called, whatever broken text looks like
    not_calls: tuple[str, ...] = ()  # what the grammar takes for calls and people do not
    bare_names: str = "file"  # what a name alone may mean: of its file, also of its type, of any file of a package
    name_signs: str = ""  # what names have besides letters, digits and "_": "$"
    member_signs: tuple[str, ...] = (".", "->", "::")  # between an object and a member of it
    below: str = (
        ""  # a file that marks a project: extensions and file names count only in its folder and below, there first
    )
    route_groups: tuple[str, ...] = ()  # calls whose text begins the addresses of the routes in them or behind them
    scripts: str = ""  # the language of its <script> elements
    artifacts: tuple[str, ...] = ()  # paths below that folder that are read even where git ignores them
    modules: str = (
        ""  # how an import tells the files it means: a name in graph.resolving.modules.FAMILIES; "": it does not
    )
    max_bytes: int = 0  # files may be so large where no other limit is asked for; 0: as large as any
    claims: tuple[tuple[str, str], ...] = ()  # extension of another language -> what in a text makes it this one's
    folder: Path = Path()

    def tags(self) -> str:
        """Return the language's tree-sitter query: its own patterns first, so that they tell the kind."""
        own = (self.folder / "tags.scm").read_text(encoding="utf-8")
        return f"{own}\n{languages()[self.inherits].tags()}" if self.inherits else own

    def links(self) -> str:
        """Return the query of what files mention, "" for a language that has none."""
        own = self._optional("links.scm")
        return f"{own}\n{languages()[self.inherits].links()}" if self.inherits else own

    def routes(self) -> str:
        """Return the query of the calls that make routes, "" for a language that has none."""
        own = self._optional("routes.scm")
        return f"{own}\n{languages()[self.inherits].routes()}" if self.inherits else own

    def _optional(self, name: str) -> str:
        path = self.folder / name
        return path.read_text(encoding="utf-8") if path.exists() else ""


@cache
def languages() -> Mapping[str, Language]:
    """Return every language by name, in alphabetical order.

    Raises LanguageDataError when a language.toml has an unknown or missing field.
    """
    paths = sorted(data_folder("parsers").glob("*/language.toml"))
    return {language.name: language for language in map(_read, paths)}


def _read(path: Path) -> Language:
    known = {field.name for field in fields(Language)} - {"name", "folder"}
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise LanguageDataError(f"{path}: not TOML: {error}") from error
    if unknown := sorted(table.keys() - known):
        raise LanguageDataError(f"{path}: unknown field {unknown[0]!r}; known are {', '.join(sorted(known))}")
    if "title" not in table:
        raise LanguageDataError(f"{path}: the field 'title' is missing")
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    values["claims"] = tuple(table.get("claims", {}).items())
    try:
        values["content"] = Content(values.get("content", Content.CODE))
    except ValueError as error:
        raise LanguageDataError(f"{path}: {error}; known are {', '.join(Content)}") from error
    return Language(name=path.parent.name, folder=path.parent, **values)


@cache
def project_languages() -> Mapping[str, Language]:
    """Return the languages that hold only inside projects, by the file that marks one."""
    return {language.below: language for language in languages().values() if language.below}


def detect(path: str, *, project: str = "") -> Language | None:
    """Return the language of a file by its name, or None when the name does not tell.

    `project` is the marker of the project that the file is in, "" for none.
    """
    if project and (language := _detect(path, project)) is not None:
        return language
    return _detect(path, "")


def _detect(path: str, project: str) -> Language | None:
    by_filename, by_extension = _tables(project)
    name = path.rpartition("/")[2]
    if (language := by_filename.get(name)) is not None:
        return language
    lowered = name.lower()
    start = lowered.find(".", 1)
    while start != -1:  # the longest extension first
        if (language := by_extension.get(lowered[start:])) is not None:
            return language
        start = lowered.find(".", start + 1)
    return None


def claimed(path: str, text: bytes, language: Language) -> Language:
    """Return the language whose claim on this extension the text meets, else the one it has: C++ in a .h file."""
    extension = path[path.rfind(".") :].lower()
    for pattern, other in _claims().get(extension, ()):
        if pattern.search(text):
            return other
    return language


@cache
def _claims() -> dict[str, list[tuple[re.Pattern[bytes], Language]]]:
    claims: dict[str, list[tuple[re.Pattern[bytes], Language]]] = {}
    for language in languages().values():
        for extension, pattern in language.claims:
            claims.setdefault(extension, []).append((re.compile(pattern.encode()), language))
    return claims


def detect_interpreter(first_line: bytes) -> Language | None:
    """Return the language that a "#!" line names: `#!/usr/bin/env -S python3 -u` is Python."""
    if not first_line.startswith(b"#!"):
        return None
    words = first_line[2:].decode("utf-8", "replace").split()
    programs = [word.rsplit("/", 1)[-1] for word in words if not word.startswith("-") and "=" not in word]
    if programs and programs[0] == "env":
        programs = programs[1:]
    if not programs:
        return None
    program = programs[0].rstrip("0123456789.-")
    return next((language for language in languages().values() if program in language.interpreters), None)


@cache
def _tables(project: str) -> tuple[dict[str, Language], dict[str, Language]]:
    by_filename: dict[str, Language] = {}
    by_extension: dict[str, Language] = {}
    for language in languages().values():
        if language.below != project:
            continue
        for filename in language.filenames:
            by_filename[filename] = language
        for extension in language.extensions:
            if extension in by_extension:
                other = by_extension[extension].name
                raise LanguageDataError(f"{extension} belongs to both {other} and {language.name}")
            by_extension[extension] = language
    return by_filename, by_extension
