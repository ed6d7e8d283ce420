"""`coderag install`: coding agents find coderag."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from coderag.agents.agent import DEFAULT_PARTS, Agent, Part, agents
from coderag.agents.file_locations import FileLocations
from coderag.agents.ledger import Ledger
from coderag.agents.own_command import NAME, is_passing, own_command
from coderag.agents.plan import Action, Outcome, plan_install
from coderag.agents.wanted import Step, wanted
from coderag.cli.agents import Program, carry_out, locations_of, named_agents
from coderag.cli.exit_codes import NOTHING
from coderag.cli.groups import for_owners
from coderag.cli.opening import note
from coderag.errors import RootError

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Write what the agents need; 1 when none is found, 2 when a file was left alone."""
    for_owners("install")
    locations, ledger = locations_of(options), Ledger.read()
    chosen = named_agents(options) or [agent for agent in agents().values() if locations.has(agent)]
    if not chosen:
        note('no coding agent was found here; name one: "coderag install --agent NAME"')
        return NOTHING
    parts = ({*DEFAULT_PARTS} | {*map(Part, options.with_parts)}) - {*map(Part, options.without_parts)}
    command = own_command() if locations.root is None else (NAME,)
    what = wanted(chosen, locations, parts=parts, command=command, roots=_roots(options))
    if is_passing(command):
        note(f'{command[0]} is in a cache that may be emptied; install coderag to stay, as with "uv tool install"')
    elif Part.SKILL in parts and shutil.which(NAME) is None:
        note(
            f"a shell does not find {NAME}, which skills call by its name; add {Path(own_command()[0]).parent} to PATH"
        )
    changes = plan_install(what.steps, locations, ledger)
    changed = {outcome.agent for change in changes if change.is_change for outcome in change.outcomes}
    _tell_notes([step for step in what.steps if step.agent in changed])
    left = [Outcome(one.agent, one.part, "", Action.SKIPPED, one.reason) for one in what.skipped]
    left += [
        _unsupported(agent, locations, parts)
        for agent in named_agents(options)
        if not _has_any(agent, locations, parts)
    ]
    registered = [
        registration
        for registration in what.registrations
        if ledger.registrations.get(registration.agent) != registration
    ]
    left += [
        Outcome(registration.agent, Part.MCP, registration.program, Action.UNCHANGED)
        for registration in what.registrations
        if registration not in registered
    ]
    programs = [Program(one, Action.RAN) for one in registered]
    return carry_out(options, ledger, changes, programs=programs, left=left)


def _has_any(agent: Agent, locations: FileLocations, parts: set[Part]) -> bool:
    return bool(parts & agent.targets(locations.scope).keys())


def _unsupported(agent: Agent, locations: FileLocations, parts: set[Part]) -> Outcome:
    why = f"it has no file for this in {'a project' if locations.root else 'the settings of a user'}"
    return Outcome(agent.name, min(parts, default=Part.MCP), "", Action.SKIPPED, why)


def _tell_notes(steps: list[Step]) -> None:
    for text in dict.fromkeys(step.note for step in steps if step.note):
        note(text)


def _roots(options: argparse.Namespace) -> list[str]:
    """Return the folders given, as absolute paths; raises RootError for one that is not there."""
    for root in options.root:
        if not Path(root).is_dir():
            raise RootError(f"{root} is no folder")
    return [str(Path(root).resolve()) for root in options.root]
