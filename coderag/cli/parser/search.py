"""The commands that find code, their arguments and their help."""

from __future__ import annotations

import argparse

from coderag.cli.parser.arguments import (
    HIDDEN,
    TEXT_FORMATS,
    Number,
    Parsers,
    Text,
    Words,
    add_count,
    add_filters,
    add_groups,
    add_list,
    add_opening,
    add_output,
    add_since,
    command,
)
from coderag.limits import DIVERSITY, NAME, QUESTION, RELATED, THRESHOLD
from coderag.types import Expand, Kind, TestPolicy

__all__ = ["add_at", "add_log", "add_outline", "add_search", "add_symbols"]

EDITOR_FORMATS = (*TEXT_FORMATS, "vimgrep")
SEARCH_EXAMPLES = """\
examples:
  coderag search "where is the session cookie set?"
  coderag search Cart.total --context whole
  coderag search "retry with backoff" --kind function,method --tests exclude
  coderag search "order total" --root shop --root billing --json
  coderag search "where is tax computed?" --changed main   only in files that differ from main
  coderag search "bake bread" --threshold 0.7    nothing rather than a guess
  coderag search "cart total" --expand parent --context whole
  coderag search '"connection refused" lang:go -file:vendor/'    every match of a phrase, in Go
  coderag search --regex 'retry_\\w+\\(' --count   how often a regular expression matches, file by file
  coderag search "salary" --groups hr,audit      what callers in these groups may see
  coderag search "rate limit" --format vimgrep   path:line:column:text, for an editor
  echo '{"query": "order total", "k": 3}' | coderag search --batch

The index is built on first use, and changed files are read before the answer.
"""
AT_EXAMPLES = """\
examples:
  coderag at src/cart.py:120                     the definition around the line, what the line names, related code
  coderag at src/cart.py:120:17                  the same of the name at column 17
  coderag at src/cart.py:120 --question "who empties the cart?"
  coderag at src/cart.py:120 --format vimgrep    path:line:column:text, for an editor

In Vim: :cexpr system('coderag at --format vimgrep ' .. shellescape(expand('%') .. ':' .. line('.')))
"""
LOG_EXAMPLES = """\
examples:
  coderag log Cart.total                         when and why the method came, and what changed it
  coderag log src/cart.py                        what changed a file
  coderag log src/cart.py:120 -k 5               what changed the definition around a line
  coderag log Cart.total --since v2.1            what changed it after a release
"""
BATCH_HELP = (
    'read JSON lines {"query", "k"?, "kinds"?, "languages"?, "paths"?, "repositories"?, "databases"?, '
    '"environments"?, "groups"?, "tests"?, "diversity"?, "threshold"?, "collapse"?, "expand"?, "related"?} from stdin, '
    "write one JSON array of hits a line"
)


def add_search(commands: Parsers) -> None:
    """Add `coderag search`."""
    parser = command(
        commands, "search", module="search", summary="find the code that answers a question", epilog=SEARCH_EXAMPLES
    )
    parser.add_argument(
        "query",
        nargs="*",
        type=Text(QUESTION, empty=True),
        metavar="QUERY",
        help='a question in words, a symbol, or terms: "a phrase", /regex/, sym:, file:, lang:, kind:, repo:, test:',
    )
    _add_exact(parser)
    add_count(parser, things="hits", default=10)
    add_filters(parser, kinds=Kind, things="hits")
    add_list(parser, "repository", "only files of these repositories")
    parser.add_argument(
        "--changed",
        nargs="?",
        const="",
        type=Text(NAME, empty=True),
        metavar="REV",
        help="only changed files: those of the worktree that differ from HEAD, or from a revision, or those of a range",
    )
    add_list(parser, "environment", "only files about databases of these environments, such as prod")
    parser.add_argument(
        "--context",
        choices=("lines", "whole", "none"),
        default="lines",
        help="which lines to show (default: lines, the best ones)",
    )
    _add_ranking(parser)
    parser.add_argument("--explain", action="store_true", help="show the parts of each score")
    parser.add_argument("--batch", action="store_true", help=BATCH_HELP)
    parser.add_argument(
        "--store",
        type=Text(NAME),
        metavar="URL",
        help="answer from a store that `coderag export` wrote, without files; #NAME behind it names the index",
    )
    add_groups(parser)
    add_opening(parser)
    add_output(parser, formats=(*EDITOR_FORMATS, "markdown"))
    parser.add_argument("--vimgrep", action="store_const", dest="format", const="vimgrep", help=HIDDEN)


