"""The folders in schemas/dialects/ as records, and which dialect of SQL a file is written in."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from coderag.errors import LanguageDataError, QueryError
from coderag.resources import data_folder

__all__ = ["GENERIC", "Dialect", "Guess", "Sign", "dialects", "find_dialect", "guess_dialect"]

GENERIC = "ansi"  # the dialect of what nothing tells the dialect of
WORDS_CHARACTERS = 200_000  # in which words are looked for
PATTERN_CHARACTERS = 50_000  # in which patterns are looked for: a dump says before who wrote it
FILE_WEIGHT = 7  # of a name of the dialect in that of the file
FOLDER_WEIGHT = 5
LEAST_WEIGHT = 1.5
CERTAIN_WEIGHT = 4
CERTAIN_LEAD = 2
NAME_CHARACTERS = 60  # beyond which no folder is looked for: a file system refuses some 255 bytes

ESCAPES = frozenset({"backslash", "dollar", "e", "n", "q", "raw", "triple"})
QUOTES = frozenset({"'", '"', "`", "["})
FOLDS = frozenset({"", "lower", "upper"})
ROUTINES = frozenset({"batch", "nesting", "quoted", "slash"})
# What may stand beside an aggregate: what is grouped by; also the columns of a table whose primary key is; also all
# that depends on what is grouped by; anything, the value of which is that of any row of the group.
GROUPINGS = frozenset({"grouped", "key", "dependent", "any"})
REMARK = re.compile(r"(?<=[\w,;()\"'`\]])[ \t]*--[ \t][^\n]*")  # behind SQL on its line: prose, not the dialect
CLAUSES = frozenset({"group", "having", "join", "order", "qualify", "select", "where"})
WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]+")


@dataclass(frozen=True, slots=True)
class Sign:
    """What speaks for a dialect in a text."""

    tells: str  # the sign in the words of a reason
    weight: float = 1
    words: tuple[str, ...] = ()  # that all occur, in upper case
    any: tuple[str, ...] = ()  # of which one occurs
    holds: str = ""  # what occurs as it is written
    pattern: str = ""  # that is found, where the others hold: it is slow


@dataclass(frozen=True, slots=True)
class Dialect:
    """One folder of schemas/dialects/: how text of a dialect is taken apart, recognised and written."""

    name: str
    title: str
    sqlglot: str = ""  # sqlglot's name of it; "" is its generic one
    inherits: str = ""  # a dialect that has what is not said here
    aliases: tuple[str, ...] = ()  # other names that people give it
    paths: tuple[str, ...] = ()  # words in the names of files and folders that tell it, lower case
    identifiers: tuple[str, ...] = ('"',)  # signs around names: " ` [
    folds: str = ""  # what names without quotes become: lower or upper; "" where their case does not count
    strings: tuple[str, ...] = ("'",)  # signs around strings: ' "
    escapes: tuple[
        str, ...
    ] = ()  # in strings: backslash, dollar ($$), e (E'\n'), n (N''), q (q'[]'), raw (r''), triple
    comments: tuple[str, ...] = ("--",)  # patterns of the signs that begin a comment to the end of the line
    comment_lines: tuple[str, ...] = ()  # patterns of the beginning of lines that are comments: REM
    nested_comments: bool = False  # /* /* */ */
    version_comments: bool = False  # /*!50001 ... */ is read
    separators: tuple[str, ...] = ()  # patterns of whole lines that end a statement: GO, /
    commands: tuple[str, ...] = ()  # patterns of the beginning of lines that are for the client program
    endings: tuple[str, ...] = ()  # patterns that end a statement besides ";": \gexec
    delimiter: str = ""  # pattern of a line that sets what ends a statement, with it as group 1
    routines: str = "quoted"  # what ends a body: quoted ($$ ... $$;), nesting (BEGIN ... END), slash, batch (GO)
    blocks: tuple[str, ...] = ()  # what may begin a block outside a routine: begin, declare
    starters: tuple[str, ...] = ()  # patterns of words that begin a statement without a ";" before it
    follows: tuple[tuple[str, tuple[str, ...]], ...] = ()  # first words of a statement -> starters that go on with it
    signs: tuple[Sign, ...] = ()  # what tells it in a text
    implicit: tuple[str, ...] = ()  # columns that every table has without declaring them, lower case
    grouping: str = "grouped"  # what may stand beside an aggregate without one: see GROUPINGS
    result_names: tuple[str, ...] = tuple(sorted(CLAUSES))  # clauses that know the names which SELECT gives
    absent: tuple[tuple[str, str], ...] = ()  # functions that others have and it has not -> what to write, "" unknown
    pitfalls: tuple[str, ...] = ()  # what a program that writes this dialect should know
    folder: Path = Path()


@dataclass(frozen=True, slots=True)
class Guess:
    """The dialect that a file seems to be written in, and why."""

    dialect: Dialect
    reason: str
    certain: bool = True


@cache
def dialects() -> Mapping[str, Dialect]:
    """Return every dialect by name, in alphabetical order.

    Raises LanguageDataError when a dialect.toml has an unknown, missing or impossible field.
    """
    tables = {path.parent.name: _table(path) for path in sorted(data_folder("schemas/dialects").glob("*/dialect.toml"))}
    return {name: _dialect(name, tables) for name in tables}


def find_dialect(name: str) -> Dialect:
    """Return the dialect of a name or alias, written in any case.

    Raises QueryError for an unknown name.
    """
    wanted = name.strip().lower().replace("_", "").replace("-", "").replace(" ", "")
    is_name = wanted.isalnum() and len(wanted) <= NAME_CHARACTERS
    if is_name and (data_folder("schemas/dialects") / wanted / "dialect.toml").exists():
        return _alone(wanted)  # the name of a folder, as everywhere but in what people type
    if (dialect := _by_alias().get(wanted)) is not None:
        return dialect
    raise QueryError(f"unknown SQL dialect {name!r}; known are {', '.join(dialects())}")


@cache
def _alone(name: str) -> Dialect:
    """Return a dialect without reading the folders of the others, which takes ten times as long."""
    tables: dict[str, dict[str, Any]] = {}
    wanted = name
    while (
        wanted and wanted not in tables and (path := data_folder("schemas/dialects") / wanted / "dialect.toml").exists()
    ):
        tables[wanted] = _table(path)
        wanted = tables[wanted].get("inherits", "")
    return _dialect(name, tables)


@cache
def _by_alias() -> Mapping[str, Dialect]:
    found: dict[str, Dialect] = {}
    for dialect in dialects().values():
        for alias in (dialect.name, *dialect.aliases):
            if (other := found.setdefault(alias, dialect)) is not dialect:
                raise LanguageDataError(f"the name {alias!r} belongs to both {other.name} and {dialect.name}")
    return found


def _table(path: Path) -> dict[str, Any]:
    known = {field.name for field in fields(Dialect)} - {"name", "folder"}
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise LanguageDataError(f"{path}: not TOML: {error}") from error
    if unknown := sorted(table.keys() - known):
        raise LanguageDataError(f"{path}: unknown field {unknown[0]!r}; known are {', '.join(sorted(known))}")
    lists = (("escapes", ESCAPES), ("identifiers", QUOTES), ("strings", QUOTES), ("result_names", CLAUSES))
    for field, allowed in lists:
        if wrong := sorted(set(table.get(field, ())) - allowed):
            raise LanguageDataError(f"{path}: {field} has {wrong[0]!r}; known are {', '.join(sorted(allowed))}")
    if table.get("folds", "") not in FOLDS:
        raise LanguageDataError(f"{path}: folds is none of {', '.join(sorted(filter(None, FOLDS)))}")
    if table.get("routines", "quoted") not in ROUTINES:
        raise LanguageDataError(f"{path}: routines is none of {', '.join(sorted(ROUTINES))}")
    if table.get("grouping", "grouped") not in GROUPINGS:
        raise LanguageDataError(f"{path}: grouping is none of {', '.join(sorted(GROUPINGS))}")
    if "title" not in table:
        raise LanguageDataError(f"{path}: the field 'title' is missing")
    return {**table, "signs": [_sign(path, sign) for sign in table.get("signs", ())], "folder": path.parent}


def _sign(path: Path, table: dict[str, Any]) -> Sign:
    if unknown := sorted(table.keys() - {field.name for field in fields(Sign)}):
        raise LanguageDataError(f"{path}: unknown field {unknown[0]!r} of a sign")
    if "tells" not in table or not table.keys() & {"words", "any", "holds"}:
        raise LanguageDataError(f"{path}: a sign needs 'tells', and 'words', 'any' or 'holds'")
    words: dict[str, Any] = {key: tuple(table[key]) for key in ("words", "any") if key in table}
    try:
        re.compile(table.get("pattern", ""))
    except re.error as error:
        raise LanguageDataError(f"{path}: the pattern of {table['tells']!r} is wrong: {error}") from error
    return Sign(**{**table, **words})


def _dialect(name: str, tables: Mapping[str, dict[str, Any]]) -> Dialect:
    own = tables[name]
    values = dict(own)
    if parent := own.get("inherits", ""):
        if parent not in tables or tables[parent].get("inherits"):
            raise LanguageDataError(f"{own['folder']}: {parent!r} is no dialect to inherit from")
        values = {**tables[parent], "aliases": (), "paths": (), **own, "signs": tables[parent]["signs"] + own["signs"]}
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
    values["follows"] = tuple((word, tuple(words)) for word, words in values.get("follows", {}).items())
    values["absent"] = tuple(dict(values.get("absent", ())).items())
    return Dialect(name=name, **values)


def guess_dialect(text: str, path: str = "") -> Guess:
    """Return the dialect that a text and its path speak for; the generic one, uncertain, where nothing does."""
    text = text[:WORDS_CHARACTERS]
    text = REMARK.sub("", text) if "-- " in text else text
    words = set(WORD.findall(text.upper()))
    text = text[:PATTERN_CHARACTERS]
    scores: defaultdict[str, float] = defaultdict(float)
    reasons: defaultdict[str, list[Sign]] = defaultdict(list)
    for sign, names in _signs().items():
        if _occurs(sign, text, words):
            for name in names:
                scores[name] += sign.weight
                reasons[name].append(sign)
    for match in list(_path_words().finditer(path.lower()))[-1:]:  # the innermost folder tells more
        name = _by_path()[match[0]].name
        in_file = match.start() > path.rfind("/")
        sign = Sign(
            f"{'file name' if in_file else 'folder'} says {match[0]}", FILE_WEIGHT if in_file else FOLDER_WEIGHT
        )
        scores[name] += sign.weight
        reasons[name].append(sign)
    if max(scores.values(), default=0) < LEAST_WEIGHT:
        return Guess(dialects()[GENERIC], "nothing tells the dialect", certain=False)
    order = sorted(scores, key=lambda name: (-scores[name], bool(dialects()[name].inherits), name))
    best = dialects()[order[0]]
    others = [scores[name] for name in order[1:] if not _kin(best, dialects()[name])]
    lead = scores[best.name] - max(others, default=0)
    signs = sorted(reasons[best.name], key=lambda sign: -sign.weight)[:3]
    certain = scores[best.name] >= CERTAIN_WEIGHT and lead >= CERTAIN_LEAD
    return Guess(best, ", ".join(sign.tells for sign in signs), certain=certain)


def _occurs(sign: Sign, text: str, words: set[str]) -> bool:
    return (
        words.issuperset(sign.words)
        and (not sign.any or not words.isdisjoint(sign.any))
        and sign.holds in text
        and (not sign.pattern or _pattern(sign.pattern).search(text) is not None)
    )


def _kin(dialect: Dialect, other: Dialect) -> bool:
    return dialect.inherits == other.name or other.inherits == dialect.name


@cache
def _signs() -> Mapping[Sign, tuple[str, ...]]:
    found: dict[Sign, tuple[str, ...]] = {}
    for dialect in dialects().values():
        for sign in dialect.signs:
            found[sign] = (*found.get(sign, ()), dialect.name)
    return found


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


@cache
def _by_path() -> Mapping[str, Dialect]:
    return {word: dialect for dialect in dialects().values() for word in dialect.paths}


@cache
def _path_words() -> re.Pattern[str]:
    words = sorted(_by_path(), key=len, reverse=True)
    return re.compile(rf"(?<![a-z0-9])(?:{'|'.join(map(re.escape, words))})(?![a-z])")
