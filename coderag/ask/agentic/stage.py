"""The stage that calls our own tools for what the first results lack: by a fixed plan, or as a model asks for them.

It stands behind the grades of the evidence, and grades again what it adds. Every call, what it found and why there is
no further one is a step of the trace.
"""

from __future__ import annotations

from dataclasses import replace

from coderag.ask.agentic.allowance import Allowance
from coderag.ask.agentic.asking import run_of_model
from coderag.ask.agentic.merging import with_observations
from coderag.ask.agentic.planning import planned_calls
from coderag.ask.agentic.records import Call, Ending, Run
from coderag.ask.agentic.tools import observed
from coderag.ask.models.model import ToolModel
from coderag.ask.records import Step
from coderag.ask.turn import Evidence, Turn

__all__ = ["agentic"]

STAGE = "agentic"


def agentic(turn: Turn) -> Turn:
    """Call tools for what the evidence of each part lacks, within the limits of the options for all parts together."""
    allowance = Allowance(turn.options.limits)
    evidence: list[Evidence] = []
    steps: list[Step] = []
    for part in turn.parts:
        run = _run(turn, part, allowance, steps)
        found = with_observations(turn, part, [observation for _, observation in run.calls])
        steps.append(_ending(part, found, run))
        evidence.append(found)
    return replace(turn, evidence=tuple(evidence), trace=(*turn.trace, *steps))


def _run(turn: Turn, part: Evidence, allowance: Allowance, steps: list[Step]) -> Run:
    """Return what is called for a part; a model that fails before its first call leaves it to the plan."""
    if not isinstance(turn.model, ToolModel):
        return _planned(turn, part, allowance, steps)
    steps.append(Step(STAGE, f"{part.text}: tools are called by {turn.model.name}"))
    run = run_of_model(turn, part, turn.model, allowance=allowance)
    steps += _called(run)
    if run.ending is not Ending.FAILED or run.calls:
        return run
    steps.append(Step(STAGE, f"stopped: {run.ending}: {run.why}"))
    return _planned(turn, part, allowance, steps)


def _planned(turn: Turn, part: Evidence, allowance: Allowance, steps: list[Step]) -> Run:
    planned = planned_calls(turn, part)
    calls = planned[: allowance.planned]
    allowance.planned -= len(calls)
    steps.append(Step(STAGE, f"{part.text}: plan: {', '.join(call.shown for call in calls) or 'no tool'}"))
    ending = _ending_of(planned, calls)
    made = tuple((call, observed(turn, call)) for call in calls)
    run = Run(made, ending, f"{allowance.most_planned} by a plan" if ending is Ending.STEPS else "")
    steps += _called(run)
    return run


def _ending_of(planned: list[Call], calls: list[Call]) -> Ending:
    if not planned:
        return Ending.NOTHING_LACKING
    return Ending.PLAN_DONE if len(calls) == len(planned) else Ending.STEPS


def _called(run: Run) -> list[Step]:
    return [
        Step(STAGE, f"{number}. {call.shown} found {observation.shown}")
        for number, (call, observation) in enumerate(run.calls, 1)
    ]


def _ending(before: Evidence, after: Evidence, run: Run) -> Step:
    added = len(after.findings) - len(before.findings)
    why = f" ({run.why})" if run.why else ""
    return Step(STAGE, f"stopped: {run.ending}{why}; {added} findings added, {after.grade or 'not graded'}")
