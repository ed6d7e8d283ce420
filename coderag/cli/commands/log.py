"""`coderag log`: a definition or a file to the commits that changed it."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from coderag.api.index import Index
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.filters import Filters, date_of, filters_of
from coderag.cli.opening import note, open_for_caller
from coderag.cli.output.hits import DAY, SHORT_HASH
from coderag.cli.output.records import print_records
from coderag.cli.output.text import Screen, Style, screen, shorten, visible
from coderag.cli.roots import Paths, given_roots
from coderag.errors import QueryError
from coderag.index.history.records import LoggedChange
from coderag.limits import K

__all__ = ["run"]

LINE = re.compile(r"(.+?)(:\d{1,9})?\Z", re.DOTALL)
MAX_SPANS = 4  # of lines that are named


def run(options: argparse.Namespace) -> int:
    """Print the commits that changed a target; 1 when there are none."""
    filters = filters_of(options)
    since = date_of(options.since, given_roots(options, options.root)) if options.since else ""
    index = open_for_caller(options)
    changes = _changes(index, _target(index, options.target), filters, since=since, k=options.k)
    for repository, why in index.missing_histories().items():
        note(f"{repository}: {'not all of its' if changes else 'no'} history is known: {why}")
    if options.json:
        print_records(changes, options.format)
    elif changes:
        print("\n".join(_lines(changes, Paths(index.roots), screen(options.color))))
    return FOUND if changes else NOTHING


def _changes(index: Index, target: str, filters: Filters, *, since: str, k: int) -> list[LoggedChange]:
    """Return the last k commits that changed a target, of those that the filters leave."""
    files = filters.files(index)
    if files is None and not filters.kinds and not since:
        return index.log(target, k=k)
    changes = index.log(target, k=int(K.most))
    names = {change.name for change in changes}
    of_kinds = {
        (symbol.repository, symbol.path, symbol.qualified_name)
        for name in (filter(None, names) if filters.kinds else ())
        for symbol in index.symbols(name, k=int(K.most), alike=False)
        if symbol.kind in filters.kinds
    }
    return [
        change
        for change in changes
        if (files is None or (change.repository, change.path) in files)
        and (not filters.kinds or (change.repository, change.path, change.name) in of_kinds)
        and change.date >= since
    ][:k]


def _target(index: Index, text: str) -> str:
    """Return a target as the index calls it: an indexed file by its path from its root."""
    match = LINE.match(text)
    file = Path(os.path.realpath(match[1])) if match and "\0" not in text else Path()
    for root in index.roots:
        if match and file.is_relative_to(root.root):
            path = file.relative_to(root.root).as_posix()
            with suppress(QueryError):  # no file of the index, as far as the caller may know
                index.outline(path, repository=root.repository)
                return path + (match[2] or "")
    return text


def _lines(changes: Sequence[LoggedChange], paths: Paths, shown: Screen) -> Iterator[str]:
    before = None
    for change in changes:
        place = change.repository, change.path, change.name
        if place != before:
            where = shown.paint(visible(paths.of(change.path, change.repository)), Style.PATH)
            name = f"  {shown.paint(visible(change.name), Style.NAME)}" if change.name else ""
            unsure = "" if change.is_exact else shown.paint("  changed since; lines are those of HEAD", Style.DIM)
            yield f"{where}{name}{unsure}"
        before = place
        commit = shown.paint(change.commit[:SHORT_HASH], Style.LINE)
        author = visible(change.author)
        spans = [
            f"{span.start_line}-{span.end_line}" if len(span) > 1 else f"{span.start_line}" for span in change.lines
        ]
        more = ["..."] if len(spans) > MAX_SPANS else []
        lines = shown.paint(", ".join([*spans[:MAX_SPANS], *more]), Style.DIM)
        yield f"  {commit} {change.date[:DAY]}  {shorten(visible(change.subject), shown.width - 26)}"
        yield f"      {author}{'  ' if spans else ''}{lines}"
