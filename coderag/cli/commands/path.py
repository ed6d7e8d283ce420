"""`coderag path`: how one target leads to another."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from coderag.api.index import Index
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.filters import filters_of
from coderag.cli.opening import note, open_graph_for_caller
from coderag.cli.output.locations import certainty_text, head_line, lost_target, rows, tell_choice
from coderag.cli.output.records import print_records
from coderag.cli.output.text import Screen, screen, visible
from coderag.cli.roots import Paths
from coderag.cli.targets import Target, chosen_pair
from coderag.graph.queries.paths import GraphPath, PathStep
from coderag.graph.records import NodeKind

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Print the ways from one target to another; 1 when neither leads to the other."""
    index = open_graph_for_caller(options)
    pair = chosen_pair(index, (options.source, options.target), filters_of(options))
    ways: list[GraphPath] = []
    if pair is not None:
        source, target = pair
        kinds, paths_of_both = source.kinds, source.paths
        ways = index.path_between(source.name, target.name, k=options.k, kinds=kinds, paths=paths_of_both)
        for one in pair if ways else ():
            tell_choice(index, one.name, kinds=kinds, paths=paths_of_both)
    if options.json:
        print_records(ways, options.format)
    elif pair is None:
        pass  # which end met no condition is said
    elif not ways:
        _tell_why(index, pair)
    else:
        if ways[0].backwards:
            note(f"nothing leads from {options.source!r} to {options.target!r}; this is the way back")
        shown, paths = screen(options.color), Paths(index.roots)
        for number, way in enumerate(ways):
            lines = list(_lines(way, paths, shown, several=len(index.roots) > 1))
            print("\n".join(lines if number == 0 else ["", *lines]))
    return FOUND if ways else NOTHING


def _tell_why(index: Index, pair: tuple[Target, Target]) -> None:
    """Say which target nothing is named, or what is reached instead."""
    source, target = (one.name for one in pair)
    unknown = [one.name for one in pair if not index.refs(one.name, kinds=one.kinds, paths=one.paths, shown=0)]
    for name in unknown:
        lost_target(index, name)
    if not unknown:
        near = [f"{location.kind} {location.name}" for location in index.reached(source, like=target)]
        instead = f"; {source!r} leads to {', '.join(near)}" if near else ""
        note(f"nothing leads from {source!r} to {target!r}, or back{instead}")


def _lines(way: GraphPath, paths: Paths, shown: Screen, *, several: bool) -> Iterator[str]:
    yield head_line(way.start, paths, shown, repository=way.repository, several=several)
    yield from rows([_row(step, paths, way.repository) for step in way.steps], shown, indent="  ")


def _row(step: PathStep, paths: Paths, repository: str) -> tuple[str, int, str, str]:
    sure = certainty_text(step.certainty, step.candidates)
    what = "" if step.spot.kind in (NodeKind.FUNCTION, NodeKind.METHOD) else f"{step.spot.kind} "
    text = f"{step.how} {what}{visible(step.spot.name)}"
    return visible(paths.of(step.path, repository)) if step.path else "", step.line, text, f"[{sure}]" if sure else ""
