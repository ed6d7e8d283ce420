"""The command `coderag`, also as `python -m coderag`."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import NoReturn

__all__ = ["main", "program"]


def main() -> int:
    """Run the command line and return its exit code."""
    # Before numpy is imported: its threads cost more to start than they save here.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from coderag.cli.main import run

    return run(sys.argv[1:])


def program() -> NoReturn:
    """Run the command line and end the process."""
    from coderag.cli.output.streams import open_standard_streams

    open_standard_streams()
    code = main()
    with suppress(OSError):  # who reads has gone
        sys.stdout.flush()
        sys.stderr.flush()
    # To take apart what the system frees anyway would be a tenth of a search's time.
    os._exit(code)


if __name__ == "__main__":
    program()
