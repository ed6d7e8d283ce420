"""Judged questions about repositories, from JSON files as benchmarks of code search keep them, and the repositories."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.ranking_data.records import Judged, Say, Target, TrainingError

__all__ = ["Repository", "checked_out", "repositories", "suite_questions"]


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository of a suite at its pinned revision."""

    name: str
    source: str  # OWNER/NAME
    revision: str  # "" for what is no repository
    inside: str  # the folder of it that is indexed, "" for all


def repositories(table: Path) -> list[Repository]:
    """Return the repositories of a suite's table, in alphabetical order."""
    rows: Mapping[str, Mapping[str, Any]] = json.loads(table.read_text(encoding="utf-8"))
    return [
        Repository(name, row["source"], row.get("revision") or "", row.get("benchmark_root") or "")
        for name, row in sorted(rows.items())
    ]


def suite_questions(file: Path, *, suite: str) -> list[Judged]:
    """Return the questions of a suite about a repository; their kind is the suite's name and the category."""
    read = json.loads(file.read_text(encoding="utf-8"))
    return [
        Judged(
            row["query"], f"{suite}:{row['category']}", tuple(map(_target, row["relevant"] + row.get("secondary", [])))
        )
        for row in (read["queries"] if isinstance(read, dict) else read)
    ]


def checked_out(repository: Repository, *, git: Path, cache: Path, say: Say, keeps_later: bool = False) -> Path | None:
    """Return a work tree of a repository at its revision, made of a clone in `git`; None where there is no clone.

    With `keeps_later` the files are those of the revision and HEAD stays the newest commit, so that what came later
    can be asked of what was there before. Raises TrainingError when git fails.
    """
    folder = cache / f"{repository.name}-{repository.revision[:12]}"
    if folder.is_dir():
        return folder
    places = (repository.source.replace("/", "+") + "/repo", repository.source.replace("/", "+"), repository.source)
    clone = next((git / place for place in places if (git / place).is_dir()), None)
    if clone is None or not repository.revision:
        return None
    say(f"checking out {repository.source}")
    scratch = folder.with_name(f"{folder.name}.part")
    _git("clone", "--quiet", "--shared", "--no-checkout", str(clone), str(scratch))
    if keeps_later:
        _git("-C", str(scratch), "checkout", "--quiet", repository.revision, "--", repository.inside or ".")
    else:
        _git("-C", str(scratch), "checkout", "--quiet", "--detach", repository.revision)
    scratch.rename(folder)
    return folder


def _git(*arguments: str) -> None:
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise TrainingError(f'"git {" ".join(arguments)}" failed: {done.stderr.strip()}')


def _target(row: str | Mapping[str, Any]) -> Target:
    if isinstance(row, str):
        return Target(row)
    return Target(row["path"], row.get("start_line") or 0, row.get("end_line") or 0)
