"""`coderag path`: how one target leads to another."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from coderag.api.index import Index
from coderag.cli.caller import open_graph_for_caller
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.opening import note
from coderag.cli.output.locations import certainty_text, head_line, kinds_of, lost_target, rows, tell_choice
from coderag.cli.output.records import print_records
from coderag.cli.output.text import Screen, screen, visible
from coderag.cli.roots import Paths
from coderag.graph.queries.paths import PathStep, Way
from coderag.graph.records import NodeKind

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Print the ways from one target to another; 1 when neither leads to the other."""
    index = open_graph_for_caller(options)
    ways = index.path_between(
        options.source, options.target, limit=options.k, kinds=kinds_of(options), paths=options.path
    )
    if ways:
        tell_choice(index, options.source, options)
        tell_choice(index, options.target, options)
    if options.json:
        print_records(ways, options.format)
    elif not ways:
        _tell_why(index, options)
    else:
        if ways[0].backwards:
            note(f"nothing leads from {options.source!r} to {options.target!r}; this is the way back")
        shown, paths = screen(options.color), Paths(index.roots)
        for number, way in enumerate(ways):
            lines = list(_lines(way, paths, shown, several=len(index.roots) > 1))
            print("\n".join(lines if number == 0 else ["", *lines]))
    return FOUND if ways else NOTHING


def _tell_why(index: Index, options: argparse.Namespace) -> None:
    """Say which target nothing is named, or what is reached instead."""
    narrowed = {"kinds": kinds_of(options), "paths": options.path, "shown": 0}
    unknown = [one for one in (options.source, options.target) if not index.refs(one, **narrowed)]
    for target in unknown:
        lost_target(index, target)
    if not unknown:
        near = [f"{location.kind} {location.name}" for location in index.reached(options.source, like=options.target)]
        instead = f"; {options.source!r} leads to {', '.join(near)}" if near else ""
        note(f"nothing leads from {options.source!r} to {options.target!r}, or back{instead}")


def _lines(way: Way, paths: Paths, shown: Screen, *, several: bool) -> Iterator[str]:
    yield head_line(way.start, paths, shown, repository=way.repository, several=several)
    yield from rows([_row(step, paths, way.repository) for step in way.steps], shown, indent="  ")


def _row(step: PathStep, paths: Paths, repository: str) -> tuple[str, int, str, str]:
    sure = certainty_text(step.certainty, step.candidates)
    what = "" if step.spot.kind in (NodeKind.FUNCTION, NodeKind.METHOD) else f"{step.spot.kind} "
    text = f"{step.how} {what}{visible(step.spot.name)}"
    return visible(paths.of(step.path, repository)) if step.path else "", step.line, text, f"[{sure}]" if sure else ""
