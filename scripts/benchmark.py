"""Corpora of real code to a table of what coderag needs for them, and judged questions to how good its answers are.

    scripts/benchmark.py                        index and query, over corpora that are downloaded once
    scripts/benchmark.py index --only mixed     one part, one corpus
    scripts/benchmark.py --install              the size of an installation, nothing else
    scripts/benchmark.py --quick                a few seconds over fixtures/shop, to see that it works
    scripts/benchmark.py graph --only django    what the graph adds to an index, and how long its answers take
    scripts/benchmark.py mcp --only django      how soon servers for agents answer, and the memory of ten of them
    scripts/benchmark.py --scaling              how cost grows up to a million chunks; writes docs/scaling.md
    scripts/benchmark.py --plan                 unit costs, and what 100M chunks need by them; into docs/scaling.md
    scripts/benchmark.py --compare semble --semble-python PYTHON --semble-model DIR
    scripts/benchmark.py --against REVISION     this checkout and another revision of it, in turns
    scripts/benchmark.py --folder DIR           on the files of a folder
    scripts/benchmark.py quality --sets DIR     how good the answers to sets of judged questions are
    scripts/benchmark.py ablation --sets DIR    the same with each kind of evidence left out in turn
    scripts/benchmark.py agent --sets DIR       what an agent reads until it holds the code that answers a question

Run it with an interpreter that can import what coderag depends on. Linux: memory and load come from /proc.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> int:
    """Run the benchmark of the checkout that this file is in."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from scripts.bench.command import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
