"""`coderag refs`: a target to all that refers to it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace

from coderag.api.index import Index
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.filters import Filters, filters_of
from coderag.cli.opening import note, open_graph_for_caller
from coderag.cli.output.locations import (
    INDENT,
    certainty_text,
    head_line,
    lost_target,
    rows,
    unresolved_lines,
)
from coderag.cli.output.records import print_records
from coderag.cli.output.text import Screen, Style, screen, visible
from coderag.cli.roots import Paths
from coderag.cli.targets import Target, chosen_target
from coderag.graph.queries.refs import FOLDED, Group, Reference, References, Role
from coderag.graph.records import NodeKind
from coderag.text.counted import counted
from coderag.types import TestPolicy

__all__ = ["run"]

MAX_MEMBERS = 6  # columns that are named


def run(options: argparse.Namespace) -> int:
    """Print what refers to each meaning of a target; 1 when nothing has its name."""
    index = open_graph_for_caller(options)
    filters = filters_of(options)
    target = chosen_target(index, options.target, filters)
    answers = _references(index, target, filters, shown=None if options.all else options.k)
    if options.json:
        print_records(answers, options.format)
    elif target is not None and not answers:
        lost_target(index, options.target)
    elif options.format == "vimgrep":
        paths = Paths(index.roots)
        for references in answers:
            print("\n".join(_vimgrep_lines(references, paths)))
    elif answers:
        if len(answers) > 1:
            note(f"{len(answers)} definitions are named {options.target!r}; narrow them with --kind and --path")
        shown, paths = screen(options.color), Paths(index.roots)
        for number, references in enumerate(answers):
            several = len(index.roots) > 1
            lines = list(_lines(references, paths, shown, several=several, everything=options.all))
            print("\n".join(lines if number == 0 else ["", *lines]))
    return FOUND if answers else NOTHING


def _references(index: Index, target: Target | None, filters: Filters, *, shown: int | None) -> list[References]:
    """Return what refers to a target, at most `shown` of each group; without tests where the filters exclude them."""
    if target is None:
        return []
    if filters.tests is not TestPolicy.EXCLUDE:
        return index.refs(target.name, kinds=target.kinds, paths=target.paths, shown=shown)
    everything = index.refs(target.name, kinds=target.kinds, paths=target.paths, shown=None)
    return [replace(one, groups=tuple(_groups_without_tests(one.groups, shown))) for one in everything]


def _groups_without_tests(groups: Sequence[Group], shown: int | None) -> Iterator[Group]:
    for group in groups:
        outside_tests = [reference for reference in group.references if "test" not in reference.spot.labels]
        if outside_tests and group.role is not Role.TESTS:
            yield Group(group.role, len(outside_tests), tuple(outside_tests[:shown]))


def _vimgrep_lines(references: References, paths: Paths) -> Iterator[str]:
    """Yield path:line:column:text for the target and for each reference that a file holds."""
    target = references.target
    places = [(target.path, target.line, f"{target.kind} {target.name}")]
    places += [
        (reference.path, reference.line, f"{group.role} {reference.spot.name}")
        for group in references.groups
        for reference in group.references
    ]
    for path, line, text in places:
        if path:
            yield f"{visible(paths.of(path, references.repository))}:{max(line, 1)}:1:{visible(text)}"


def _lines(found: References, paths: Paths, shown: Screen, *, several: bool, everything: bool) -> Iterator[str]:
    yield head_line(found.target, paths, shown, repository=found.repository, several=several)
    for group in found.groups:
        if group.role in FOLDED and not everything:
            counts = shown.paint(counted(group.total, "place"), Style.DIM)
            yield f"  {group.role}: {counts} {shown.paint('that do not name it; --all lists them', Style.DIM)}"
            continue
        yield f"  {group.role} {shown.paint(f'{group.total:,}', Style.DIM)}"
        yield from rows([_row(reference, group, paths, found.repository) for reference in group.references], shown)
        if more := group.total - len(group.references):
            yield shown.paint(f"{INDENT}... {more:,} more", Style.DIM)
    yield from unresolved_lines(found.unresolved, paths, shown, repository=found.repository)


def _row(reference: Reference, group: Group, paths: Paths, repository: str) -> tuple[str, int, str, str]:
    spot = reference.spot
    name = visible(spot.name)
    text = name if spot.kind not in (NodeKind.FILE, NodeKind.COLUMN, NodeKind.TABLE) else f"{spot.kind} {name}"
    if spot.kind is NodeKind.FILE:
        text = "the file" if spot.path == reference.path else name
    members = [visible(member) for member in reference.members[:MAX_MEMBERS]]
    members += ["..."] if len(reference.members) > MAX_MEMBERS else []
    remarks = [", ".join(members)] if members and group.role is not Role.MAPPED else []
    remarks += ["whole rows"] if reference.whole and group.role not in FOLDED else []
    remarks += [f"in {visible(reference.inner.removeprefix(spot.name + '.'))}"] if reference.inner else []
    remarks += [f"through {visible(reference.through)}"] if reference.through else []
    remarks += [f"[{sure}]"] if (sure := certainty_text(reference.certainty, reference.candidates)) else []
    return (
        visible(paths.of(reference.path, repository)) if reference.path else "",
        reference.line,
        text,
        "  ".join(remarks),
    )
