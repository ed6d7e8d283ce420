"""The machine that figures were measured on, and whether it had other work meanwhile."""

from __future__ import annotations

import os
import platform
import resource
import time
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Load", "Machine", "busy", "describe", "look"]

BUSY_LOAD = 0.5  # processes that were running or waiting before the start
BUSY_CORES = 0.1  # cores that other processes used meanwhile


@dataclass(frozen=True, slots=True)
class Machine:
    """What the figures depend on besides the engines."""

    processor: str
    cores: int
    memory_gb: float
    system: str
    python: str


@dataclass(frozen=True, slots=True)
class Load:
    """How much work there was at a moment."""

    average: float  # over the last minute
    seconds: float  # of a clock that only goes on
    all_cpu_seconds: float  # of all processes since the machine started
    own_cpu_seconds: float  # of this process and those it waited for


def describe() -> Machine:
    """Return what this machine is."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return Machine(
        processor=models[0] if models else platform.processor() or platform.machine(),
        cores=len(os.sched_getaffinity(0)),
        memory_gb=round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
    )


def look() -> Load:
    """Return the load of the machine now."""
    ticks = [int(field) for field in Path("/proc/stat").read_text(encoding="utf-8").split("\n", 1)[0].split()[1:9]]
    user, nice, system, _idle, _waiting, interrupts, soft_interrupts, stolen = ticks
    own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return Load(
        average=round(os.getloadavg()[0], 2),
        seconds=time.monotonic(),
        all_cpu_seconds=sum((user, nice, system, interrupts, soft_interrupts, stolen)) / os.sysconf("SC_CLK_TCK"),
        own_cpu_seconds=sum(used.ru_utime + used.ru_stime for used in own),
    )


def busy(before: Load, after: Load) -> str:
    """Return in words what else the machine did while figures were measured, "" when it was nearly nothing."""
    others = (after.all_cpu_seconds - before.all_cpu_seconds) - (after.own_cpu_seconds - before.own_cpu_seconds)
    cores = others / max(after.seconds - before.seconds, 1e-9)
    reasons = []
    if before.average > BUSY_LOAD:
        reasons.append(f"the load average was {before.average:.2f} before the start")
    if cores > BUSY_CORES:
        reasons.append(f"other processes used {cores:.1f} cores meanwhile")
    return " and ".join(reasons)
