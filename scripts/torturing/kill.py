"""Processes killed while they write an index: it is as it was or as it should be, and the next one cleans up."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from coderag.errors import IndexMissingError
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.ownership import is_believed
from coderag.index.storage.manifest import read_manifest
from scripts.torturing.outcome import Options, Outcome
from scripts.torturing.steps import STEPS, Operations, forked, merging_later
from scripts.torturing.world import Answers, World

__all__ = ["kill", "killed"]

KINDS = ("first build", "build", "update", "update", "update", "merge", "merge", "words alone", "vectors")
ENCODERS = ("words alone", "vectors")
SEGMENTS_TO_MERGE = 6
LATER = 0.5  # the share of steps that leave merging to a merge
WITH_WORKER, WORKER_SECONDS = 0.2, 1.0  # the share of steps that have a process to read files, and what it takes
AT_A_CHANGE = 0.6  # the share of steps that are killed before a change to a file, and not at a random time
LATEST = 1.1  # of the time that a step takes; some are to end before they are killed
ORPHAN_SECONDS, POLL_SECONDS = 20.0, 0.01  # what a worker may take to see that it is alone
MOST_FAILURES = 20


def kill(options: Options) -> Outcome:
    """Kill a process in every round, at a random time or before a random change to the index's files."""
    outcome = Outcome()
    chosen = random.Random(options.seed)
    world = World.make(options.work, options.source, files=options.files, seed=options.seed)
    operations = Operations()
    for number in range(options.rounds):
        kind = chosen.choice(KINDS)
        if kind in ENCODERS:
            kind = ENCODERS[not read_manifest(IndexPath(world.folder)).vectors]
        _Round(world, kind, outcome, chosen, operations, number).run()
        outcome.tell(number + 1, options.rounds)
        if len(outcome.failures) > MOST_FAILURES:
            break
    return outcome


@dataclass(frozen=True, slots=True)
class _Round:
    """One step, killed; and the next one, which is not."""

    world: World
    kind: str
    outcome: Outcome
    chosen: random.Random
    operations: Operations
    number: int

    def run(self) -> None:
        """Do it, and note what does not hold."""
        world, outcome, kind = self.world, self.outcome, self.kind
        with ExitStack() as later:
            if kind == "merge" or self.chosen.random() < LATER:
                later.enter_context(merging_later())
            self._prepare()
            before = world.answers()
            after, changes, seconds = self._to_come()
            if kind == "first build":
                shutil.rmtree(world.folder)
            outcome.most(f"{kind}: changes to files", changes)
            workers = int(self.chosen.random() < WITH_WORKER)
            at = self.chosen.randrange(1, changes + 1) if self.chosen.random() < AT_A_CHANGE and not workers else 0
            latest = (seconds + WORKER_SECONDS * workers) * LATEST
            self._kill(workers, at=at, seconds=self.chosen.random() * latest)
        self._check(None if kind == "first build" else before, after)
        STEPS[self._next()](world.root, world.folder, 0)
        self._hold(world.answers() == after, "other answers after the next run")
        self._hold(not (strays := world.strays()), f"left behind: {strays}")
        self._hold(not (found := world.problems()), f"damaged after the next run: {found}")

    def _hold(self, holds: object, failure: str) -> bool:
        return self.outcome.check(holds, f"round {self.number}, {self.kind}: {failure}")

    def _prepare(self) -> None:
        """Edit files, and read them where a merge is to come."""
        if self.kind != "merge":
            self.world.edit(self.chosen)
            return
        for _ in range(SEGMENTS_TO_MERGE):
            self.world.edit(self.chosen)
            STEPS["update"](self.world.root, self.world.folder, 0)

    def _to_come(self) -> tuple[Answers, int, float]:
        """Do the step with a copy; return the answers then, the changes to files that it made, and the seconds."""
        world, copied = self.world, self.world.folder.with_name("copy")
        if self.kind != "first build":
            shutil.copytree(world.folder, copied)
            is_believed(IndexPath(copied), world.root)  # which signs it for its place
        self.operations.watch(copied)
        started = time.monotonic()
        STEPS[self._step()](world.root, copied, 0)
        seconds = time.monotonic() - started
        changes = self.operations.stop()
        after = world.answers(copied)
        shutil.rmtree(copied)
        return after, changes, seconds

    def _step(self) -> str:
        return "build" if self.kind == "first build" else self.kind

    def _next(self) -> str:
        if self.kind in ENCODERS:
            return self.kind
        return "repair" if self.kind == "first build" else self.chosen.choice(("update", "repair", "build"))

    def _kill(self, workers: int, *, at: int, seconds: float) -> None:
        world, said = self.world, self.world.folder.with_name("said")

        def armed() -> None:
            if at:
                self.operations.watch(world.folder, at=at, then=lambda: os.kill(os.getpid(), signal.SIGKILL))
            STEPS[self._step()](world.root, world.folder, workers)

        said.unlink(missing_ok=True)
        ended = killed(armed, said=said, seconds=None if at else seconds)
        when = "before a change" if at else "at a random time"
        self.outcome.count(f"{self.kind}: {f'killed {when}' if ended == -signal.SIGKILL else 'ended before'}")
        told = said.read_text(encoding="utf-8") if said.exists() else ""
        self._hold(ended in (0, -signal.SIGKILL), f"it failed: {told}")

    def _check(self, before: Answers | None, after: Answers) -> None:
        """Compare what is left with what was there and what should come."""
        try:
            found: Answers | None = self.world.answers()
        except IndexMissingError:
            found = None
        if found is not None:
            self._hold(not (problems := self.world.problems()), f"damaged: {problems}")
        if found == after == before:
            self.outcome.count("state: old and new are the same")
        elif found == after:
            self.outcome.count("state: new")
        elif self._hold(found == before, "neither the old state nor the new one"):
            self.outcome.count("state: old")


def killed(work: Callable[[], None], *, said: Path, seconds: float | None) -> int:
    """Do something in a process that is killed after some seconds, or kills itself.

    Return its exit code once none of its processes is left.
    """
    pid = forked(work, said=said)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(pid, signal.SIGKILL)  # not waited for yet, so the number is still its own
    _, status = os.waitpid(pid, 0)
    until = time.monotonic() + ORPHAN_SECONDS
    with suppress(ProcessLookupError):
        while time.monotonic() < until:
            os.killpg(pid, 0)
            time.sleep(POLL_SECONDS)
        raise RuntimeError("workers outlive the process that started them")
    return os.waitstatus_to_exitcode(status)
