"""What tools found to what a model is shown of it: data between marks, without what speaks to a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from coderag.ask.agentic.records import Observation
from coderag.ask.models.defused import WITHHELD, defused, gives_orders, plain
from coderag.ask.models.prompt import fenced, fenced_source, mark_of
from coderag.ask.records import Finding
from coderag.ask.source import Source
from coderag.text.budget import CHARACTERS_PER_TOKEN

__all__ = ["shown"]

TOKENS = 1_000  # of the output of one call


def shown(observation: Observation) -> str:
    """Return an observation as a message to a model, cut to its limit."""
    sources = defused(
        [replace(source, number=number) for number, source in enumerate(_sources(observation.findings), 1)]
    )
    lines = [_line(finding.text) for finding in observation.findings] + [_line(line) for line in observation.lines]
    mark = mark_of(*(f"{source.place} {source.name} {source.text}" for source in sources), *lines)
    left = TOKENS * CHARACTERS_PER_TOKEN
    blocks: list[str] = []
    for source in sources:
        blocks.append(fenced_source(replace(source, text=source.text[: max(left, 0)]), mark))
        left -= len(source.text)
        if left <= 0:
            break
    stated = "\n".join(f"- {line}" for line in lines)[: TOKENS * CHARACTERS_PER_TOKEN // 2]
    blocks.append(fenced(stated or "- nothing was found", "facts", mark))
    return "\n\n".join(blocks)


def _sources(findings: Sequence[Finding]) -> list[Source]:
    by_place = {(finding.source.repository, finding.source.place): finding.source for finding in findings}
    return list(by_place.values())


def _line(text: str) -> str:
    """Return a text on one line; one that gives orders is withheld."""
    line = " ".join(plain(text).split())
    return WITHHELD if gives_orders(line) else line
