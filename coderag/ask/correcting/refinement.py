"""Passages to the strips of them that are needed: lines of the source, never words (CRAG: decompose, recompose).

It is for the lines that a model chose. By rules nothing is cut here: `compress` keeps the best lines of what exceeds
the budget, and what does not exceed it loses nothing by being read whole.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from coderag.ask.records import Finding, Route
from coderag.ask.refining.eliding import ELIDED

__all__ = ["refined"]


def refined(finding: Finding, lines: Collection[int]) -> Finding:
    """Return a finding whose source has some lines, 0-based, its first one and what is quoted; `…` stands for the rest.

    One without such a line stays whole, and so do sentences of a document: what they state may stand on other lines.
    """
    every = finding.source.text.split("\n")
    chosen = {number for number in lines if 0 <= number < len(every)}
    if not chosen or finding.route is Route.DOCUMENTS or finding.is_fact:
        return finding
    quoted = {number for number, line in enumerate(every) if any(quote.rstrip("…") in line for quote in finding.quotes)}
    text = "\n".join(_strips(every, {0} | chosen | quoted))
    return replace(finding, source=replace(finding.source, text=text))


def _strips(lines: list[str], kept: Collection[int]) -> list[str]:
    sentences: list[str] = []
    for number, line in enumerate(lines):
        if number in kept:
            sentences.append(line)
        elif sentences[-1:] != [ELIDED]:
            sentences.append(ELIDED)
    return sentences
