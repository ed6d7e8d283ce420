"""Two processes that export different states to one store, and four that ask it: every answer is of one state.

Each exporter has a copy of a root of its own, edits its files and its access rules, writes down what callers of each
group find in the files, and exports. Readers write down what they were answered. In the end each answer to a caller
must be one that some state gives this caller, scores included.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from functools import partial
from hashlib import blake2b
from pathlib import Path

from coderag import Index
from coderag.api.snapshot import open_snapshot
from coderag.errors import RemoteStoreError
from coderag.search.query.query import make_query
from coderag.stores.addresses import open_store, parse_address
from coderag.stores.export import export_index
from coderag.stores.segments import portions_of
from coderag.stores.stored_index import StoredIndex
from coderag.types import Hit
from scripts.torturing.outcome import Options, Outcome
from scripts.torturing.places import APART, NAME, Place, run_database, run_milvus
from scripts.torturing.steps import forked
from scripts.torturing.world import World

__all__ = ["generations"]

CALLERS: Sequence[tuple[str, ...]] = ((), ("hr",), ("board", "hr"), ("board",))
NEVER_SEEN = {(): ("vault/",), ("hr",): ("vault/board/",), ("board",): ("vault/",)}  # whatever the state
EXPORTERS = 2
DROPPING = 0.5  # the share of exports that drop at once what nobody needs, where that is allowed
K = 50
PATIENCE_SECONDS = 30.0  # that a reader has in addition for its first answers
QUESTIONS = ("how is the salary of a person found", "zyxpay", "bonus of a year")
RULES = """
[[access]]
paths = ["vault/**"]
groups = ["hr"]

