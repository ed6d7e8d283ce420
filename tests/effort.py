"""How many inputs tests try: some in every run, many where `CODERAG_THOROUGH=1` asks for the long one."""

from __future__ import annotations

import os

__all__ = ["THOROUGH", "effort"]

THOROUGH = os.environ.get("CODERAG_THOROUGH", "") not in ("", "0")


def effort(usual: int, *, thorough: int) -> int:
    """Return how many inputs a test tries."""
    return thorough if THOROUGH else usual
