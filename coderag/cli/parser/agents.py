"""The commands that let coding agents use coderag, their arguments and their help."""

from __future__ import annotations

import argparse

from coderag.cli.parser.arguments import Collect, Parsers, Text, Words, add_list, add_output, add_place, command
from coderag.limits import ITEMS, NAME, ROOTS

__all__ = ["PARTS", "add_doctor", "add_install", "add_uninstall"]

PARTS = ("mcp", "instructions", "skill", "subagent", "hook")  # coderag.agents.agent.Part, without importing it
INSTALL_EXAMPLES = """\
examples:
  coderag install                          the agents that are found here, after a question
  coderag install --dry-run                only show what would change
  coderag install --agent claude-code --agent codex
  coderag install --with subagent,hook     also a sub-agent, and a reminder after three searches by grep
  coderag install --without skill,instructions   only the MCP server
  coderag install --project                the files of this repository, for everybody who works on it
  coderag install --agent claude-desktop --root ~/src/app   an agent that starts servers in no project

Nothing is asked for agents that are named, nor with --yes; without a terminal one of the two is needed. Files that are
not understood, and entries called coderag that are somebody else's, are left alone.
"""
UNINSTALL_EXAMPLES = """\
examples:
  coderag uninstall --dry-run              show what would change
  coderag uninstall                        all that install wrote for this user
  coderag uninstall --agent cursor
  coderag uninstall --project              what it wrote into this repository

A file that nobody changed since becomes what it was, byte for byte; from any other, coderag's entries are taken out.
"""
DOCTOR_EXAMPLES = """\
examples:
  coderag doctor                           here
  coderag doctor --root ~/src/app --json

Exit codes: 0 all is well, or there are only warnings; 1 there is a problem; 2 wrong usage or a failure.
"""


def add_install(commands: Parsers) -> None:
    """Add `coderag install`."""
    parser = command(
        commands,
        "install",
        module="install",
        summary="let coding agents use coderag: MCP server, instructions, skill",
        epilog=INSTALL_EXAMPLES,
    )
    _add_which(parser)
    for option, what in (("with", "write these as well"), ("without", "leave these out")):
        parser.add_argument(
            f"--{option}",
            dest=f"{option}_parts",
            action=Collect,
            limit=ITEMS,
            type=Words(known=PARTS),
            metavar="LIST",
            help=f"{what}: {', '.join(PARTS)} (default: mcp,instructions,skill)",
        )
    parser.add_argument(
        "--root",
        action=Collect,
        limit=ROOTS,
        type=Text(NAME),
        metavar="ROOT",
        help="folder that agents answer about which start servers in no project",
    )
    _add_doing(parser)


def add_uninstall(commands: Parsers) -> None:
    """Add `coderag uninstall`."""
    parser = command(
        commands,
        "uninstall",
        module="uninstall",
        summary="undo the changes that install made for coding agents",
        epilog=UNINSTALL_EXAMPLES,
    )
    _add_which(parser)
    _add_doing(parser)


def add_doctor(commands: Parsers) -> None:
    """Add `coderag doctor`."""
    parser = command(
        commands,
        "doctor",
        module="doctor",
        summary="check the installation, the agents that use it, the index and the server",
        epilog=DOCTOR_EXAMPLES,
    )
    add_place(parser)
    add_output(parser)


def _add_which(parser: argparse.ArgumentParser) -> None:
    add_list(parser, "agent", "these agents, such as claude-code,cursor (default: those that are found)")
    parser.add_argument(
        "--project", action="store_true", help="the files of the repository around here, in place of the user's"
    )


def _add_doing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="only show what would change")
    parser.add_argument("--yes", "-y", action="store_true", help="do not ask")
    add_output(parser)
