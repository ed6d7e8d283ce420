"""Folders to all that coderag knows of them, written down so that two checkouts of coderag can be compared.

    scripts/freeze.py ROOT... --output DIR [--questions FILE.jsonl]...    index each root and write down what is known
    scripts/freeze.py --compare DIR1 DIR2 [--renamed OLD=NEW]...          1 and the first differences where they differ
    scripts/freeze.py ROOT... --output DIR --portable                     only what is the same on every machine

Run it before and after a change that must not change any answer, with an interpreter that can import what coderag
depends on. DIR/NAME/TOPIC.jsonl has a record a line, sorted, for each root and topic: chunks, outlines, what files
say of schemas and of each other, the graph, the catalog, vectors, hits with their scores, schema contexts, and what
the commands print. DIR/digest.txt has the SHA-256 of each file. Neither times nor paths of the machine are in them.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> int:
    """Freeze with the checkout that this file is in."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from scripts.freezing.command import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
