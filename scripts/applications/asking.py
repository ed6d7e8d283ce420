"""An application's tree, copied and indexed, to what `coderag tables` says of it."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.applications.book import Application, matching
from scripts.applications.records import Reference, Table, plain

__all__ = ["Answer", "AskError", "Entry", "ask"]

PROJECT = Path(__file__).resolve().parents[2]
CODERAG = (sys.executable, "-m", "coderag")


class AskError(Exception):
    """A command that failed."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A table of the answer."""

    name: str
    database: str
    path: str  # of its first source
    table: Table
    inferred: frozenset[Reference]  # what associations of models say, which no database has been told


@dataclass(frozen=True, slots=True)
class Answer:
    """What was said of an application."""

    entries: tuple[Entry, ...]
    seconds: float  # of processor time, to index


def ask(application: Application, work: Path, *, folded: bool) -> Answer:
    """Copy a tree into a folder, index it, and return its tables; raises AskError."""
    root = work / application.name
    shutil.copytree(application.tree, root, symlinks=True, ignore=shutil.ignore_patterns(".git", ".coderag*"))
    for path in matching(root, application.snapshot) if folded else ():
        path.unlink()
    before = _children_seconds()
    _coderag("index", "--quiet", "--encoder", "none", "--no-graph", "--no-cache", str(root))
    seconds = _children_seconds() - before
    rows = json.loads(_coderag("tables", "--root", str(root), "--json") or "[]")
    return Answer(tuple(_entry(row) for row in rows if row["kind"] == "table"), seconds)


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _coderag(*words: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    done = subprocess.run([*CODERAG, *words], capture_output=True, text=True, env=environment)
    if done.returncode > 1:
        raise AskError(f"coderag {' '.join(words)}: {done.stderr.strip()[-500:]}")
    return done.stdout


def _entry(row: Mapping[str, Any]) -> Entry:
    keys = row["foreign_keys"]
    return Entry(
        plain(row["name"]),
        row["database"],
        row["sources"][0]["path"] if row["sources"] else "",
        Table(
            frozenset(plain(column["name"]) for column in row["columns"]),
            tuple(map(plain, row["primary_key"])),
            _references([key for key in keys if key.get("evidence", "declared") == "declared"]),
        ),
        _references([key for key in keys if key.get("evidence", "declared") != "declared"]),
    )


def _references(keys: Sequence[Mapping[str, Any]]) -> frozenset[Reference]:
    return frozenset(Reference(tuple(map(plain, key["columns"])), plain(key["table"])) for key in keys)
