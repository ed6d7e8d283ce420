"""Processes killed while they write a part, merge, push or pull: readers see one generation, the next run goes on."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from coderag import Index
from coderag.errors import IndexMissingError
from coderag.index.build.index_part import open_parts
from coderag.index.remote.layout import INDEXES, OBJECTS, objects_of
from coderag.index.remote.objects import ObjectStore
from coderag.index.remote.pull import pull_index
from coderag.index.remote.push import push_index
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.sealed import parse_sealed
from coderag.index.storage.manifest import PURPOSE, decode_manifest
from scripts.torturing.kill import killed
from scripts.torturing.outcome import Options, Outcome
from scripts.torturing.steps import Operations
from scripts.torturing.world import Answers, World

__all__ = ["parts"]

KINDS = ("part", "merge", "push", "pull")
PORTIONS = ("1/2", "2/2")
NAME = "tortured"
AT_A_CHANGE = 0.6  # the share of steps that are killed before a change to a file, and not at a random time
LATEST = 1.2  # of the time that the last step of a kind took; some are to end before they are killed
MOST_OBJECT = 1 << 30


def parts(options: Options) -> Outcome:
    """Kill a process in every round."""
    outcome = Outcome()
    chosen = random.Random(options.seed)
    world = World.make(options.work, options.source, files=options.files, seed=options.seed)
    fleet = _Fleet(world, options.work, ObjectStore((options.work / "store").as_uri()))
    for step in (fleet.write_parts, fleet.merge, fleet.push, fleet.pull):
        step()
    operations = Operations()
    seconds = dict.fromkeys(KINDS, 0.3)
    changes = dict.fromkeys(KINDS, 20)
    for number in range(options.rounds):
        _round(fleet, chosen, outcome, operations, number=number, seconds=seconds, changes=changes)
        outcome.tell(number + 1, options.rounds)
    push_index(IndexPath(world.folder), fleet.store, name=NAME, prune=True, grace=0)
    named = fleet.objects()
    outcome.check({name for name, _ in fleet.store.names(OBJECTS)} == named, "a prune leaves other objects than named")
    return outcome


@dataclass(frozen=True, slots=True)
class _Fleet:
    """A root, parts of its index, the index that is made of them, a store, and the index that comes from there."""

    world: World
    work: Path
    store: ObjectStore

    @property
    def folders(self) -> list[Path]:
        """Where the parts are."""
        return [self.work / f"part-{portion[0]}" for portion in PORTIONS]

    def write_part(self, number: int) -> None:
        """Write one part, or bring it up to date."""
        Index.write_part(self.world.root, part=PORTIONS[number], out=self.folders[number], workers=0)

    def write_parts(self) -> None:
        """Write all parts."""
        for number in range(len(PORTIONS)):
            self.write_part(number)

    def merge(self) -> None:
        """Join the parts."""
        with Index.ensure(self.world.root, index=self.work / "joined", parts=self.folders, workers=0, graph=False):
            pass

    def update(self) -> None:
        """Bring the index of the root up to date, which one machine makes."""
        with Index.ensure(self.world.root, index=self.world.folder, workers=0, graph=False):
            pass

    def push(self) -> None:
        """Write the index of the root to the store."""
        push_index(IndexPath(self.world.folder), self.store, name=NAME)

    def pull(self) -> None:
        """Bring the index of the store here, and join it."""
        with pull_index(self.store, name=NAME) as pulled:
            index = Index.ensure(
                self.world.root, index=self.work / "brought", parts=[pulled.folder], workers=0, graph=False
            )
        index.close()

    def answers(self, name: str) -> Answers | None:
        """Return what an index answers, None where there is none."""
        try:
            return self.world.answers(self.work / name)
        except IndexMissingError:
            return None

    def manifest(self) -> bytes:
        """Return the manifest on the store."""
        return self.store.read(f"{INDEXES}/{NAME}.json", MOST_OBJECT) or b""

    def objects(self) -> set[str]:
        """Return the names of the objects that the manifest on the store names."""
        body = parse_sealed(self.manifest(), PURPOSE, where=NAME).body
        return {one.name for one in objects_of(decode_manifest(IndexPath(self.work), body).segments)}

    def damaged_objects(self) -> list[str]:
        """Return the objects that the manifest names and that are not what it says."""
        return [name for name in self.objects() if not self._is_sound(name)]

    def _is_sound(self, name: str) -> bool:
        data = self.store.read(name, MOST_OBJECT)
        return data is not None and sha256(data).hexdigest() == name.rpartition("/")[2]


def _round(
    fleet: _Fleet,
    chosen: random.Random,
    outcome: Outcome,
    operations: Operations,
    *,
    number: int,
    seconds: dict[str, float],
    changes: dict[str, int],
) -> None:
    """Edit files, kill one step, look at what is left, and do the step again."""
    kind = chosen.choice(KINDS)
    fleet.world.edit(chosen)
    step = _prepared(fleet, kind, chosen)
    seen = {"merge": "joined", "pull": "brought"}.get(kind)
    before, manifest = (fleet.answers(seen) if seen else None), fleet.manifest()

    def hold(holds: object, failure: str) -> None:
        outcome.check(holds, f"round {number}, {kind}: {failure}")

    at = chosen.randrange(1, changes[kind] + 1) if chosen.random() < AT_A_CHANGE else 0

    def armed() -> None:
        operations.watch(fleet.work, at=at, then=lambda: os.kill(os.getpid(), signal.SIGKILL))
        step()

    said = fleet.work / "said"
    said.unlink(missing_ok=True)
    ended = killed(armed, said=said, seconds=None if at else chosen.random() * seconds[kind] * LATEST)
    outcome.count(f"{kind}: {'killed' if ended == -signal.SIGKILL else 'ended before'}")
    hold(ended in (0, -signal.SIGKILL), f"it failed: {said.read_text() if said.exists() else ended}")
    left = fleet.answers(seen) if seen else None
    hold(not fleet.damaged_objects(), "the store names what is not there")
    operations.watch(fleet.work)
    started = time.monotonic()
    step()
    seconds[kind], changes[kind] = time.monotonic() - started, max(operations.stop(), 1)
    _check(fleet, kind, hold, left=left, before=before, manifest=manifest)


def _prepared(fleet: _Fleet, kind: str, chosen: random.Random) -> Callable[[], None]:
    """Do what comes before a step of a kind, and return the step."""
    if kind == "part":
        number = chosen.randrange(len(PORTIONS))
        return lambda: fleet.write_part(number)
    if kind == "merge":
        fleet.write_parts()
        return fleet.merge
    fleet.update()
    if kind == "push":
        return fleet.push
    fleet.push()
    return fleet.pull


def _check(
    fleet: _Fleet,
    kind: str,
    hold: Callable[[object, str], None],
    *,
    left: Answers | None,
    before: Answers | None,
    manifest: bytes,
) -> None:
    """Compare what a killed step left, and what the next one made of it, with what one machine makes."""
    if kind == "part":
        hold(open_parts(fleet.folders), "the parts cannot be opened")
        return
    if kind == "push":
        hold(fleet.manifest() == (fleet.world.folder / "manifest.json").read_bytes(), "another manifest was pushed")
        hold(fleet.manifest() and manifest, "there is no manifest")
        return
    fleet.update()
    whole = fleet.world.answers()
    name = {"merge": "joined", "pull": "brought"}[kind]
    hold(left in (before, whole), "neither the old state nor the new one")
    hold(fleet.answers(name) == whole, "other answers than one machine's after the next run")
