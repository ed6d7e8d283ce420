"""Arguments that several commands have, and what reads their values; nothing here imports what is slow to import."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, NoReturn

from coderag.cli.output.text import shorten, visible
from coderag.limits import GLOB, GLOBS, ITEMS, NAME, ROOTS, Limit, fault_of_number, fault_of_text
from coderag.types import Kind, TestPolicy

__all__ = [
    "Collect",
    "Number",
    "Parser",
    "Parsers",
    "Size",
    "Text",
    "Words",
    "add_filters",
    "add_groups",
    "add_opening",
    "add_output",
    "add_paths",
    "add_place",
    "command",
    "layout",
]

Parsers = Any  # argparse names the type of subparsers with an underscore
MAX_ERROR = 500  # characters of a line that says what is wrong with the arguments
MOST_DIGITS = 20  # that are read of a number; no limit has as many
UNITS = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}


def layout(prog: str) -> argparse.HelpFormatter:
    """Return the layout of help: texts are shown as they are written."""
    return argparse.RawDescriptionHelpFormatter(prog, max_help_position=28)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where help is, and exit with 2."""
        self.exit(2, f'{self.prog}: {shorten(visible(message), MAX_ERROR)}; see "{self.prog} --help"\n')


class Collect(argparse.Action):
    """Put the values of an option that may be given several times into one list, which a limit bounds."""

    def __init__(self, *, limit: Limit, **options: Any) -> None:
        super().__init__(default=[], **options)
        self.limit = limit

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        _option: str | None = None,
    ) -> None:
        """Add a value, or all of a list of values."""
        collected = getattr(namespace, self.dest)
        if collected is self.default:  # which belongs to all calls
            collected = []
            setattr(namespace, self.dest, collected)
        collected.extend([values] if isinstance(values, str) else values or [])
        if len(collected) > self.limit.most:
            raise argparse.ArgumentError(self, f"more than {self.limit.most:,} {self.limit.unit}")


@dataclass(frozen=True, slots=True)
class Number:
    """Read a number within a limit."""

    limit: Limit

    def __call__(self, text: str) -> float:
        """Return the number, an int where the limit is one of whole numbers."""
        value = self._read(text)
        if fault := fault_of_number(self.limit, value):
            raise argparse.ArgumentTypeError(fault)
        return value

    def _read(self, text: str) -> float:
        if self.limit.whole:
            if not (text.isascii() and text.isdecimal()):
                raise argparse.ArgumentTypeError(f"{text!r} is no whole number")
            return int(text.lstrip("0")[:MOST_DIGITS] or "0")
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if isnan(value):
            raise argparse.ArgumentTypeError(f"{text!r} is no number from {self.limit.least:,} to {self.limit.most:,}")
        return value


@dataclass(frozen=True, slots=True)
class Size:
    """Read a size in bytes within a limit."""

    limit: Limit

    def __call__(self, text: str) -> int:
        """Return the size: bytes, or with a unit as in 500k, 4M, 1G."""
        number = text.rstrip("kKmMgGbB")
        unit = text[len(number) :].lower().removesuffix("b")
        if not (number.isascii() and number.isdecimal()) or unit not in UNITS or not number.strip("0"):
            raise argparse.ArgumentTypeError(f"{text!r} is no size; give bytes, or 500k, 4M, 1G")
        value = int(number.lstrip("0")[:MOST_DIGITS]) * UNITS[unit]
        if fault := fault_of_number(self.limit, value):
            raise argparse.ArgumentTypeError(f"{fault} bytes")
        return value


@dataclass(frozen=True, slots=True)
class Text:
    """Read a text within a limit."""

    limit: Limit
    empty: bool = False  # whether it may be empty

    def __call__(self, text: str) -> str:
        """Return the text as it is."""
        if not (text.strip() or self.empty):
            raise argparse.ArgumentTypeError("it is empty")
        if fault := fault_of_text(self.limit, text):
            raise argparse.ArgumentTypeError(f"it {fault}")
        return text


@dataclass(frozen=True, slots=True)
class Words:
    """Read a list with commas, of some known words where these are given."""

    limit: Limit = ITEMS
    known: tuple[str, ...] = ()
    empty: bool = False  # whether there may be none

    def __call__(self, text: str) -> list[str]:
        """Return the words."""
        found = [word.strip() for word in text.split(",") if word.strip()]
        if not (found or self.empty):
            raise argparse.ArgumentTypeError("it is empty")
        if self.known and set(found) - set(self.known):
            raise argparse.ArgumentTypeError(f"{text!r} is no list of {', '.join(self.known)}")
        if len(found) > self.limit.most:
            raise argparse.ArgumentTypeError(f"more than {self.limit.most:,} {self.limit.unit}")
        if fault := next(filter(None, (fault_of_text(NAME, word) for word in found)), ""):
            raise argparse.ArgumentTypeError(f"a word {fault}")
        return found


def command(commands: Parsers, name: str, *, module: str, summary: str, epilog: str = "") -> argparse.ArgumentParser:
    """Add a command that a module of coderag.cli.commands runs."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=epilog,
        formatter_class=layout,
        allow_abbrev=False,
    )
    parser.set_defaults(module=f"coderag.cli.commands.{module}")
    return parser


def add_filters(parser: argparse.ArgumentParser) -> None:
    """Add what leaves only some of the code."""
    parser.add_argument(
        "--language",
        action=Collect,
        limit=ITEMS,
        type=Words(),
        metavar="LIST",
        help='such as "go,rust": "coderag languages"',
    )
    parser.add_argument(
        "--kind",
        action=Collect,
        limit=ITEMS,
        type=Words(),
        metavar="LIST",
        help=f"only these of {', '.join(Kind)}",
    )
    add_paths(parser, 'only paths like this; "!" in front excludes')
    parser.add_argument(
        "--tests",
        choices=[str(test_policy) for test_policy in TestPolicy],
        default="demote",
        help="tests of code (default: demote)",
    )


def add_paths(parser: argparse.ArgumentParser, what: str) -> None:
    """Add `--path`, which may be given several times."""
    parser.add_argument("--path", action=Collect, limit=GLOBS, type=Text(GLOB), metavar="GLOB", help=what)


def add_groups(parser: argparse.ArgumentParser) -> None:
    """Add whom the command answers."""
    parser.add_argument(
        "--groups",
        type=Words(empty=True),
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
        "--root",
        action=Collect,
        limit=ROOTS,
        type=Text(NAME),
        metavar="ROOT",
        help="repository; several are searched as one",
    )
    parser.add_argument("--index", type=Text(NAME), metavar="DIR", help="where the index lies (default: ROOT/.coderag)")


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add how the answer is printed."""
    parser.add_argument("--json", action="store_true", help="print a JSON array of records")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="default: auto")
