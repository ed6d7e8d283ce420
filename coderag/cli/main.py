"""Arguments in, an exit code out."""

from __future__ import annotations

import argparse
import gc
import io
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module

from coderag.cli.exit_codes import FAILED, FOUND, INTERRUPTED
from coderag.cli.output.text import shorten, visible
from coderag.cli.parser.parser import make_parser
from coderag.errors import CoderagError

__all__ = ["run"]

HOOK = "hook"
HELP = "help"  # coderag help search: coderag search --help
MAX_MESSAGE = 2_000  # characters; what a user gave may be in it
# Objects between two collections, instead of 700: modules are few cycles and much to look at, a twentieth of a search.
COLLECTED_AFTER = 20_000


def run(arguments: Sequence[str]) -> int:
    """Run a command; what a user can cause ends in one line on stderr, never in a traceback."""
    gc.set_threshold(COLLECTED_AFTER)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show a character shows its number
    if not arguments:
        print(make_parser().format_help(), end="", file=sys.stderr)
        return FAILED
    if arguments[0] == HELP:
        arguments = [*arguments[1:2], "--help"]
    if arguments[0] == HOOK:  # which runs after each step of an agent, and so without the parser
        return int(import_module("coderag.cli.commands.hook").run())
    try:
        options = _parsed(arguments)
        if isinstance(options, int):
            return options
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: _tell(str(message))
            code = int(import_module(options.module).run(options))
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has closed the pipe; nothing may be written when Python flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FOUND
    except CoderagError as error:
        return _fail(str(error))
    except KeyboardInterrupt:
        _fail("interrupted")
        return INTERRUPTED
    except OSError as error:
        where = f"{os.fsdecode(error.filename)}: " if error.filename else ""
        return _fail(f"{where}{error.strerror or error}")
    return code


def _parsed(arguments: Sequence[str]) -> argparse.Namespace | int:
    """Return the options of the arguments, or the exit code if these are wrong or only ask for help."""
    try:
        options: argparse.Namespace = make_parser(arguments[0]).parse_args(arguments)
        return options
    except SystemExit as end:
        sys.stdout.flush()
        return int(end.code or FOUND)


def _tell(what: str) -> None:
    print(f"coderag: {shorten(visible(what), MAX_MESSAGE)}", file=sys.stderr)


def _fail(why: str) -> int:
    _tell(why)
    return FAILED
