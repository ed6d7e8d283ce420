"""`coderag helper`: the process that answers commands faster, seen, ended, or run."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from coderag.cli.exit_codes import FAILED, FOUND, NOTHING
from coderag.cli.groups import for_owners
from coderag.cli.main import run as run_command
from coderag.cli.output.notes import note
from coderag.cli.output.records import print_records
from coderag.cli.output.streams import open_standard_streams
from coderag.cli.output.text import visible
from coderag.cli.roots import given_roots
from coderag.resident.control import HelperState, running_helpers, stop_helpers
from coderag.resident.sockets import AVAILABLE
from coderag.text.counted import counted

__all__ = ["run"]

MINUTE = 60  # seconds


def run(options: argparse.Namespace) -> int:
    """Print what helpers there are, or end them; 1 when there is none."""
    for_owners("helper")
    if options.action == "run":
        return _be_helper()
    states = _stopped(options) if options.action == "stop" else running_helpers()
    if options.json:
        print_records(states, options.format)
    else:
        for state in states:
            print("\n".join(_lines(state, "stopped" if options.action == "stop" else "helper")))
        if not states:
            note(_none_there(options))
    return FOUND if states else NOTHING


def _stopped(options: argparse.Namespace) -> list[HelperState]:
    """End the helpers that have the given roots open, or all of them."""
    if options.all:
        return stop_helpers()
    return stop_helpers(of=[str(root.root) for root in given_roots(options, options.root)])


def _none_there(options: argparse.Namespace) -> str:
    """Say that there was no helper to see or end; one that has other roots open goes on."""
    others = running_helpers() if options.action == "stop" else []
    if not others:
        return "no helper is running"
    roots = visible(", ".join(str(root.root) for root in given_roots(options, options.root)))
    verb = "is one" if len(others) == 1 else f"are {len(others)}"
    return f'no helper has {roots} open; there {verb} of other roots, which "coderag helper stop --all" ends'


def _lines(state: HelperState, title: str) -> list[str]:
    minutes = int(max(time.time() - state.started, 0.0)) // MINUTE
    since = f"{counted(minutes, 'minute')} old, {counted(state.answered, 'command')} answered"
    roots = [visible(" ".join(index)) for index in state.indexes]
    return [
        f"{title}  process {state.pid}, coderag {state.version}, {since}",
        *(f"  index      {root}" for root in roots),
    ]


def _be_helper() -> int:
    """Answer commands until nobody gives any."""
    if not AVAILABLE:
        note("there is no helper on this system")
        return FAILED
    from coderag.resident.server import serve
    from coderag.resident.starting import first_roots

    return FOUND if serve(_answer, roots=first_roots()) else NOTHING


def _answer(arguments: Sequence[str]) -> int:
    """Run a command as a program of its own would."""
    open_standard_streams()
    code = run_command(arguments)
    sys.stdout.flush()
    return code
