"""What a person at a terminal sees."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.conftest import COLOUR, ENVIRONMENT, Run
from tests.terminal import run_at_a_terminal

pytestmark = pytest.mark.slow


def at_a_terminal(*arguments: str, cwd: Path, **environment: str) -> str:
    """Run `coderag` on a terminal of its own and return all that it showed."""
    variables = ENVIRONMENT | {"COLUMNS": "80"} | environment
    shown, _ = run_at_a_terminal([sys.executable, "-m", "coderag", *arguments], cwd=cwd, environment=variables)
    return shown


@pytest.mark.filterwarnings("ignore:.*forkpty.*:DeprecationWarning")
class TestTerminal:
    def test_colours_frame_the_same_text(self, coderag: Run, shop: Path) -> None:
        shown = at_a_terminal("search", "retry_failed", "-k", "2", cwd=shop)
        assert "\x1b[35mshop/payments/retry.py\x1b[0m:\x1b[32m68\x1b[0m" in shown
        assert "\x1b[35mdef\x1b[0m" in shown
        assert COLOUR.sub("", shown) == coderag("search", "retry_failed", "-k", "2", cwd=shop).stdout

    def test_no_color_and_never(self, shop: Path) -> None:
        assert "\x1b" not in at_a_terminal("search", "retry_failed", "-k", "1", cwd=shop, NO_COLOR="1")
        assert "\x1b" not in at_a_terminal("search", "retry_failed", "-k", "1", "--color", "never", cwd=shop)

    def test_lines_fit_the_width(self, shop: Path) -> None:
        shown = at_a_terminal("outline", "shop/payments/retry.py", cwd=shop)
        assert max(map(len, COLOUR.sub("", shown).splitlines())) <= 80

    def test_index_shows_a_bar_and_then_the_summary(self, project: Path) -> None:
        shown = at_a_terminal("index", cwd=project)
        assert "Indexing project" in shown
        assert "indexed 3 files" in COLOUR.sub("", shown)
