"""Files of an index that are signed and lie: some inputs of scripts/fuzz_index.py, which runs as many as one likes."""

from __future__ import annotations

import subprocess
import sys

import pytest

from scripts.fuzzing_index.kinds import KINDS
from tests.effort import effort
from tests.growth import HANG_SECONDS
from tests.workspace import REPOSITORY

pytestmark = pytest.mark.slow

INPUTS = effort(180, thorough=5000)
RUNS = 2  # side by side, as each makes a world first, which takes as long as twenty inputs


@pytest.mark.parametrize("kinds", [list(KINDS)[run::RUNS] for run in range(RUNS)], ids=" ".join)
def test_nothing_is_led_out_of_the_index_or_hangs(kinds: list[str]) -> None:
    chosen = [word for kind in kinds for word in ("--kind", kind)]
    inputs = -(-INPUTS // len(KINDS))
    command = [sys.executable, "scripts/fuzz_index.py", *chosen, "--inputs", str(inputs), "--seed", "1"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=20 * HANG_SECONDS)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
