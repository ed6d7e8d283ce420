"""A shell at a terminal of its own: keys in, and what it shows."""

from __future__ import annotations

import os
import pty
import select
import signal
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.growth import HANG_SECONDS

__all__ = ["Terminal"]


class Terminal:
    """An interactive program; use it in a `with` block."""

    def __init__(self, command: Sequence[str], *, folder: Path, environment: Mapping[str, str]) -> None:
        self._pid, self._handle = pty.fork()
        if not self._pid:
            os.chdir(folder)
            os.execvpe(command[0], list(command), dict(environment))
        self.shown = ""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._handle)

    def press(self, keys: str) -> None:
        """Send keys."""
        os.write(self._handle, keys.encode())

    def wait_for(self, text: str) -> None:
        """Read what is shown until a text is in it; what is shown up to its end counts no more."""
        end = time.monotonic() + HANG_SECONDS
        while text not in self.shown:
            assert time.monotonic() < end, f"{text!r} is not in {self.shown!r}"
            if select.select([self._handle], [], [], 0.1)[0]:
                self.shown += os.read(self._handle, 1 << 16).decode("utf-8", "replace")
        self.shown = self.shown.partition(text)[2]
