"""What does a question ask, what answers it, and do the sources say so?

Stages of one's own go into an answer beside ours (docs/guides/ask.md):

from coderag.ask import repeat, when

index.ask("who calls it?", pipeline=("retrieve", when("weak", "hyde"), my_stage, "answer"))
"""

from __future__ import annotations

__all__ = [
    "Evidence",
    "Finding",
    "Limits",
    "Stage",
    "Step",
    "Turn",
    "branch",
    "repeat",
    "sequence",
    "stage",
    "when",
]

TYPE_CHECKING = False  # that of `typing` takes longer to import than a resident helper to answer
if TYPE_CHECKING:
    from typing import Any

    from coderag.ask.agentic.records import Limits
    from coderag.ask.orchestration.combinators import branch, repeat, sequence, stage, when
    from coderag.ask.pipelines import Stage
    from coderag.ask.records import Finding, Step
    from coderag.ask.turn import Evidence, Turn

HOMES = {
    "Evidence": "coderag.ask.turn",
    "Finding": "coderag.ask.records",
    "Limits": "coderag.ask.agentic.records",
    "Stage": "coderag.ask.pipelines",
    "Step": "coderag.ask.records",
    "Turn": "coderag.ask.turn",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: most that stands below needs none of them."""
    if name not in __all__:
        raise AttributeError(f"module 'coderag.ask' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(HOMES.get(name, "coderag.ask.orchestration.combinators")), name)
