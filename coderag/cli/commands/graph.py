"""`coderag graph`: a target, or what a question finds, and what is around it as a picture."""

from __future__ import annotations

import argparse

from coderag.api.records import json_line
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.filters import filters_of
from coderag.cli.opening import note, open_graph_for_caller
from coderag.cli.output.files import chosen_format, write_output
from coderag.cli.output.locations import tell_choice
from coderag.cli.output.text import visible
from coderag.cli.targets import Target, chosen_target
from coderag.graph.drawing.drawing import Drawing
from coderag.graph.drawing.export import as_dot, as_graphml, as_mermaid
from coderag.graph.drawing.svg import as_svg
from coderag.limits import NAME, fault_of_text
from coderag.search.query.query import check_question
from coderag.text.counted import counted

__all__ = ["run"]

FORMATS = {"mermaid": as_mermaid, "svg": as_svg, "dot": as_dot, "graphml": as_graphml, "json": json_line}
ENDINGS = {
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
    ".svg": "svg",
    ".dot": "dot",
    ".gv": "dot",
    ".graphml": "graphml",
    ".xml": "graphml",
    ".json": "json",
}


def run(options: argparse.Namespace) -> int:
    """Draw what is asked for; 1 when nothing is found."""
    kind = chosen_format(options.output, "json" if options.json else options.format, endings=ENDINGS)
    what = " ".join(options.what)
    check_question(what)
    index = open_graph_for_caller(options)
    filters = filters_of(options)
    is_name = not fault_of_text(NAME, what)
    target = chosen_target(index, what, filters) if is_name else Target(what, filters.kinds, filters.paths)
    if target is None:
        return NOTHING
    drawn = index.graph(
        target.name,
        depth=options.depth,
        k=options.k,
        kinds=target.kinds,
        paths=target.paths,
        languages=filters.languages,
        databases=filters.databases,
        tests=str(filters.tests),
    )
    if drawn is None:
        note(f"nothing is found for {what!r}")
        return NOTHING
    if is_name:
        tell_choice(index, target.name, kinds=target.kinds, paths=target.paths)
    text = FORMATS[kind](drawn)
    if options.output:
        write_output(options.output, text)
        count = f"{counted(len(drawn.spots), 'node')} and {counted(len(drawn.lines), 'edge')}"
        note(f"{count} drawn in {options.output}, as {kind}")
    else:
        print("\n".join(map(visible, text.split("\n"))))
    _tell_rest(drawn)
    return FOUND


def _tell_rest(drawn: Drawing) -> None:
    if drawn.left_out:
        note(f"{counted(drawn.left_out, 'further neighbour')} left out; -k gives more")
