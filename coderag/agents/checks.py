"""Whether coderag works here and agents see it: one line per check, with what to do."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from coderag._version import __version__
from coderag.agents.agent import Agent, Part, Scope, agents
from coderag.agents.edit import Kind, current
from coderag.agents.file_locations import FileLocations
from coderag.agents.formats.errors import LeftAlone
from coderag.agents.ledger import Ledger
from coderag.agents.own_command import NAME, is_passing
from coderag.agents.probe import probe
from coderag.agents.settings_file import SettingsFile
from coderag.agents.wanted import Step, wanted
from coderag.extras import Extra, how_to_install
from coderag.text.yaml_lines import load_yaml

__all__ = ["Check", "Level", "check_agents", "check_installation", "check_server"]

MODULES = {
    Extra.DUCKDB: "duckdb",
    Extra.EVAL: "ir_measures",
    Extra.MCP: "mcp",
    Extra.MYSQL: "pymysql",
    Extra.ONNX: "onnxruntime",
    Extra.POSTGRES: "psycopg",
    Extra.SERVE: "starlette",
    Extra.TRANSFORMERS: "transformers",
}


class Level(StrEnum):
    """How a check came out."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Check:
    """What was checked, how it came out, and what to do."""

    name: str
    level: Level
    text: str
    advice: str = ""


def check_installation(command: Sequence[str], missing_grammars: Sequence[str]) -> Iterator[Check]:
    """Check the program, its extras and its grammars."""
    where = " ".join(command)
    text = f"{__version__} with Python {platform.python_version()}, {where}"
    on_path = shutil.which(NAME)
    if is_passing(command):
        advice = 'install it to stay, such as with "uv tool install" or pipx, and run "coderag install" again'
        yield Check("program", Level.WARNING, f"{text}, which is a cache that may be emptied", advice)
    elif on_path is None:
        advice = f"add {Path(command[0]).parent} to PATH, or link it into a folder that is; skills call it by name"
        yield Check("program", Level.WARNING, f"{text}; a shell does not find {NAME}", advice)
    elif len(command) == 1 and not Path(on_path).samefile(command[0]):
        advice = "agents that run it by name get that one"
        yield Check("program", Level.WARNING, f"{text}; first on PATH is {on_path}", advice)
    else:
        yield Check("program", Level.OK, text)
    there = [extra for extra, module in MODULES.items() if find_spec(module) is not None]
    names = ", ".join(there) or "none"
    if Extra.MCP in there:
        yield Check("extras", Level.OK, names)
    else:
        yield Check("extras", Level.PROBLEM, f"{names}; the server needs mcp", how_to_install(Extra.MCP))
    if missing_grammars:
        advice = "install coderag again; files in these languages are read as lines"
        yield Check("grammars", Level.WARNING, f"not installed: {', '.join(missing_grammars)}", advice)
    else:
        yield Check("grammars", Level.OK, "all installed")


def check_agents(locations: FileLocations, command: Sequence[str], ledger: Ledger) -> Iterator[Check]:
    """Check what the settings say of each agent that is installed here, as the agents read them.

    Those of the project count where the user's own have no entry.
    """
    user = replace(locations, root=None)
    present = [agent for agent in agents().values() if locations.has(agent)]
    for agent in present:
        own = _Agent(agent, user, tuple(command)).check(ledger)
        shared = None if own.level is Level.OK else _Agent(agent, locations, (NAME,)).check(ledger)
        yield shared if shared is not None and shared.level is Level.OK else own
    if not present:
        yield Check("agents", Level.WARNING, "no coding agent was found", '"coderag install --agent NAME" names one')


def check_server(command: Sequence[str], folder: Path) -> Check:
    """Check that the server starts in a folder, lists its tools and searches."""
    answered = probe([*command, "mcp"], folder)
    if answered.failure:
        return Check("server", Level.PROBLEM, answered.failure, f'run "{NAME} mcp" in {folder} to see what it says')
    text = (
        f"it offers {', '.join(answered.tools)}; started in {answered.start_seconds:.1f} s, "
        f"searched in {answered.search_seconds:.1f} s"
    )
    return Check("server", Level.OK, text)


@dataclass(frozen=True, slots=True)
class _Agent:
    """An agent, whose settings are read back, and the command that they should start."""

    agent: Agent
    locations: FileLocations
    command: tuple[str, ...]

    def check(self, ledger: Ledger) -> Check:
        """Check that the agent starts this coderag."""
        registration = ledger.registrations.get(self.agent.name)
        if registration is not None and self.locations.scope is Scope.USER:
            return self._said(Level.OK, f"added by {registration.program}")
        step = self._step()
        if step is None:
            return self._said(Level.WARNING, "coderag was not added")
        shown = self.locations.shown(step.path)
        try:
            value = _entry(step, self.locations.root)
        except LeftAlone as error:
            return replace(self._said(Level.PROBLEM, f"{shown}: {error}"), advice="repair the file by hand")
        if value is None:
            return self._said(Level.WARNING, f"coderag is not in {shown}")
        started = _program(value)
        program = shutil.which(started)
        if program is None:
            return self._said(Level.PROBLEM, f"{shown} starts {started}, which cannot be run")
        if len(self.command) == 1 and not _is_same(program, self.command[0]):
            return self._said(Level.WARNING, f"{shown} starts another coderag, {started}")
        return self._said(Level.OK, f"{shown} starts {started}")

    def _said(self, level: Level, text: str) -> Check:
        roots = " --root FOLDER" if self.agent.elsewhere else ""
        advice = "" if level is Level.OK else f'run "coderag install --agent {self.agent.name}{roots}"'
        return Check(self.agent.title, level, text, advice)

    def _step(self) -> Step | None:
        """Return where the entry of the server belongs, None if a program keeps it."""
        found = wanted([self.agent], self.locations, parts=[Part.MCP], command=self.command, roots=[os.sep])
        return found.steps[0] if found.steps else None


def _entry(step: Step, root: Path | None) -> Any:
    data = SettingsFile.at(step.path, root).read()
    if data is None:
        return None
    try:
        if step.edit.kind is Kind.FILE:  # a file of coderag's own, in YAML
            return load_yaml(data)
        return current(step.edit, data.decode())
    except UnicodeDecodeError:
        raise LeftAlone("it is not UTF-8") from None
    except ValueError as error:
        raise LeftAlone(f"it is {error}") from None


def _program(value: Any) -> str:
    """Return the program that an entry starts, "" if it names none."""
    if isinstance(value, list):
        return next(filter(None, map(_program, value)), "")
    if not isinstance(value, dict):
        return ""
    command = value.get("command", value.get("cmd"))
    if isinstance(command, list):
        command = command[0] if command else ""
    return command if isinstance(command, str) else next(filter(None, map(_program, value.values())), "")


def _is_same(program: str, other: str) -> bool:
    """Tell whether two programs are one file; a name is looked up on PATH."""
    return Path(program).samefile(shutil.which(other) or program)
