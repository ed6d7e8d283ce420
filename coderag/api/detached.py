"""Processes of coderag's own that outlive the one that starts them, and for which nobody waits."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

from coderag.index.workers.process import child_environment

__all__ = ["spawn_detached"]

_running: list[subprocess.Popen[bytes]] = []  # kept until they end, so that none of them stays a zombie for long


def spawn_detached(module: str, arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a module of coderag, in a session of its own, that neither reads nor says anything."""
    _running[:] = [process for process in _running if process.poll() is None]
    process = subprocess.Popen(
        # "-P" keeps the current folder off the module path: it may be the untrusted repository that is indexed.
        [sys.executable, "-P", "-m", module, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env=child_environment(),
        cwd="/",
    )
    _running.append(process)
    return process
