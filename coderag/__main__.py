"""The command `coderag`, also as `python -m coderag`."""

from __future__ import annotations

import os
import sys

__all__ = ["main"]


def main() -> int:
    """Run the command line and return its exit code."""
    # Before numpy is imported: its threads cost more to start than they save here.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from coderag.cli.main import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
