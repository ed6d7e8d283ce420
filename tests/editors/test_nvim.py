"""The plugin for Neovim, in a real Neovim: its commands, and the process that answers them.

CODERAG_TEST_TELESCOPE names the folders of telescope.nvim and plenary.nvim, with a colon between them, for the tests
of the picker.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.editors.neovim import PLUGIN, Neovim, wait_until
from tests.workspace import REPOSITORY, copy_shop

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("nvim") is None, reason="nvim is not installed"),
]
TELESCOPE = [Path(path) for path in os.environ.get("CODERAG_TEST_TELESCOPE", "").split(os.pathsep) if path]
needs_telescope = pytest.mark.skipif(not TELESCOPE, reason="CODERAG_TEST_TELESCOPE names no folders")
CODERAG = [sys.executable, "-m", "coderag"]
QUICKFIX = (
    "vim.tbl_map(function(item) return {vim.fn.bufname(item.bufnr), item.lnum, item.text} end, vim.fn.getqflist())"
)
HERE = "({vim.fn.expand('%:.'), vim.fn.line('.')})"
# A program in place of coderag: it writes down each question, and answers when there is a file called "go".
SLOW = """\
import json, os, sys, time
log = open("asked", "a")
for line in sys.stdin:
    question = json.loads(line)["query"]
    print(question, file=log, flush=True)
    while not os.path.exists("go"):
        time.sleep(0.01)
    hit = dict(path="a.py", start_line=1, end_line=1, kind="function", signature="", lines=[1], qualified_name=question)
    print(json.dumps([hit]), flush=True)
