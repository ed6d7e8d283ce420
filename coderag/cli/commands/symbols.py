"""`coderag symbols`: a name to its definitions."""

from __future__ import annotations

import argparse

from coderag.api.index import Index
from coderag.api.records import symbol_record
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.filters import Filters, filters_of
from coderag.cli.opening import note, open_for_caller
from coderag.cli.output.hits import signature_text
from coderag.cli.output.records import print_records
from coderag.cli.output.text import Screen, Style, screen, visible
from coderag.cli.roots import Paths
from coderag.limits import K
from coderag.search.query.query import make_query
from coderag.syntax.language import detect
from coderag.types import Symbol, TestPolicy

__all__ = ["run"]

INDENT = "    "


def run(options: argparse.Namespace) -> int:
    """Print the definitions of a name; where there is none, those spelled like it, and say so."""
    index = open_for_caller(options)
    filters = filters_of(options)
    symbols = _symbols(index, options, filters, alike=False)
    exact = bool(symbols)
    symbols = symbols or _symbols(index, options, filters, alike=True)
    if options.json:
        print_records((symbol_record(symbol, exact=exact) for symbol in symbols), options.format)
    elif options.format == "vimgrep" and symbols:
        paths = Paths(index.roots)
        print("\n".join(_vimgrep_line(symbol, paths) for symbol in symbols))
    elif not symbols:
        note(f"nothing{_condition(filters)} is named {options.name!r} or much like it")
    else:
        if not exact:
            note(f"nothing{_condition(filters)} is named {options.name!r}; these are spelled most like it")
        paths, shown = Paths(index.roots), screen(options.color)
        for symbol in symbols:
            print("\n".join(_lines(symbol, paths, shown, several=len(index.roots) > 1)))
    return FOUND if symbols else NOTHING


def _symbols(index: Index, options: argparse.Namespace, filters: Filters, *, alike: bool) -> list[Symbol]:
    """Return the definitions of a name that meet the filters; those of tests last where they are demoted."""
    files, kinds = filters.files(index), make_query("-", kinds=filters.kinds).kinds
    demotes = filters.tests is TestPolicy.DEMOTE
    if files is None and not kinds and not demotes:
        return index.symbols(options.name, k=options.k, alike=alike)
    symbols = [
        symbol
        for symbol in index.symbols(options.name, k=int(K.most), alike=alike)
        if (files is None or (symbol.repository, symbol.path) in files) and (not kinds or symbol.kind in kinds)
    ]
    if demotes:
        production = index.files(make_query("-", tests=TestPolicy.EXCLUDE))
        symbols.sort(key=lambda symbol: (symbol.repository, symbol.path) not in production)
    return symbols[: options.k]


def _condition(filters: Filters) -> str:
    return " that meets these conditions" if filters.paths or filters.kinds or filters.beyond_names else ""


def _vimgrep_line(symbol: Symbol, paths: Paths) -> str:
    path = visible(paths.of(symbol.path, symbol.repository))
    return f"{path}:{symbol.span.start_line}:1:{visible(symbol.signature or f'{symbol.kind} {symbol.qualified_name}')}"


def _lines(symbol: Symbol, paths: Paths, shown: Screen, *, several: bool) -> list[str]:
    place = shown.paint(visible(paths.of(symbol.path, symbol.repository)), Style.PATH)
    place += f":{shown.paint(str(symbol.span.start_line), Style.LINE)}"
    name = shown.paint(visible(symbol.qualified_name), Style.NAME)
    repository = f"  [{visible(symbol.repository)}]" if several else ""
    lines = [f"{place}  {shown.paint(symbol.kind, Style.KIND)} {name}{repository}"]
    if symbol.signature:
        language = detect(symbol.path) if shown.colour else None
        width = shown.width - len(INDENT)
        lines.append(INDENT + signature_text(symbol.signature, language.name if language else "", shown, width=width))
    return lines
