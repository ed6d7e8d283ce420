"""What the command line returns to the shell."""

from __future__ import annotations

__all__ = ["FAILED", "FOUND", "INTERRUPTED", "NOTHING"]

FOUND = 0
NOTHING = 1  # nothing found, or nothing there to index
FAILED = 2  # usage, or a failure with one line on stderr
INTERRUPTED = 130  # as shells count it: 128 and the number of SIGINT
