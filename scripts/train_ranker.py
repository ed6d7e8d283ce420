"""Packages and judged questions to the ranker that coderag ships.

    scripts/train_ranker.py --cache DIR                                     packages alone
    scripts/train_ranker.py --cache DIR --git DIR                           and public repositories, with their commits
    scripts/train_ranker.py --cache DIR --git DIR --suites DIR --report     figures by cross-validation, nothing written

What is fetched, asked and indexed stays in the cache; with another encoder or other features only vectors and rows are
made anew. Needs LightGBM, and pip, npm and git for what is fetched.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> int:
    """Train with the checkout that this file is in."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from scripts.ranking_data.command import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
