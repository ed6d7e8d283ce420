"""Examples of every language and dialect, damaged in thousands of ways, to what becomes of them in worker processes.

    scripts/fuzz.py                                         1,000 inputs of each target, a line for each
    scripts/fuzz.py --language go --inputs 10000 --seed 1   one language; `sql:mysql` is a dialect of SQL
    scripts/fuzz.py --inputs 10000 --json out.json          the long run
    scripts/fuzz.py --language go --seed 1 --show 17        the bytes of one input, on standard output
    scripts/fuzz.py --splitters --inputs 100000             coverage-guided, needs atheris: what takes texts apart

The same seed gives the same inputs. An input that breaks what must hold is made as small as it stays broken, and saved.
Exits with 1 when there is one.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> int:
    """Fuzz the checkout that this file is in."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from scripts.fuzzing.command import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
