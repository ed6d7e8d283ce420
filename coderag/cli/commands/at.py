"""`coderag at`: a place in a file to the definition around it, what its line names, and related code."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from pathlib import Path

from coderag.api.index import Index
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.filters import filters_of
from coderag.cli.groups import callers
from coderag.cli.opening import check_seen, note, open_for_caller
from coderag.cli.output.records import print_records
from coderag.cli.output.text import Screen, Style, screen, shorten, visible
from coderag.cli.roots import Paths, root_around
from coderag.errors import QueryError
from coderag.files.named_file import read_named
from coderag.graph.resolve.rules import rules_of
from coderag.search.query.query import Conditions
from coderag.syntax.language import detect
from coderag.types import Hit, Kind, Symbol

__all__ = ["run"]

PLACE = re.compile(r"(.+?):(\d{1,9})(?::(\d{1,9}))?\Z", re.DOTALL)
NAME = re.compile(r"[^\W\d]\w*(?:(?:\.|::)[^\W\d]\w*)*")
SEPARATOR = re.compile(r"\.|::")
MAX_BYTES = 100_000_000  # of the file that are read
MAX_NAMES = 12  # of a line or selection that are looked up
MAX_DEFINITIONS = 3  # of one name; a name with more says little
MAX_LINE = 2_000  # characters of a line that a question is made of
DATA = frozenset({Kind.TABLE, Kind.VIEW})  # what a line of any language may name, in SQL


class Role(StrEnum):
    """How a result relates to the place."""

    AROUND = "around"
    DEFINES = "defines"
    RELATED = "related"


TITLES = {Role.AROUND: "defined here", Role.DEFINES: "refers to", Role.RELATED: "related"}


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file, and a column where a name in it is meant."""

    file: str
    line: int  # 1-based
    column: int = 0  # 1-based; 0: all of the line


@dataclass(frozen=True, slots=True)
class Result:
    """A definition that belongs to the place, and why."""

    role: Role
    path: str  # relative to its root
    line: int
    kind: str
    name: str
    text: str  # its signature
    why: str
    repository: str


def run(options: argparse.Namespace) -> int:
    """Print what belongs to a place; 1 when nothing does."""
    place = _parsed(options.place)
    if callers(options):
        check_seen(place.file, options)
    line = _line_of(place)
    if not options.root and not options.index:
        options.root = [str(root_around(Path(os.path.realpath(place.file)).parent))]
    index = open_for_caller(options)
    results = _results(index, place, options.selection or line, options)
    if options.json:
        print_records(results, options.format)
    elif not results:
        note(f"nothing is known of {place.file}:{place.line}")
    elif options.format == "vimgrep":
        paths = Paths(index.roots)
        print("\n".join(_vimgrep_line(result, paths) for result in results))
    else:
        print("\n".join(_lines(results, Paths(index.roots), screen(options.color))))
    return FOUND if results else NOTHING


def _parsed(text: str) -> Place:
    """Return the place that FILE:LINE[:COLUMN] means; raises QueryError."""
    match = PLACE.match(text)
    if match is None or not int(match[2]) or match[3] == "0":
        raise QueryError(f"{text!r} is no place in a file; give FILE:LINE or FILE:LINE:COLUMN, both counted from 1")
    return Place(match[1], int(match[2]), int(match[3] or 0))


def _line_of(place: Place) -> str:
    """Return the line of a place, or the name at its column; raises OSError, and QueryError beyond the last line."""
    lines = read_named(place.file, MAX_BYTES).decode("utf-8-sig", "replace").split("\n")
    if place.line > len(lines):
        raise QueryError(f"{place.file} has {len(lines):,} lines, and no line {place.line:,}")
    line = lines[place.line - 1]
    if not place.column:
        return line
    return next((name[0] for name in NAME.finditer(line) if name.start() < place.column <= name.end()), "")


def _results(index: Index, place: Place, text: str, options: argparse.Namespace) -> list[Result]:
    """Return what is around a place, the definitions that a text names, and what is related, each once."""
    repository, path = _indexed_path(index, place.file)
    around = _enclosing(index, path, place.line) if path else None
    results = [_result(around, Role.AROUND, f"around line {place.line}")] if around else []
    results += _definitions(index, text, file=place.file)
    name = around.name if around else ""
    question = options.question or options.selection or f"{name} {text[:MAX_LINE]}"
    if question.strip():
        related = [_related(hit) for hit in index.search(question, **_conditions(options))]
        if not options.question:  # names of the line, which mean definitions of its language first
            related.sort(key=lambda result: _family(result.path) != _family(place.file))
        results += related
    unique: dict[tuple[str, str, int], Result] = {}
    for result in results:
        unique.setdefault((result.repository, result.path, result.line), result)
    unique.pop((repository, path, place.line), None)
    return list(unique.values())


