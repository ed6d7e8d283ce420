"""Repositories and their questions to rows: how much is read by each way to look for code until it is held."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from scripts.bench.agent.answers import Answered, answers_of_coderag, answers_of_semble
from scripts.bench.agent.grep import ranked, read_around, read_files, source_files
from scripts.bench.agent.questions import Question, Repository
from scripts.bench.agent.reading import tokens_until_held
from scripts.bench.engines import CHECKOUT, Engine
from scripts.bench.records import Say

__all__ = ["BUDGETS", "CODERAG", "FILES", "LINES", "SEMBLE", "SEMBLE_WHOLE", "Row", "rows_of"]

BUDGETS = (500, 1000, 2000, 4000, 8000)
CODERAG = "coderag"
SEMBLE, SEMBLE_WHOLE = "semble, 10 lines of a hit", "semble, whole hits"
FILES, LINES = "grep, whole files", "grep, lines around"
SEMBLE_LINES = 10  # of a hit, as its server shows them unless it is told otherwise
# What is measured, and what judges it: rows are made anew when one of these changes.
JUDGES = tuple(f"scripts/bench/agent/{name}.py" for name in ("questions", "reading", "answers", "rows"))
MEASURED: Mapping[str, tuple[str, ...]] = {
    "grep": (*JUDGES, "scripts/bench/agent/grep.py"),
    "coderag": (*JUDGES, "coderag", "parsers", "schemas"),
    "semble": (*JUDGES, "scripts/bench/probe_semble.py"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """A question, a way to look for the code, and how much was read until it was held."""

    suite: str
    repository: str
    question: str
    category: str
    way: str
    budget: int  # of the answer; 0: it has none and is read on and on
    until: int | None  # tokens; None: all is read, and it is not held
    tokens: int  # of all there was to read


def rows_of(repository: Repository, *, semble: Engine | None, cache: Path, scratch: Path, say: Say) -> list[Row]:
    """Return the rows of a repository; those of an earlier run are taken where nothing has changed since."""
    steps: dict[str, Callable[[Path], list[Row]]] = {
        "grep": lambda _: _grep(repository),
        "coderag": partial(_coderag, repository),
    }
    if semble is not None:
        steps["semble"] = partial(_semble, repository, semble)
    rows: list[Row] = []
    for name, step in steps.items():
        state = _digest(repository, name, semble.version if semble is not None and name == "semble" else "")
        file = cache / "agent" / f"{repository.suite.name}-{repository.name}-{name}.json"
        kept = _kept(file, state)
        if kept is None:
            say(f"{repository.suite.name}, {repository.name}: {name}")
            with tempfile.TemporaryDirectory(dir=scratch, ignore_cleanup_errors=True) as folder:
                kept = step(Path(folder))
            _keep(file, state, kept)
        rows += kept
    return rows


def _digest(repository: Repository, name: str, version: str) -> str:
    digest = hashlib.sha256(f"{version}\0{repository}".encode())
    for path in (CHECKOUT / measured for measured in MEASURED[name]):
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and "__pycache__" not in file.parts:
                digest.update(file.read_bytes())
    return digest.hexdigest()


def _kept(file: Path, state: str) -> list[Row] | None:
    if not file.is_file():
        return None
    kept = json.loads(file.read_text(encoding="utf-8"))
    return [Row(**row) for row in kept["rows"]] if kept["state"] == state else None


def _keep(file: Path, state: str, rows: Iterable[Row]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_suffix(".part")
    beside.write_text(json.dumps({"state": state, "rows": [asdict(row) for row in rows]}), encoding="utf-8")
    beside.replace(file)


def _row(repository: Repository, question: Question, answered: Answered, *, way: str, budget: int = 0) -> Row:
    reading, tokens = answered
    until = tokens_until_held(reading, question, repository)
    names = (repository.suite.name, repository.name, question.text, question.category)
    return Row(*names, way, budget, until, tokens)


def _grep(repository: Repository) -> list[Row]:
    files = source_files(repository.root)
    rows = []
    for question in repository.questions:
        matches = ranked(files, question.text)
        for way, read in ((FILES, read_files), (LINES, read_around)):
            reading = list(read(matches))
            rows.append(_row(repository, question, (reading, reading[-1].tokens if reading else 0), way=way))
    return rows


def _coderag(repository: Repository, scratch: Path) -> list[Row]:
    answers = answers_of_coderag(repository, budgets=BUDGETS, scratch=scratch)
    return [
        _row(repository, question, answered, way=CODERAG, budget=budget)
        for question, by_budget in zip(repository.questions, answers, strict=True)
        for budget, answered in by_budget.items()
    ]


def _semble(repository: Repository, engine: Engine, scratch: Path) -> list[Row]:
    rows = []
    for way, lines in ((SEMBLE, SEMBLE_LINES), (SEMBLE_WHOLE, None)):
        answers = answers_of_semble(engine, repository, lines=lines, scratch=scratch)
        for question, answered in zip(repository.questions, answers, strict=True):
            rows.append(_row(repository, question, answered, way=way))
    return rows
