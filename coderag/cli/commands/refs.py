"""`coderag refs`: a target to all that refers to it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from coderag.cli.caller import open_for_caller
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.opening import note
from coderag.cli.output.locations import (
    INDENT,
    certainty_text,
    head_line,
    kinds_of,
    lost_target,
    rows,
    unresolved_lines,
)
from coderag.cli.output.records import print_records
from coderag.cli.output.text import Screen, Style, screen, visible
from coderag.cli.roots import Paths
from coderag.graph.queries.refs import Group, Reference, References, Role
from coderag.graph.records import NodeKind

__all__ = ["run"]

SHOWN = 10  # of each group
MAX_MEMBERS = 6  # columns that are named


def run(options: argparse.Namespace) -> int:
    """Print what refers to each meaning of a target; 1 when nothing has its name."""
    index = open_for_caller(options)
    referenceses = index.refs(
        options.target, kinds=kinds_of(options), paths=options.path, shown=None if options.all else SHOWN
    )
    if options.json:
        print_records(referenceses)
    elif not referenceses:
        lost_target(index, options.target)
    else:
        if len(referenceses) > 1:
            note(f"{len(referenceses)} definitions are named {options.target!r}; narrow them with --kind and --path")
        shown, paths = screen(options.color), Paths(index.roots)
        for number, references in enumerate(referenceses):
            lines = list(_lines(references, paths, shown, several=len(index.roots) > 1))
            print("\n".join(lines if number == 0 else ["", *lines]))
    return FOUND if referenceses else NOTHING


def _lines(found: References, paths: Paths, shown: Screen, *, several: bool) -> Iterator[str]:
    yield head_line(found.target, paths, shown, repository=found.repository, several=several)
    for group in found.groups:
        yield f"  {group.role} {shown.paint(f'{group.total:,}', Style.DIM)}"
        yield from rows([_row(reference, group, paths, found.repository) for reference in group.references], shown)
        if more := group.total - len(group.references):
            yield shown.paint(f"{INDENT}... {more:,} more", Style.DIM)
    yield from unresolved_lines(found.unresolved, paths, shown, repository=found.repository)


def _row(one: Reference, group: Group, paths: Paths, repository: str) -> tuple[str, int, str, str]:
    spot = one.spot
    name = visible(spot.name)
    text = name if spot.kind not in (NodeKind.FILE, NodeKind.COLUMN, NodeKind.TABLE) else f"{spot.kind} {name}"
    if spot.kind is NodeKind.FILE:
        text = "the file" if spot.path == one.path else name
    members = [visible(member) for member in one.members[:MAX_MEMBERS]]
    members += ["..."] if len(one.members) > MAX_MEMBERS else []
    remarks = [", ".join(members)] if members and group.role is not Role.MAPPED else []
    remarks += [f"[{sure}]"] if (sure := certainty_text(one.certainty, one.candidates)) else []
    return visible(paths.of(one.path, repository)) if one.path else "", one.line, text, "  ".join(remarks)
