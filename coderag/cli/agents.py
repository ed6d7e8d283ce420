"""Which agents a command means, whether it may go ahead, and what it prints of its work."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from coderag.agents.agent import Agent, Part, agents
from coderag.agents.file_locations import FileLocations, home
from coderag.agents.ledger import Ledger
from coderag.agents.plan import Action, FileChange, Outcome
from coderag.agents.registration import run_program
from coderag.agents.wanted import Registration
from coderag.cli.exit_codes import FAILED, FOUND
from coderag.cli.opening import note
from coderag.cli.output.agents import diff_lines, outcome_lines, program_line, same_line
from coderag.cli.output.records import print_records
from coderag.cli.output.text import screen
from coderag.cli.roots import root_around
from coderag.errors import QueryError
from coderag.text.counted import counted

__all__ = ["Program", "carry_out", "locations_of", "named_agents"]

MIN_ALIKE = 60.0  # of 100; a name less like what was typed is not suggested


@dataclass(frozen=True, slots=True)
class Program:
    """An agent's program that is run, to add the server or to remove it."""

    registration: Registration
    action: Action  # RAN or REMOVED

    @property
    def arguments(self) -> tuple[str, ...]:
        """What it is run with."""
        return self.registration.remove if self.action is Action.REMOVED else self.registration.add

    @property
    def outcome(self) -> Outcome:
        """What becomes of the part when it succeeds."""
        return Outcome(self.registration.agent, Part.MCP, self.registration.program, self.action)


def locations_of(options: argparse.Namespace) -> FileLocations:
    """Return whose files are meant."""
    return FileLocations(root=root_around(Path.cwd()).resolve() if options.project else None)


def named_agents(options: argparse.Namespace) -> list[Agent]:
    """Return the agents that were named; raises QueryError for an unknown one."""
    known = agents()
    for name in options.agent:
        if name not in known:
            raise QueryError(f"there is no agent {name!r}{_did_you_mean(name)}; there are {', '.join(known)}")
    return [agent for name, agent in known.items() if name in options.agent]


def carry_out(
    options: argparse.Namespace,
    ledger: Ledger,
    changes: Sequence[FileChange],
    *,
    programs: Sequence[Program] = (),
    left: Iterable[Outcome] = (),
) -> int:
    """Show the changes, ask, make them, and say what became of each."""
    real = [change for change in changes if change.is_change]
    outcomes = [*(outcome for change in changes for outcome in change.outcomes), *left]
    if not options.json:
        _show(options, real, programs)
    if (real or programs) and not options.dry_run:
        _ask(options, real, programs)
        with ledger.locked():
            outcomes = [*_written(changes, ledger), *left, *_run(programs, ledger)]
    else:
        outcomes += [program.outcome for program in programs]
    if options.json:
        print_records(outcomes, options.format)
    else:
        titles = {name: agent.title for name, agent in agents().items()}
        print("\n".join(outcome_lines(outcomes, titles, screen(options.color))))
        if not real and not programs:
            note("nothing to change")
        elif options.dry_run:
            note("nothing was written: --dry-run")
    return FAILED if any(one.action is Action.LEFT for one in outcomes) else FOUND


def _show(options: argparse.Namespace, changes: Sequence[FileChange], programs: Sequence[Program]) -> None:
    shown = screen(options.color)
    new_texts: dict[bytes | None, str] = {}  # new files by their text, which several agents share
    for change in changes:
        if change.before is None and change.after in new_texts:
            print(same_line(change, new_texts[change.after], shown))
        else:
            print("\n".join(diff_lines(change, shown)))
            new_texts[change.after] = change.shown
        print()
    for program in programs:
        print(program_line(program.registration.program, program.arguments, shown))


def _ask(options: argparse.Namespace, changes: Sequence[FileChange], programs: Sequence[Program]) -> None:
    """Ask whether to go ahead; raises QueryError where nobody can answer, or the answer is no."""
    if options.yes or options.agent:
        return
    if options.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise QueryError(
            "nobody can be asked without a terminal; add --yes, name agents with --agent, or see --dry-run"
        )
    what = " and run ".join(
        filter(None, (f"change {counted(len(changes), 'file')}" if changes else "", _programs_text(programs)))
    )
    try:
        answer = input(f"{what[0].upper()}{what[1:]}? [Y/n] ").strip().lower()
    except EOFError:
        answer = "no"
    if answer not in {"", "y", "yes"}:
        raise QueryError("nothing was written")


def _programs_text(programs: Sequence[Program]) -> str:
    return counted(len(programs), "program") if programs else ""


def _written(changes: Sequence[FileChange], ledger: Ledger) -> list[Outcome]:
    """Make the changes of files and return what became of each; one that fails does not keep the rest from it."""
    outcomes: list[Outcome] = []
    for change in changes:
        try:
            change.carry_out(ledger)
            outcomes += change.outcomes
        except OSError as error:
            why = f"it cannot be written: {error.strerror}"
            outcomes += [replace(outcome, action=Action.LEFT, reason=why) for outcome in change.outcomes]
    return outcomes


def _run(programs: Sequence[Program], ledger: Ledger) -> list[Outcome]:
    outcomes = []
    for program in programs:
        registration = program.registration
        if failure := run_program(registration.program, program.arguments, home=home()):
            outcomes.append(replace(program.outcome, action=Action.LEFT, reason=failure))
            continue
        outcomes.append(program.outcome)
        if program.action is Action.REMOVED:
            del ledger.registrations[registration.agent]
        else:
            ledger.registrations[registration.agent] = registration
        ledger.save()
    return outcomes


def _did_you_mean(name: str) -> str:
    from rapidfuzz import fuzz, process  # only a typing error needs it

    best = process.extractOne(name.lower(), list(agents()), scorer=fuzz.ratio, score_cutoff=MIN_ALIKE)
    return f"; did you mean {best[0]}?" if best else ""
