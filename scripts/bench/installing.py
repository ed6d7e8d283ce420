"""The checkout to the size of an installation of it."""

from __future__ import annotations

import sys
from pathlib import Path

from scripts.bench.engines import CHECKOUT
from scripts.bench.measure import Command, folder_bytes, run
from scripts.bench.notes import Notes
from scripts.bench.records import Figure, Say

__all__ = ["measure_install"]


def measure_install(*, scratch: Path, say: Say) -> list[Figure]:
    """Return what a fresh environment grows by when coderag is installed with all that it needs."""
    notes = Notes("install", "base install")
    say("an empty environment")
    environment = scratch / "environment"
    run(Command((sys.executable, "-m", "venv", str(environment)), {}))
    empty = folder_bytes(environment)
    say("coderag and what it needs, installed")
    # The environment of the caller must not make pip find packages that are installed elsewhere.
    pip = (str(environment / "bin" / "python"), "-m", "pip")
    installed = run(Command((*pip, "install", str(CHECKOUT)), {"PYTHONPATH": ""}))
    notes.add("coderag", "size", "MB", (folder_bytes(environment) - empty) / 1e6)
    notes.add("coderag", "wall", "s", installed.seconds)
    return notes.figures()
