"""Fitted weights to the module that coderag ships: numbers in Python, as a file to parse would cost every search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from coderag.search.ranking.evidence import EVIDENCE
from scripts.confidence_data.fit import Fitted

__all__ = ["weights_module"]

DIGITS = 2
HEAD = '''"""What each evidence weighs in a confidence: written by scripts/train_confidence.py.

Fitted to {count:,} questions, each asked of its own repository and of another one, where it has no answer:
{kinds}.
"""

from __future__ import annotations

__all__ = ["BY_VECTORS", "BY_WORDS", "START_BY_VECTORS", "START_BY_WORDS"]
'''


def weights_module(*, vectors: Fitted, words: Fitted, questions: Mapping[str, int]) -> str:
    """Return the text of the module; `questions` counts those that were learned from, by kind."""
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in sorted(questions.items()))
    parts = [
        HEAD.format(count=sum(questions.values()), kinds=kinds),
        *_table("BY_VECTORS", vectors, "with the cosines of the shipped encoder"),
        *_table("BY_WORDS", words, "without vectors, or with those of another encoder"),
    ]
    return "\n".join(parts)


def _table(name: str, fitted: Fitted, when: str) -> Iterator[str]:
    yield f"{name} = {{  # {when}"
    for evidence, weight in zip(EVIDENCE, fitted.weights.tolist(), strict=True):
        yield f'    "{evidence}": {round(weight, DIGITS) + 0.0},'
    yield "}"
    yield f"START_{name} = {round(fitted.start, DIGITS)}"
    if name == "BY_WORDS":
        yield ""
