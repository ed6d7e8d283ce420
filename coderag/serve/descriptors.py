"""The standard streams of a process to two descriptors that only the protocol uses."""

from __future__ import annotations

import fcntl
import os
from dataclasses import dataclass

__all__ = ["Descriptors", "claim_standard_streams"]

STDIN, STDOUT, STDERR = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Descriptors:
    """Where messages come from and go to; no process that this one starts inherits them."""

    reading: int
    writing: int


def claim_standard_streams() -> Descriptors:
    """Return duplicates of standard input and output, and leave an empty input and standard error in their places.

    What is printed, here or by a process that is started, is then no message, and no such process keeps the pipe open.
    """
    claimed = Descriptors(_duplicate(STDIN), _duplicate(STDOUT))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, STDIN)
    os.close(nothing)
    os.dup2(STDERR, STDOUT)
    return claimed


def _duplicate(descriptor: int) -> int:
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, STDERR + 1)
