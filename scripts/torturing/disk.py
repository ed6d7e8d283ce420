"""Disks that fail while an index is written: full ones, limits on files, syncs that report an error."""

from __future__ import annotations

import errno
import os
import random
import resource
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

from coderag.errors import IndexMissingError
from coderag.index.storage.checksums import damage_of
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.ownership import is_believed
from coderag.index.storage.manifest import read_manifest
from scripts.torturing.outcome import Options, Outcome
from scripts.torturing.steps import EXPECTED_ERROR, STEPS, Operations, forked, merging_later
from scripts.torturing.world import Answers, World

__all__ = ["disk"]

STEPS_TRIED = ("build", "update", "update", "merge", "words alone", "vectors")
FAILURES = ("full", "limit", "fsync", "fsync", "open", "rename")
SEGMENTS_TO_MERGE = 6
SPARE_BYTES = 400_000  # at most, that a full disk has left
MOST_FAILURES = 20


def disk(options: Options) -> Outcome:
    """Let something fail in every round; afterwards the index is as it was or as it should be."""
    outcome = Outcome()
    chosen = random.Random(options.seed)
    world = World.make(options.work, options.source, files=options.files, seed=options.seed)
    outcome.counts["a real full disk"] = "yes" if _mounted(options.work / "small", 1 << 20) else "no: not allowed here"
    with suppress(OSError):
        _unmounted(options.work / "small")
    for number in range(options.rounds):
        _round(world, outcome, chosen, number)
        outcome.tell(number + 1, options.rounds)
        if len(outcome.failures) > MOST_FAILURES:
            break
    return outcome


def _round(world: World, outcome: Outcome, chosen: random.Random, number: int) -> None:
    kind, failure = chosen.choice(STEPS_TRIED), chosen.choice(FAILURES)
    if kind in ("words alone", "vectors"):
        kind = "words alone" if read_manifest(IndexPath(world.folder)).vectors else "vectors"
    where = f"round {number}, {kind}, {failure}"
    with merging_later():
        for _ in range(SEGMENTS_TO_MERGE if kind == "merge" else 1):
            world.edit(chosen)
            if kind == "merge":
                STEPS["update"](world.root, world.folder, 0)
    before = world.answers()
    copied = world.folder.with_name("copy")
    shutil.copytree(world.folder, copied)
    is_believed(IndexPath(copied), world.root)  # which signs it for its place
    counted = Operations()
    counted.watch(copied)
    STEPS[kind](world.root, copied, 0)
    changes = counted.stop()
    after = world.answers(copied)
    shutil.rmtree(copied)
    at = chosen.randrange(1, changes + 1)
    if failure == "full":
        if not _on_a_full_disk(
            world, outcome, kind, where, spare=chosen.randrange(SPARE_BYTES), states=(before, after)
        ):
            return
    else:
        _run(world, outcome, where, _broken(failure, world.folder, at, chosen, STEPS[kind], world.root))
        _look(world, world.folder, outcome, where, states=(before, after))
    STEPS[kind if kind in ("words alone", "vectors") else chosen.choice(("update", "repair"))](
        world.root, world.folder, 0
    )
    outcome.check(world.answers() == after, f"{where}: other answers after the next run")
    outcome.check(not (strays := world.strays()), f"{where}: left behind: {strays}")
    outcome.check(not (found := world.problems()), f"{where}: damaged after the next run: {found}")


def _run(world: World, outcome: Outcome, where: str, work: Callable[[], None]) -> None:
    said = world.folder.with_name("said")
    said.unlink(missing_ok=True)
    _, status = os.waitpid(forked(work, said=said), 0)
    code = os.waitstatus_to_exitcode(status)
    told = said.read_text(encoding="utf-8") if said.exists() else ""
    name = where.partition(", ")[2]
    outcome.count(f"{name}: {'an error' if code == EXPECTED_ERROR else 'done' if code == 0 else 'FAILED'}")
    outcome.check(code in (0, EXPECTED_ERROR), f"{where}: {told or code}")


def _look(world: World, folder: Path, outcome: Outcome, where: str, *, states: tuple[Answers, Answers]) -> None:
    try:
        found = world.answers(folder)
    except IndexMissingError:
        outcome.check(False, f"{where}: the index is gone")
        return
    outcome.count(f"state: {'old' if found == states[0] else 'new'}")
    outcome.check(found in states, f"{where}: neither the old state nor the new one")
    problems = damage_of(IndexPath(folder), read_manifest(IndexPath(folder)))
    outcome.check(not problems, f"{where}: damaged: {problems}")


def _broken(
    failure: str, folder: Path, at: int, chosen: random.Random, step: Callable[[Path, Path, int], None], root: Path
) -> Callable[[], None]:
    """Return a step in a process in which something fails."""
    limit = chosen.randrange(1, 200_000)

    def fail() -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def work() -> None:
        if failure == "limit":
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        elif failure == "fsync":
            _let_sync_fail(at=1 + at // 3)
        else:
            # The system says so when a file is opened for writing, renamed or made.
            Operations().watch(folder, at=at, then=fail)
        step(root, folder, 0)

    return work


def _let_sync_fail(*, at: int) -> None:
    """Let one call of fsync fail in this process, as the system does not on demand."""
    whole, count = os.fsync, 0

    def fsync(handle: Any) -> None:
        nonlocal count
        count += 1
        if count == at:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        whole(handle)

    patch("os.fsync", fsync).start()


def _on_a_full_disk(
    world: World, outcome: Outcome, kind: str, where: str, *, spare: int, states: tuple[Answers, Answers]
) -> bool:
    """Do a step with an index that lies on a small disk; it is copied back. False where nobody may make a disk."""
    place = world.folder.with_name("small")
    size = sum(path.stat().st_size for path in world.folder.rglob("*") if path.is_file())
    with _small_disk(place, size + spare) as mounted:
        if not mounted:
            return False
        folder = place / "index"
        try:
            shutil.copytree(world.folder, folder)
            is_believed(IndexPath(folder), world.root)
        except (OSError, shutil.Error):
            outcome.count("full: no space for the index itself")
            return False
        _run(world, outcome, where, lambda: STEPS[kind](world.root, folder, 0))
        _look(world, folder, outcome, where, states=states)
        shutil.rmtree(world.folder)
        shutil.copytree(folder, world.folder)
        is_believed(IndexPath(world.folder), world.root)
    return True


@contextmanager
def _small_disk(place: Path, size: int) -> Iterator[bool]:
    mounted = _mounted(place, size)
    try:
        yield mounted
    finally:
        if mounted:
            _unmounted(place)


def _mounted(place: Path, size: int) -> bool:
    place.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    return (
        shutil.which("mount") is not None and not subprocess.run(command, capture_output=True, check=False).returncode
    )


def _unmounted(place: Path) -> None:
    subprocess.run(["umount", "--lazy", str(place)], capture_output=True, check=False)
