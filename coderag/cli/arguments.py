"""Arguments that several commands have, and what reads their values; nothing here imports more than argparse."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NoReturn

from coderag.types import Kind, TestPolicy

__all__ = [
    "Parser",
    "Parsers",
    "add_filters",
    "add_groups",
    "add_opening",
    "add_output",
    "add_place",
    "command",
    "count",
    "layout",
    "seconds",
    "share",
    "size",
    "words",
    "words_of",
]

Parsers = Any  # argparse names the type of subparsers with an underscore


def layout(prog: str) -> argparse.HelpFormatter:
    """Return the layout of help: texts are shown as they are written."""
    return argparse.RawDescriptionHelpFormatter(prog, max_help_position=28)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where help is, and exit with 2."""
        self.exit(2, f'{self.prog}: {message}; see "{self.prog} --help"\n')


def command(commands: Parsers, name: str, *, module: str, summary: str, epilog: str = "") -> argparse.ArgumentParser:
    """Add a command that a module of coderag.cli runs."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=epilog,
        formatter_class=layout,
        allow_abbrev=False,
    )
    parser.set_defaults(module=f"coderag.cli.{module}")
    return parser


def add_filters(parser: argparse.ArgumentParser) -> None:
    """Add what leaves only some of the code."""
    parser.add_argument(
        "--language",
        action="extend",
        type=words,
        default=[],
        metavar="LIST",
        help='such as "go,rust": "coderag languages"',
    )
    parser.add_argument(
        "--kind", action="extend", type=words, default=[], metavar="LIST", help=f"only these of {', '.join(Kind)}"
    )
    parser.add_argument(
        "--path", action="append", default=[], metavar="GLOB", help='only paths like this; "!" in front excludes'
    )
    parser.add_argument(
        "--tests", choices=[str(one) for one in TestPolicy], default="demote", help="tests of code (default: demote)"
    )


def add_groups(parser: argparse.ArgumentParser) -> None:
    """Add whom the command answers."""
    parser.add_argument(
        "--groups",
        type=words,
        metavar="LIST",
        help="answer as to a caller of these groups (default: one who sees all)",
    )


def add_opening(parser: argparse.ArgumentParser) -> None:
    """Add which indexes are asked, and whether they are brought up to date before."""
    add_place(parser)
    parser.add_argument("--no-refresh", action="store_true", help="answer from the index as it is")


def add_place(parser: argparse.ArgumentParser) -> None:
    """Add which indexes are meant."""
    parser.add_argument(
        "--root", action="append", default=[], metavar="ROOT", help="repository; several are searched as one"
    )
    parser.add_argument("--index", metavar="DIR", help="where the index lies (default: ROOT/.coderag)")


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add how the answer is printed."""
    parser.add_argument("--json", action="store_true", help="print a JSON array of records")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="default: auto")


def words(text: str) -> list[str]:
    """Return the words of a list with commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def words_of(known: list[str]) -> Callable[[str], list[str]]:
    """Return what reads a list with commas of some known words."""

    def known_words(text: str) -> list[str]:
        found = words(text)
        if not found or set(found) - set(known):
            raise argparse.ArgumentTypeError(f"{text!r} is no list of {', '.join(known)}")
        return found

    return known_words


def count(text: str) -> int:
    """Return a whole number from 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number")
    return int(text)


def share(text: str) -> float:
    """Return a number from 0 to 1."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 to 1")
    return number


def seconds(text: str) -> float:
    """Return a number of seconds above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return number


def size(text: str) -> int:
    """Return a size in bytes."""
    number = text.rstrip("kKmMgGbB")
    unit = text[len(number) :].lower().removesuffix("b")
    factors = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}
    if not number.isdecimal() or unit not in factors or int(number) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no size; give bytes, or 500k, 4M, 1G")
    return int(number) * factors[unit]
