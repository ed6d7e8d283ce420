"""`coderag outline`, `symbols`, `status`, `languages`, and the programs in scripts/."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from coderag import __version__
from coderag.syntax.language import languages
from tests.cli.conftest import ENVIRONMENT, REPOSITORY, Done, Run
from tests.growth import HANG_SECONDS

pytestmark = pytest.mark.slow


def test_outline_is_a_tree(coderag: Run, project: Path) -> None:
    done = coderag("outline", "src/cart.py", cwd=project)
    assert done.stdout == ("src/cart.py  Python, 5 lines\n  1  class   class Cart\n  4  method      def total(self)\n")
    assert not (project / ".coderag").exists()


def test_outline_of_a_document_and_as_json(coderag: Run, shop: Path) -> None:
    assert "section      Try it" in coderag("outline", "README.md", cwd=shop).stdout
    found = json.loads(coderag("outline", "shop/payments/retry.py", "--json", cwd=shop).stdout)
    assert {"name": "due", "kind": "method", "depth": 1}.items() <= found[-3].items()


def test_outline_of_a_file_without_definitions_and_with_errors(coderag: Run, project: Path) -> None:
    (project / "empty.py").write_text("print(1)\n")
    (project / "broken.py").write_text("def fine():\n    pass\n\nclass (:\n")
    nothing = coderag("outline", "empty.py", cwd=project)
    assert (nothing.returncode, nothing.stderr) == (1, "coderag: empty.py defines nothing\n")
    broken = coderag("outline", "broken.py", cwd=project)
    assert "def fine()" in broken.stdout
    assert "syntax errors" in broken.stderr


def test_symbols_by_exact_qualified_and_fuzzy_name(coderag: Run, shop: Path) -> None:
    exact = coderag("symbols", "retry_failed", cwd=shop)
    assert exact.stdout.startswith("shop/payments/retry.py:68  method PaymentRetrier.retry_failed\n")
    assert coderag("symbols", "PaymentRetrier.retry_failed", cwd=shop).stdout == exact.stdout
    fuzzy = coderag("symbols", "retry_faild", cwd=shop)
    assert fuzzy.stdout.startswith(exact.stdout)
    assert "nothing is named 'retry_faild'" in fuzzy.stderr
    assert json.loads(coderag("symbols", "retry_faild", "--json", cwd=shop).stdout)[0]["exact"] is False
    assert coderag("symbols", "zzzzzzzzzz", cwd=shop).returncode == 1


def test_status_measures_recall(coderag: Run, project: Path) -> None:
    coderag("index", cwd=project)
    shown = coderag("status", "--recall", cwd=project).stdout
    assert "all are compared" in shown
    assert "recall@10  1.0000" in shown
    [told] = json.loads(coderag("status", "--recall", "--json", cwd=project).stdout)
    assert (told["recall"]["how"], told["recall"]["at_10"]) == ("all", 1.0)
    coderag("index", "--encoder", "none", cwd=project)
    done = coderag("status", "--recall", cwd=project)
    assert "words alone answer" in done.stdout
    assert done.returncode == 1


def test_status_tells_the_truth(coderag: Run, project: Path) -> None:
    coderag("index", cwd=project)
    assert "fresh      yes" in coderag("status", cwd=project).stdout
    (project / "src/new.py").write_text("x = 1\n")
    (project / "src/cart.py").write_text("x = 2\n")
    (project / "src/cart.go").unlink()
    done = coderag("status", "--verbose", cwd=project)
    assert "fresh      no: 1 new, 1 changed, 1 gone" in done.stdout
    assert "src/new.py: new" in done.stdout
    [status] = json.loads(coderag("status", "--json", cwd=project).stdout)
    assert status["changes"] == {
        "new": ["src/new.py"],
        "changed": ["src/cart.py"],
        "gone": ["src/cart.go"],
        "outdated": "",
    }
    assert (status["fresh"], status["files"], status["version"]) == (False, 3, __version__)
    assert status["skipped"]["configuration"] == 1


def test_languages(coderag: Run, tmp_path: Path) -> None:
    found = json.loads(coderag("languages", "--json", cwd=tmp_path).stdout)
    assert [one["name"] for one in found] == list(languages())
    text = coderag("languages", cwd=tmp_path).stdout
    assert "missing" not in text
    assert ".py .pyi" in text


def test_version_and_help(coderag: Run, tmp_path: Path) -> None:
    assert coderag("--version", cwd=tmp_path).stdout == f"coderag {__version__}\n"
    done = coderag("search", "--help", cwd=tmp_path)
    assert done.returncode == 0
    assert "examples:" in done.stdout


def script(name: str, *arguments: str, cwd: Path) -> Done:
    command = [sys.executable, str(REPOSITORY / "scripts" / name), *arguments]
    return subprocess.run(command, cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, timeout=HANG_SECONDS)


def test_index_repo(project: Path) -> None:
    done = script("index_repo.py", cwd=project)
    assert done.returncode == 0
    assert f"{os.path.realpath(project)}: 3 files" in done.stdout
    assert script("index_repo.py", "nowhere", cwd=project).returncode == 2


def test_ide_query(coderag: Run, shop: Path) -> None:
    done = script("ide_query.py", "shop/payments/retry.py:75", cwd=shop)
    assert done.stdout == coderag("at", "shop/payments/retry.py:75", "--format", "vimgrep", cwd=shop).stdout
