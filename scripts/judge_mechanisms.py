"""Questions about mechanisms to how often the function that answers is among the first hits.

    scripts/judge_mechanisms.py TREES                    every repository of which TREES has the folder
    scripts/judge_mechanisms.py TREES --half dev --show  what is missed in the half that may be tuned on
    scripts/judge_mechanisms.py TREES --json

TREES/NAME is a checkout of each repository at its revision (scripts/mechanisms/repositories.toml). A question asks in
words that are mostly not those of the code: "what stops the expansion of a format that takes too long". It was written
from a function drawn at random. It returns 1 where fewer than 85 % of the questions have an answer among the first 5.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> int:
    """Judge the checkout that this file is in."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from scripts.mechanisms.command import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
