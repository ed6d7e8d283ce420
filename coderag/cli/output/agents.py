"""Changes of agents' files as text: a diff before, and what became of each part after."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterable, Iterator

from coderag.agents.plan import Action, FileChange, Outcome
from coderag.cli.output.text import Screen, Style, table, visible

__all__ = ["diff_lines", "outcome_lines", "program_line", "same_line"]

CONTEXT = 2  # lines around a change
NOTHING = "/dev/null"
STYLES = {"-": Style.BAD, "+": Style.GOOD, "@": Style.KIND}


def diff_lines(change: FileChange, shown: Screen) -> Iterator[str]:
    """Yield the diff of a file, without what a terminal would obey."""
    before, after = _lines(change.before), _lines(change.after)
    name = visible(change.shown)
    names = (name if change.before is not None else NOTHING, name if change.after is not None else NOTHING)
    for number, line in enumerate(difflib.unified_diff(before, after, *names, n=CONTEXT, lineterm="")):
        style = Style.NAME if number < len(names) else STYLES.get(line[:1])
        yield shown.paint(visible(line), style) if style else visible(line)


def same_line(change: FileChange, other: str, shown: Screen) -> str:
    """Return what is said of a new file that holds what another does."""
    return f"{shown.paint(visible(f'+++ {change.shown}'), Style.NAME)}  (new, as {visible(other)})"


def program_line(program: str, arguments: Iterable[str], shown: Screen) -> str:
    """Return a program that would be run."""
    return shown.paint(visible(f"run: {shlex.join([program, *arguments])}"), Style.NAME)


def outcome_lines(outcomes: Iterable[Outcome], titles: dict[str, str], shown: Screen) -> Iterator[str]:
    """Yield what became of each part, agent by agent."""
    by_agent: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        by_agent.setdefault(outcome.agent, []).append(outcome)
    for agent, own in by_agent.items():
        yield shown.paint(titles.get(agent, agent), Style.TITLE)
        rows = [(str(one.part), str(one.action), visible(one.path)) for one in own]
        for one, line in zip(own, table(rows), strict=True):
            yield shown.paint(line, Style.BAD) if one.action is Action.LEFT else line
            if one.reason:
                yield f"      {visible(one.reason)}"


def _lines(data: bytes | None) -> list[str]:
    text = (data or b"").decode(errors="replace")
    lines = text.split("\n")
    if lines[-1]:
        lines[-1] += "  (no line end)"
    else:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]
