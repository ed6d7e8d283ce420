"""`coderag uninstall`: agents' files are what they were before `coderag install`."""

from __future__ import annotations

import argparse

from coderag.agents.agent import Part, agents
from coderag.agents.ledger import Ledger
from coderag.agents.own_command import NAME, own_command
from coderag.agents.plan import Action, plan_uninstall
from coderag.agents.wanted import wanted
from coderag.cli.agents import Program, carry_out, locations_of, named_agents
from coderag.cli.groups import for_owners

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Take out what install wrote; 2 when a file was left alone."""
    for_owners("uninstall")
    locations, ledger = locations_of(options), Ledger.read()
    chosen = named_agents(options)
    names = {agent.name for agent in chosen} or None
    command = own_command() if locations.root is None else (NAME,)
    known = wanted(chosen or agents().values(), locations, parts=tuple(Part), command=command, roots=["/"]).steps
    changes = plan_uninstall(known, locations, ledger, agents=names)
    programs = [
        Program(registration, Action.REMOVED)
        for registration in ledger.registrations.values()
        if locations.root is None and (names is None or registration.agent in names)
    ]
    return carry_out(options, ledger, changes, programs=programs)
