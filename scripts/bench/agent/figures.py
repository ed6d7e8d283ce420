"""Rows to figures: the share of questions answered within so many tokens, and tokens for an equal share."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scripts.bench.agent.rows import BUDGETS, CODERAG, Row
from scripts.bench.notes import Notes
from scripts.bench.records import Figure

__all__ = ["EQUAL", "HELD", "STEPS", "WITHIN", "figures_of"]

HELD, EQUAL = "agent", "agent, tokens for an equal share"
STEPS = (500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000)
QUANTILES = {"median": 0.5, "of 90 %": 0.9}
PERCENT = 100
WITHIN = "within {:,}"  # tokens


def _share_within(rows: Sequence[Row], tokens: int) -> float | None:
    """Return the share of questions whose code is held within so many tokens.

    What answers within a budget is given that budget; None where it was not asked with it.
    """
    asked = [row for row in rows if row.budget in (0, tokens)]
    if not asked:
        return None
    return sum(row.until is not None and row.until <= tokens for row in asked) / len(asked)


def figures_of(rows: Sequence[Row]) -> list[Figure]:
    """Return the figures of each suite, for each way to look for code."""
    figures: list[Figure] = []
    for suite in dict.fromkeys(row.suite for row in rows):
        figures += _figures([row for row in rows if row.suite == suite], suite)
    return figures


def _figures(rows: Sequence[Row], suite: str) -> list[Figure]:
    notes, equal = Notes(HELD, suite), Notes(EQUAL, suite)
    ways = {way: [row for row in rows if row.way == way] for way in dict.fromkeys(row.way for row in rows)}
    ways = {CODERAG: ways.pop(CODERAG), **ways}
    for way, own in ways.items():
        last = [row for row in own if row.budget in (0, BUDGETS[-1])]
        notes.add(way, "questions", "", len(last))
        for name, quantile in QUANTILES.items():
            until = _tokens_for(last, quantile)
            if until is not None:
                notes.add(way, name, "tokens", until)
        for tokens in STEPS:
            share = _share_within(own, tokens)
            if share is not None:
                notes.add(way, WITHIN.format(tokens), "%", PERCENT * share)
    for budget in BUDGETS:
        share = _share_within(ways[CODERAG], budget) or 0.0
        for way, own in ways.items():
            needed = budget if way == CODERAG else _tokens_for(own, share)
            if needed is not None:
                equal.add(way, f"as coderag within {budget:,}", "tokens", needed)
    return [*notes.figures(), *equal.figures()]


def _tokens_for(rows: Sequence[Row], share: float) -> int | None:
    """Return the least tokens within which a share of the questions is answered; None when it never is."""
    found = sorted(row.until for row in rows if row.until is not None)
    wanted = math.ceil(share * len(rows) - 1e-9)
    if wanted < 1:
        return 0
    return found[wanted - 1] if wanted <= len(found) else None
