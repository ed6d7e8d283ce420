"""`coderag impact`: a target that is to change, to what that affects."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace

from coderag.api.records import json_line
from coderag.cli.commands.impact_diff import run_diff
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.filters import filters_of
from coderag.cli.opening import open_graph_for_caller
from coderag.cli.output.locations import (
    INDENT,
    affected_row,
    head_line,
    lost_target,
    others_text,
    rows,
    unresolved_lines,
)
from coderag.cli.output.text import Screen, Style, screen
from coderag.cli.roots import Paths
from coderag.cli.targets import chosen_target
from coderag.errors import QueryError
from coderag.graph.queries.impact import Affected, Impact
from coderag.text.counted import counted
from coderag.types import TestPolicy

__all__ = ["run"]

DIFF_FORMATS = ("markdown", "sarif")


def run(options: argparse.Namespace) -> int:
    """Print what a change affects; 1 when nothing has the name."""
    if options.diff is not None or options.staged:
        return run_diff(options)
    if not options.target:
        raise QueryError("give a TARGET, or --diff for what changed")
    if options.format in DIFF_FORMATS:
        raise QueryError(f"--format {options.format} is for --diff; a target has text and json")
    index = open_graph_for_caller(options)
    filters = filters_of(options)
    target = chosen_target(index, options.target, filters)
    impact = None
    if target is not None:
        impact = index.impact(
            target.name, change=options.change, depth=options.depth, kinds=target.kinds, paths=target.paths
        )
    if impact is not None and filters.tests is TestPolicy.EXCLUDE:
        impact = _without_tests(impact)
    if options.json:
        print(json_line(impact))
    elif impact is not None:
        shown, paths = screen(options.color), Paths(index.roots)
        limit = None if options.all else options.k
        print("\n".join(_lines(impact, paths, shown, several=len(index.roots) > 1, limit=limit)))
    elif target is not None:
        lost_target(index, options.target)
    return FOUND if impact is not None else NOTHING


def _without_tests(impact: Impact) -> Impact:
    return replace(
        impact,
        affected=tuple(affected for affected in impact.affected if "test" not in affected.spot.labels),
        possibly=tuple(affected for affected in impact.possibly if "test" not in affected.spot.labels),
        tests=(),
        further_tests=0,
    )


def _lines(found: Impact, paths: Paths, shown: Screen, *, several: bool, limit: int | None) -> Iterator[str]:
    yield head_line(found.target, paths, shown, repository=found.repository, several=several)
    if found.others:
        yield shown.paint(f"  not looked at: {others_text(found.others)}", Style.DIM)
    if not (found.affected or found.possibly or found.tests):
        yield "  nothing that is known"
    for distance in sorted({affected.distance for affected in found.affected}):
        here = [affected for affected in found.affected if affected.distance == distance]
        title = "at once" if distance == 1 else f"{distance} steps away"
        yield from _group(title, here, found, paths=paths, shown=shown, limit=limit)
    named = [affected for affected in found.possibly if limit is None or not affected.by_rows]
    yield from _group("possibly", named, found, paths=paths, shown=shown, limit=limit)
    yield from _rows_folded(found.possibly, shown, limit=limit)
    yield from _group("tests to run first", found.tests, found, paths=paths, shown=shown, limit=limit)
    if found.further_tests and limit is None:
        yield shown.paint(f"{INDENT}... {found.further_tests:,} more", Style.DIM)
    yield from unresolved_lines(found.unresolved, paths, shown, repository=found.repository)


def _rows_folded(possibly: Sequence[Affected], shown: Screen, *, limit: int | None) -> Iterator[str]:
    """Yield how many take whole rows without naming the column, unless all are listed."""
    by_rows = [affected for affected in possibly if affected.by_rows]
    if not by_rows or limit is None:
        return
    near = sum(affected.distance == 1 for affected in by_rows)
    behind = f", and {len(by_rows) - near:,} behind them" if len(by_rows) > near else ""
    line = f"{counted(near, 'place')} that do not name it{behind}; --all lists them"
    yield f"  whole rows: {shown.paint(line, Style.DIM)}"


def _group(
    title: str, found: Sequence[Affected], impact: Impact, *, paths: Paths, shown: Screen, limit: int | None
) -> Iterator[str]:
    if not found:
        return
    count = len(found) + (impact.further_tests if found is impact.tests else 0)
    yield f"  {title} {shown.paint(f'{count:,}', Style.DIM)}"
    yield from rows([affected_row(affected, paths, impact.repository) for affected in found[:limit]], shown)
    if limit is not None and (more := count - len(found[:limit])):
        yield shown.paint(f"{INDENT}... {more:,} more", Style.DIM)
