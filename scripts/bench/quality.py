"""Sets of judged questions to figures of how good the answers are.

The sets lie in a folder of their own, which brings the programs that ask them: `code/run.py --suite NAME --out FILE`
and `sql/run_sql.py --out FILE`, each told the commands to run. They write JSON with means and the questions.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scripts.bench.engines import CHECKOUT
from scripts.bench.measure import Command, run
from scripts.bench.notes import Notes
from scripts.bench.records import BenchmarkError, Figure, Say

__all__ = ["CODE_SUITES", "SQL", "VARIABLE", "find_sets", "measure_ablation", "measure_quality"]

VARIABLE = "CODERAG_QUESTION_SETS"  # the folder of the sets, where no option names it
CODE_SUITES = ("semble", "commits")
SQL = "sql"
PERCENT = 100
NAME = "coderag"  # as it is in this checkout
# What is printed of a suite's means over repositories, by the names of its JSON.
CODE_FIGURES = {
    "ndcg10": "nDCG@10",
    "ndcg10_tight": "nDCG@10 tight",
    "recall10": "recall@10",
    "mrr": "MRR",
    "hit1": "success@1",
}
SQL_FIGURES = ("R@5", "ALL@5", "R@10", "ALL@10", "column_strict")
MACRO = "mean of the sets"
# What is left out, by the name of the row that shows what remains.
ABLATIONS: Mapping[str, tuple[str, ...]] = {
    "all": (),
    "by rank instead of by score (RRF)": ("--fusion", "rrf"),
    "without the learned ranker": ("--reranker", "linear"),
    "without vectors": ("--without", "vectors"),
    "without vectors and like words": ("--without", "vectors,likeness"),
    "without like words": ("--without", "likeness"),
    "without paths": ("--without", "paths"),
    "without names": ("--without", "names"),
    "without symbols": ("--without", "symbols"),
    "without words": ("--without", "words"),
    "with maxsim on top": ("--reranker", "maxsim"),
}


def find_sets(option: Path | None) -> Path:
    """Return the folder of the question sets; raises BenchmarkError when none is named or it holds none."""
    named = option or (Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None)
    if named is None:
        raise BenchmarkError(f"name the folder of the question sets with --sets or {VARIABLE}")
    if not any((named / program).is_file() for program in ("code/run.py", "sql/run_sql.py")):
        raise BenchmarkError(f"{named} has neither code/run.py nor sql/run_sql.py; it is no folder of question sets")
    return named


def measure_ablation(sets: Path, *, only: Sequence[str], scratch: Path, say: Say) -> list[Figure]:
    """Return the figures of the suites of code with each kind of evidence and each stage left out in turn."""
    figures: list[Figure] = []
    for suite in CODE_SUITES:
        if only and suite not in only:
            continue
        for name, options in ABLATIONS.items():
            say(f"{suite}: {name}")
            found = _asked(sets, suite=suite, out=scratch / f"{suite}.json", options=options)
            notes = Notes(f"ablation, {suite}", name)
            for measure in ("ndcg10", "ndcg10_tight"):
                notes.add(NAME, CODE_FIGURES[measure], "%", PERCENT * found["repo_mean"][measure])
            figures += notes.figures()
    return figures


def measure_quality(sets: Path, *, only: Sequence[str], scratch: Path, say: Say) -> list[Figure]:
    """Return the figures of the suites of code and of the sets of SQL that a folder has, or of those in `only`."""
    figures: list[Figure] = []
    for suite in CODE_SUITES:
        if (sets / "code/run.py").is_file() and (not only or suite in only):
            say(f"questions about code: {suite}")
            figures += _code(sets, suite=suite, out=scratch / f"{suite}.json")
    if (sets / "sql/run_sql.py").is_file() and (not only or SQL in only):
        say("questions about data")
        figures += _sql(sets, out=scratch / "sql.json")
    return figures


def _code(sets: Path, *, suite: str, out: Path) -> list[Figure]:
    found = _asked(sets, suite=suite, out=out)
    notes = Notes("quality, code", suite)
    notes.add(NAME, "questions", "", found["query_mean"]["n"])
    for name, shown in CODE_FIGURES.items():
        notes.add(NAME, shown, "%", PERCENT * found["repo_mean"][name])
    notes.add(NAME, "p50", "ms", found["query_p50_ms"])
    figures = notes.figures()
    for category, means in found["by_category"].items():
        each = Notes("quality, code", f"{suite}: {category}")
        each.add(NAME, "questions", "", means["n"])
        for name, shown in CODE_FIGURES.items():
            each.add(NAME, shown, "%", PERCENT * means[name])
        figures += each.figures()
    return figures


def _asked(sets: Path, *, suite: str, out: Path, options: Sequence[str] = ()) -> dict[str, Any]:
    """Return what the program of a suite of code writes, for a search with some options."""
    index, serve = _templates("search", options)
    program = (sys.executable, str(sets / "code/run.py"), "--suite", suite, "--label", NAME, "--out", str(out))
    run(Command((*program, "--arg", f"index={index}", "--arg", f"serve={serve}"), _environment()))
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    if not found["query_mean"]["n"]:
        raise BenchmarkError(f"none of the repositories of {suite} is there; lay them out as {sets}/README.md says")
    return found


def _sql(sets: Path, *, out: Path) -> list[Figure]:
    index, serve = _templates("schema")
    program = (sys.executable, str(sets / "sql/run_sql.py"), "--index", index, "--serve", serve, "--out", str(out))
    run(Command(program, _environment()))
    rows: list[Mapping[str, Any]] = json.loads(out.read_text(encoding="utf-8"))
    figures: list[Figure] = []
    for row in rows:
        notes = Notes("quality, data", row["set"])
        notes.add(NAME, "questions", "", row["questions"])
        for name in SQL_FIGURES:
            notes.add(NAME, name, "%", row[name])
        notes.add(NAME, "p50", "ms", row["query_p50_ms"])
        figures += notes.figures()
    macro = Notes("quality, data", MACRO)
    for name in SQL_FIGURES:
        macro.add(NAME, name, "%", sum(row[name] for row in rows) / len(rows))
    return [*figures, *macro.figures()]


def _environment() -> Mapping[str, str]:
    inherited = os.environ.get("PYTHONPATH")
    return {"PYTHONPATH": os.pathsep.join(filter(None, (str(CHECKOUT), inherited)))}


def _templates(command: str, options: Sequence[str] = ()) -> tuple[str, str]:
    """Return the command lines that index a folder and that answer lines, with {root} left to be filled in."""
    program = shlex.join((sys.executable, "-P", "-m", "coderag"))
    return f"{program} index {{root}}", f"{program} {command} --batch {shlex.join(options)} --root {{root}}"
