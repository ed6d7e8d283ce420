"""Questions with and without an answer to the weights of the confidence that coderag ships.

    scripts/train_confidence.py --cache DIR --git DIR                       fit, report by cross-validation, and write
    scripts/train_confidence.py --cache DIR --measure DIR --indexed DIR     measure on the repositories of suites

`--git` holds clones of the public repositories in scripts/confidence_data/sources.toml, `--measure` repos.json,
annotations, commits.json and commits, `--indexed` the trees of their repositories with an index in each. What is
fetched, asked and indexed stays in the cache; after a change of the ranking the first line is all there is to do.
Needs pip and git for what is fetched.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> int:
    """Fit with the checkout that this file is in."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from scripts.confidence_data.command import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
