"""Sets of judged questions about repositories to the questions, the code that each wants, and the trees to search."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.bench.records import BenchmarkError, LeftOut

__all__ = ["SUITES", "Question", "Repository", "Suite", "Target", "find_repositories"]

VARIABLE = "CODERAG_BENCH"  # where the trees were laid out; the programs of the sets read it as well
USUAL = Path.home() / ".cache" / "coderag-bench"


@dataclass(frozen=True, slots=True)
class Suite:
    """A set of questions: its files in the folder of the sets, and how much of a target's lines must be read."""

    name: str
    manifest: str
    questions: str
    share: float  # of the lines of a target that names lines; 0: any of them


# The lines that semble's questions name are forty or so around the beginning of a definition; those of the commits are
# the whole function.
SUITES = (Suite("semble", "repos.json", "annotations", 0.0), Suite("commits", "commits.json", "commits", 0.5))


@dataclass(frozen=True, slots=True)
class Target:
    """Code that answers a question: a file, or lines of one."""

    path: str  # in the repository
    lines: range  # none: all of the file

    def is_in(self, path: str) -> bool:
        """Tell whether it is in a file of the repository."""
        return path == self.path or path.endswith(f"/{self.path}")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and what answers it: one of its targets is enough."""

    text: str
    category: str
    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class Repository:
    """A tree to search, and what is asked about it."""

    name: str
    suite: Suite
    root: Path
    prefix: str  # of the root in the repository, "" or with a slash at its end
    questions: tuple[Question, ...]


def find_repositories(sets: Path, *, only: Sequence[str]) -> tuple[list[Repository], list[LeftOut]]:
    """Return the repositories of all suites, or of those in `only` (suites or repositories), that were laid out."""
    trees = Path(os.environ.get(VARIABLE) or USUAL)
    found: list[Repository] = []
    left_out: list[LeftOut] = []
    names: set[str] = set()
    for suite in SUITES:
        manifest = sets / "code" / suite.manifest
        entries: dict[str, Any] = json.loads(manifest.read_text(encoding="utf-8")) if manifest.is_file() else {}
        names |= {suite.name, *entries}
        for name, entry in sorted(entries.items()):
            if only and not {name, suite.name} & set(only):
                continue
            inside = (entry.get("benchmark_root") or "").strip("/")
            root = trees / suite.name / name / inside
            if root.is_dir():
                questions = _questions(sets / "code" / suite.questions / f"{name}.json")
                found.append(Repository(name, suite, root, f"{inside}/" if inside else "", questions))
            else:
                left_out.append(LeftOut(name, f"it is not laid out in {trees / suite.name}"))
    unknown = [name for name in only if name not in names]
    if unknown:
        raise BenchmarkError(f"{unknown[0]!r} is neither a suite nor a repository of the question sets in {sets}")
    if not found:
        raise BenchmarkError(f"no repository is laid out in {trees}; {sets}/README.md says how, {VARIABLE} says where")
    return found, left_out


def _questions(path: Path) -> tuple[Question, ...]:
    rows = json.loads(path.read_text(encoding="utf-8"))
    rows = rows["queries"] if isinstance(rows, dict) else rows
    return tuple(
        Question(row["query"], row.get("category") or "", tuple(_target(one) for one in row["relevant"]))
        for row in rows
    )


def _target(label: str | dict[str, Any]) -> Target:
    if isinstance(label, str):
        return Target(label, range(0))
    start = label.get("start_line")
    return Target(label["path"], range(0) if start is None else range(start, label["end_line"] + 1))
