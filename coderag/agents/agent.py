"""What is known of coding agents (agents.toml): which there are, and which of their files say what."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["DEFAULT_PARTS", "Agent", "Location", "Part", "Scope", "Target", "agents", "heads", "shapes", "text"]

FOLDER = Path(__file__).parent
# A path by itself, several of which the first that exists counts, or one by system.
Location = str | tuple["Location", ...] | dict[str, str]


class Part(StrEnum):
    """What may be written for an agent."""

    MCP = "mcp"  # the entry of the server
    INSTRUCTIONS = "instructions"  # a few lines on when to use it
    SKILL = "skill"  # the command line, read by the agent when it needs it
    SUBAGENT = "subagent"
    HOOK = "hook"  # a reminder after searches by grep


class Scope(StrEnum):
    """Whose files are written."""

    USER = "user"
    PROJECT = "project"


DEFAULT_PARTS = (Part.MCP, Part.INSTRUCTIONS, Part.SKILL)


@dataclass(frozen=True, slots=True)
class Target:
    """A file of an agent, and what goes there; without a file, the agent's own program that is run."""

    file: Location = ""
    key: tuple[str, ...] = ()  # of the table or list that gets the entry, () for a file as a whole
    shape: str = ""  # the form of the entry
    head: str = ""  # what comes before the text of a file
    note: str = ""  # what the user has to know
    program: str = ""
    add: tuple[str, ...] = ()  # arguments of the program
    remove: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Agent:
    """A coding agent."""

    name: str
    title: str
    programs: tuple[str, ...] = ()
    folders: tuple[Location, ...] = ()  # one of which is there when it is installed
    marks: tuple[str, ...] = ()  # the same in a project
    elsewhere: bool = False  # whether servers of the user are started in no project
    user: dict[Part, Target] = field(default_factory=dict)
    project: dict[Part, Target] = field(default_factory=dict)

    def targets(self, scope: Scope) -> dict[Part, Target]:
        """Return the files of a scope by what goes there."""
        return self.user if scope is Scope.USER else self.project


@cache
def agents() -> dict[str, Agent]:
    """Return all agents by name, in the order of the file."""
    return {name: _agent(name, table) for name, table in _data()["agents"].items()}


def shapes() -> dict[str, Any]:
    """Return the forms of entries by name."""
    shapes: dict[str, Any] = _data()["shapes"]
    return shapes


def heads() -> dict[str, str]:
    """Return what may come before the text of a file, by name."""
    return {name: head.lstrip("\n") for name, head in _data()["heads"].items()}


@cache
def text(name: str) -> str:
    """Return a text that is written for agents: instructions, skill or code-explorer."""
    return (FOLDER / "texts" / f"{name}.md").read_text(encoding="utf-8")


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads((FOLDER / "agents.toml").read_text(encoding="utf-8"))


def _agent(name: str, table: dict[str, Any]) -> Agent:
    return Agent(
        name,
        title=table["title"],
        programs=tuple(table.get("programs", ())),
        folders=tuple(table.get("folders", ())),
        marks=tuple(table.get("marks", ())),
        elsewhere=table.get("elsewhere", False),
        user=_targets(table.get("user", {})),
        project=_targets(table.get("project", {})),
    )


def _targets(table: dict[str, Any]) -> dict[Part, Target]:
    return {Part(part): Target(**{name: _frozen(value) for name, value in one.items()}) for part, one in table.items()}


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
