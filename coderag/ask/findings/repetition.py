"""Findings to those that say something new."""

from __future__ import annotations

from collections.abc import Iterable

from coderag.ask.records import Finding
from coderag.ask.wording import stems_in

__all__ = ["without_repetition"]

ALIKE = 0.8  # the share of two findings' words that both have, from which one repeats the other
WITHIN = 0.9  # the share of a finding's words that another one has


def without_repetition(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings in their order without those that say what one before them says."""
    kept: list[tuple[Finding, frozenset[str]]] = []
    for finding in findings:
        own = stems_in(finding.text)
        if not any(_repeats(own, other) for _, other in kept):
            kept.append((finding, own))
    return [finding for finding, _ in kept]


def _repeats(own: frozenset[str], other: frozenset[str]) -> bool:
    both = len(own & other)
    return both >= ALIKE * len(own | other) or both >= WITHIN * len(own)
