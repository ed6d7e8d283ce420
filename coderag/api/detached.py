"""Processes of coderag's own that outlive the one that starts them, and for which nobody waits."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence

from coderag.index.workers.process import child_environment

__all__ = ["spawn_detached"]


def spawn_detached(module: str, arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a module of coderag, in a session of its own, that neither reads nor says anything."""
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
    threading.Thread(target=process.wait, daemon=True).start()  # so that it does not stay a zombie
    return process
