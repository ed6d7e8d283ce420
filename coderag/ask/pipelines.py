"""Names to stages, and names to the pipelines that are made of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from coderag.ask.agentic.stage import agentic
from coderag.ask.correcting.stage import correct
from coderag.ask.decomposing import decompose
from coderag.ask.refining.compression import compress
from coderag.ask.refining.reflection import reflect
from coderag.ask.refining.small_to_big import small_to_big
from coderag.ask.stages import answer, reframe, retrieve, route
from coderag.ask.turn import Turn
from coderag.ask.variants.expansion import expand
from coderag.ask.variants.hyde import hyde
from coderag.ask.variants.multi_query import multi_query
from coderag.ask.variants.step_back import step_back

__all__ = ["DEFAULT", "PIPELINES", "STAGES", "Stage"]


class Stage(Protocol):
    """A step of an answer: the turn in, the turn with its own part filled in out; nothing is changed in place."""

    def __call__(self, turn: Turn, /) -> Turn:
        """Return the turn after this stage."""


STAGES: Mapping[str, Stage] = {
    "reframe": reframe,
    "decompose": decompose,
    "route": route,
    "expand": expand,
    "multi_query": multi_query,
    "hyde": hyde,
    "step_back": step_back,
    "retrieve": retrieve,
    "correct": correct,
    "agentic": agentic,
    "reflect": reflect,
    "small_to_big": small_to_big,
    "compress": compress,
    "answer": answer,
}
# As surveys of retrieval-augmented generation name them (arXiv 2312.10997).
PIPELINES: Mapping[str, tuple[str, ...]] = {
    "naive": ("retrieve", "answer"),
    "advanced": ("reframe", "retrieve", "correct", "answer"),
    "modular": ("reframe", "decompose", "route", "retrieve", "correct", "compress", "answer"),
    "agentic": ("reframe", "decompose", "route", "retrieve", "correct", "agentic", "compress", "answer"),
}
DEFAULT = "modular"
