"""The commands about the graph, their arguments and their help."""

from __future__ import annotations

import argparse

from coderag.cli.parser.arguments import (
    Collect,
    Number,
    Parsers,
    Text,
    Words,
    add_groups,
    add_opening,
    add_output,
    add_paths,
    command,
)
from coderag.graph.records import NodeKind
from coderag.limits import DEPTH, ITEMS, MAP_BUDGET, NAME, NODES, QUESTION, WAYS

__all__ = ["add_graph", "add_impact", "add_map", "add_path", "add_refs"]

TARGET = "a symbol, FILE, FILE:LINE, table, table.column or route"
REFS_EXAMPLES = """\
examples:
  coderag refs PaymentService.attempt      who calls it, which tests run it
  coderag refs orders                      what reads and writes a table, its views, migrations, classes
  coderag refs orders.total                the same of a column
  coderag refs src/cart.py:120             what is defined there
  coderag refs "GET /orders" --json
"""
IMPACT_EXAMPLES = """\
examples:
  coderag impact orders.total                    what breaks when the column is renamed, and the tests to run first
  coderag impact orders.total --change type --depth 5
  coderag impact Cart.add --change drop --json
"""
PATH_EXAMPLES = """\
examples:
  coderag path "GET /orders" orders              how an endpoint reaches a table
  coderag path checkout PaymentService.attempt --limit 5
"""
GRAPH_EXAMPLES = """\
examples:
  coderag graph "how is a payment retried?"      what the question finds and what is around it, as Mermaid
  coderag graph orders --depth 2 --output orders.svg
  coderag graph Cart --format graphml --output cart.graphml
"""
MAP_EXAMPLES = """\
examples:
  coderag map                                    the parts of the repository, and what matters most in each
  coderag map "how are payments made?" --budget 2000
  coderag map --path 'src/**' --json
"""


def add_refs(commands: Parsers) -> None:
    """Add `coderag refs`."""
    parser = command(
        commands,
        "refs",
        module="refs",
        summary="show what calls, reads, writes, maps or tests a definition, table or column",
        epilog=REFS_EXAMPLES,
    )
    parser.add_argument("target", type=Text(NAME), metavar="TARGET", help=TARGET)
    parser.add_argument("--all", action="store_true", help="show all of each group (default: the first 10)")
    _add_narrowing(parser)
    add_groups(parser)
    add_opening(parser)
    add_output(parser)


def add_impact(commands: Parsers) -> None:
    """Add `coderag impact`."""
    parser = command(
        commands,
        "impact",
        module="impact",
        summary="show what a change affects, by distance and confidence, and the tests to run first",
        epilog=IMPACT_EXAMPLES,
    )
    parser.add_argument("target", type=Text(NAME), metavar="TARGET", help=TARGET)
    parser.add_argument(
        "--change", choices=("rename", "drop", "type"), default="rename", help="what is done to it (default: rename)"
    )
    parser.add_argument("--depth", type=Number(DEPTH), default=3, metavar="N", help="steps away from it (default: 3)")
    parser.add_argument("--all", action="store_true", help="show all (default: the first 20 of each distance)")
    _add_narrowing(parser)
    add_groups(parser)
    add_opening(parser)
    add_output(parser)


def add_path(commands: Parsers) -> None:
    """Add `coderag path`."""
    parser = command(
        commands, "path", module="path", summary="show how one thing leads to another", epilog=PATH_EXAMPLES
    )
    parser.add_argument("source", type=Text(NAME), metavar="FROM", help=TARGET)
    parser.add_argument("target", type=Text(NAME), metavar="TO", help="the same")
    parser.add_argument(
        "--limit", type=Number(WAYS), default=1, metavar="N", help="different ways at most (default: 1)"
    )
    _add_narrowing(parser)
    add_groups(parser)
    add_opening(parser)
    add_output(parser)


def add_graph(commands: Parsers) -> None:
    """Add `coderag graph`."""
    parser = command(
        commands,
        "graph",
        module="graph",
        summary="draw what a question or a target has to do with what is around it",
        epilog=GRAPH_EXAMPLES,
    )
    parser.add_argument(
        "what",
        nargs="+",
        type=Text(QUESTION, empty=True),
        metavar="TARGET|QUESTION",
        help="a target as of refs, or a question",
    )
    parser.add_argument(
        "--format",
        choices=("mermaid", "svg", "dot", "graphml", "json"),
        help="default: by the name of the output, else mermaid",
    )
    parser.add_argument("--depth", type=Number(DEPTH), default=1, metavar="N", help="steps around it (default: 1)")
    parser.add_argument("--limit", type=Number(NODES), default=30, metavar="N", help="nodes at most (default: 30)")
    parser.add_argument("--output", "-o", type=Text(NAME), metavar="FILE", help="where to write it (default: stdout)")
    _add_narrowing(parser)
    add_groups(parser)
    add_opening(parser)
    add_output(parser)


def add_map(commands: Parsers) -> None:
    """Add `coderag map`."""
    parser = command(
        commands,
        "map",
        module="map",
        summary="give an overview: the parts of the repository, and what matters most in each",
        epilog=MAP_EXAMPLES,
    )
    parser.add_argument(
        "question",
        nargs="*",
        type=Text(QUESTION, empty=True),
        metavar="QUESTION",
        help="what it is to be about (default: all)",
    )
    parser.add_argument(
        "--budget", type=Number(MAP_BUDGET), default=1024, metavar="TOKENS", help="how much to give (default: 1024)"
    )
    add_paths(parser, 'only files like this; "!" in front excludes')
    add_groups(parser)
    add_opening(parser)
    add_output(parser)


def _add_narrowing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--kind",
        action=Collect,
        limit=ITEMS,
        type=Words(),
        metavar="LIST",
        help=f"only these of {', '.join(NodeKind)}",
    )
    add_paths(parser, 'only what stands in such files; "!" excludes')
