"""An index killed, filled up, flipped, read while it is written, and edited a thousand times: does it stay true?

    scripts/torture.py kill --rounds 500       kill -9 in builds, updates, merges and changes of the encoder
    scripts/torture.py parts --rounds 100      kill -9 in `index --part`, merge, push and pull
    scripts/torture.py stores --rounds 100     exports to PostgreSQL killed, the server crashed, connections cut
    scripts/torture.py objects --rounds 100    exports to a folder and an S3 killed, the disk or the network gone
    scripts/torture.py generations --seconds 60   two exporters of different states, four readers in groups, one store
    scripts/torture.py disk --rounds 200       a full disk, files too large, a failing fsync
    scripts/torture.py flip --rounds 1000      bits of an index flipped, found, and repaired
    scripts/torture.py readers --seconds 60    processes that ask while others update, merge and build anew
    scripts/torture.py drift --rounds 1000     edits, then the same answers as from a fresh index
    scripts/torture.py switch --files 20000    a branch and back: what is read, and how long it takes

Common options: --source DIR (files to take, default: this checkout), --files N, --seed N, --work DIR, --json FILE.
The same seed does the same, as far as clocks allow. Exits with 1 when something did not hold.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> int:
    """Torture the checkout that this file is in."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from scripts.torturing.command import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
