"""A helper for the next command, started by one that had to answer by itself."""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import suppress

from coderag.api.preloaded import opened_roots
from coderag.api.roots import Root
from coderag.resident.client import VARIABLE
from coderag.resident.records import decode_roots, encode_roots
from coderag.resident.request import passed_variables

__all__ = ["first_roots", "start_helper"]

BACKGROUND = "CODERAG_BACKGROUND"  # "0": no process may be left behind
ROOTS = "CODERAG_HELPER_ROOTS"  # tells a helper the roots of the indexes to open first
PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))  # noqa: PTH120 - the folder that holds it
PROGRAM = """\
import sys
package = sys.argv.pop(1)
if package not in sys.path:
    sys.path.insert(0, package)
from coderag.__main__ import program
program()
"""
SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)


def first_roots() -> list[tuple[Root, ...]]:
    """Return the roots that who started this process as a helper had opened."""
    return [decode_roots(one) for one in json.loads(os.environ.pop(ROOTS, "[]"))]


def start_helper() -> None:
    """Start a helper, in a session of its own, that opens what this process opened; nobody waits for it."""
    roots = [encode_roots(root) for root in opened_roots()]
    if not roots or os.environ.get(BACKGROUND) == "0":
        return
    # Without the keys that this process may have; they are of no use to whoever answers by the shipped model.
    environment = dict(variable.split("=", 1) for variable in passed_variables() if not variable.startswith("CODERAG_"))
    environment |= {VARIABLE: "0", ROOTS: json.dumps(roots), "OPENBLAS_NUM_THREADS": "1"}
    # "-P" keeps the current folder off the module path: it may be an untrusted repository.
    command = [sys.executable, "-P", "-c", PROGRAM, PACKAGE, "helper", "run"]
    nothing = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    with suppress(OSError):  # the next command answers by itself, too
        os.posix_spawn(command[0], command, environment, file_actions=nothing, setsid=True, setsigdef=SIGNALS)
