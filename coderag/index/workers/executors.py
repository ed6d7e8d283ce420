"""The name of an executor to the executor."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from coderag.errors import QueryError
from coderag.extras import Extra, how_to_install
from coderag.index.workers.executor import Executor
from coderag.index.workers.processes import ProcessExecutor

__all__ = ["PROCESSES", "check_executor", "open_executor"]

PROCESSES, RAY = "processes", "ray"
CLIENT = "ray://"  # of Ray's own addresses, the one with a scheme
# Ray reads these when it is imported. Without the second it prints to the standard output, which is for answers.
# Without the third it starts another one where something is asked after the end.
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DEDUP_LOGS_SKIP_REGEX": ".", "RAY_ENABLE_AUTO_CONNECT": "0"}
# Makes a Ray that is started here listen on the loopback alone, on every system.
LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}


def check_executor(name: str) -> None:
    """Raise QueryError for what names no executor, and where a package is missing."""
    if name == PROCESSES:
        return
    if name.partition(":")[0] != RAY or name == f"{RAY}:":
        raise QueryError(
            f"{name[:64]!r} is no executor; there are processes, ray (started here), and for a cluster ray:auto, "
            "ray:HOST:PORT and ray://HOST:PORT"
        )
    if find_spec("ray") is None:
        raise QueryError(f"Ray is not installed; {how_to_install(Extra.RAY)}")


def open_executor(name: str, root: Path) -> Executor:
    """Return the executor that a name that was checked gives, for the files of a root; nothing is started yet."""
    if name == PROCESSES:
        return ProcessExecutor(root)
    address = name if name.startswith(CLIENT) else name.partition(":")[2]
    os.environ.update({**QUIET, **({} if address else LOOPBACK), **os.environ})
    from coderag.index.workers.ray_executor import RayExecutor

    return RayExecutor(root, address)
