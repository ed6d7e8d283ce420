"""Processes that ask without pause while others write: every answer is that of one published state."""

from __future__ import annotations

import fcntl
import json
import os
import random
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from pathlib import Path

from coderag import Index
from coderag.api.background import spawn_maintenance
from coderag.index.storage.folder.index_path import IndexPath
from scripts.torturing.outcome import Options, Outcome
from scripts.torturing.steps import forked, merging_later
from scripts.torturing.world import World, answers_of

__all__ = ["readers"]

READERS = 3
WRITERS = 2
KEPT_SECONDS = 5.0  # how long a reader keeps an index open before it opens it again
State = tuple[str, str]  # the number of an edit, and a digest of some answers

MARKER = "state_of_all"


def readers(options: Options) -> Outcome:
    """Let some processes write and others read, for a while."""
    outcome = Outcome()
    world = World.make(options.work, options.source, files=options.files, seed=options.seed)
    _mark(world, 0)
    until = time.monotonic() + options.seconds
    said = [options.work / f"said-{number}" for number in range(READERS + WRITERS)]
    told = [options.work / f"told-{number}.json" for number in range(READERS + WRITERS)]
    with Index.open(world.root, index=world.folder) as index:
        index.update(workers=0)
        published = {_state(index, world)}
    works = [partial(_read, world, until, told[number]) for number in range(READERS)]
    works += [partial(_write, world, until, told[READERS + number], seed=number) for number in range(WRITERS)]
    pids = [forked(work, said=place) for work, place in zip(works, said, strict=True)]
    for number, pid in enumerate(pids):
        _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        text = said[number].read_text(encoding="utf-8") if said[number].exists() else ""
        outcome.check(code == 0, f"{'reader' if number < READERS else 'writer'} {number}: {text or code}")
    found = [json.loads(path.read_text(encoding="utf-8")) for path in told if path.exists()]
    published |= {tuple(state) for one in found for state in one["published"]}
    for one in found:
        for name, number in one["counts"].items():
            outcome.count(name, number)
        outcome.failures += one["failures"]
        strange = {tuple(state) for state in one["read"]} - published
        outcome.check(not strange, f"{len(strange)} answers of no published state: {sorted(strange)[:3]}")
    outcome.counts["published states"] = len(published)
    outcome.counts["states that were read"] = len({tuple(state) for one in found for state in one["read"]})
    outcome.check(not (problems := world.problems()), f"damaged in the end: {problems}")
    return outcome


def _mark(world: World, number: int) -> None:
    """Write the same number into two files: an index has both or neither."""
    for side in ("left", "right"):
        path = world.root / f"{side}.py"
        path.write_text(f"def {MARKER}_{side}():\n    return {number}\n", encoding="utf-8")


def _state(index: Index, world: World) -> State:
    """Return the number in the two files, and a digest of some answers."""
    (left,), (right,) = index.chunks("left.py"), index.chunks("right.py")
    number = left.text.split()[-1]
    if right.text.split()[-1] != number:
        raise AssertionError(f"left.py is of state {number}, right.py of {right.text.split()[-1]}")
    return number, blake2b(repr(answers_of(index, world.questions)).encode(), digest_size=8).hexdigest()


def _read(world: World, until: float, told: Path) -> None:
    """Ask until the time is over: a new index each time, and one that is kept for a while."""
    seen: set[State] = set()
    failures: list[str] = []
    asked = opened = 0
    kept, since = Index.open(world.root, index=world.folder), time.monotonic()
    first = _state(kept, world)
    latest = 0
    while time.monotonic() < until:
        index = Index.open(world.root, index=world.folder)
        index.status(compare=False)
        index.tables()
        state = _state(index, world)
        seen.add(state)
        opened, asked = opened + 1, asked + 1
        if int(state[0]) < latest:
            failures.append(f"state {state[0]} after {latest}")
        latest = int(state[0])
        if _state(kept, world) != first:
            failures.append("an index that was kept open changed its answers")
        kept.status(compare=False)
        kept.tables()
        asked += 1
        if time.monotonic() - since > KEPT_SECONDS:
            kept, since = Index.open(world.root, index=world.folder), time.monotonic()
            first = _state(kept, world)
            seen.add(first)
    _tell(told, {"reads": asked, "opened": opened}, read=seen, failures=failures)


def _write(world: World, until: float, told: Path, *, seed: int) -> None:
    """Edit, update, merge and build anew until the time is over."""
    chosen = random.Random(seed)
    published: set[State] = set()
    counts: dict[str, int] = {}
    merges = []
    numbers = world.root.parent / "numbers"
    with merging_later():
        while time.monotonic() < until:
            kind = chosen.choice(("update", "update", "update", "merge", "build"))
            counts[kind] = counts.get(kind, 0) + 1
            if kind == "merge":
                merges.append(spawn_maintenance(IndexPath(world.folder), world.root))
                continue
            with _Turn(numbers) as number:  # edits of two writers at once would be of no state
                _mark(world, number)
                if kind == "build":
                    index = Index.build(world.root, index=world.folder, workers=0)
                else:
                    index = Index.open(world.root, index=world.folder)
                    index.update(workers=0)
                published.add(_state(index, world))
    for one in merges:
        one.wait()
    _tell(told, counts, published=published)


class _Turn:
    """One writer at a time, with the next number."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> int:
        self._file = self._path.open("a+", encoding="utf-8")
        fcntl.flock(self._file, fcntl.LOCK_EX)
        self._file.seek(0)
        number = int(self._file.read() or "0") + 1
        self._file.truncate(0)
        self._file.write(str(number))
        return number

    def __exit__(self, *_: object) -> None:
        self._file.close()


def _tell(
    told: Path,
    counts: Mapping[str, int],
    *,
    read: Iterable[State] = (),
    published: Iterable[State] = (),
    failures: Sequence[str] = (),
) -> None:
    record = {"counts": counts, "read": sorted(read), "published": sorted(published), "failures": list(failures)}
    told.write_text(json.dumps(record), encoding="utf-8")
