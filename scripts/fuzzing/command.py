"""The command line of the fuzzer."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from coderag.cli.output.text import visible
from scripts.fuzzing.bases import CHECKOUT, targets
from scripts.fuzzing.campaign import Campaign, Outcome, input_of

__all__ = ["run"]

INPUTS = 1000
MEMORY_DISK = Path("/dev/shm")  # tens of thousands of small files are written and removed


def run(arguments: Sequence[str]) -> int:
    """Fuzz what the arguments ask for; return 1 when something broke, 2 when they are wrong."""
    options = _parser().parse_args(arguments)
    if options.show is not None:
        if len(options.language) != 1:
            print("fuzz: --show needs one --language", file=sys.stderr)
            return 2
        sys.stdout.buffer.write(input_of(options.language[0], options.seed, options.show)[1])
        return 0
    if options.splitters:
        command = [sys.executable, "-m", "scripts.fuzzing.splitters", str(options.inputs), str(options.seed)]
        return subprocess.run(command, cwd=CHECKOUT, check=False).returncode
    outcomes = _outcomes(options)
    if options.json is not None:
        options.json.write_text(
            json.dumps([_record(outcome) for outcome in outcomes], indent=1) + "\n", encoding="utf-8"
        )
    return int(any(outcome.failures for outcome in outcomes))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="fuzz.py", description="Read damaged texts of every language.")
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--language", action="append", default=[], choices=targets(), metavar="NAME", help="one target (repeatable)"
    )
    what.add_argument("--splitters", action="store_true", help="what takes texts apart, guided by coverage (atheris)")
    parser.add_argument("--inputs", type=int, default=INPUTS, help="of each target (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="the same inputs for the same seed (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=1, help="processes that read (default: %(default)s)")
    parser.add_argument("--show", type=int, metavar="NUMBER", help="print the bytes of one input of one target")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the result goes")
    parser.add_argument("--save", type=Path, metavar="DIR", help="where inputs go that made trouble")
    return parser


def _outcomes(options: argparse.Namespace) -> list[Outcome]:
    outcomes: list[Outcome] = []
    console = Console(stderr=True)
    with ExitStack() as stack:
        place = MEMORY_DISK if os.access(MEMORY_DISK, os.W_OK) else None
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="coderag-fuzz-", dir=place)))
        campaign = stack.enter_context(Campaign(folder, workers=options.workers))
        progress = stack.enter_context(Progress(console=console, disable=not console.is_terminal))
        for target in options.language or targets():
            task = progress.add_task(target, total=options.inputs)
            outcome = campaign.run(
                target,
                inputs=options.inputs,
                seed=options.seed,
                watch=lambda done, task=task: progress.update(task, completed=done),  # type: ignore[misc]
            )
            progress.remove_task(task)
            outcomes.append(outcome)
            print(_line(outcome), flush=True)
            if options.save is not None:
                _save(outcome, options.save)
    return outcomes


def _line(outcome: Outcome) -> str:
    trouble = "".join(
        f"\n    {word} {count}: {visible(kind)}"
        for word, found in (("BROKEN", outcome.failures), ("survived", outcome.deaths))
        for kind, count in found.most_common()
    )
    rate = outcome.inputs / max(outcome.seconds, 0.001)
    return (
        f"{outcome.target:20} {outcome.inputs:7,} inputs {outcome.bytes / 1e6:7.1f} MB {outcome.read:7,} read "
        f"{outcome.skipped:6,} left out {outcome.seconds:7.1f} s {rate:6.0f}/s{trouble}"
    )


def _save(outcome: Outcome, folder: Path) -> None:
    for one in outcome.saved:
        name = f"{outcome.target.replace(':', '-')}-{one.number}-{Path(one.path).name}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(one.data)
        (folder / f"{name}.why").write_text(f"{one.path}\n{one.what}\n", encoding="utf-8", errors="replace")


def _record(outcome: Outcome) -> dict[str, object]:
    return {
        "target": outcome.target,
        "inputs": outcome.inputs,
        "bytes": outcome.bytes,
        "read": outcome.read,
        "left_out": outcome.skipped,
        "seconds": round(outcome.seconds, 2),
        "survived": dict(outcome.deaths),
        "broken": dict(outcome.failures),
        "saved": [
            {"number": one.number, "what": one.what, "path": one.path, "bytes": len(one.data)} for one in outcome.saved
        ],
    }