[[access]]
paths = ["vault/board/**"]
groups = ["board"]
"""
SOMETIMES = """
[[access]]
paths = ["sometimes/**"]
groups = ["hr"]
"""
PAY = '''def {name}_of(person):
    """Return the {name} of a person for a year."""
    return zyxpay({number})
'''
Answer = list[list[str | int | float]]


def generations(options: Options) -> Outcome:
    """Let processes export and ask for a while: with a PostgreSQL, then with a Milvus where its packages are there."""
    outcome = Outcome()
    with run_database() as (place, _):
        _torture(place, options, outcome)
    with run_milvus(options.work / "milvus") as place_of_milvus:
        if place_of_milvus is not None:
            _torture(place_of_milvus, options, outcome)
    return outcome


def _torture(place: Place, options: Options, outcome: Outcome) -> None:
    work = options.work / type(place).__name__
    worlds = []
    for number in range(EXPORTERS):
        worlds.append(World.make(work / str(number), options.source, files=options.files, seed=options.seed))
        _edit(worlds[number], random.Random(number))
    _run([partial(_export, place, worlds[0], work / "first.json", rounds=1, seed=options.seed)], work, outcome)
    until = time.monotonic() + options.seconds
    told = [work / f"told-{number}.json" for number in range(EXPORTERS + len(CALLERS))]
    works: list[Callable[[], None]] = [
        partial(_export, place, world, told[number], until=until, seed=options.seed + 1 + number)
        for number, world in enumerate(worlds)
    ]
    works += [
        partial(_read, place, worlds[0].questions, groups, told[EXPORTERS + number], until=until)
        for number, groups in enumerate(CALLERS)
    ]
    if not _run(works, work, outcome):
        return
    states = [json.loads(path.read_text(encoding="utf-8")) for path in (work / "first.json", *told[:EXPORTERS])]
    for groups, path in zip(CALLERS, told[EXPORTERS:], strict=True):
        _compare(type(place).__name__, groups, [one["states"] for one in states], path, outcome)
    name = type(place).__name__
    outcome.counts[f"{name}: states exported"] = sum(len(one["states"]) for one in states)
    _run([partial(_finish, place, worlds[0])], work, outcome)


def _run(works: Sequence[Callable[[], None]], folder: Path, outcome: Outcome) -> bool:
    """Do everything at the same time, each in a process of its own; note what failed, and tell whether nothing did."""
    holds = True
    said = [folder / f"said-{number}" for number in range(len(works))]
    for path in said:
        path.unlink(missing_ok=True)
    pids = [forked(work, said=path) for work, path in zip(works, said, strict=True)]
    for work, path, pid in zip(works, said, pids, strict=True):
        _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        holds &= outcome.check(code == 0, f"{work}: {path.read_text(encoding='utf-8') if path.exists() else code}")
    return holds


def _edit(world: World, chosen: random.Random) -> None:
    """Change files that all see, that some see, and that some see at times."""
    world.edit(chosen)
    number = chosen.randrange(1_000)
    for path, name in (("vault/salaries.py", "salary"), ("vault/board/bonus.py", "bonus"), ("sometimes/pay.py", "pay")):
        file = world.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if chosen.random() < 0.5 or not file.exists():
            file.write_text(PAY.format(name=name, number=number), encoding="utf-8")
    (world.root / "coderag.toml").write_text(RULES + SOMETIMES * chosen.randrange(2), encoding="utf-8")


def _export(place: Place, world: World, told: Path, *, seed: int, until: float = 0.0, rounds: int = 2) -> None:
    """Edit, and export with what each caller finds; then begin again."""
    chosen = random.Random(seed)
    states: list[list[list[Answer]]] = []
    with closing(open_store(parse_address(place.address))) as store:
        while len(states) < rounds or time.monotonic() < until:
            _edit(world, chosen)
            with closing(Index.open(world.root, index=world.folder)) as index:
                index.update(workers=0)
                states.append([_found(index, groups, _questions(world.questions)) for groups in CALLERS])
                root = open_snapshot(index.roots).opened[0]
            grace = 0.0 if place.drops_at_once and chosen.random() < DROPPING else 3600.0
            export_index(root, store, name=NAME, grace=grace)
    told.write_text(json.dumps({"states": states}), encoding="utf-8")


def _read(place: Place, questions: Sequence[str], groups: tuple[str, ...], told: Path, *, until: float) -> None:
    """Ask without pause, as a caller of some groups."""
    questions = _questions(questions)
    answers: list[dict[str, Answer]] = [{} for _ in questions]  # by a digest
    asked = errors = 0
    with closing(open_store(parse_address(place.address))) as store:
        index = StoredIndex(store, NAME, callers=[frozenset(groups)])
        while time.monotonic() < until or (not all(answers) and time.monotonic() < until + PATIENCE_SECONDS):
            for number, question in enumerate(questions):
                try:
                    answer = _shown(index.search(make_query(question, k=K)))
                except RemoteStoreError:  # what it read was dropped meanwhile
                    errors += 1
                    continue
                asked += 1
                answers[number][blake2b(repr(answer).encode(), digest_size=8).hexdigest()] = answer
    found = [list(of_question.values()) for of_question in answers]
    told.write_text(json.dumps({"answers": found, "asked": asked, "errors": errors}), encoding="utf-8")


def _compare(
    name: str, groups: tuple[str, ...], states: Iterable[list[list[list[Answer]]]], path: Path, outcome: Outcome
) -> None:
    """Note answers of no state, and those with what the caller must never see."""
    own = [one[CALLERS.index(groups)] for exporter in states for one in exporter]
    read = json.loads(path.read_text(encoding="utf-8"))
    outcome.count(f"{name}: answers", read["asked"])
    outcome.count(f"{name}: answers that differ", sum(map(len, read["answers"])))
    outcome.count(f"{name}: errors that readers were told", read["errors"])
    for number, answers in enumerate(read["answers"]):
        outcome.check(answers, f"{name}: {groups} got no answer to question {number}")
        for answer in answers:
            hidden = [hit[0] for hit in answer if str(hit[0]).startswith(NEVER_SEEN.get(groups, ()))]
            outcome.check(not hidden, f"{name}: {groups} were shown {hidden}")
            whole = any(_same(answer, state[number]) for state in own)
            nearest = max((state[number] for state in own), key=lambda one: len(_common(one, answer)))
            strange = [hit for hit in answer if hit not in nearest], [hit for hit in nearest if hit not in answer]
            outcome.check(whole, f"{name}: an answer to {groups} is of no state: question {number}, {strange}")


def _finish(place: Place, world: World) -> None:
    """Export once more, drop what nobody needs, and raise AssertionError where a row is missing or there twice."""
    with closing(Index.open(world.root, index=world.folder)) as index:
        root = open_snapshot(index.roots).opened[0]
    with closing(open_store(parse_address(place.address))) as store:
        export_index(root, store, name=NAME, grace=3600.0)
        export_index(root, store, name=NAME, grace=0.0)
    problem = place.problem(portions_of(root))
    assert not problem, problem


def _questions(questions: Sequence[str]) -> tuple[str, ...]:
    return (*QUESTIONS, *questions[:3])


def _found(index: Index, groups: tuple[str, ...], questions: Sequence[str]) -> list[Answer]:
    seen = index.as_seen_by(groups)
    return [_shown(seen.search(make_query(question, k=K))) for question in questions]


def _shown(hits: Sequence[Hit]) -> Answer:
    return [
        [
            hit.chunk.path,
            hit.chunk.qualified_name,
            hit.chunk.span.start_line,
            blake2b(hit.chunk.text.encode(), digest_size=8).hexdigest(),
            hit.score,
        ]
        for hit in hits
    ]


def _common(mine: Answer, theirs: Answer) -> list[list[str | int | float]]:
    return [hit for hit in mine if hit in theirs]


def _same(mine: Answer, theirs: Answer) -> bool:
    return [one[:-1] for one in mine] == [one[:-1] for one in theirs] and all(
        abs(float(one[-1]) - float(other[-1])) < APART for one, other in zip(mine, theirs, strict=True)
    )
