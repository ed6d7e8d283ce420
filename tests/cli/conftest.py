"""Real runs of the command line on real folders."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.commands import ENVIRONMENT, REPOSITORY, Done, Run, run_here

__all__ = ["COLOUR", "ENVIRONMENT", "REPOSITORY", "Done", "Run"]

COLOUR = re.compile(r"\x1b\[[\d;]*m")


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An indexed copy of the example application; tests only read it."""
    root = tmp_path_factory.mktemp("work") / "shop"
    shutil.copytree(REPOSITORY / "fixtures/shop", root, ignore=shutil.ignore_patterns(".coderag"))
    (root / ".git").mkdir()
    assert run_here("index", "--workers", "0", cwd=root).returncode == 0
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
