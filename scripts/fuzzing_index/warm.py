"""What inputs have in common to a process that has it already, before it makes children."""

from __future__ import annotations

from scripts.fuzzing_index.child import ask
from scripts.fuzzing_index.questions import ACTS, COMMANDS, QUESTIONS
from scripts.fuzzing_index.world import World

__all__ = ["warm_up"]


def warm_up(world: World) -> None:
    """Ask everything of a sound index, so that modules, grammars and models are loaded; all of it must be answered."""
    questions = [f"ask:{name}" for name in QUESTIONS]
    for plan in (questions, [f"run:{name}" for name in COMMANDS], *([f"act:{name}"] for name in ACTS)):
        world.restore()
        verdict = ask(world, plan)
        if verdict.findings or verdict.refusals:
            told = [(finding.asked, finding.what, finding.trace) for finding in verdict.findings]
            raise AssertionError(f"a sound index was not answered by: {verdict.refusals}, {told}")
