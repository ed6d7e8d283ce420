"""Every column of the fixture applications renamed in turn: is what really breaks in the answer of `coderag impact`?

    scripts/judge_impact.py                              against what broke when the truth was written
    scripts/judge_impact.py --app clinic --columns patients.email,rooms.floor
    scripts/judge_impact.py --truth --app shipping --node-modules DIR

`--truth` renames each column in the database alone, runs the application's own tests, and writes the functions in which
the failures surfaced and the tests that failed to fixtures/apps/NAME/breaks.json. It needs what the application needs:
Flask, SQLAlchemy, Alembic and pytest; Node.js with the application's packages; Go with the driver for SQLite.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> int:
    """Judge the checkout that this file is in."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from scripts.breaking.command import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
