"""An agent and what the user wants to the changes of its files: which edit goes into which file."""

from __future__ import annotations

import json
import shlex
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coderag.agents.agent import Agent, Part, Scope, Target, heads, shapes, text
from coderag.agents.edit import Edit, Kind
from coderag.agents.file_locations import FileLocations
from coderag.agents.formats.yaml_edit import yaml_document
from coderag.agents.own_command import NAME

__all__ = ["DESCRIPTION", "Registration", "Skipped", "Step", "Wanted", "wanted"]

EXPLORER = "code-explorer"
DESCRIPTION = (
    "Finds where something is done in this repository, what calls or uses it, and which tables and columns it touches, "
    "and reports the places as path and line. Give it one question in plain words."
)
FORMS = {".json": "json", ".jsonc": "json", ".toml": "toml", ".yaml": "yaml", ".yml": "yaml"}


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that is written for an agent."""

    agent: str
    part: Part
    path: Path
    edit: Edit
    note: str = ""


@dataclass(frozen=True, slots=True)
class Registration:
    """What an agent's own program is run with, to add the server and to remove it."""

    agent: str
    program: str
    add: tuple[str, ...]
    remove: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A part that is left out, and why."""

    agent: str
    part: Part
    reason: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """All that is to be written."""

    steps: tuple[Step, ...]
    registrations: tuple[Registration, ...]
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True)
class _Command:
    """What agents start, and the folders that it is to answer about."""

    own: tuple[str, ...]
    folders: tuple[str, ...]

    def values(self) -> dict[str, Any]:
        """Return what stands for what in the form of an entry."""
        argv = [*self.own, "mcp", *(word for folder in self.folders for word in ("--root", folder))]
        return {
            "{command}": argv[0],
            "{args}": argv[1:],
            "{argv}": argv,
            "{hook}": shlex.join([*self.own, "hook"]),
        }


def wanted(
    chosen: Iterable[Agent],
    locations: FileLocations,
    *,
    parts: Collection[Part],
    command: Sequence[str],
    roots: Sequence[str] = (),
) -> Wanted:
    """Return what is written for some agents; `roots` are for those that start servers in no project."""
    steps: list[Step] = []
    registrations: list[Registration] = []
    skipped: list[Skipped] = []
    for agent in chosen:
        for part, target in agent.targets(locations.scope).items():
            if part not in parts:
                continue
            folders = roots if agent.elsewhere and locations.scope is Scope.USER else ()
            if part is Part.MCP and agent.elsewhere and locations.scope is Scope.USER and not roots:
                skipped.append(Skipped(agent.name, part, _needs_root(agent)))
            elif target.program:
                registrations += _registration(agent, target, locations, command=command)
            else:
                steps.append(_step(agent, part, locations, command=_Command(tuple(command), tuple(folders))))
    return Wanted(tuple(steps), tuple(registrations), tuple(skipped))


def _needs_root(agent: Agent) -> str:
    in_projects = ' run "coderag install --project" in each project, or' if Part.MCP in agent.project else ""
    return (
        f'it starts servers in no project;{in_projects} name folders: "coderag install --agent {agent.name} --root DIR"'
    )


def _registration(
    agent: Agent, target: Target, locations: FileLocations, *, command: Sequence[str]
) -> list[Registration]:
    program = locations.program(target.program)
    if not program:
        return []
    argv = [*command, "mcp"]
    add = [one for word in target.add for one in (argv if word == "{argv}" else [word])]
    return [Registration(agent.name, program, tuple(add), target.remove)]


def _step(agent: Agent, part: Part, locations: FileLocations, *, command: _Command) -> Step:
    target = agent.targets(locations.scope)[part]
    path = locations.path(target.file)
    form = FORMS.get(path.suffix, "text")
    value = _filled(shapes()[target.shape], command.values()) if target.shape else None
    if target.key:
        is_list = part is Part.HOOK
        key = target.key if is_list else (*target.key, NAME)
        edit = Edit(Kind.ITEM if is_list else Kind.ENTRY, form, key, value)
    elif value is not None:
        document = yaml_document(value) if form == "yaml" else json.dumps(value, indent=2) + "\n"
        edit = Edit(Kind.FILE, "text", (), document)
    elif part is Part.INSTRUCTIONS and NAME not in path.stem:
        edit = Edit(Kind.BLOCK, "text", (), text("instructions"))
    else:
        edit = Edit(Kind.FILE, "text", (), _file(part, target, form))
    return Step(agent.name, part, path, edit, target.note)


def _file(part: Part, target: Target, form: str) -> str:
    """Return the text of a file of coderag's own."""
    names = {Part.INSTRUCTIONS: "instructions", Part.SKILL: "skill", Part.SUBAGENT: EXPLORER}
    head = heads()[target.head].replace("{description}", DESCRIPTION) if target.head else ""
    body = text(names[part])
    if form == "toml":
        return f'{head}developer_instructions = """\n{body}"""\n'
    return f"{head}\n{body}" if head else body


def _filled(shape: Any, values: dict[str, Any]) -> Any:
    """Return the form of an entry with the command in it."""
    if isinstance(shape, dict):
        return {key: _filled(value, values) for key, value in shape.items()}
    if isinstance(shape, list):
        return [_filled(value, values) for value in shape]
    return values.get(shape, shape) if isinstance(shape, str) else shape
