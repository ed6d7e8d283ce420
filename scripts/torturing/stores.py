"""Exports killed, engines crashed, networks cut: readers get one generation, and the next export goes on."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

from coderag import Index
from coderag.api.snapshot import open_snapshot
from coderag.errors import CoderagError, RemoteStoreError
from coderag.index.reader.opened_root import OpenedRoot
from coderag.search.query.query import make_query
from coderag.stores.addresses import open_store, parse_address
from coderag.stores.export import export_index
from coderag.stores.segments import portions_of
from coderag.stores.stored_index import StoredIndex
from coderag.types import Hit
from scripts.torturing.outcome import Options, Outcome
from scripts.torturing.places import APART, NAME, Place, run_database, run_folder, run_s3
from scripts.torturing.steps import EXPECTED_ERROR, forked
from scripts.torturing.world import World

__all__ = ["objects", "stores"]

LATEST = 1.1  # of the time that the last export took; some are to end before something happens
DROPPING = 0.3  # the share of exports that drop at once what nobody needs
EARLY = 0.1  # of that time
FIRST_BYTES = 60_000  # that an export sends
SURE_BYTES = 1_000  # that the smallest export and each question send

Hits = tuple[tuple[str, str, int, float], ...]


def stores(options: Options) -> Outcome:
    """Let something break in every round, with a database."""
    outcome = Outcome()
    world = World.make(options.work, options.source, files=options.files, seed=options.seed)
    with run_database() as (place, proxy):
        _torture(_Bench(world, place, outcome, random.Random(options.seed)), options.rounds)
    outcome.counts["connections cut"] = proxy.cuts if proxy else 0
    return outcome


def objects(options: Options) -> Outcome:
    """Let something break in every round, half of them with a folder and half with an S3."""
    outcome = Outcome()
    world = World.make(options.work, options.source, files=options.files, seed=options.seed)
    chosen = random.Random(options.seed)
    with run_folder(options.work / "store") as (place, _):
        _torture(_Bench(world, place, outcome, chosen), options.rounds // 2)
    with run_s3() as (place, proxy):
        _torture(_Bench(world, place, outcome, chosen), options.rounds - options.rounds // 2)
    outcome.counts["connections cut"] = proxy.cuts if proxy else 0
    return outcome


def _torture(bench: _Bench, rounds: int) -> None:
    bench.export(grace=0)
    for number in range(rounds):
        bench.round(number)
        bench.outcome.tell(number + 1, rounds)


@dataclass(slots=True)
class _Bench:
    """A root whose index is exported, and the store."""

    world: World
    place: Place
    outcome: Outcome
    chosen: random.Random
    seconds: float = 0.3  # that the last export took
    round_said: str = ""

    def export(self, *, grace: float) -> None:
        """Write the index of the root to the store."""
        with closing(open_store(parse_address(self.place.address))) as store:
            export_index(self.opened(), store, name=NAME, grace=grace)

    def opened(self) -> OpenedRoot:
        """Return the index of the root."""
        with closing(Index.open(self.world.root, index=self.world.folder)) as index:
            return open_snapshot(index.roots).opened[0]

    def of_files(self) -> list[Hits]:
        """Return the answers of the index in files."""
        with closing(Index.open(self.world.root, index=self.world.folder)) as index:
            return [_hits(index.search(make_query(question))) for question in self.world.questions]

    def round(self, number: int) -> None:
        """Edit files, let an export or its readers fail, look at what is left, and export again."""
        # Each kind has its turn before chance decides; in its turn it comes at a moment that an export surely reaches.
        kinds = self.place.kinds
        is_turn = number < len(kinds)
        kind = kinds[number] if is_turn else self.chosen.choice(kinds)
        before = self.of_files()
        self.world.edit(self.chosen)
        with closing(Index.open(self.world.root, index=self.world.folder)) as index:
            index.update(workers=0)
        after = self.of_files()
        self.round_said = f"round {number}, {kind}"
        grace = 0.0 if self.chosen.random() < DROPPING and kind != "reader" else 3600.0
        said = self.world.root.parent / "said"
        said.unlink(missing_ok=True)
        pid = forked(lambda: self.export(grace=grace), said=said)
        done = threading.Event()
        reader = threading.Thread(target=self.read_until, args=(done, before, after))
        reader.start()
        ended = self.fail(kind, pid, is_sure=is_turn)
        done.set()
        reader.join()
        self.outcome.count(f"{kind}: {'finished' if ended == 0 else 'broken off'}")
        expected = {"exporter": (0, -signal.SIGKILL), "reader": (0, EXPECTED_ERROR)}.get(kind, (0, EXPECTED_ERROR))
        self.hold(ended in expected, f"it ended with {ended}: {said.read_text() if said.exists() else ''}")
        self.check_answers(self.ask(), (before, after))
        started = time.monotonic()
        self.export(grace=0)
        self.seconds = time.monotonic() - started
        self.check_answers(self.ask(), (after,))
        problem = self.place.problem(portions_of(self.opened()))
        self.hold(not problem, problem)

    def fail(self, kind: str, pid: int, *, is_sure: bool) -> int:
        """Let something fail while a process exports, and return the process's exit code.

        With `is_sure` it fails early enough for any export; otherwise the export may end before.
        """
        moment = (EARLY if is_sure else self.chosen.random() * LATEST) * self.seconds
        if kind in ("network", "reader"):
            self.place.fail_after(SURE_BYTES if is_sure else self.chosen.randrange(FIRST_BYTES))
        else:
            time.sleep(moment)
        if kind == "exporter":
            os.kill(pid, signal.SIGKILL)  # not waited for yet, so the number is still its own
        if kind == "engine":
            self.place.crash()
        _, status = os.waitpid(pid, 0)
        self.place.fail_after(None)
        if kind == "engine":
            self.place.start()
        return os.waitstatus_to_exitcode(status)

    def read_until(self, done: threading.Event, before: Sequence[Hits], after: Sequence[Hits]) -> None:
        """Ask again and again while something fails; an answer may be an error, and never a mixture."""
        while not done.is_set():
            try:
                found = self.ask()
            except RemoteStoreError:
                self.outcome.count("errors that readers were told")
                continue
            except CoderagError as error:
                self.hold(None, f"a reader was told {error}")
                return
            self.outcome.count("answers beside it", len(found))
            self.check_answers(found, (before, after))

    def ask(self) -> list[Hits]:
        """Return the answers of the store, on a connection of its own."""
        with closing(open_store(parse_address(self.place.address))) as store:
            index = StoredIndex(store, NAME)
            return [_hits(index.search(make_query(question))) for question in self.world.questions]

    def check_answers(self, found: Sequence[Hits], allowed: Sequence[Sequence[Hits]]) -> None:
        """Note answers that are of no generation; each question is answered from one."""
        for number, hits in enumerate(found):
            whole = any(_same(hits, generation[number]) for generation in allowed)
            self.hold(whole, f"an answer is of no generation: {self.world.questions[number]!r}")

    def hold(self, holds: object, failure: str) -> None:
        """Note what does not hold in this round."""
        self.outcome.check(holds, f"{self.round_said}: {failure}")


def _hits(hits: Sequence[Hit]) -> Hits:
    return tuple((hit.chunk.path, hit.chunk.qualified_name, hit.chunk.span.start_line, hit.score) for hit in hits)


def _same(mine: Hits, theirs: Hits) -> bool:
    return [one[:3] for one in mine] == [one[:3] for one in theirs] and all(
        abs(one[3] - other[3]) < APART for one, other in zip(mine, theirs, strict=True)
    )
