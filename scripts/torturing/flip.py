"""Bits of an index flipped: each one is found, no answer is wrong, and only what is damaged is read again.

Tables above CHECKED_BYTES are not compared with their sums when an index is opened: a bit of a vector, for instance,
may then change a score. `coderag status --check` finds it, and these answers are counted.
"""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

from coderag import Index
from coderag.errors import IndexDamagedError, StoredIndexError
from coderag.index.storage.arrays.arrays import CHECKED_BYTES
from coderag.index.storage.checksums import damage_of
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import MANIFEST, SEGMENTS, read_manifest
from scripts.torturing.outcome import Options, Outcome
from scripts.torturing.steps import STEPS, merging_later
from scripts.torturing.world import Answers, World, answers_of

__all__ = ["flip"]

UPDATES = 3  # each of which leaves a segment
ANY_FILE = 0.5  # the share of flips that take any file; the others any byte, which is one of a large file
MOST_FAILURES = 20


def flip(options: Options) -> Outcome:
    """Flip a bit in every round, look whether that is seen, ask, and repair."""
    outcome = Outcome()
    chosen = random.Random(options.seed)
    world = World.make(options.work, options.source, files=options.files, seed=options.seed)
    with merging_later():
        for _ in range(UPDATES):
            world.edit(chosen)
            STEPS["update"](world.root, world.folder, 0)
        expected = world.answers()
        outcome.counts["segments"] = len(read_manifest(IndexPath(world.folder)).segments)
        whole = world.folder.rename(world.folder.with_name("whole"))
        for number in range(options.rounds):
            shutil.rmtree(world.folder, ignore_errors=True)
            shutil.copytree(whole, world.folder)
            _round(world, outcome, chosen, expected=expected, number=number)
            outcome.tell(number + 1, options.rounds)
            if len(outcome.failures) > MOST_FAILURES:
                break
    return outcome


def _round(world: World, outcome: Outcome, chosen: random.Random, *, expected: Answers, number: int) -> None:
    name, bit = _flip(world.folder, chosen)
    where = f"round {number}, bit {bit} of {name}"
    kind = name.rpartition("/")[2].partition("-")[0].removesuffix(".bin")
    outcome.count(f"{kind}: flipped")
    outcome.check(name in _seen(world), f"{where}: not found")
    own = _files_of(world.folder, name)
    try:
        found = _asked(world)
    except IndexDamagedError:
        outcome.count(f"{kind}: refused to answer")
    else:
        large = (world.folder / name).stat().st_size > CHECKED_BYTES
        outcome.count(f"{kind}: {'the same' if found == expected else 'other'} answers")
        outcome.check(found == expected or large, f"{where}: wrong answers")
    with Index.ensure(world.root, index=world.folder, workers=0) as index:
        report = index.reports[0]
        outcome.count(f"{kind}: files read to repair it", report.read)
        outcome.most(f"{kind}: files of the index", sum(status.files for status in index.status(compare=False)))
        if name == MANIFEST:
            outcome.check(report.rebuilt, f"{where}: not built anew")
        else:
            outcome.check(report.read == own, f"{where}: {report.read} files read, {own} were damaged")
            outcome.check(not report.rebuilt, f"{where}: built anew: {report.rebuilt}")
    outcome.check(world.answers() == expected, f"{where}: other answers after the repair")
    outcome.check(not (problems := world.problems()), f"{where}: damaged after the repair: {problems}")
    outcome.check(not (strays := world.strays()), f"{where}: left behind: {strays}")


def _flip(folder: Path, chosen: random.Random) -> tuple[str, int]:
    """Flip one bit of an index; return the file and the bit."""
    manifest = read_manifest(IndexPath(folder))
    names = [MANIFEST, manifest.listing, *filter(None, [manifest.catalog, manifest.graph])]
    names += [f"{SEGMENTS}/{entry.name}/{name}" for entry in manifest.segments for name in entry.sums]
    sizes = [(folder / name).stat().st_size for name in names]
    weights = [1] * len(names) if chosen.random() < ANY_FILE else sizes
    (name,) = chosen.choices(names, weights)
    path = folder / name
    raw = bytearray(path.read_bytes())
    bit = chosen.randrange(len(raw) * 8)
    raw[bit // 8] ^= 1 << bit % 8
    path.write_bytes(raw)
    return name, bit


def _seen(world: World) -> set[str]:
    """Return the files that are said to be damaged."""
    try:
        return {one.path for one in damage_of(IndexPath(world.folder), read_manifest(IndexPath(world.folder)))}
    except StoredIndexError as error:
        return {MANIFEST} if MANIFEST in str(error) else {str(error)}


def _files_of(folder: Path, name: str) -> int:
    """Return how many files count of the segment that a file belongs to."""
    try:
        entries = {entry.name: entry for entry in read_manifest(IndexPath(folder)).segments}
    except StoredIndexError:
        return 0
    entry = entries.get(name.split("/")[1]) if name.startswith(SEGMENTS) else None
    return entry.files - len(entry.dead) if entry else 0


def _asked(world: World) -> Answers:
    """Ask everything, and look at everything; raises IndexDamagedError."""
    index = Index.open(world.root, index=world.folder)
    found = answers_of(index, world.questions)
    for path in sorted({hit[0] for hits in found[1:] for hit in hits}):
        index.outline(path)
        json.dumps([chunk.text for chunk in index.chunks(path)])
    index.tables()
    index.status()
    index.is_fresh()
    return found
