"""The command `coderag`, also as `python -m coderag`."""

from __future__ import annotations

import os
import sys

from coderag.resident.client import ABSENT, ALONE, answered_by_helper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

__all__ = ["main", "program"]

FAILED = 2


def main() -> int:
    """Run the command line and return its exit code."""
    # Before numpy is imported: its threads cost more to start than they save here.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from coderag.cli.main import run

    return run(sys.argv[1:])


def program() -> NoReturn:
    """Run the command line, by a resident helper where there is one, and end the process."""
    code = answered_by_helper(sys.argv[1:])
    if code in (ABSENT, ALONE):
        code = _run(is_helper_absent=code == ABSENT)
    # To take apart what the system frees anyway would be a tenth of a search's time.
    os._exit(code)


def _run(*, is_helper_absent: bool) -> int:
    from contextlib import suppress

    from coderag.cli.output.streams import open_standard_streams

    open_standard_streams()
    code = main()
    with suppress(OSError):  # who reads has gone
        sys.stdout.flush()
        sys.stderr.flush()
    if is_helper_absent and code < FAILED:
        from coderag.resident.starting import start_helper

        start_helper()
    return code


if __name__ == "__main__":
    program()
