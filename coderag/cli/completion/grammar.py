"""The parser of the command line to what a shell completes: commands, options, and the values of both."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from enum import StrEnum

from coderag.cli.parser.arguments import HIDDEN, Collect, Words

__all__ = ["Argument", "Command", "Option", "Paths", "Value", "grammar_of"]

REPEATED = ("*", "+")
FOLDERS = ("DIR", "ROOT")
FILES = ("FILE", "TARGET", "QUESTIONS.jsonl")  # also as one of several: REV|FILE, FILE:LINE


class Paths(StrEnum):
    """Which paths a value may be."""

    NONE = "none"
    FILES = "files"
    FOLDERS = "folders"


@dataclass(frozen=True, slots=True)
class Value:
    """What is known of a value."""

    label: str
    choices: tuple[str, ...] = ()
    listed: bool = False  # whether several may stand in it, with commas between them
    paths: Paths = Paths.NONE


@dataclass(frozen=True, slots=True)
class Option:
    """An option: its spellings, and its value, None if it has none."""

    names: tuple[str, ...]
    summary: str
    value: Value | None
    repeated: bool


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument without a name."""

    value: Value
    repeated: bool


@dataclass(frozen=True, slots=True)
class Command:
    """A command, or the program, which has commands in place of arguments."""

    name: str
    summary: str
    options: tuple[Option, ...]
    arguments: tuple[Argument, ...] = ()
    commands: tuple[Command, ...] = ()


def grammar_of(parser: argparse.ArgumentParser, name: str) -> Command:
    """Return what a parser understands, less the spellings that help does not show."""
    shown = [action for action in parser._actions if action.help != HIDDEN]
    choices = next((action.choices for action in shown if isinstance(action.choices, dict)), {})
    return Command(
        name,
        _one_line(parser.description or ""),
        tuple(_option(action) for action in shown if action.option_strings),
        tuple(
            Argument(_value(action), action.nargs in REPEATED)
            for action in shown
            if not action.option_strings and not isinstance(action.choices, dict)
        ),
        tuple(grammar_of(below, word) for word, below in choices.items()),
    )


def _option(action: argparse.Action) -> Option:
    value = None if action.nargs == 0 else _value(action)
    return Option(tuple(action.option_strings), _one_line(action.help or ""), value, isinstance(action, Collect))


def _value(action: argparse.Action) -> Value:
    label = str(action.metavar or action.dest)
    listed = action.type.known if isinstance(action.type, Words) else ()
    choices = tuple(map(str, action.choices or listed))
    return Value(label, choices, bool(listed), _paths(label))


def _paths(label: str) -> Paths:
    words = label.replace(":", "|").split("|")
    if any(word in FILES for word in words):
        return Paths.FILES
    return Paths.FOLDERS if label in FOLDERS else Paths.NONE


def _one_line(text: str) -> str:
    return " ".join(text.replace("%%", "%").split()).removesuffix(".")
