"""The command line: which torture, how long, and what came of it as text and JSON."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from scripts.torturing.outcome import Options, Outcome

__all__ = ["run"]

CHECKOUT = Path(__file__).resolve().parents[2]
ROUNDS = {
    "kill": 500,
    "disk": 200,
    "flip": 1000,
    "readers": 0,
    "drift": 1000,
    "switch": 1,
    "parts": 100,
    "stores": 100,
    "objects": 100,
    "generations": 0,
}
FILES = {
    "kill": 200,
    "disk": 100,
    "flip": 60,
    "readers": 60,
    "drift": 0,
    "switch": 20_000,
    "parts": 40,
    "stores": 40,
    "objects": 40,
    "generations": 30,
}


def run(arguments: Sequence[str]) -> int:
    """Run one torture; 1 when something did not hold."""
    given = _parser().parse_args(arguments)
    with tempfile.TemporaryDirectory(dir=given.work, prefix=f"torture-{given.what}-") as work:
        os.environ["XDG_CACHE_HOME"] = str(Path(work, "cache"))  # nothing comes from before, nothing is left behind
        options = Options(
            work=Path(work),
            source=Path(given.source).resolve(),
            rounds=ROUNDS[given.what] if given.rounds is None else given.rounds,
            files=FILES[given.what] if given.files is None else given.files,
            seconds=given.seconds,
            seed=given.seed,
            questions=Path(given.questions).resolve() if given.questions else None,
        )
        started = time.monotonic()
        outcome = _torture(given.what, options)
        seconds = round(time.monotonic() - started, 1)
    figures = {"torture": given.what, "seed": given.seed, "seconds": seconds, **asdict(outcome)}
    if given.json:
        Path(given.json).write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(_text(figures))
    return 1 if outcome.failures else 0


def _torture(what: str, options: Options) -> Outcome:
    """Run one torture; each is imported alone, since most are long programs."""
    if what == "kill":
        from scripts.torturing.kill import kill

        return kill(options)
    if what == "disk":
        from scripts.torturing.disk import disk

        return disk(options)
    if what == "flip":
        from scripts.torturing.flip import flip

        return flip(options)
    if what == "readers":
        from scripts.torturing.readers import readers

        return readers(options)
    if what == "drift":
        from scripts.torturing.drift import drift

        return drift(options)
    if what == "parts":
        from scripts.torturing.parts import parts

        return parts(options)
    if what == "stores":
        from scripts.torturing.stores import stores

        return stores(options)
    if what == "objects":
        from scripts.torturing.stores import objects

        return objects(options)
    if what == "generations":
        from scripts.torturing.generations import generations

        return generations(options)
    from scripts.torturing.switch import switch

    return switch(options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="torture.py", description="torture an index")
    parser.add_argument("what", choices=sorted(ROUNDS))
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--files", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--source", default=str(CHECKOUT / "coderag"))
    parser.add_argument("--questions", help="of drift: a file of JSON lines with a question each, under `query`")
    parser.add_argument("--work", help="where to work (default: the system's folder for temporary files)")
    parser.add_argument("--json", help="write the figures there, too")
    return parser


def _text(figures: dict[str, Any]) -> str:
    lines = [f"{figures['torture']}, seed {figures['seed']}, {figures['seconds']} s"]
    lines += [f"  {name:32} {number}" for name, number in sorted(figures["counts"].items())]
    lines += [f"  FAILED {failure}" for failure in figures["failures"][:20]]
    lines.append(f"  {len(figures['failures'])} failures")
    return "\n".join(lines)