"""

Start = Callable[..., Neovim]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example application."""
    root = copy_shop(tmp_path_factory.mktemp("nvim") / "shop")
    (root / ".git").mkdir()
    return root


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start Neovim in a folder."""
    with ExitStack() as stack:

        def begin(folder: Path, *, plugins: list[Path] | None = None, **setup: Any) -> Neovim:
            environment = os.environ | {"PYTHONPATH": str(REPOSITORY), "PYTHONUTF8": "1"}
            setup = {"command": CODERAG, "results": "quickfix", **setup}
            neovim = Neovim(folder, scratch=tmp_path, plugins=plugins or [], setup=setup, environment=environment)
            return stack.enter_context(neovim)

        yield begin


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def pid_of(neovim: Neovim, root: Path) -> int:
    return int(neovim.lua(f"require('coderag.process').of('{root}'):pid() or 0"))


def test_a_question(start: Start, shop: Path) -> None:
    neovim = start(shop)
    neovim.run("Coderag where are failed payments retried?")
    found = neovim.wait_for(QUICKFIX)
    assert found[0][:2] == ["shop/payments/retry.py", 68]
    assert found[0][2] == "def retry_failed(self, size: int = 50) -> RetryReport"
    assert neovim.lua("vim.fn.getqflist({ title = 1 }).title") == "coderag: where are failed payments retried?"


def test_one_process_answers_all_questions_and_reads_what_was_written(start: Start, shop: Path) -> None:
    neovim = start(shop)
    neovim.run("Coderag retry_failed")
    neovim.wait_for(QUICKFIX)
    first = pid_of(neovim, shop)
    neovim.run("Coderag backoff_delay")
    neovim.wait_for(f"{QUICKFIX}[1][3]:find('backoff_delay') and true")
    assert pid_of(neovim, shop) == first
    neovim.run("edit shop/nvim_written.py")
    neovim.type("idef zebra_crossing(): pass<Esc>:w<CR>")
    wait_until((shop / "shop/nvim_written.py").exists)
    neovim.run("Coderag zebra_crossing")
    neovim.wait_for(f"{QUICKFIX}[1][3]:find('zebra_crossing') and true")
    assert pid_of(neovim, shop) != first
    wait_until(lambda: not is_running(first))


def test_a_process_that_dies_is_started_again(start: Start, shop: Path) -> None:
    neovim = start(shop)
    neovim.run("Coderag retry_failed")
    neovim.wait_for(QUICKFIX)
    first = pid_of(neovim, shop)
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: pid_of(neovim, shop) == 0)
    neovim.run("Coderag backoff_delay")
    neovim.wait_for(f"{QUICKFIX}[1][3]:find('backoff_delay') and true")
    second = pid_of(neovim, shop)
    assert second not in (0, first)
    neovim.run("CoderagStop")
    wait_until(lambda: not is_running(second))


@pytest.mark.parametrize("is_killed", [False, True])
def test_nothing_is_left_behind(start: Start, shop: Path, is_killed: bool) -> None:
    neovim = start(shop)
    neovim.run("Coderag retry_failed")
    neovim.wait_for(QUICKFIX)
    pid = pid_of(neovim, shop)
    assert is_running(pid)
    neovim.process.kill() if is_killed else neovim.quit()
    wait_until(lambda: not is_running(pid))


def test_the_editor_goes_on_while_an_answer_is_awaited(start: Start, tmp_path: Path) -> None:
    program = tmp_path / "slow.py"
    program.write_text(SLOW)
    work = tmp_path / "work"
    work.mkdir()
    neovim = start(work, command=[sys.executable, str(program)])
    for question in ("one", "two", "three", "four"):
        neovim.run(f"Coderag {question}")
    wait_until((work / "asked").exists)
    assert neovim.lua("1 + 1") == 2
    assert neovim.lua("#vim.fn.getqflist()") == 0
    (work / "go").touch()
    neovim.wait_for(f"{QUICKFIX}[1] and {QUICKFIX}[1][3] == 'function four'")
    assert (work / "asked").read_text().split() == ["one", "four"]  # those in between were never sent


def test_a_prompt_that_does_not_rest_asks_once(start: Start, tmp_path: Path) -> None:
    program = tmp_path / "slow.py"
    program.write_text(SLOW)
    work = tmp_path / "work"
    work.mkdir()
    (work / "go").touch()
    neovim = start(work, command=[sys.executable, str(program)])
    neovim.lua(
        "(function() local process = require('coderag.process').of(vim.fn.getcwd()) answered = {} "
        "for _, text in ipairs({ 'a', 'ab', 'abc' }) do "
        "process:ask(text, { debounce_ms = 50 }, function(hits) table.insert(answered, hits[1].qualified_name) end) "
        "end return true end)()"
    )
    assert neovim.wait_for("answered") == ["abc"]
    assert (work / "asked").read_text().split() == ["abc"]


def test_a_program_that_cannot_run(start: Start, shop: Path, tmp_path: Path) -> None:
    neovim = start(shop, command=["/nowhere/coderag"])
    neovim.run("Coderag x")
    assert neovim.wait_for("notified") == ["coderag: /nowhere/coderag cannot be run; set `command` in setup()"]
    ended = tmp_path / "ended.sh"
    ended.write_text("#!/bin/sh\necho start >> starts\necho coderag: no such thing >&2\nexit 2\n")
    ended.chmod(0o755)
    neovim.lua(f"require('coderag').setup({{ command = '{ended}' }}) or true")
    neovim.run("Coderag x")
    neovim.wait_for("#notified >= 5 and true")
    assert set(neovim.lua("notified")[1:]) == {"coderag: no such thing"}
    assert (shop / "starts").read_text().split() == ["start"] * 3
    (shop / "starts").unlink()


def test_symbol_refs_and_at(start: Start, shop: Path) -> None:
    neovim = start(shop)
    neovim.run("edit shop/jobs.py")
    neovim.run("call search('JobQueue')")
    neovim.run("CoderagRefs")
    title = "vim.fn.getqflist({ title = 1 }).title"
    neovim.wait_for(f"{title} == 'coderag refs JobQueue'")
    assert neovim.lua(QUICKFIX)[0] == ["shop/jobs.py", 39, "class JobQueue"]
    neovim.run("cclose")
    neovim.run("61")
    neovim.run("CoderagAt")
    neovim.wait_for(f"{title}:find('^coderag at .*jobs.py:61$') and true")
    assert ["shop/jobs.py", 31] in [item[:2] for item in neovim.lua(QUICKFIX)]
    neovim.run("cclose")
    neovim.run("31CoderagAt")
    neovim.wait_for(f"{title}:find('jobs.py:31$') and true")
    neovim.run("CoderagSymbol backoff_delay")  # one definition is opened
    neovim.wait_for(f"{HERE}[1] == 'shop/payments/retry.py' and true")
    assert neovim.lua(HERE) == ["shop/payments/retry.py", 29]
    neovim.run("CoderagSymbol --help")
    neovim.wait_for("#notified > 0 and true")
    assert "--help" in neovim.lua("notified")[-1]


def test_a_range_is_a_selection(start: Start, shop: Path) -> None:
    neovim = start(shop)
    neovim.run("edit shop/jobs.py")
    neovim.run("39,41CoderagAt")
    neovim.wait_for("vim.fn.getqflist({ title = 1 }).title:find('jobs.py:39$') and true")


def test_without_telescope_a_hit_is_selected(start: Start, shop: Path) -> None:
    neovim = start(shop, results="telescope")
    neovim.lua(
        "(function() vim.ui.select = function(items, options, choose) "
        "shown = vim.tbl_map(options.format_item, items) choose(items[1]) end "
        "vim.ui.input = function(_, done) done('where are failed payments retried?') end return true end)()"
    )
    neovim.run("Coderag")
    neovim.wait_for(f"{HERE}[1] == 'shop/payments/retry.py' and true")
    assert neovim.lua(HERE) == ["shop/payments/retry.py", 68]
    assert neovim.lua("shown[1]") == "shop/payments/retry.py:68  method PaymentRetrier.retry_failed"


@needs_telescope
def test_the_picker(start: Start, shop: Path) -> None:
    neovim = start(shop, results="telescope", plugins=TELESCOPE)
    picker = "require('telescope.actions.state').get_current_picker(vim.api.nvim_get_current_buf())"
    neovim.run("Coderag where are failed payments retried?")
    found = f"({picker} and {picker}.manager and {picker}.manager:num_results() or 0)"
    neovim.wait_for(f"{found} >= 10 and true")
    first = "require('telescope.actions.state').get_selected_entry()"
    neovim.wait_for(f"{first} and true")
    assert neovim.lua(f"{first}.display") == "shop/payments/retry.py:68  method PaymentRetrier.retry_failed"
    neovim.type("<C-u>backoff_delay")
    neovim.wait_for(f"({first} or {{}}).display == 'shop/payments/retry.py:29  function backoff_delay'")
    neovim.type("<CR>")
    neovim.wait_for(f"{HERE}[1] == 'shop/payments/retry.py' and true")
    assert neovim.lua(HERE) == ["shop/payments/retry.py", 29]
    assert neovim.lua("notified") in ([], ["coderag: indexed"])


@needs_telescope
def test_the_extension_of_telescope(start: Start, shop: Path) -> None:
    neovim = start(shop, results="telescope", plugins=TELESCOPE)
    neovim.run("Telescope coderag")
    picker = "require('telescope.actions.state').get_current_picker(vim.api.nvim_get_current_buf())"
    neovim.wait_for(f"{picker} and {picker}.prompt_title:find('^coderag ') and true")
    neovim.type("backoff_delay")
    neovim.wait_for("(require('telescope.actions.state').get_selected_entry() or {}).lnum == 29")
    neovim.type("<Esc><Esc>")
    neovim.wait_for(f"{picker} == nil")


def test_help_has_a_tag_for_each_command(start: Start, shop: Path) -> None:
    neovim = start(shop)
    commands = neovim.lua(
        "vim.tbl_filter(function(name) return name:find('^Coderag') end, vim.fn.getcompletion('', 'command'))"
    )
    assert commands == ["Coderag", "CoderagAt", "CoderagRefs", "CoderagStop", "CoderagSymbol"]
    neovim.run(f"helptags {PLUGIN / 'doc'}")
    tags = {line.split("\t")[0] for line in (PLUGIN / "doc/tags").read_text().splitlines()}
    (PLUGIN / "doc/tags").unlink()
    assert {f":{name}" for name in commands} <= tags
    settings = neovim.lua("vim.tbl_keys(require('coderag.config').values)")
    assert {f"coderag-{name}" for name in (*settings, "root")} <= tags
