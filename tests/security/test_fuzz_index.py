"""Files of an index that are signed and lie: 500 inputs of scripts/fuzz_index.py, which runs as many as one likes."""

from __future__ import annotations

import subprocess
import sys

from tests.files import REPOSITORY
from tests.growth import HANG_SECONDS

INPUTS_OF_A_KIND = 42  # of which there are twelve


def test_nothing_is_led_out_of_the_index_or_hangs() -> None:
    command = [sys.executable, "scripts/fuzz_index.py", "--inputs", str(INPUTS_OF_A_KIND), "--seed", "1"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=20 * HANG_SECONDS)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
