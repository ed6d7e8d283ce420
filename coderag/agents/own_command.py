"""The command that agents start: the one that is running, by a path that stays."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["NAME", "is_ours", "is_passing", "own_command", "strings"]

NAME = "coderag"
PASSING = ("/uv/archive-", "/.cache/uv/", "/pipx/.cache/", "/.cache/pipx/")  # in paths of programs that are run once


def own_command() -> tuple[str, ...]:
    """Return the program that runs, as an absolute path, and what comes before its arguments.

    Links stay links: those of uv and pipx in ~/.local/bin lead to the new version after an upgrade.
    """
    called = Path(sys.argv[0])
    if called.name == NAME and (path := shutil.which(str(called))):
        return (str(Path(path).absolute()),)
    beside = Path(sys.executable).parent / NAME
    if os.access(beside, os.X_OK):
        return (str(beside.absolute()),)
    return (str(Path(sys.executable).absolute()), "-m", NAME)


def is_passing(command: Sequence[str]) -> bool:
    """Tell whether a command lies in a cache, from which it may vanish."""
    return any(part in command[0] for part in PASSING)


def is_ours(value: Any, argument: str) -> bool:
    """Tell whether an entry starts coderag with an argument, `mcp` or `hook`, wherever it is installed."""
    words = [word for string in strings(value) for word in (string, *_split(string))]
    return argument in words and any(Path(word).name in {NAME, f"{NAME}.exe"} for word in words)


def strings(value: Any) -> list[str]:
    """Return all texts in a value."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in inner for text in strings(one)]


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:  # a quote that does not end
        return []
