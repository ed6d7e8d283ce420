"""Clones of what somebody hostile made, commands run in them, and a home of which every byte is compared afterwards."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.command_server import HANGS_AFTER
from tests.commands import ENVIRONMENT, Commands
from tests.security.snapshot import State, changes, state_of

OURS = (".cache/coderag", ".local/share/coderag")  # in the home: the cache and the key
INHERITED = ("PATH", "PYTHONPATH", "PYTHONPYCACHEPREFIX")
CODE = (
    'def total(cart):\n    """Add up the prices of a cart."""\n    return sum(cart)\n\n\n'
    "def bill(cart):\n    return total(cart)\n"
)
GENUINE: dict[str, str | bytes] = {
    "cart.py": CODE,
    "README.md": "# Shop\n\nHow the cart is billed.\n",
    "schema.sql": "create table orders (id int primary key, total int);\n",
}
# Every command that looks at an index; the last ones remove it.
EVERY: tuple[tuple[str, ...], ...] = (
    *(("search", "total"), ("search", "--no-refresh", "total"), ("index", "-q"), ("index", "-q", "--rebuild")),
    *(("status",), ("status", "--check"), ("outline", "cart.py"), ("symbols", "total"), ("refs", "total")),
    *(("impact", "total"), ("graph", "total"), ("map",), ("schema", "orders"), ("tables",), ("table", "orders")),
    ("at", "cart.py:1"),
    *(("erd",), ("check-sql", "schema.sql"), ("eval", "--from-git"), ("eval", "--from-docstrings")),
    *(("clean", "--dry-run", "."), ("clean", ".")),
)
QUICK = ("index", "-q", "--workers", "0", "--no-graph")  # without a process that reads files
WATCH = """
import os, signal, sys, threading, time
from coderag.cli.main import run

def stop():
    while signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:  # before it is handled it would end the process
        time.sleep(0.05)
    time.sleep(1)
    os.kill(os.getpid(), signal.SIGTERM)

threading.Thread(target=stop, daemon=True).start()
sys.exit(run(["watch", "--poll", "0.2"]))
"""


class Done(NamedTuple):
    """How a command ended."""

    arguments: tuple[str, ...]
    code: int | None  # None: it did not end in time
    out: str
    err: str


@dataclass
class World:
    """A home, what is in it, and clones beside it."""

    top: Path
    commands: Commands
    home: Path = field(init=False)
    before: State = field(init=False)

    def __post_init__(self) -> None:
        self.home = self.top / "home"
        write_files(
            self.home,
            {
                ".bashrc": "export PATH\n",
                ".ssh/config": "Host *\n",
                ".ssh/id_ed25519": "a private key\n",
                "documents/notes.txt": "do not touch\n",
                "documents/deep/er/a/b/c": "nor this\n",
                "work/other/README.md": "# Other\n\nAnother repository.\n",
                "work/other/.git/HEAD": "ref: refs/heads/main\n",
                "work/other/.coderag/lock": "",
            },
        )
        (self.home / ".ssh").chmod(0o700)
        (self.home / ".ssh/id_ed25519").chmod(0o600)
        for folder in (self.top / "tmp", self.home / ".cache", self.home / ".local/share"):
            folder.mkdir(parents=True)
        self.keep()

    def keep(self) -> None:
        """Take everything as it is now for what may not change."""
        self.before = state_of(self.top)

    def changed(self, *allowed: Path | str) -> list[str]:
        """Return what has changed since, but for coderag's own cache and key and what is allowed, from the top."""
        own = [f"home/{one}" for one in OURS]
        own += [str(Path(one).relative_to(self.top)) if Path(one).is_absolute() else str(one) for one in allowed]
        return changes(self.before, state_of(self.top), allowed=own)

    def environment(self, **more: str) -> dict[str, str]:
        """Return the environment of a command."""
        return {
            **{name: ENVIRONMENT[name] for name in INHERITED if name in ENVIRONMENT},
            "HOME": str(self.home),
            "XDG_CACHE_HOME": str(self.home / ".cache"),
            "XDG_DATA_HOME": str(self.home / ".local/share"),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "TMPDIR": str(self.top / "tmp"),
            "PYTHONUTF8": "1",
            "LANG": "C.UTF-8",
            "CODERAG_HELPER": "0",
            "CODERAG_BACKGROUND": "0",  # what changes is what the command did
            **more,
        }

    def run(self, *arguments: str | Path, cwd: Path, **environment: str) -> Done:
        """Run `coderag` with some arguments in a folder; it has to end, and not by a traceback."""
        return self._ended(tuple(map(str, arguments)), "", cwd=cwd, environment=environment)

    def python(self, program: str, *, cwd: Path, **environment: str) -> Done:
        """Run a program that uses the Python API; it has to end, and not by a traceback."""
        return self._ended(("python",), program, cwd=cwd, environment=environment)

    def every(self, cwd: Path) -> list[Done]:
        """Run every command, and a watch of a second before the index is removed."""
        done = [self.run(*one, cwd=cwd) for one in EVERY[:-2]]
        return [*done, self.python(WATCH, cwd=cwd), *(self.run(*one, cwd=cwd) for one in EVERY[-2:])]

    def _ended(self, arguments: tuple[str, ...], program: str, *, cwd: Path, environment: Mapping[str, str]) -> Done:
        ended = self.commands.run(arguments, cwd=cwd, environment=self.environment(**environment), program=program)
        done = Done(arguments, *ended)
        assert done.code is not None, f"{arguments} did not end in {HANGS_AFTER:g} s"
        assert done.code in {0, 1, 2}, done
        assert "Traceback" not in done.err, done
        return done

    def clone(
        self, files: Mapping[str, str | bytes], name: str = "clone", links: Mapping[str, str] | None = None
    ) -> Path:
        """Return a real clone of a repository with some files and links, in a folder of the home's `work`."""
        origin = self.top / "origins" / name
        write_files(origin, files)
        for path, target in (links or {}).items():
            (origin / path).parent.mkdir(parents=True, exist_ok=True)
            (origin / path).symlink_to(target)
        git(origin, "init", "-q", "-b", "main")
        git(origin, "add", "--force", "--all", ".")
        git(origin, "commit", "-q", "--allow-empty", "-m", "Let the total of a cart be billed")
        root = self.home / "work" / name
        git(self.top, "clone", "-q", f"file://{origin}", str(root))
        self.keep()
        return root

    def push(self, name: str, change: Callable[[Path], None]) -> None:
        """Change the repository that a clone is of, and pull that into the clone."""
        origin = self.top / "origins" / name
        change(origin)
        git(origin, "add", "--force", "--all", ".")
        git(origin, "commit", "-q", "-m", "more")
        git(self.home / "work" / name, "pull", "-q", "--no-rebase")
        self.keep()


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files below a folder."""
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())


def git(folder: Path, *arguments: str) -> None:
    """Run git."""
    environment = os.environ | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    environment |= {f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True)


def beside(root: Path) -> list[Path]:
    """Return the index folders that coderag made beside one that it does not believe."""
    return sorted(root.glob(".coderag-" + "[0-9a-f]" * 8))


@pytest.fixture
def world(tmp_path: Path, commands: Commands) -> World:
    """A home with what may not change."""
    return World(tmp_path, commands)
