"""The agent's own program, run to add the server to its settings or to remove it."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

__all__ = ["run_program"]

SECONDS = 60
MAX_SAID = 300  # characters of what a program says of its failure


def run_program(program: str, arguments: Sequence[str], *, home: Path) -> str:
    """Run a program in the user's home, where no repository tells it anything, and return why it failed, "" if not."""
    try:
        done = subprocess.run(
            [program, *arguments],
            cwd=home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{program} did not end within {SECONDS} s"
    except OSError as error:
        return f"{program} cannot be run: {error.strerror}"
    output = " ".join((done.stderr or done.stdout).split())[:MAX_SAID]
    return f"{program} ended with {done.returncode}: {output}" if done.returncode else ""
