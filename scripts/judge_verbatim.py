"""Strings of real repositories to how well a search finds where they are written.

    scripts/judge_verbatim.py ROOT ...                    folders, indexed or not
    scripts/judge_verbatim.py ROOT ... --half held-out    the repositories that nothing was tuned on
    scripts/judge_verbatim.py ROOT ... --show             each question whose place is not among the first three

Questions are drawn from string literals with a seed: messages, keys, settings, flags, routes and codes, asked as people
paste them: as they are written, with values for their placeholders, cut short, behind a timestamp or the name of an
exception, and within a sentence.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> int:
    """Judge with the checkout that this file is in."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from scripts.verbatim.command import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
