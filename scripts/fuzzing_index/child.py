"""One input to what became of it, in a process of its own that has limits and a guard."""

from __future__ import annotations

import json
import os
import random
import resource
import select
import signal
import time
import traceback
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from coderag import Index
from coderag.errors import CoderagError
from scripts.fuzzing_index.guard import Forbidden, Guard, readable_folders
from scripts.fuzzing_index.kinds import Kind
from scripts.fuzzing_index.questions import ACTS, COMMANDS, QUESTIONS, run_command
from scripts.fuzzing_index.world import World

__all__ = ["Finding", "Verdict", "ask", "judged", "plan_of"]

CPU_SECONDS = 20  # of the processor, for all that one input is asked
WALL_SECONDS = 180.0  # the machine may be busy
MOST_BYTES = 500 << 20  # beyond what the process has before
AMPLE_BYTES = 3 << 30  # what the system lets it have, so that it lives to tell
QUESTIONS_EACH, COMMANDS_EACH = 4, 1  # of an input
ACTING = 0.6  # share of the inputs after which something is done to the index
STATUS = Path("/proc/self/status")


@dataclass(frozen=True, slots=True)
class Finding:
    """What went wrong, and while what was asked."""

    asked: str
    what: str
    trace: str = ""


@dataclass(slots=True)
class Verdict:
    """What became of an input."""

    answered: int = 0  # questions that were
    refusals: list[str] = field(default_factory=list)  # what was said to those that were not: a CoderagError
    findings: list[Finding] = field(default_factory=list)
    peak_bytes: int = 0
    cpu_seconds: float = 0.0


def plan_of(kind: Kind, seed: str) -> list[str]:
    """Return what an input is asked, in order: a kind of question, a colon, and its name."""
    source = random.Random(seed)
    chosen = source.sample(kind.questions, min(QUESTIONS_EACH, len(kind.questions)))
    plan = [f"ask:{one}" for one in chosen]
    plan += [f"run:{one}" for one in source.sample(list(COMMANDS), COMMANDS_EACH)]
    if source.random() < ACTING:
        plan.append(f"act:{source.choice(list(ACTS))}")
    return plan


def judged(world: World, plan: list[str]) -> Verdict:
    """Return what becomes of a world when it is asked, in a child of this process."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _in_child(world, plan, writing)
    os.close(writing)
    said = _read_all(reading, child)
    os.close(reading)
    _, status, usage = os.wait4(child, 0)
    verdict = _verdict(said, status)
    verdict.cpu_seconds = usage.ru_utime + usage.ru_stime
    return verdict


def _read_all(handle: int, child: int) -> bytes:
    """Return what a child says until it ends, or is ended because it takes too long."""
    until, said = time.monotonic() + WALL_SECONDS, b""
    while True:
        ready, _, _ = select.select([handle], [], [], max(until - time.monotonic(), 0))
        if not ready:
            os.kill(child, signal.SIGKILL)
            return said
        if not (block := os.read(handle, 1 << 16)):
            return said
        said += block


def _verdict(said: bytes, status: int) -> Verdict:
    lines = said.decode("utf-8", "replace").splitlines()
    asked = next((line.partition(" ")[2] for line in reversed(lines) if line.startswith("asked ")), "nothing")
    if lines and lines[-1].startswith("done "):
        told: dict[str, Any] = json.loads(lines[-1].partition(" ")[2])
        findings = [Finding(*one) for one in told["findings"]]
        return Verdict(told["answered"], told["refusals"], findings, told["peak"])
    how = (
        signal.Signals(os.WTERMSIG(status)).name
        if os.WIFSIGNALED(status)
        else f"exit {os.waitstatus_to_exitcode(status)}"
    )
    reason = {"SIGXCPU": "it did not end", "SIGKILL": "it did not end"}.get(how, f"the process died ({how})")
    return Verdict(findings=[Finding(asked, reason)])


def _in_child(world: World, plan: list[str], handle: int) -> None:
    """Ask and tell, and end without what the parent would do at its end."""
    code = 1
    try:
        os.chdir(world.nowhere)
        before = _virtual_bytes()
        for what, most in ((resource.RLIMIT_CPU, CPU_SECONDS), (resource.RLIMIT_AS, before + AMPLE_BYTES)):
            resource.setrlimit(what, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        guard = _guard(world)
        guard.install()
        verdict = ask(world, plan, handle)
        verdict.findings += [Finding("", f"forbidden: {violation}") for violation in guard.violations]
        verdict.peak_bytes = _virtual_bytes("VmPeak:") - before
        if verdict.peak_bytes > MOST_BYTES:
            verdict.findings.append(Finding("", f"it took {verdict.peak_bytes >> 20} MB"))
        told = {
            "answered": verdict.answered,
            "refusals": verdict.refusals,
            "findings": [(finding.asked, finding.what, finding.trace) for finding in verdict.findings],
            "peak": verdict.peak_bytes,
        }
        _say(handle, f"done {json.dumps(told)}")
        code = 0
    except BaseException:  # noqa: BLE001  # the parent is told by the exit code
        _say(handle, traceback.format_exc().replace("\n", " | "))
    finally:
        os._exit(code)


def ask(world: World, plan: list[str], handle: int | None = None) -> Verdict:
    """Ask one thing after the other; what is said on the way tells a parent how far it came."""
    verdict = Verdict()
    index: Index | None = None
    for one in plan:
        _say(handle, f"asked {one}")
        how, _, name = one.partition(":")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if how == "ask":
                    index = index or Index.open(world.root)
                    QUESTIONS[name](world, index)
                elif how == "act":
                    ACTS[name](world)
                elif problem := run_command(world, name):
                    verdict.findings.append(Finding(one, problem))
            verdict.answered += 1
        except CoderagError as error:
            verdict.refusals.append(f"{one}: {type(error).__name__}: {str(error)[:300]}")
        except Forbidden:  # the guard has a list of what it forbade
            verdict.findings.append(Finding(one, "what was asked needs what is forbidden", traceback.format_exc()))
        except BaseException as error:  # noqa: BLE001  # whatever else there is must not be
            verdict.findings.append(Finding(one, f"{type(error).__name__}: {str(error)[:300]}", traceback.format_exc()))
    return verdict


def _say(handle: int | None, text: str) -> None:
    if handle is not None:
        os.write(handle, text.encode("utf-8", "backslashreplace").replace(b"\n", b" ") + b"\n")


def _guard(world: World) -> Guard:
    top = world.folder.resolve()
    mine = [top / name for name in ("cache", "data")]
    below = [world.index.resolve(), world.clone.resolve() / ".coderag", *mine]
    readable = [*readable_folders(), top / "root", top / "clone", top / "home", *mine]
    beside = [world.root.resolve() / one for one in _names_beside()]
    return Guard(tuple(readable), (*below, *beside), [])


def _names_beside() -> list[str]:
    from coderag.index.storage.folder.ownership import name_beside

    return [name_beside()]


def _virtual_bytes(name: str = "VmSize:") -> int:
    """Return how much address space this process has, or had at most."""
    line = next(
        line for line in STATUS.read_text(encoding="ascii", errors="replace").splitlines() if line.startswith(name)
    )
    return int(line.split()[1]) << 10
