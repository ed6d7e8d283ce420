"""What a command says beside its results."""

from __future__ import annotations

import sys

from coderag.cli.output.text import visible

__all__ = ["note"]


def note(text: str) -> None:
    """Say something on stderr, beside the results."""
    print(f"coderag: {visible(text)}", file=sys.stderr)
