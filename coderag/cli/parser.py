"""The commands, their arguments and their help; nothing here imports more than argparse."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NoReturn

from coderag import __version__
from coderag.types import Content, Kind, TestPolicy

__all__ = ["make_parser"]

Parsers = Any  # argparse names the type of subparsers with an underscore

EXAMPLES = """\
examples:
  coderag index                                  index the repository around the current folder
  coderag search "where are payments retried?"   ask in words
  coderag search Session.get -k 3                or give a symbol
  coderag search "parse date" --language go --path 'src/**' --path '!**/gen/*'
  coderag search "rate limit" --vimgrep          path:line:column:text, for an editor
  coderag outline src/app.py                     what a file defines
  coderag symbols PaymentGateway                 where a name is defined

Exit codes: 0 found, 1 nothing found, 2 usage or a failure.
"""
SEARCH_EXAMPLES = """\
examples:
  coderag search "where is the session cookie set?"
  coderag search Cart.total --context whole
  coderag search "retry with backoff" --kind function,method --tests exclude
  coderag search "order total" --root shop --root billing --json
  echo '{"query": "order total", "k": 3}' | coderag search --batch

The index is made on first use, and changed files are read before the answer.
"""
INDEX_EXAMPLES = """\
examples:
  coderag index                    the repository around the current folder
  coderag index --dry-run          what would be read, one file a line
  coderag index --content code,docs,config
  coderag index ~/src/app --index /var/tmp/app-index

The index lies in ROOT/.coderag. Running it again reads only what changed.
"""
BATCH_HELP = (
    'read JSON lines {"query", "k"?, "kinds"?, "languages"?, "paths"?, "tests"?} from stdin, '
    "write one JSON array of hits a line"
)


def _layout(prog: str) -> argparse.HelpFormatter:
    return argparse.RawDescriptionHelpFormatter(prog, max_help_position=28)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where help is, and exit with 2."""
        self.exit(2, f'{self.prog}: {message}; see "{self.prog} --help"\n')


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of every command; what it returns names the module to run as `module`."""
    parser = Parser(
        prog="coderag",
        description="Index repositories and find the right function, offline.",
        epilog=EXAMPLES,
        formatter_class=_layout,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"coderag {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for add in (_add_index, _add_search, _add_outline, _add_symbols, _add_status, _add_languages):
        add(commands)
    return parser


def _command(commands: Parsers, name: str, *, module: str, summary: str, epilog: str = "") -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=epilog,
        formatter_class=_layout,
        allow_abbrev=False,
    )
    parser.set_defaults(module=f"coderag.cli.{module}")
    return parser


def _add_index(commands: Parsers) -> None:
    parser = _command(
        commands, "index", module="index", summary="index a repository, or what changed in it", epilog=INDEX_EXAMPLES
    )
    parser.add_argument("roots", nargs="*", metavar="ROOT", help="folders to index (default: the one around here)")
    parser.add_argument("--index", metavar="DIR", help="where the index lies (default: ROOT/.coderag)")
    parser.add_argument("--rebuild", action="store_true", help="read everything again")
    parser.add_argument(
        "--content",
        type=_words_of([str(one) for one in Content]),
        metavar="LIST",
        help="what to read: code, docs, config (default: code,docs)",
    )
    parser.add_argument(
        "--max-bytes", type=_size, metavar="SIZE", help="leave out files larger than, say, 500k (default: 4M)"
    )
    parser.add_argument("--workers", type=_count, metavar="N", help="processes (default: one a core; 0: none)")
    parser.add_argument("--dry-run", action="store_true", help="only list what would be read")
    noise = parser.add_mutually_exclusive_group()
    noise.add_argument("--verbose", "-v", action="store_true", help="list skipped files and files with problems")
    noise.add_argument("--quiet", "-q", action="store_true", help="print nothing but errors")
    _add_output(parser)


def _add_search(commands: Parsers) -> None:
    parser = _command(
        commands, "search", module="search", summary="find the code that answers a question", epilog=SEARCH_EXAMPLES
    )
    parser.add_argument("query", nargs="*", metavar="QUERY", help="a question in words, or a symbol")
    parser.add_argument("-k", type=_count, default=10, metavar="N", help="how many hits (default: 10)")
    _add_filters(parser)
    parser.add_argument(
        "--context",
        choices=("lines", "whole", "none"),
        default="lines",
        help="which lines to show (default: lines, the best ones)",
    )
    parser.add_argument("--explain", action="store_true", help="show the parts of each score")
    parser.add_argument("--vimgrep", action="store_true", help="print path:line:column:text")
    parser.add_argument("--batch", action="store_true", help=BATCH_HELP)
    _add_opening(parser)
    _add_output(parser)


def _add_filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--language",
        action="extend",
        type=_words,
        default=[],
        metavar="LIST",
        help='such as "go,rust": "coderag languages"',
    )
    parser.add_argument(
        "--kind", action="extend", type=_words, default=[], metavar="LIST", help=f"only these of {', '.join(Kind)}"
    )
    parser.add_argument(
        "--path", action="append", default=[], metavar="GLOB", help='only paths like this; "!" in front excludes'
    )
    parser.add_argument(
        "--tests", choices=[str(one) for one in TestPolicy], default="demote", help="tests of code (default: demote)"
    )


def _add_outline(commands: Parsers) -> None:
    parser = _command(commands, "outline", module="outline", summary="show what a file defines, indexed or not")
    parser.add_argument("file", metavar="FILE")
    _add_output(parser)


def _add_symbols(commands: Parsers) -> None:
    parser = _command(
        commands, "symbols", module="symbols", summary="find where a name is defined, or the names spelled most like it"
    )
    parser.add_argument("name", metavar="NAME", help="a name, qualified or not: get, Session.get, pkg::Type")
    parser.add_argument("-k", type=_count, default=20, metavar="N", help="how many definitions (default: 20)")
    _add_opening(parser)
    _add_output(parser)


def _add_status(commands: Parsers) -> None:
    parser = _command(commands, "status", module="status", summary="show what is indexed, and whether it is up to date")
    parser.add_argument("--verbose", "-v", action="store_true", help="list every skipped, changed and problematic file")
    _add_place(parser)
    _add_output(parser)


def _add_languages(commands: Parsers) -> None:
    _add_output(_command(commands, "languages", module="languages", summary="list the languages that are read"))


def _add_opening(parser: argparse.ArgumentParser) -> None:
    _add_place(parser)
    parser.add_argument("--no-refresh", action="store_true", help="answer from the index as it is")


def _add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--root", action="append", default=[], metavar="ROOT", help="repository; several are searched as one"
    )
    parser.add_argument("--index", metavar="DIR", help="where the index lies (default: ROOT/.coderag)")


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print a JSON array of records")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="default: auto")


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _words_of(known: list[str]) -> Callable[[str], list[str]]:
    def words(text: str) -> list[str]:
        found = _words(text)
        if not found or set(found) - set(known):
            raise argparse.ArgumentTypeError(f"{text!r} is no list of {', '.join(known)}")
        return found

    return words


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number")
    return int(text)


def _size(text: str) -> int:
    number, unit = text.rstrip("kKmMgG"), text.lstrip("0123456789").lower()
    factors = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}
    if not number.isdecimal() or unit not in factors or int(number) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no size; give bytes, or 500k, 4M, 1G")
    return int(number) * factors[unit]
