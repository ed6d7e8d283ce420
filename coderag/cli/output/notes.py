"""What a command says beside its results."""

from __future__ import annotations

import sys

from coderag.cli.output.text import visible

__all__ = ["note"]


def note(text: str) -> None:
    """Say something on stderr, beside the results and behind those that are printed by now, also where both are one."""
    sys.stdout.flush()
    print(f"coderag: {visible(text)}", file=sys.stderr)
