"""What each signal weighs in a grade: written by scripts/fit_grades.py."""

from __future__ import annotations

__all__ = ["START", "WEIGHTS"]

WEIGHTS = (0.20, 0.81, 4.90, 0.94, -3.88)  # best, second, held, nearness, lacks_name
START = -1.95
