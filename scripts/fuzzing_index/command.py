"""The command line of the fuzzer of indexes."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from coderag.cli.output.text import visible
from scripts.fuzzing_index.campaign import Campaign, Outcome, seeds_of
from scripts.fuzzing_index.child import plan_of
from scripts.fuzzing_index.kinds import KINDS
from scripts.fuzzing_index.warm import warm_up
from scripts.fuzzing_index.world import own_environment

__all__ = ["run"]

INPUTS = 1000
MEMORY_DISK = Path("/dev/shm")  # an index is written and removed for each input


def run(arguments: Sequence[str]) -> int:
    """Fuzz what the arguments ask for; return 1 when something broke."""
    options = _parser().parse_args(arguments)
    if options.show is not None:
        return _show(options)
    ranges = _shares(options.first, options.inputs, options.workers)
    if len(ranges) == 1:
        outcomes = _outcomes(options, ranges[0], told=True)
    else:
        with ProcessPoolExecutor(len(ranges), mp_context=get_context("spawn")) as pool:
            outcomes = _joined(list(pool.map(partial(_outcomes, options), ranges)))
        for outcome in outcomes:
            print(_line(outcome), flush=True)
    if options.json is not None:
        options.json.write_text(
            json.dumps([_record(outcome) for outcome in outcomes], indent=1) + "\n", encoding="utf-8"
        )
    if options.save is not None:
        _save(outcomes, options.save)
    return int(any(outcome.failures for outcome in outcomes))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="fuzz_index.py", description="Use indexes that are signed, and lie.")
    parser.add_argument(
        "--kind",
        action="append",
        default=[],
        choices=KINDS,
        metavar="NAME",
        help=f"one of {', '.join(KINDS)} (repeatable)",
    )
    parser.add_argument("--inputs", type=int, default=INPUTS, help="of each kind (default: %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first input (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="the same inputs for the same seed (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=1, help="inputs that are tried at once (default: %(default)s)")
    parser.add_argument("--show", type=int, metavar="NUMBER", help="try one input of one kind, and say all about it")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the result goes")
    parser.add_argument("--save", type=Path, metavar="DIR", help="where what made trouble is described")
    return parser


def _shares(first: int, inputs: int, workers: int) -> list[range]:
    bounds = [first + inputs * number // max(workers, 1) for number in range(max(workers, 1) + 1)]
    return [range(begin, end) for begin, end in pairwise(bounds)]


def _campaign(stack: ExitStack) -> Campaign:
    place = MEMORY_DISK if os.access(MEMORY_DISK, os.W_OK) else None
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="coderag-fuzz-", dir=place))).resolve()
    stack.enter_context(own_environment(folder))
    campaign = Campaign(folder)
    warm_up(campaign.world)
    return campaign


def _outcomes(options: argparse.Namespace, numbers: range, *, told: bool = False) -> list[Outcome]:
    outcomes = []
    console = Console(stderr=True)
    with ExitStack() as stack:
        campaign = _campaign(stack)
        progress = stack.enter_context(Progress(console=console, disable=not (told and console.is_terminal)))
        for kind in options.kind or KINDS:
            task = progress.add_task(kind, total=len(numbers))
            watch = partial(_advance, progress, task)
            outcomes.append(campaign.run(kind, numbers=numbers, seed=options.seed, watch=watch))
            progress.remove_task(task)
            if told:
                print(_line(outcomes[-1]), flush=True)
    return outcomes


def _advance(progress: Progress, task: object, done: int) -> None:
    progress.update(task, completed=done)  # type: ignore[arg-type]


def _joined(parts: Sequence[Sequence[Outcome]]) -> list[Outcome]:
    """Return what became of the shares of each kind as one."""
    return [
        Outcome(
            kind=shares[0].kind,
            inputs=sum(share.inputs for share in shares),
            answered=sum(share.answered for share in shares),
            refused=sum(share.refused for share in shares),
            seconds=max(share.seconds for share in shares),
            most_cpu_seconds=max(share.most_cpu_seconds for share in shares),
            most_bytes=max(share.most_bytes for share in shares),
            failures=sum((share.failures for share in shares), Counter[str]()),
            saved=[saved for share in shares for saved in share.saved],
        )
        for shares in zip(*parts, strict=True)
    ]


def _line(outcome: Outcome) -> str:
    trouble = "".join(f"\n    BROKEN {count}: {visible(cause)}" for cause, count in outcome.failures.most_common())
    numbers = "".join(f"\n      number {one.number}: {visible(one.cause)[:80]}" for one in outcome.saved)
    return (
        f"{outcome.kind:10} {outcome.inputs:7,} inputs {outcome.answered:8,} answers {outcome.refused:7,} refusals "
        f"{outcome.seconds:7.1f} s, at most {outcome.most_cpu_seconds:.1f} s and {outcome.most_bytes >> 20} MB for one"
        f"{trouble}{numbers}"
    )


def _show(options: argparse.Namespace) -> int:
    """Try one input, and print its changes, what it was asked, and what went wrong."""
    [kind] = options.kind
    with ExitStack() as stack:
        campaign = _campaign(stack)
        plan = plan_of(KINDS[kind], f"{options.seed}/{kind}/{options.show}/plan")
        verdict, edits = campaign.judge(kind, seeds_of(kind, options.seed, options.show), plan)
    counts = f"{verdict.answered} answers, {len(verdict.refusals)} refusals, {verdict.cpu_seconds:.2f} s"
    for line in (*edits, *plan, *verdict.refusals, counts):
        print(visible(line))
    for finding in verdict.findings:
        print(visible(f"BROKEN {finding.asked}: {finding.what}"), finding.trace, sep="\n")
    return int(bool(verdict.findings))


def _save(outcomes: Sequence[Outcome], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for outcome in outcomes:
        for position, one in enumerate(outcome.saved):
            path = folder / f"{one.kind}-{one.number}-{position}.json"
            path.write_text(json.dumps(asdict(one), indent=1) + "\n", encoding="utf-8")


def _record(outcome: Outcome) -> dict[str, object]:
    return {**asdict(outcome), "failures": dict(outcome.failures)}
