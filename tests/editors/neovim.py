"""A real Neovim without a terminal, which tests drive from outside while its event loop runs."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.growth import HANG_SECONDS
from tests.workspace import REPOSITORY

__all__ = ["PLUGIN", "Neovim", "wait_until"]

PLUGIN = REPOSITORY / "editors/nvim"
POLL_SECONDS = 0.02


class Neovim:
    """A running Neovim; use it in a `with` block."""

    def __init__(
        self,
        folder: Path,
        *,
        scratch: Path,
        plugins: Sequence[Path] = (),
        setup: Mapping[str, object],
        environment: Mapping[str, str],
    ) -> None:
        """Start it in a folder with the plugin set up; a list `notified` keeps what it says."""
        self._address = str(scratch / "nvim.sock")
        start = scratch / "init.lua"
        paths = ", ".join(json.dumps(str(path)) for path in (PLUGIN, *plugins))
        start.write_text(
            f"for _, path in ipairs({{ {paths} }}) do vim.opt.runtimepath:prepend(path) end\n"
            "vim.opt.swapfile = false\n"
            "notified = {}\n"
            "vim.notify = function(text) table.insert(notified, text) end\n"
            f"require('coderag').setup(vim.fn.json_decode({json.dumps(json.dumps(setup))}))\n"
        )
        self.process = subprocess.Popen(
            ["nvim", "--headless", "--clean", "-n", "-u", str(start), "--listen", self._address],
            cwd=folder,
            env={**environment, "HOME": str(scratch), "XDG_CONFIG_HOME": str(scratch)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_until(lambda: Path(self._address).exists())

    def __enter__(self) -> Neovim:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    def lua(self, expression: str) -> Any:
        """Return the value of an expression in Lua."""
        asked = f"luaeval({_quoted(f'vim.fn.json_encode({expression})')})"
        return json.loads(self._remote("--remote-expr", asked) or "null")

    def run(self, command: str) -> None:
        """Run a command such as `:Coderag`."""
        self.lua(f"(function() vim.cmd({json.dumps(command)}) return true end)()")

    def type(self, keys: str) -> None:
        """Type keys, such as `<CR>`."""
        self._remote("--remote-send", keys)

    def quit(self) -> None:
        """End it as a user does."""
        with suppress(AssertionError):  # it ends before it answers
            self.type(":qa!<CR>")
        self.process.wait()

    def wait_for(self, expression: str) -> Any:
        """Return the value of an expression as soon as it is neither nil, false, nor empty."""
        found: list[Any] = []

        def is_there() -> bool:
            found[:] = [self.lua(expression)]
            return bool(found[0])

        wait_until(is_there, lambda: f"{expression} is {found}; it said {self.lua('notified')}")
        return found[0]

    def _remote(self, *arguments: str) -> str:
        done = subprocess.run(
            ["nvim", "--server", self._address, *arguments],
            env=os.environ | {"XDG_CONFIG_HOME": str(Path(self._address).parent)},
            capture_output=True,
            text=True,
            timeout=HANG_SECONDS,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout or done.stderr  # which of them it is depends on the version


def wait_until(is_done: Callable[[], bool], why: Callable[[], str] = lambda: "") -> None:
    """Wait until something is so."""
    end = time.monotonic() + HANG_SECONDS
    while not is_done():
        assert time.monotonic() < end, why()
        time.sleep(POLL_SECONDS)


def _quoted(text: str) -> str:
    escaped = text.replace("'", "''")
    return f"'{escaped}'"
