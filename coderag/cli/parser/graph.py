"""The commands about the graph, their arguments and their help."""

from __future__ import annotations

from coderag.cli.parser.arguments import (
    JSON_FORMATS,
    TEXT_FORMATS,
    Number,
    Parsers,
    Text,
    add_count,
    add_filters,
    add_groups,
    add_opening,
    add_output,
    command,
)
from coderag.graph.records import NodeKind
from coderag.limits import DEPTH, MAP_BUDGET, NAME, NODES, QUESTION, WAYS
from coderag.types import Kind, TestPolicy

__all__ = ["add_graph", "add_impact", "add_map", "add_path", "add_refs"]

TARGET = "a symbol, FILE, FILE:LINE, table, table.column or route"
GRAPH_TESTS = (str(TestPolicy.DEMOTE), str(TestPolicy.EXCLUDE))  # tests are always in a group of their own, at the end
REFS_EXAMPLES = """\
examples:
  coderag refs PaymentService.attempt      who calls it, which tests run it
  coderag refs orders                      what reads and writes a table, its views, migrations, classes
  coderag refs orders.total                the same for a column
  coderag refs src/cart.py:120             what is defined there
  coderag refs "GET /orders" --json
"""
IMPACT_EXAMPLES = """\
examples:
  coderag impact orders.total                    what breaks when the column is renamed, and the tests to run first
  coderag impact orders.total --change type --depth 5
  coderag impact Cart.add --change drop --json
  coderag impact --diff                          what the uncommitted changes touch
  coderag impact --diff main...HEAD --format markdown
  git diff --cached | coderag impact --diff -
"""
PATH_EXAMPLES = """\
examples:
  coderag path "GET /orders" orders              how an endpoint reaches a table
  coderag path checkout PaymentService.attempt -k 5
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
    add_count(parser, things="references of each group", default=10)
    parser.add_argument("--all", action="store_true", help="show all of each group")
    add_filters(parser, kinds=NodeKind, things="targets", tests=GRAPH_TESTS)
    add_groups(parser)
    add_opening(parser)
    add_output(parser, formats=(*TEXT_FORMATS, "vimgrep"))


def add_impact(commands: Parsers) -> None:
    """Add `coderag impact`."""
    parser = command(
        commands,
        "impact",
        module="impact",
        summary="show what a change affects, by distance and confidence, and the tests to run first",
        epilog=IMPACT_EXAMPLES,
    )
    parser.add_argument("target", nargs="?", type=Text(NAME), metavar="TARGET", help=TARGET)
    parser.add_argument(
        "--diff",
        nargs="?",
        const="",
        type=Text(NAME, empty=True),
        metavar="REV|FILE",
        help="what a change touches: of the worktree against HEAD or a revision, a range (A..B, A...B), a patch file, "
        "- for one on stdin",
    )
    parser.add_argument("--staged", action="store_true", help="with --diff: what is staged instead of the worktree")
    parser.add_argument(
        "--change", choices=("rename", "drop", "type"), default="rename", help="what is done to it (default: rename)"
    )
    parser.add_argument("--depth", type=Number(DEPTH), default=3, metavar="N", help="steps away from it (default: 3)")
    add_count(parser, things="results of each distance", default=20)
    parser.add_argument("--all", action="store_true", help="show all of each distance")
    add_filters(parser, kinds=NodeKind, things="targets", tests=GRAPH_TESTS)
    add_groups(parser)
    add_opening(parser)
    add_output(parser, formats=(*TEXT_FORMATS, "markdown", "sarif"))


def add_path(commands: Parsers) -> None:
    """Add `coderag path`."""
    parser = command(
        commands, "path", module="path", summary="show how one target leads to another", epilog=PATH_EXAMPLES
    )
    parser.add_argument("source", type=Text(NAME), metavar="FROM", help=TARGET)
    parser.add_argument("target", type=Text(NAME), metavar="TO", help="the same")
    add_count(parser, things="different paths", default=3, limit=WAYS)
    add_filters(parser, kinds=NodeKind, things="targets", tests=GRAPH_TESTS)
    add_groups(parser)
    add_opening(parser)
    add_output(parser)


def add_graph(commands: Parsers) -> None:
    """Add `coderag graph`."""
    parser = command(
        commands,
        "graph",
        module="graph",
        summary="draw the graph around a target, or around what a question finds",
        epilog=GRAPH_EXAMPLES,
    )
    parser.add_argument(
        "what",
        nargs="+",
        type=Text(QUESTION, empty=True),
        metavar="TARGET|QUESTION",
        help="a target as of refs, or a question",
    )
    parser.add_argument("--depth", type=Number(DEPTH), default=1, metavar="N", help="steps around it (default: 1)")
    add_count(parser, things="nodes", default=30, limit=NODES)
    parser.add_argument("--output", "-o", type=Text(NAME), metavar="FILE", help="where to write it (default: stdout)")
    add_filters(parser, kinds=NodeKind, things="targets", tests=GRAPH_TESTS)
    add_groups(parser)
    add_opening(parser)
    add_output(
        parser,
        formats=("mermaid", "svg", "dot", "graphml", *JSON_FORMATS),
        described="default: by the name of the output, else mermaid",
    )


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
        help="what the overview is about (default: everything)",
    )
    parser.add_argument(
        "--budget", type=Number(MAP_BUDGET), default=1024, metavar="TOKENS", help="token budget (default: 1024)"
    )
    add_count(parser, things="parts of each repository", default=None, shown="as the budget allows", old="")
    add_filters(parser, kinds=Kind, things="definitions", tests_default=TestPolicy.EXCLUDE)
    add_groups(parser)
    add_opening(parser)
    add_output(parser)
