"""`coderag outline`: a file to the tree of what it defines."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from coderag.api.records import symbol_record
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.groups import callers
from coderag.cli.opening import check_seen, note
from coderag.cli.output.hits import signature_text
from coderag.cli.output.records import print_records
from coderag.cli.output.text import Screen, Style, screen, shorten, visible
from coderag.index.workers.single import FileOutline, outline_file
from coderag.search.query.query import make_query
from coderag.search.results.nesting import with_depth
from coderag.syntax.language import languages
from coderag.text.counted import counted

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Print the outline of a file; 1 when it defines nothing."""
    if callers(options):
        check_seen(options.file, options)
    outline = _of_kinds(outline_file(options.file), options.kind)
    if options.json:
        print_records((symbol_record(one, depth=depth) for one, depth in with_depth(outline.symbols)), options.format)
        return FOUND if outline.symbols else NOTHING
    if outline.problem:
        note(f"{outline.path}: {outline.problem}; the outline may lack something")
    if not outline.symbols:
        note(f"{outline.path} defines nothing")
        return NOTHING
    print("\n".join(_lines(outline, screen(options.color))))
    return FOUND


def _of_kinds(outline: FileOutline, words: Sequence[str]) -> FileOutline:
    """Return an outline with only the definitions of some kinds, if any are given; raises QueryError."""
    kinds = make_query("-", kinds=[word.lower() for word in words]).kinds
    return replace(outline, symbols=tuple(symbol for symbol in outline.symbols if not kinds or symbol.kind in kinds))


def _lines(outline: FileOutline, shown: Screen) -> list[str]:
    title = languages()[outline.language].title
    lines = [f"{shown.paint(visible(outline.path), Style.PATH)}  {title}, {counted(outline.lines, 'line')}"]
    gutter = len(str(outline.lines))
    kinds = max(len(symbol.kind) for symbol in outline.symbols)
    for symbol, depth in with_depth(outline.symbols):
        number = shown.paint(f"{symbol.span.start_line:>{gutter}}", Style.LINE)
        kind = shown.paint(f"{symbol.kind:<{kinds}}", Style.KIND)
        indent = "    " * depth
        width = shown.width - gutter - kinds - len(indent) - 6
        if symbol.signature:
            text = signature_text(symbol.signature, outline.language, shown, width=width)
        else:
            text = shown.paint(shorten(visible(symbol.name), width), Style.NAME)
        lines.append(f"  {number}  {kind}  {indent}{text}")
    return lines
