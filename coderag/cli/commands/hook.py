"""`coderag hook`: what agents run after a tool call, described on standard input; it may remind, and never fails.

It is not in the help, and reads no options: nothing but this module is imported for it.
"""

from __future__ import annotations

import os
import select
import time

__all__ = ["run"]

MOST_BYTES = 4_000_000  # of a description, which holds what the tool found
SECONDS = 2.0  # until a description that does not end is given up


def run() -> int:
    """Print a reminder where there is one; 0 whatever happens, so that no agent is stopped by it."""
    try:
        from coderag.agents.reminder import reminder

        if text := reminder(_described()):
            print(text, flush=True)
    except Exception:  # noqa: BLE001 - a hook that fails would be shown to the agent, or stop it
        pass
    return 0


def _described() -> bytes:
    data, deadline = b"", time.monotonic() + SECONDS
    while len(data) < MOST_BYTES and select.select([0], [], [], max(deadline - time.monotonic(), 0))[0]:
        part = os.read(0, 1 << 16)
        if not part:
            break
        data += part
    return data
