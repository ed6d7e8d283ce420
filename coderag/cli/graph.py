"""`coderag graph`: a target, or what a question finds, and what is around it as a picture."""

from __future__ import annotations

import argparse
from pathlib import Path

from coderag.cli.caller import open_for_caller
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.opening import note
from coderag.cli.records import json_line
from coderag.cli.spots import kinds_of
from coderag.cli.text import counted, visible
from coderag.graph.drawing import Drawing
from coderag.graph.export import as_dot, as_graphml, as_mermaid
from coderag.graph.picture import as_svg

__all__ = ["run"]

FORMATS = {"mermaid": as_mermaid, "svg": as_svg, "dot": as_dot, "graphml": as_graphml, "json": json_line}
ENDINGS = {".svg": "svg", ".dot": "dot", ".gv": "dot", ".graphml": "graphml", ".xml": "graphml", ".json": "json"}


def run(options: argparse.Namespace) -> int:
    """Draw what is asked for; 1 when nothing is found."""
    index = open_for_caller(options)
    what = " ".join(options.what)
    drawn = index.graph(what, depth=options.depth, limit=options.limit, kinds=kinds_of(options), paths=options.path)
    if drawn is None:
        note(f"nothing is found for {what!r}")
        return NOTHING
    text = FORMATS[_format(options)](drawn)
    if options.output:
        Path(options.output).write_text(f"{text}\n", encoding="utf-8", errors="backslashreplace")
    else:
        print("\n".join(map(visible, text.split("\n"))))
    _tell(drawn, options.output)
    return FOUND


def _format(options: argparse.Namespace) -> str:
    if options.json:
        return "json"
    return options.format or ENDINGS.get(Path(options.output or "").suffix.lower(), "mermaid")


def _tell(drawn: Drawing, output: str | None) -> None:
    if output:
        note(f"{counted(len(drawn.spots), 'node')} and {counted(len(drawn.lines), 'edge')} drawn in {output}")
    if drawn.left_out:
        note(f"{counted(drawn.left_out, 'further neighbour')} left out; --limit gives more")
