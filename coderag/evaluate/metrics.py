"""Which ranks hold a target to nDCG, MRR, recall, precision and success, question by question; by ir-measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from coderag.errors import EvaluationError
from coderag.extras import Extra, how_to_install
from coderag.index.storage.arrays.arrays import Array

__all__ = ["main_measure", "measures", "score"]


def measures(k: int) -> tuple[str, ...]:
    """Return the names of the measures, the one that comparisons go by first."""
    return f"nDCG@{k}", f"MRR@{k}", f"recall@{k}", f"precision@{k}", "success@1"


def main_measure(k: int) -> str:
    """Return the name of the measure that comparisons go by."""
    return measures(k)[0]


def score(found: Sequence[Sequence[int]], targets: Sequence[int], *, k: int) -> Mapping[str, Array]:
    """Return each measure by name, f64[questions].

    `found` holds, for each question, the target at each rank (-1: no target), and `targets` how many there are. Each
    target has relevance 1 and counts at the first rank that holds it. Raises EvaluationError when ir-measures is not
    installed.
    """
    library = _library()
    known = dict(
        zip(
            measures(k),
            (library.nDCG @ k, library.RR @ k, library.R @ k, library.P @ k, library.Success @ 1),
            strict=True,
        )
    )
    judgements = [
        library.Qrel(str(question), f"target {number}", 1)
        for question, count in enumerate(targets)
        for number in range(count)
    ]
    ranking = [
        library.ScoredDoc(str(question), f"target {number}" if number >= 0 else f"miss {rank}", float(-rank))
        for question, numbers in enumerate(found)
        for rank, number in enumerate(numbers)
    ]
    names = {measure: name for name, measure in known.items()}
    scores: dict[str, Array] = {name: np.zeros(len(targets)) for name in known}
    for one in library.iter_calc(list(names), judgements, ranking):
        scores[names[one.measure]][int(one.query_id)] = one.value
    return scores


def _library() -> Any:
    try:
        import ir_measures
    except ImportError as error:
        raise EvaluationError(f"{error.name} is not installed; {how_to_install(Extra.EVAL)}") from None
    return ir_measures
