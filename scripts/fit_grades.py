"""Fit how likely evidence carries an answer, by which `coderag ask` answers or says "not found".

scripts/fit_grades.py [--cache DIR] [--write]

Only questions that are for tuning are read: that half of fixtures/ask/questions and of what is in
fixtures/ask/answerable.jsonl about roots of the same version, and fixtures/ask/near_misses.jsonl, whose unanswerable
questions ask for what a package nearly does. Of a compound question the parts that are not found are left out, as
nobody judged parts. The figures are of questions about one root, graded by what the others teach.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any

import numpy as np

from coderag import Index
from coderag.ask.correcting import weights as kept
from coderag.ask.correcting.grading import LIKELY, likelihood_of
from coderag.ask.correcting.signals import Signals, signals_of
from coderag.ask.findings.places import Places
from coderag.ask.pipelines import STAGES
from coderag.ask.sufficiency import coverage_of, stems_of
from coderag.ask.turn import Evidence, Options, Turn
from coderag.ask.wording import content_words, names_in
from coderag.index.storage.arrays.arrays import Array
from coderag.search.retrieval.frequency import word_frequencies

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.judge_answers import CACHE, QUESTIONS, REPOSITORY, questions, root_of

BEFORE = ("reframe", "decompose", "route", "retrieve")
SHRINKING = 1.0  # of the weights of standardised signals (ridge)
STEPS = 50
ANSWERABLE = 0.75  # share of questions that have an answer, where grades are used
FIELDS = tuple(Signals.__dataclass_fields__)
TEXT = '''\
"""What each signal weighs in a grade: written by scripts/fit_grades.py."""

from __future__ import annotations

__all__ = ["START", "WEIGHTS"]

WEIGHTS = ({weights})  # {names}
START = {start}
'''


@dataclass(frozen=True, slots=True)
class Example:
    """A question, or a part of one, with its signals."""

    source: str
    root: str
    text: str
    is_answerable: bool
    signals: Signals


def asked() -> Iterator[tuple[str, str, str, bool]]:
    """Yield the source, the root, the text and whether it has an answer, of each question for tuning."""
    for name in sorted(path.stem for path in QUESTIONS.glob("*.jsonl")):
        for row in map(json.loads, questions(name, "tuned")):
            yield "questions", name, row.get("query") or row["question"], row.get("answerable", True)
    for row in _rows("answerable"):
        if row["half"] == "tuning" and row["root"] != "starlette":  # of another version
            yield "answerable", row["root"], row["question"], bool(row["path"])
    for row in _rows("near_misses"):
        yield "near misses", row["root"], row["question"], row["answerable"]


def _rows(name: str) -> Iterator[dict[str, Any]]:
    yield from map(json.loads, (REPOSITORY / f"fixtures/ask/{name}.jsonl").read_text(encoding="utf-8").splitlines())


def examples(cache: Path) -> Iterator[Example]:
    """Yield each part of each question that hits answer or could."""
    indexes: dict[str, Index] = {}
    for source, root, text, is_answerable in asked():
        if root not in indexes:
            indexes[root] = Index.ensure(root_of(root, cache))
        turn = _turn(indexes[root], text)
        for part in turn.parts:
            if part.held or not part.hits or names_in(part.text):
                continue
            if len(turn.parts) > 1 and (not is_answerable or part.hits[0].confidence < LIKELY / 2):
                continue
            yield Example(source, root, part.text, is_answerable, _signals(turn, part))


def _turn(index: Index, text: str) -> Turn:
    corpus = index._snapshot.corpus
    turn = Turn(text, index, Places(index), lambda words: word_frequencies(corpus, words), Options(), text=text)
    for stage in BEFORE:
        turn = STAGES[stage](turn)
    return turn


def _signals(turn: Turn, part: Evidence) -> Signals:
    weights = turn.word_weights(part.text)
    coverage = coverage_of(weights, turn.frequencies(content_words(part.text)), stems_of(part.hits))
    return signals_of(part.hits, weights, coverage)


def fitted(rows: Array, answers: Array) -> tuple[Array, float]:
    """Return the weights of a logistic regression and where it starts, moved to the usual share of answers."""
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    table = np.c_[np.ones(len(rows)), (rows - mean) / spread]
    found, ridge = np.zeros(table.shape[1]), SHRINKING * np.eye(table.shape[1])
    ridge[0, 0] = 0.0
    for _ in range(STEPS):
        sure = 1 / (1 + np.exp(-table @ found))
        slope = table.T @ (sure - answers) + ridge @ found
        found -= np.linalg.solve((table.T * (sure * (1 - sure))) @ table + ridge, slope)
    weights = found[1:] / spread
    share = answers.mean()
    moved = log(ANSWERABLE / (1 - ANSWERABLE)) - log(share / (1 - share))
    return weights, float(found[0] - weights @ mean + moved)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the weights and the errors; with --write, store the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=CACHE, help="where packages and indexes are kept")
    parser.add_argument("--write", action="store_true", help="store the weights in coderag/ask/correcting/weights.py")
    options = parser.parse_args(arguments)
    every = list(examples(options.cache))
    rows = np.array([one.signals.values for one in every])
    answers = np.array([float(one.is_answerable) for one in every])
    roots = np.array([one.root for one in every])
    crossed = np.zeros(len(every))
    for root in sorted(set(roots)):
        weights, start = fitted(rows[roots != root], answers[roots != root])
        crossed[roots == root] = 1 / (1 + np.exp(-(rows[roots == root] @ weights + start)))
    now = np.array([likelihood_of(one.signals) for one in every])
    for name, likelihoods in (("cross-fitted", crossed), ("as stored", now)):
        print(name)
        for source in dict.fromkeys(one.source for one in every):
            chosen = np.array([one.source == source for one in every])
            refused, answered = likelihoods < LIKELY, likelihoods >= LIKELY
            right, wrong = chosen & (answers == 1), chosen & (answers == 0)
            print(
                f"    {source:<12} {(refused & right).sum()} of {right.sum()} with an answer refused, "
                f"{(answered & wrong).sum()} of {wrong.sum()} without one answered"
            )
    weights, start = fitted(rows, answers)
    values = ", ".join(f"{weight:.2f}" for weight in weights)
    print(f"weights {values}, start {start:.2f}")
    if options.write:
        text = TEXT.format(weights=values, names=", ".join(FIELDS), start=f"{start:.2f}")
        Path(kept.__file__).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
