"""Indexes that are signed and lie, in thousands of ways, to what becomes of those who use them.

    scripts/fuzz_index.py                                   1,000 inputs of each kind, a line for each
    scripts/fuzz_index.py --kind graph --inputs 5000        one kind: manifest, listing, segment, catalog, graph, ...
    scripts/fuzz_index.py --seed 2 --json out.json --save broken
    scripts/fuzz_index.py --kind graph --seed 1 --show 17   one input, and all that it does

Each input changes some values of a sound index, and signs it again with all sums as they should be. It is then
searched, asked, updated, merged, shared and repaired in a process with limits, and a hook that sees what is read and
written. The same seed gives the same inputs. Exits with 1 when an input hangs, takes much memory, leads out of the
index, or raises what is no error of coderag.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> int:
    """Fuzz the checkout that this file is in."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # a process that has threads cannot be copied safely
    os.environ["CODERAG_BACKGROUND"] = "0"  # what an input leads to happens while it is watched
    sys.dont_write_bytecode = True  # all that is written is judged
    from scripts.fuzzing_index.command import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
