"""Real runs of the command line on real folders."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.growth import HANG_SECONDS

REPOSITORY = Path(__file__).resolve().parents[2]
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR", "COLUMNS"}
} | {
    "PYTHONPATH": str(REPOSITORY),
    "TERM": "xterm-256color",
    "PYTHONUTF8": "1",
}

COLOUR = re.compile(r"\x1b\[[\d;]*m")
Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]


@pytest.fixture(scope="session")
def coderag() -> Run:
    """Run `coderag` with some arguments in a folder, and return what it printed and its exit code."""

    def run(*arguments: str | Path, cwd: Path, stdin: str = "", **environment: str) -> Done:
        return subprocess.run(
            [sys.executable, "-m", "coderag", *map(str, arguments)],
            cwd=cwd,
            input=stdin,
            env=ENVIRONMENT | environment,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            timeout=HANG_SECONDS,
        )

    return run


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory, coderag: Run) -> Path:
    """An indexed copy of the example application; tests only read it."""
    root = tmp_path_factory.mktemp("work") / "shop"
    shutil.copytree(REPOSITORY / "fixtures/shop", root, ignore=shutil.ignore_patterns(".coderag"))
    (root / ".git").mkdir()
    assert coderag("index", cwd=root).returncode == 0
    return root


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small repository that is not indexed yet."""
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "src/cart.py").write_text(
        'class Cart:\n    """What a customer is about to buy."""\n\n'
        "    def total(self):\n        return sum(self.prices)\n"
    )
    (root / "src/cart.go").write_text(
        "package cart\n\n// Total adds up the prices.\nfunc Total() int {\n\treturn 1\n}\n"
    )
    (root / "README.md").write_text("# Project\n\nHow the cart adds up the total.\n")
    (root / "settings.toml").write_text('cart = "total"\n')
    return root