def _conditions(options: argparse.Namespace) -> Conditions:
    """Return how many related definitions are shown, and which may be."""
    filters = filters_of(options)
    return {
        "k": options.k,
        "paths": filters.paths,
        "languages": filters.languages,
        "kinds": filters.kinds,
        "databases": filters.databases,
        "tests": str(filters.tests),
    }


def _indexed_path(index: Index, file: str) -> tuple[str, str]:
    """Return the repository that holds a file and its path there, "" for one outside of every root."""
    path = Path(os.path.realpath(file))
    for root in index.roots:
        if path.is_relative_to(root.root):
            return root.repository, path.relative_to(root.root).as_posix()
    return "", ""


def _enclosing(index: Index, path: str, line: int) -> Symbol | None:
    """Return the innermost definition that begins above a line, None without one or where the file is not indexed."""
    try:
        around = (symbol for symbol in reversed(index.outline(path)) if line in symbol.span)
        return next((symbol for symbol in around if symbol.span.start_line < line), None)
    except QueryError:
        return None


def _definitions(index: Index, text: str, *, file: str) -> list[Result]:
    """Return where the names of a text are defined: first what a line of the file's language can mean."""
    names = list(dict.fromkeys(NAME.findall(text)))[:MAX_NAMES]
    language = _family(file)
    named = [(name, symbol) for name in names for symbol in _exact(index, name, language)]
    named.sort(key=lambda one: _family(one[1].path) != language)
    return [_result(symbol, Role.DEFINES, f"defines {name}") for name, symbol in named]


def _exact(index: Index, name: str, language: str) -> Sequence[Symbol]:
    """Return the few definitions of a name; of the last part of `self.cart.total` where the whole has none.

    Where the language has some, of other languages only tables and views count.
    """
    symbols = index.symbols(name, alike=False) or index.symbols(SEPARATOR.split(name)[-1], alike=False)
    own = [symbol for symbol in symbols if _family(symbol.path) == language]
    if own:
        symbols = [*own, *(symbol for symbol in symbols if symbol.kind in DATA and symbol not in own)]
    return symbols if len(symbols) <= MAX_DEFINITIONS else []


def _family(path: str) -> str:
    """Return the languages of a file that can name each other's definitions, "" if its language is unknown."""
    language = detect(path)
    return rules_of(language.name).family if language else ""


def _result(symbol: Symbol, role: Role, why: str) -> Result:
    return Result(
        role=role,
        path=symbol.path,
        line=symbol.span.start_line,
        kind=symbol.kind,
        name=symbol.qualified_name,
        text=symbol.signature or symbol.name,
        why=why,
        repository=symbol.repository,
    )


def _related(hit: Hit) -> Result:
    chunk = hit.chunk
    return Result(
        role=Role.RELATED,
        path=chunk.path,
        line=chunk.span.start_line if chunk.signature or not hit.lines else hit.lines[0],
        kind=chunk.kind,
        name=chunk.qualified_name,
        text=chunk.signature or chunk.qualified_name,
        why="; ".join(hit.reasons),
        repository=chunk.repository,
    )


def _vimgrep_line(result: Result, paths: Paths) -> str:
    path = visible(paths.of(result.path, result.repository))
    why = f"  [{visible(result.why)}]" if result.why else ""
    text = f"{result.kind} {result.name}" if result.text == result.name else result.text  # which is a signature
    return f"{path}:{result.line}:1:{visible(text)}{why}"


def _lines(results: Iterable[Result], paths: Paths, shown: Screen) -> Iterator[str]:
    for role, group in groupby(results, key=lambda result: result.role):
        yield shown.paint(TITLES[role], Style.DIM)
        for result in group:
            place = shown.paint(visible(paths.of(result.path, result.repository)), Style.PATH)
            name = shown.paint(visible(result.name), Style.NAME)
            kind = shown.paint(result.kind, Style.KIND)
            yield f"  {place}:{shown.paint(str(result.line), Style.LINE)}  {kind} {name}"
            if result.text not in (result.name, f"{result.kind} {result.name}"):
                yield shown.paint(f"      {shorten(visible(result.text), shown.width - 6)}", Style.DIM)
            if role is Role.RELATED and result.why:
                yield shown.paint(f"      why: {shorten(visible(result.why), shown.width - 11)}", Style.NOTE)
