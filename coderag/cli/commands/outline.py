"""`coderag outline`: a file to the tree of what it defines."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from coderag.cli.caller import callers, is_hidden, open_for_caller
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.opening import note
from coderag.cli.output.hits import signature_text
from coderag.cli.output.records import print_records, symbol_record
from coderag.cli.output.text import Screen, Style, counted, screen, shorten, visible
from coderag.cli.roots import is_marked, root_around
from coderag.errors import IndexMissingError, QueryError
from coderag.index.workers.single import FileOutline, outline_file
from coderag.syntax.language import languages
from coderag.types import Kind, Symbol

__all__ = ["run"]

SECTION_SEPARATOR = " > "  # between the parts of a section's qualified name


def run(options: argparse.Namespace) -> int:
    """Print the outline of a file; 1 when it defines nothing."""
    if callers(options):
        _check_seen(options)
    outline = outline_file(options.file)
    if options.json:
        print_records(symbol_record(one, depth=depth) for one, depth in _with_depth(outline.symbols))
        return FOUND if outline.symbols else NOTHING
    if outline.problem:
        note(f"{outline.path}: {outline.problem}; the outline may lack something")
    if not outline.symbols:
        note(f"{outline.path} defines nothing")
        return NOTHING
    print("\n".join(_lines(outline, screen(options.color))))
    return FOUND


def _check_seen(options: argparse.Namespace) -> None:
    """Raise QueryError for a file that the caller may not see, in the words for one that is not indexed."""
    asking = callers(options)
    path = Path(os.path.realpath(options.file))
    root = root_around(path.parent)
    while root != root.parent and is_hidden(str(root), asking):
        root = root_around(root.parent)
    if not is_marked(root):  # the file may lie anywhere, and no one asked for an index of that
        raise IndexMissingError(f'there is no index around {options.file!r}; run "coderag index"')
    asked = argparse.Namespace(root=[str(root)], index=None, no_refresh=False, groups=options.groups)
    index = open_for_caller(asked)
    with suppress(QueryError):
        index.chunks(path.relative_to(root).as_posix())
        if not is_hidden(options.file, asking):  # a link that is hidden may lead to a file that is not
            return
    raise QueryError(f"{options.file} is not in the index, or not for its caller to see")


def _lines(outline: FileOutline, shown: Screen) -> list[str]:
    title = languages()[outline.language].title
    lines = [f"{shown.paint(visible(outline.path), Style.PATH)}  {title}, {counted(outline.lines, 'line')}"]
    gutter = len(str(outline.lines))
    kinds = max(len(symbol.kind) for symbol in outline.symbols)
    for symbol, depth in _with_depth(outline.symbols):
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


def _with_depth(symbols: Iterable[Symbol]) -> Iterable[tuple[Symbol, int]]:
    """Yield each definition with how many are around it; a section lies in those that its name tells."""
    around: list[int] = []  # last lines
    for symbol in symbols:
        if symbol.kind is Kind.SECTION:
            yield symbol, symbol.qualified_name.count(SECTION_SEPARATOR)
            continue
        while around and around[-1] < symbol.span.end_line:
            around.pop()
        yield symbol, len(around)
        around.append(symbol.span.end_line)
