"""`coderag symbols`: a name to its definitions."""

from __future__ import annotations

import argparse

from coderag.cli.caller import open_for_caller
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.opening import note
from coderag.cli.output.hits import signature_text
from coderag.cli.output.records import print_records, symbol_record
from coderag.cli.output.text import Screen, Style, screen, visible
from coderag.cli.roots import Paths
from coderag.syntax.language import detect
from coderag.types import Symbol

__all__ = ["run"]

INDENT = "    "


def run(options: argparse.Namespace) -> int:
    """Print the definitions of a name; where there is none, those spelled like it, and say so."""
    index = open_for_caller(options)
    symbols = index.symbols(options.name, k=options.k, alike=False)
    exact = bool(symbols)
    symbols = symbols or index.symbols(options.name, k=options.k)
    if options.json:
        print_records(symbol_record(symbol, exact=exact) for symbol in symbols)
    elif not symbols:
        note(f"nothing is named {options.name!r} or much like it")
    else:
        if not exact:
            note(f"nothing is named {options.name!r}; these are spelled most like it")
        paths, shown = Paths(index.roots), screen(options.color)
        for symbol in symbols:
            print("\n".join(_lines(symbol, paths, shown, several=len(index.roots) > 1)))
    return FOUND if symbols else NOTHING


def _lines(one: Symbol, paths: Paths, shown: Screen, *, several: bool) -> list[str]:
    place = shown.paint(visible(paths.of(one.path, one.repository)), Style.PATH)
    place += f":{shown.paint(str(one.span.start_line), Style.LINE)}"
    name = shown.paint(visible(one.qualified_name), Style.NAME)
    repository = f"  [{visible(one.repository)}]" if several else ""
    lines = [f"{place}  {shown.paint(one.kind, Style.KIND)} {name}{repository}"]
    if one.signature:
        language = detect(one.path) if shown.colour else None
        width = shown.width - len(INDENT)
        lines.append(INDENT + signature_text(one.signature, language.name if language else "", shown, width=width))
    return lines
