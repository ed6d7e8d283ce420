"""The end of the process that started this one, also where others keep its pipe open."""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Callable

__all__ = ["call_when_orphaned"]

POLL_SECONDS = 1.0  # where the system has no descriptors of processes, or does not allow one


def call_when_orphaned(ended: Callable[[], None]) -> None:
    """Call a function, in a thread of its own, once the process that is now the parent no longer exists.

    PR_SET_PDEATHSIG would not do: it fires when the parent's thread ends that started this process.
    """
    threading.Thread(target=_wait, args=(os.getppid(), ended), name="parent", daemon=True).start()


def _wait(parent: int, ended: Callable[[], None]) -> None:
    try:
        descriptor = os.pidfd_open(parent)
    except (AttributeError, OSError):
        pass
    else:
        if os.getppid() == parent:  # else the number is another's by now
            select.select([descriptor], [], [])
    while os.getppid() == parent:
        time.sleep(POLL_SECONDS)
    ended()
