"""What a person at a terminal sees."""

from __future__ import annotations

import os
import pty
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import COLOUR, ENVIRONMENT, Run

pytestmark = pytest.mark.slow


def at_a_terminal(*arguments: str, cwd: Path, **environment: str) -> str:
    """Run `coderag` on a terminal of its own and return all that it showed."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(cwd)
        variables = ENVIRONMENT | {"COLUMNS": "80"} | environment
        os.execve(sys.executable, [sys.executable, "-m", "coderag", *arguments], variables)
    shown = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the other side has closed
            break
        if not part:
            break
        shown += part
    os.close(terminal)
    os.waitpid(child, 0)
    return shown.decode().replace("\r\n", "\n")


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
