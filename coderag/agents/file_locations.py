"""Where the files of agents are: paths with ~ and variables to real ones, on this system."""

from __future__ import annotations

import errno
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from coderag.agents.agent import Agent, Location, Scope

__all__ = ["FileLocations", "home"]

VARIABLE = re.compile(r"\$\{([A-Z_]{1,64}):-([^}]{0,200})\}")
SYSTEMS = {"darwin": "macos"}


def home() -> Path:
    """Return the home of this user; raises FileNotFoundError where the user has none."""
    folder = Path(os.path.expanduser("~"))  # noqa: PTH111 - that of pathlib raises RuntimeError
    if not folder.is_absolute():
        raise FileNotFoundError(errno.ENOENT, "HOME is not set, and the user has no home", "HOME")
    return folder


@dataclass(frozen=True, slots=True)
class FileLocations:
    """A user on a machine, and the root of a project where that is meant."""

    home: Path = field(default_factory=home)
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    system: str = SYSTEMS.get(sys.platform, "linux")
    root: Path | None = None

    @property
    def scope(self) -> Scope:
        """Whose files are meant."""
        return Scope.USER if self.root is None else Scope.PROJECT

    def path(self, location: Location) -> Path:
        """Return the path of a file: of several the first that exists, or else the first."""
        paths = list(self._paths(location))
        return next((path for path in paths if os.path.lexists(path)), paths[0])

    def program(self, name: str) -> str:
        """Return the absolute path of a program, "" if there is none; nothing in the current folder is one."""
        folders = self.environment.get("PATH", "").split(os.pathsep)
        program = shutil.which(name, path=os.pathsep.join(filter(os.path.isabs, folders)) or os.devnull)
        inside = self.root is not None and program and Path(program).resolve().is_relative_to(self.root)
        return "" if inside else program or ""

    def has(self, agent: Agent) -> bool:
        """Tell whether an agent is installed, or used in the project."""
        if self.root is not None and any(os.path.lexists(self.root / mark) for mark in agent.marks):
            return True
        user = FileLocations(self.home, self.environment, self.system)
        if any(map(user.program, agent.programs)):
            return True
        return any(path.exists() for folder in agent.folders for path in user._paths(folder))

    def shown(self, path: Path) -> str:
        """Return a path as people write it: with ~, or from the root of the project."""
        if self.root is not None and path.is_relative_to(self.root):
            return str(path.relative_to(self.root))
        return f"~/{path.relative_to(self.home)}" if path.is_relative_to(self.home) else str(path)

    def _paths(self, location: Location) -> Iterator[Path]:
        if isinstance(location, dict):
            location = location[self.system]
        if isinstance(location, tuple):
            for one in location:
                yield from self._paths(one)
            return
        expanded = VARIABLE.sub(self._value, location)
        if expanded == "~" or expanded.startswith("~/"):
            yield self.home / expanded[2:]
        else:
            yield (self.root or self.home) / expanded

    def _value(self, found: re.Match[str]) -> str:
        value = self.environment.get(found[1], "")
        return value if Path(value).is_absolute() else found[2]
