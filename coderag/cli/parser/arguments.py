"""Arguments that several commands share, and the types of their values; nothing here is slow to import."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from math import isnan
from typing import Any, NoReturn

from coderag.cli.output.text import shorten, visible
from coderag.limits import GLOB, GLOBS, ITEMS, NAME, ROOTS, K, Limit, fault_of_number, fault_of_text
from coderag.record import record
from coderag.types import TestPolicy

__all__ = [
    "COMMAND",
    "HIDDEN",
    "JSON_FORMATS",
    "Collect",
    "Number",
    "Numbers",
    "Parser",
    "Parsers",
    "Size",
    "Text",
    "Words",
    "add_count",
    "add_filters",
    "add_groups",
    "add_index",
    "add_list",
    "add_model",
    "add_opening",
    "add_output",
    "add_paths",
    "add_place",
    "add_repositories",
    "add_since",
    "command",
    "did_you_mean",
    "layout",
]

Parsers = Any  # argparse names the type of subparsers with an underscore
COMMAND = "COMMAND"  # what help calls the first argument
HIDDEN = argparse.SUPPRESS  # the help of a spelling that is understood for one more release
JSON_FORMATS = ("json", "jsonl")
TEXT_FORMATS = ("text", *JSON_FORMATS)
EVERY_TEST_POLICY = tuple(map(str, TestPolicy))
INVALID_CHOICE, CHOICES = ": invalid choice: ", " (choose from "  # in what argparse says of an unknown value
MISSING = "the following arguments are required"  # what argparse says first, though an option is unknown too
MIN_ALIKE = 60.0  # of 100; a word less like what was typed is not suggested
MAX_ERROR = 500  # characters of a line that says what is wrong with the arguments
MOST_DIGITS = 20  # that are read of a number; no limit has as many
UNITS = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}


def layout(prog: str) -> argparse.HelpFormatter:
    """Return the layout of help: texts are shown as they are written."""
    return argparse.RawDescriptionHelpFormatter(prog, max_help_position=28)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, with the word that was probably meant."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._arguments: list[str] = []

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Return the options, and the arguments that are unknown."""
        self._arguments = list(args or ())
        return super().parse_known_args(args, namespace)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Return the options; an unknown one ends the process with 2."""
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            getattr(options, "parser", self).refuse(unknown[0])
        return options

    def refuse(self, argument: str) -> NoReturn:
        """Say that an argument is unknown and which option is spelled like it, and exit with 2."""
        if not argument.startswith("-"):
            self.error(f"unexpected argument {argument}")
        options = [name for action in self._actions if action.help != HIDDEN for name in action.option_strings]
        name = argument.partition("=")[0]
        self.error(f"unknown option {name}{did_you_mean(name, options)}")

    def _misspelled(self) -> str:
        """Return the first argument that looks like an option and is unknown, "" if all are known."""
        known = {name for action in self._actions for name in action.option_strings}
        for argument in self._arguments:
            name = argument.partition("=")[0] if argument.startswith("--") else argument[:2]
            if argument.startswith("-") and argument.strip("-") and name not in known:
                return argument
        return ""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where help is, and exit with 2."""
        if message.startswith(MISSING) and (option := self._misspelled()):
            self.refuse(option)
        argument, invalid, value = message.partition(INVALID_CHOICE)
        if invalid:
            word, _, choices = value.rpartition(CHOICES)
            word, known = word.strip("'"), choices.removesuffix(")").replace("'", "").split(", ")
            if argument == f"argument {COMMAND}":
                message = f"unknown command {word!r}{did_you_mean(word, known)}"
            else:
                message += did_you_mean(word, known)
        end = "" if message.endswith("?") else ";"
        self.exit(2, f'{self.prog}: {shorten(visible(message), MAX_ERROR)}{end} see "{self.prog} --help"\n')


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean X?` for the known word that is spelled most like one, "" if none is."""
    from rapidfuzz import fuzz, process  # only a typing error needs it

    plain = {name: name.strip("-") for name in known}
    best = process.extractOne(word.strip("-").lower(), plain, scorer=fuzz.ratio, score_cutoff=MIN_ALIKE)
    return f"; did you mean {best[2]}?" if best else ""


class Format(argparse.Action):
    """Keep a format; one of JSON counts as `--json`."""

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        _option: str | None = None,
    ) -> None:
        """Set the format."""
        namespace.format = values
        namespace.json = namespace.json or values in JSON_FORMATS


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


@record
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


@record
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


@record
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


@record
class Numbers:
    """Read numbers with their names, NAME=N,NAME=N, each within its limit."""

    limits: tuple[Limit, ...]
    limit: Limit = NAME  # of the text

    def __call__(self, text: str) -> dict[str, float]:
        """Return the numbers by their names."""
        if fault := fault_of_text(self.limit, text):
            raise argparse.ArgumentTypeError(f"it {fault}")
        known = {limit.name: limit for limit in self.limits}
        found: dict[str, float] = {}
        for item in text.split(","):
            name, _, number = (part.strip() for part in item.partition("="))
            if name not in known or name in found:
                raise argparse.ArgumentTypeError(
                    f"{item.strip()!r} is none of {', '.join(f'{one}=N' for one in known)}"
                )
            found[name] = Number(known[name])(number)
        return found


@record
class Words:
    """Read a list with commas, of some known words where these are given."""

    limit: Limit = ITEMS
    known: tuple[str, ...] = ()
    empty: bool = False  # whether there may be none

    def __call__(self, text: str) -> list[str]:
        """Return the words."""
        words = [word.strip() for word in text.split(",") if word.strip()]
        if not (words or self.empty):
            raise argparse.ArgumentTypeError("it is empty")
        if self.known and set(words) - set(self.known):
            raise argparse.ArgumentTypeError(f"{text!r} is no list of {', '.join(self.known)}")
        if len(words) > self.limit.most:
            raise argparse.ArgumentTypeError(f"more than {self.limit.most:,} {self.limit.unit}")
        if fault := next(filter(None, (fault_of_text(NAME, word) for word in words)), ""):
            raise argparse.ArgumentTypeError(f"a word {fault}")
        return words


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
    parser.set_defaults(module=f"coderag.cli.commands.{module}", parser=parser)
    return parser


def add_filters(
    parser: argparse.ArgumentParser,
    *,
    kinds: Iterable[str],
    things: str = "results",
    tests: Sequence[str] = EVERY_TEST_POLICY,
    tests_default: TestPolicy = TestPolicy.DEMOTE,
) -> None:
    """Add the filters that every command has that lists things (coderag.cli.filters)."""
    add_paths(parser, f'only {things} in files that match; "!" in front excludes')
    add_list(parser, "language", f'only {things} in files of these languages, such as "go,rust": "coderag languages"')
    add_list(parser, "kind", f"only {things} of these kinds: {', '.join(kinds)}")
    add_list(parser, "database", f"only {things} of these databases, or in files that declare, change or query them")
    parser.add_argument(
        "--tests",
        choices=tests,
        default=str(tests_default),
        help=f"include tests, demote them behind the rest, or exclude them (default: {tests_default})"
        if tuple(tests) == EVERY_TEST_POLICY
        else f"exclude leaves out tests (default: {tests_default})",
    )


def add_list(parser: argparse.ArgumentParser, name: str, what: str) -> None:
    """Add an option that takes a list with commas, and may be given several times."""
    parser.add_argument(f"--{name}", action=Collect, limit=ITEMS, type=Words(), metavar="LIST", help=what)


def add_paths(parser: argparse.ArgumentParser, what: str) -> None:
    """Add `--path`, which may be given several times."""
    parser.add_argument("--path", action=Collect, limit=GLOBS, type=Text(GLOB), metavar="GLOB", help=what)


def add_count(
    parser: argparse.ArgumentParser,
    *,
    things: str,
    default: int | None,
    shown: str = "all",
    limit: Limit = K,
    old: str = "--limit",
) -> None:
    """Add `-k`, how many of some things are returned, and the old spelling of it; `shown` is a default of None."""
    default_text = shown if default is None else f"{default}"
    parser.add_argument(
        "-k",
        type=Number(limit),
        default=default,
        metavar="N",
        help=f"at most so many {things} (default: {default_text})",
    )
    if old:
        parser.add_argument(old, dest="k", type=Number(limit), default=HIDDEN, metavar="N", help=HIDDEN)


def add_since(parser: argparse.ArgumentParser, what: str) -> None:
    """Add `--since`, a date or a revision of git."""
    parser.add_argument(
        "--since",
        type=Text(NAME),
        metavar="DATE|REVISION",
        help=f"only {what} on or after a date such as 2025-06-30, or after a git revision",
    )


def add_groups(parser: argparse.ArgumentParser) -> None:
    """Add the groups of the caller."""
    parser.add_argument(
        "--groups",
        type=Words(empty=True),
        metavar="LIST",
        help="answer as a caller in these groups may see it (default: everything)",
    )


def add_model(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the line that names a language model."""
    parser.add_argument("--model", type=Text(NAME, empty=True), default="", metavar="LINE", help=what)


def add_opening(parser: argparse.ArgumentParser) -> None:
    """Add which indexes answer, and whether they are brought up to date first."""
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
        help="repository, or the address of one for git; several are searched as one",
    )
    add_repositories(parser, "search the repositories of this list too (TOML), which were indexed before")
    add_index(parser)


def add_repositories(parser: argparse.ArgumentParser, what: str) -> None:
    """Add `--repositories`."""
    parser.add_argument("--repositories", type=Text(NAME), metavar="LIST", help=what)


def add_index(parser: argparse.ArgumentParser, what: str = "where the index is stored") -> None:
    """Add `--index`."""
    parser.add_argument("--index", type=Text(NAME), metavar="DIR", help=f"{what} (default: ROOT/.coderag)")


def add_output(
    parser: argparse.ArgumentParser,
    *,
    formats: Sequence[str] = TEXT_FORMATS,
    default: str | None = None,
    described: str = "",
) -> None:
    """Add the format of the output, of which the first is the default where none is described, and its colours."""
    parser.add_argument(
        "--format",
        action=Format,
        choices=formats,
        default=default if described else formats[0],
        help=described or f"default: {formats[0]}",
    )
    parser.add_argument("--json", action="store_true", help="short for --format json")
    parser.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="colours (default: auto, on a terminal)"
    )
