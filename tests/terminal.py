"""Programs at a terminal of their own."""

from __future__ import annotations

import os
import pty
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["run_at_a_terminal"]


def run_at_a_terminal(
    command: Sequence[str | Path], *, cwd: Path, environment: Mapping[str, str], typed: str = ""
) -> tuple[str, int]:
    """Run a command at a terminal where something is typed; return all that it showed, and its exit code."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(cwd)
        os.execve(command[0], [str(word) for word in command], environment)
    os.write(terminal, typed.encode())
    shown = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the other side has closed
            break
        if not part:
            break
        shown += part
    os.close(terminal)
    return shown.decode().replace("\r\n", "\n"), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
