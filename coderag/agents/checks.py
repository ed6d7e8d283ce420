"""Whether coderag works here and agents see it: one line per check, with what to do."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from coderag._version import __version__
from coderag.agents.agent import Agent, Part, agents
from coderag.agents.edit import Kind, current
from coderag.agents.formats.errors import LeftAlone
from coderag.agents.ledger import Ledger
from coderag.agents.own_command import NAME, is_ours, is_passing, strings
from coderag.agents.places import Places
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


def check_agents(places: Places, command: Sequence[str], ledger: Ledger) -> Iterator[Check]:
    """Check what the settings say of each agent that is installed here, as the agents read them."""
    present = [agent for agent in agents().values() if places.has(agent)]
    for agent in present:
        yield _check_agent(agent, places, ledger, command=command)
    if not present:
        yield Check("agents", Level.WARNING, "no coding agent was found", '"coderag install --agent NAME" names one')


def check_server(command: Sequence[str], folder: Path) -> Check:
    """Check that the server starts in a folder, lists its tools and searches."""
    answered = probe([*command, "mcp"], folder)
    if answered.failure:
        return Check("server", Level.PROBLEM, answered.failure, f'run "{NAME} mcp" in {folder} to see what it says')
    text = (
        f"{len(answered.tools)} tools ({', '.join(answered.tools)}); started in {answered.start_seconds:.1f} s, "
        f"searched in {answered.search_seconds:.1f} s"
    )
    return Check("server", Level.OK, text)


def _check_agent(agent: Agent, places: Places, ledger: Ledger, *, command: Sequence[str]) -> Check:
    install = f'run "coderag install --agent {agent.name}"'
    if agent.name in ledger.registrations:
        return Check(agent.title, Level.OK, f"added by {ledger.registrations[agent.name].program}")
    step = _step(agent, places, command)
    if step is None:
        return Check(agent.title, Level.WARNING, "coderag was not added", install)
    shown = places.shown(step.path)
    try:
        value = _entry(step)
    except LeftAlone as error:
        return Check(agent.title, Level.PROBLEM, f"{shown}: {error}", "repair the file, then " + install)
    if value is None:
        by_hand = f"{install} --root FOLDER" if agent.elsewhere else install
        return Check(
            agent.title,
            Level.WARNING,
            f"coderag is not in {shown}",
            by_hand.replace('" --root FOLDER', ' --root FOLDER"'),
        )
    started = _program(value)
    if not _can_be_run(started):
        return Check(agent.title, Level.PROBLEM, f"{shown} starts {started}, which cannot be run", install)
    if len(command) == 1 and not Path(shutil.which(started) or started).samefile(command[0]):
        return Check(agent.title, Level.WARNING, f"{shown} starts another coderag, {started}", install)
    return Check(agent.title, Level.OK, f"{shown} starts {started}")


def _step(agent: Agent, places: Places, command: Sequence[str]) -> Step | None:
    """Return where the entry of the server belongs, None where a program keeps it."""
    steps = wanted([agent], places, parts=[Part.MCP], command=command, roots=[os.sep]).steps
    return steps[0] if steps else None


def _entry(step: Step) -> Any:
    data = SettingsFile.at(step.path, None).read()
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
    """Return the program that an entry starts: the first of its texts that is coderag, or else the first path."""
    words = strings(value)
    own = [word for word in words if is_ours([word, "mcp"], "mcp")]
    return next((word for word in words if Path(word).is_absolute()), own[0] if own else "")


def _can_be_run(program: str) -> bool:
    return bool(shutil.which(program)) or program == sys.executable
