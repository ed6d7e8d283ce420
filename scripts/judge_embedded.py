"""The judged set of SQL and mapped models in code to how right the graph's edges to tables and columns are.

    scripts/judge_embedded.py                        both halves
    scripts/judge_embedded.py --half dev --show      what is missing and what is false in one
    scripts/judge_embedded.py --language go --json

fixtures/embedded/README.md says what is judged. It returns 1 below precision .99 or recall .90, of tables or of
columns, where an edge starts in a decoy, and where the set does not fit its code. A kind that begins with "no" is one
of decoys.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> int:
    """Judge the checkout that this file is in."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from scripts.embedded.command import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
