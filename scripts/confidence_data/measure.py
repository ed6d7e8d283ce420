"""Confidences of many questions to figures: overall, by kind of question, and where there is no answer."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from coderag.evaluate.calibration import Calibration, calibrate
from coderag.index.storage.arrays.arrays import Array
from scripts.confidence_data.fit import NO_ANSWER
from scripts.confidence_data.gathering import SEED
from scripts.confidence_data.rows import Rows

__all__ = ["figures"]

CUTS = (0.5, 0.8)  # thresholds that people use


def figures(rows: Rows, confidences: Array) -> Iterator[str]:
    """Yield the lines of a report: first hits of the mixture, of questions with an answer, by kind, and without."""
    first = rows.rank == 0
    asked = np.random.default_rng(SEED).random(int(rows.question.max(initial=0)) + 1) < NO_ANSWER
    yield f"{'first hits':24} {'number':>6} {'right':>6} {'mean':>6} {'AUC':>6} {'ECE':>6} {'Brier':>6}"
    mixture = first & (rows.own | asked[rows.question])
    yield _line("mixture, 1 in 5 in vain", calibrate(confidences[mixture], rows.right[mixture]))
    own = first & rows.own
    yield _line("with an answer", calibrate(confidences[own], rows.right[own]))
    kinds = np.array([kind.partition(":")[0] for kind in rows.kind.tolist()])
    for kind in sorted(set(kinds.tolist())):
        chosen = own & (kinds == kind)
        yield _line(f"  {kind}", calibrate(confidences[chosen], rows.right[chosen]))
    for rank in range(1, int(rows.rank.max(initial=0)) + 1):
        later = (rows.rank == rank) & (rows.own | asked[rows.question])
        yield _line(f"hits {rank + 1} of the mixture", calibrate(confidences[later], rows.right[later]))
    vain = confidences[first & ~rows.own]
    passed = ", ".join(f"{np.mean(vain >= cut):.1%} pass {cut}" for cut in CUTS)
    yield f"without an answer: {len(vain):,} questions, {passed}"
    yield from _sure(rows, confidences)
    answered = [f"{np.mean(confidences[own & rows.right] >= cut):.1%} pass {cut}" for cut in CUTS]
    yield f"right first hits: {', '.join(answered)}"


def _sure(rows: Rows, confidences: Array) -> Iterator[str]:
    """Yield what becomes of questions whose first hit is at least so sure: right at once, or among the first five."""
    first, found = rows.rank == 0, set(rows.question[rows.right].tolist())
    for what, asked in (("with an answer", first & rows.own), ("all", first)):
        for cut in CUTS:
            sure = asked & (confidences >= cut)
            among = np.mean([question in found for question in rows.question[sure].tolist()]) if sure.any() else 0.0
            right = np.mean(rows.right[sure]) if sure.any() else 0.0
            yield f"sure by {cut}, {what}: {int(sure.sum()):,} questions, {right:.1%} right first, {among:.1%} in 5"


def _line(name: str, found: Calibration) -> str:
    auc = "-" if found.auc is None else f"{found.auc:.3f}"
    return (
        f"{name:24} {found.questions:6} {found.right:6.3f} {found.confidence:6.3f} {auc:>6} {found.ece:6.3f} "
        f"{found.brier:6.3f}"
    )
