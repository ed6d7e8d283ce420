"""`coderag map`: an overview of repositories within a budget."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import groupby

from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.filters import filters_of
from coderag.cli.opening import note, open_graph_for_caller
from coderag.cli.output.records import print_records
from coderag.cli.output.text import Screen, Style, screen, shorten, visible
from coderag.graph.queries.entry_points import group_text
from coderag.graph.queries.families import family_lines
from coderag.graph.queries.map import MapEntry, MapPart, RepositoryMap, entry_text, part_text, sentence_text
from coderag.limits import QUESTION, check_text
from coderag.text.counted import counted

__all__ = ["run"]

MIN_SENTENCE = 40  # characters of a sentence that stay beside a long path


def run(options: argparse.Namespace) -> int:
    """Print the parts of repositories and what matters most in each; 1 when there is no code."""
    question = " ".join(options.question)
    check_text(QUESTION, question)
    filters = filters_of(options)
    index = open_graph_for_caller(options)
    repository_maps = index.map(
        question,
        budget=options.budget,
        paths=filters.paths,
        kinds=filters.kinds,
        languages=filters.languages,
        databases=filters.databases,
        tests=filters.tests,
        k=options.k,
    )
    if options.json:
        print_records(repository_maps, options.format)
    else:
        shown = screen(options.color)
        for number, repository_map in enumerate(repository_maps):
            print("\n".join([*([""] if number else []), *_lines(repository_map, shown)]))
    if any(repository_map.parts for repository_map in repository_maps):
        return FOUND
    if not options.json:
        note("there is no code to map")
    return NOTHING


def _lines(found: RepositoryMap, shown: Screen) -> Iterator[str]:
    yield f"{shown.paint(visible(found.repository), Style.TITLE)}  {counted(found.files, 'file')}"
    for group in found.entry_points:
        yield f"  {shorten(visible(group_text(group)), shown.width - 2)}"
    for part in found.parts:
        yield from _part(part, shown)
    if found.families:
        yield ""
        yield from (
            shown.paint(shorten(visible(line), shown.width), Style.DIM) for line in family_lines(found.families)
        )
    if found.further:
        yield ""
        yield shown.paint(f"and {counted(found.further, 'smaller part')}", Style.DIM)


def _part(part: MapPart, shown: Screen) -> Iterator[str]:
    title, colon, named = visible(part_text(part)).partition("): ")
    title += ")" if colon else ""
    yield ""
    yield shown.paint(shorten(title, shown.width), Style.NAME) + (
        f"  {shorten(named, max(shown.width - len(title) - 2, 0))}" if named else ""
    )
    if part.about is not None:
        text, _, place = visible(sentence_text(part)).rpartition("  ")
        sentence = shorten(text, max(shown.width - len(place) - 4, MIN_SENTENCE))
        yield f"  {sentence}  {shown.paint(place, Style.PATH)}"
    yield from (f"  {shorten(visible(group_text(point)), shown.width - 2)}" for point in part.entry_points)
    tables = [entry for entry in part.entries if entry.columns]
    yield from (_entry(table, shown, indent="  ") for table in tables)
    for path, entries in groupby(
        (entry for entry in part.entries if not entry.columns), lambda map_entry: map_entry.path
    ):
        yield f"  {shown.paint(visible(path), Style.PATH)}"
        yield from (_entry(entry, shown, indent="    ") for entry in entries)


def _entry(entry: MapEntry, shown: Screen, *, indent: str) -> str:
    text, about = map(visible, entry_text(entry))
    room = shown.width - len(indent)
    sentence = shorten(text, room)
    rest = shorten(about, max(room - len(sentence) - 2, 0))
    return f"{indent}{sentence}" + (f"  {shown.paint(rest, Style.DIM)}" if rest else "")
