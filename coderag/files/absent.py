"""The time that stands for a rule file that is not there, and would count."""

from __future__ import annotations

__all__ = ["ABSENT"]

ABSENT = -1  # ns since 1970, which no file has
