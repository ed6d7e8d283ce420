"""A machine of a test's own: a home, programs on PATH, and the commands run there; the real home is never touched."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.commands import Commands
from tests.workspace import REPOSITORY

__all__ = ["Done", "Machine", "Tree", "tree_of"]

Done = subprocess.CompletedProcess[str]
Tree = dict[str, tuple[int, bytes]]  # of each path its mode, and what it holds or leads to
OWN = ".local/share/coderag"


@dataclass(frozen=True, slots=True)
class Machine:
    """A home and a folder of programs."""

    home: Path
    programs: Path
    commands: Commands

    @property
    def environment(self) -> dict[str, str]:
        """What a command sees: nothing of the environment that the tests run in."""
        return {
            "HOME": str(self.home),
            "PATH": f"{self.programs}{os.pathsep}{os.defpath}",
            "PYTHONPATH": str(REPOSITORY),
            "PYTHONUTF8": "1",
            "TERM": "xterm-256color",
        }

    @property
    def coderag(self) -> Path:
        """The command, as a user has installed it."""
        return self.programs / "coderag"

    def run(self, *arguments: str | Path, cwd: Path | None = None, stdin: str = "", **environment: str) -> Done:
        """Run `coderag` without a terminal."""
        return self.commands.done(
            arguments,
            cwd=cwd or self.home,
            environment=self.environment | environment,
            stdin=stdin,
            name=str(self.coderag),
        )

    def program(self, name: str, script: str) -> Path:
        """Put a program on PATH."""
        path = self.programs / name
        path.write_text(script)
        path.chmod(0o755)
        return path

    def tree(self) -> Tree:
        """Return everything in the home but coderag's own folder."""
        return {path: found for path, found in tree_of(self.home).items() if not path.startswith(".local")}


def make_machine(folder: Path, commands: Commands) -> Machine:
    """Return a machine in a folder, on which coderag is installed."""
    machine = Machine(folder / "home", folder / "bin", commands)
    machine.home.mkdir()
    machine.programs.mkdir()
    start = f'import sys\nfrom coderag.__main__ import program\nsys.argv[0] = "{machine.coderag}"\nprogram()\n'
    script = f"#!{sys.executable}\n{start}"
    machine.program("coderag", script)
    return machine


def tree_of(folder: Path) -> Tree:
    """Return all below a folder: modes, and the bytes of files and links."""
    found: Tree = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        held = b"" if path.is_dir() else os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
        found[path.relative_to(folder).as_posix()] = (stat.S_IMODE(status.st_mode), held)
    return found
