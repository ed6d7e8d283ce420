"""Files that commands write: in the format that their names say, and whole or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.cli.conftest import ENVIRONMENT, Run
from tests.commands import run_program

pytestmark = pytest.mark.slow

DRAWINGS = (("graph", "orders"), ("erd",))


@pytest.mark.parametrize("command", DRAWINGS)
@pytest.mark.parametrize("name", ["x.png", "x.PDF", "x.svg.gz", "x.txt"])
def test_an_ending_that_names_no_format_is_refused(
    coderag: Run, shop: Path, tmp_path: Path, command: tuple[str, ...], name: str
) -> None:
    done = coderag(*command, "-o", tmp_path / name, cwd=shop)
    assert (done.returncode, done.stdout) == (2, "")
    ending = Path(name).suffix.lower()
    assert f"{name} is to be {ending}, which is not written; give .mmd, .mermaid, .svg" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", DRAWINGS)
def test_what_the_format_and_the_name_say(coderag: Run, shop: Path, tmp_path: Path, command: tuple[str, ...]) -> None:
    for name, option, begins in (
        ("x.svg", (), "<svg"),
        ("x.mmd", (), ("flowchart", "erDiagram")),
        ("plain", (), ("flowchart", "erDiagram")),
        ("plain", ("--format", "svg"), "<svg"),
        ("x.png", ("--format", "svg"), "<svg"),
        ("x.svg", ("--format", "svg"), "<svg"),
    ):
        done = coderag(*command, "-o", tmp_path / name, *option, cwd=shop)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / name).read_text().startswith(begins)
        assert f"drawn in {tmp_path / name}, as {'svg' if begins == '<svg' else 'mermaid'}" in done.stderr
    done = coderag(*command, "-o", tmp_path / "other.svg", "--format", "mermaid", cwd=shop)
    assert (done.returncode, (tmp_path / "other.svg").exists()) == (2, False)
    assert "other.svg is to be svg by its name and mermaid by --format; leave one of them out" in done.stderr
    done = coderag(*command, "-o", "", cwd=shop)
    assert (done.returncode, "--output/-o: it is empty" in done.stderr) == (2, True)


def test_permissions_stay_and_nothing_is_written_where_a_link_leads(coderag: Run, shop: Path, tmp_path: Path) -> None:
    (tmp_path / "real.svg").write_text("old")
    (tmp_path / "real.svg").chmod(0o640)
    (tmp_path / "link.svg").symlink_to("real.svg")
    done = coderag("erd", "-o", tmp_path / "link.svg", cwd=shop)
    assert (done.returncode, "is a link" in done.stderr) == (2, True)
    assert (tmp_path / "real.svg").read_text() == "old"
    assert coderag("erd", "-o", tmp_path / "real.svg", cwd=shop).returncode == 0
    assert (tmp_path / "real.svg").read_text().startswith("<svg")
    assert (tmp_path / "real.svg").stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.svg", "real.svg"]


def test_a_failure_leaves_the_old_file(coderag: Run, shop: Path, tmp_path: Path) -> None:
    (tmp_path / "old.svg").write_text("old")
    command = [sys.executable, "-m", "coderag", "erd", "--no-refresh", "-o", str(tmp_path / "old.svg")]
    limit = "import resource, os; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))"
    limited = f"{limit}; os.execv({command[0]!r}, {command!r})"
    done = subprocess.run(
        [sys.executable, "-c", limited], cwd=shop, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (2, f"coderag: {tmp_path}/old.svg: File too large\n")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("old.svg", "old")]
    done = coderag("erd", "-o", tmp_path / "nowhere/x.svg", cwd=shop)
    assert (done.returncode, done.stderr) == (2, f"coderag: {tmp_path}/nowhere/x.svg: No such file or directory\n")
    (tmp_path / "folder.svg").mkdir()
    done = coderag("erd", "-o", tmp_path / "folder.svg", cwd=shop)
    assert (done.returncode, done.stderr) == (2, f"coderag: {tmp_path}/folder.svg: Is a directory\n")


def test_what_is_no_regular_file_is_written_to(coderag: Run, shop: Path, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(fifo.read_text()))
    reader.start()
    assert coderag("erd", "-o", fifo, "--format", "svg", cwd=shop).returncode == 0
    reader.join(60)
    assert read[0].startswith("<svg")
    assert coderag("erd", "-o", "/dev/null", cwd=shop).returncode == 0
    assert run_program("erd", "-o", "/dev/stdout", cwd=shop).stdout.startswith("erDiagram")  # which is a pipe
    full = coderag("erd", "-o", "/dev/full", cwd=shop)
    assert (full.returncode, full.stderr.splitlines()[-1]) == (2, "coderag: /dev/full: No space left on device")
    assert Path("/dev/full").is_char_device()