def _add_exact(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--literal",
        type=Text(QUESTION),
        metavar="TEXT",
        help="find every match of a text as it is; a QUERY beside it ranks the hits",
    )
    parser.add_argument(
        "--regex",
        type=Text(QUESTION),
        metavar="REGEX",
        help="find every match of a regular expression (RE2) within a line",
    )
    case = parser.add_mutually_exclusive_group()
    case.add_argument(
        "-i",
        "--ignore-case",
        dest="case",
        action="store_const",
        const="ignore",
        default="smart",
        help="ignore case in patterns (default: unless a pattern has a capital)",
    )
    case.add_argument(
        "--case-sensitive", dest="case", action="store_const", const="sensitive", help="match case in patterns"
    )
    parser.add_argument("--count", action="store_true", help="print how many matches each file has, and no hits")


def _add_ranking(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--related",
        type=Number(RELATED),
        default=0,
        metavar="N",
        help="add up to N definitions that call, or are used by, the hits (default: 0)",
    )
    parser.add_argument(
        "--expand",
        choices=[str(expand) for expand in Expand],
        help="return the enclosing class or module, the file, or the neighbours too",
    )
    parser.add_argument(
        "--threshold",
        type=Number(THRESHOLD),
        default=0.0,
        metavar="0..1",
        help="the least confidence of a hit (default: 0, all)",
    )
    parser.add_argument(
        "--diversity",
        type=Number(DIVERSITY),
        default=0.0,
        metavar="0..1",
        help="diversify the hits (MMR): demote those similar to a better one (default: 0)",
    )
    parser.add_argument(
        "--reranker",
        type=Text(NAME),
        metavar="MODEL",
        help="learned (the default), linear, graph, maxsim, bge-reranker, judge:...",
    )
    parser.add_argument(
        "--fusion", type=Text(NAME), metavar="METHOD", help="fuse lexical and dense results by minmax (default) or rrf"
    )
    parser.add_argument(
        "--without",
        type=Words(),
        default=[],
        metavar="LIST",
        help="leave out signals: words, vectors, paths, names, symbols, ...",
    )
    parser.add_argument("--no-collapse", action="store_true", help="list copies and versions of a better hit too")


def add_outline(commands: Parsers) -> None:
    """Add `coderag outline`."""
    parser = command(commands, "outline", module="outline", summary="show what a file defines, indexed or not")
    parser.add_argument("file", type=Text(NAME), metavar="FILE")
    add_list(parser, "kind", f"only definitions of these kinds: {', '.join(Kind)}")
    add_groups(parser)
    add_output(parser)


def add_symbols(commands: Parsers) -> None:
    """Add `coderag symbols`."""
    parser = command(
        commands,
        "symbols",
        module="symbols",
        summary="find where a name is defined, or the names with the most similar spelling",
    )
    parser.add_argument(
        "name", type=Text(NAME), metavar="NAME", help="a name, qualified or not: get, Session.get, pkg::Type"
    )
    add_count(parser, things="definitions", default=20)
    add_filters(parser, kinds=Kind, things="definitions", tests_default=TestPolicy.INCLUDE)
    add_groups(parser)
    add_opening(parser)
    add_output(parser, formats=EDITOR_FORMATS)


def add_log(commands: Parsers) -> None:
    """Add `coderag log`."""
    parser = command(
        commands,
        "log",
        module="log",
        summary="show the commits that changed a definition or a file, and why",
        epilog=LOG_EXAMPLES,
    )
    parser.add_argument("target", type=Text(NAME), metavar="TARGET", help="a symbol, FILE or FILE:LINE")
    add_count(parser, things="commits", default=20)
    add_filters(parser, kinds=Kind, things="targets", tests=("include", "exclude"), tests_default=TestPolicy.INCLUDE)
    add_since(parser, "commits")
    add_groups(parser)
    add_opening(parser)
    add_output(parser)


def add_at(commands: Parsers) -> None:
    """Add `coderag at`."""
    parser = command(
        commands,
        "at",
        module="at",
        summary="show the definition around a line, what the line refers to, and related code",
        epilog=AT_EXAMPLES,
    )
    parser.add_argument("place", type=Text(NAME), metavar="FILE:LINE[:COLUMN]", help="both are counted from 1")
    about = parser.add_mutually_exclusive_group()
    about.add_argument(
        "--selection", type=Text(QUESTION), metavar="TEXT", help="the selected text, in place of the line"
    )
    about.add_argument("--question", type=Text(QUESTION), metavar="QUESTION", help="what the related code is about")
    add_count(parser, things="related definitions", default=5)
    add_filters(parser, kinds=Kind, things="related code")
    add_groups(parser)
    add_opening(parser)
    add_output(parser, formats=EDITOR_FORMATS)
