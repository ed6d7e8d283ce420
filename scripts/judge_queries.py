"""Judged queries to how many false alarms `check-sql` raises on them, and how many of their mutations it catches.

    scripts/judge_queries.py --bench ../bench/sql                    every set, each query on its own database
    scripts/judge_queries.py --bench ../bench/sql --set kaggledbqa --show
    scripts/judge_queries.py --bench ../bench/sql --scope union --dialect given --json

A bench is a folder with ddl/SET/DATABASE.sql and items/SET.jsonl of {id, db_id, gold_sql, dialect}. A query of
SQLite's that an empty SQLite database made from the DDL refuses is wrong itself and is set aside; so is a mutation
that it accepts. scripts/queries/mutations.py says what the mutations are, and which are left out as still right.
It returns 1 when a set is below 97 % caught or above .5 % false alarms.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> int:
    """Judge the checkout that this file is in."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from scripts.queries.command import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
