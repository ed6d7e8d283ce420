"""What each signal weighs in a grade: written by scripts/fit_grades.py."""

from __future__ import annotations

__all__ = ["START", "WEIGHTS"]

WEIGHTS = (0.18, 0.88, 4.90, 0.92, -3.89)  # best, second, held, nearness, lacks_name
START = -1.82
