"""`coderag at`: what belongs to a place in a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import COLOUR, Run
from tests.commands import run_here
from tests.workspace import write

FILES = {
    "shop/basket.py": "from shop.prices import total\n\n\nclass Basket:\n"
    '    """What a customer is about to buy."""\n\n'
    "    def cost(self):\n        return total(self.lines) + fee()\n",
    "shop/prices.py": "def total(lines):\n    return sum(lines)\n",
    "api/total.go": "package api\n\nfunc total(lines []int) int {\n\treturn len(lines)\n}\n\n"
    "func fee() int {\n\treturn 1\n}\n",
}


@pytest.fixture(scope="module")
def coderag() -> Run:
    """Run commands in this process."""
    return run_here


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, coderag: Run) -> Path:
    root = write(tmp_path_factory.mktemp("at") / "small", FILES)
    (root / ".git").mkdir()
    assert coderag("index", "--workers", "0", cwd=root).returncode == 0
    return root


def places(coderag: Run, root: Path, *arguments: str) -> list[tuple[str, str, int]]:
    found = json.loads(coderag("at", *arguments, "--json", cwd=root).stdout)
    return [(one["role"], one["path"], one["line"]) for one in found]


def test_the_definition_around_then_what_the_line_names(coderag: Run, root: Path) -> None:
    assert places(coderag, root, "shop/basket.py:8")[:3] == [
        ("around", "shop/basket.py", 7),
        ("defines", "shop/prices.py", 1),
        ("defines", "api/total.go", 7),  # nothing of Python has the name
    ]
    assert ("defines", "api/total.go", 3) not in places(coderag, root, "shop/basket.py:8")


@pytest.mark.slow
def test_a_line_of_another_language_means_its_own_definition(coderag: Run, root: Path) -> None:
    (root / "api/use.go").write_text("package api\n\nfunc use() int {\n\treturn total(nil)\n}\n")
    assert places(coderag, root, "api/use.go:4")[:2] == [("around", "api/use.go", 3), ("defines", "api/total.go", 3)]


def test_a_column_means_one_name(coderag: Run, root: Path) -> None:
    at_total = [place for place in places(coderag, root, "shop/basket.py:8:17") if place[0] == "defines"]
    at_fee = [place for place in places(coderag, root, "shop/basket.py:8:36") if place[0] == "defines"]
    assert at_total == [("defines", "shop/prices.py", 1)]
    assert at_fee == [("defines", "api/total.go", 7)]


def test_a_question_and_a_selection(coderag: Run, root: Path) -> None:
    asked = places(coderag, root, "shop/prices.py:2", "--question", "what is a customer about to buy?", "-k", "1")
    assert asked[-1] == ("related", "shop/basket.py", 4)
    selected = places(coderag, root, "shop/prices.py:2", "--selection", "Basket")
    assert ("defines", "shop/basket.py", 4) in selected


def test_related_code_is_filtered(coderag: Run, root: Path) -> None:
    def related(*filters: str) -> set[str]:
        found = places(coderag, root, "shop/prices.py:2", "--question", "the total of a basket", *filters)
        return {path for role, path, _ in found if role == "related"}

    assert {"api/total.go", "shop/basket.py"} <= related()
    assert {path.rpartition(".")[2] for path in related("--language", "go")} == {"go"}
    assert related("--path", "shop/**", "--kind", "class") == {"shop/basket.py"}


def test_text_for_people_and_for_editors(coderag: Run, root: Path) -> None:
    text = coderag("at", "shop/basket.py:8", cwd=root).stdout
    assert text.startswith("defined here\n  shop/basket.py:7  method Basket.cost\n")
    assert "\nrefers to\n  shop/prices.py:1  function total\n" in text
    assert COLOUR.sub("", coderag("at", "shop/basket.py:8", "--color", "always", cwd=root).stdout) == text
    lines = coderag("at", "basket.py:8", "--format", "vimgrep", cwd=root / "shop").stdout.splitlines()
    assert lines[1] == "../shop/prices.py:1:1:def total(lines)  [defines total]"


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("shop/basket.py", "give FILE:LINE or FILE:LINE:COLUMN"),
        ("shop/basket.py:0", "give FILE:LINE or FILE:LINE:COLUMN"),
        ("shop/basket.py:99", "shop/basket.py has 9 lines, and no line 99"),
        ("nowhere.py:1", "nowhere.py: No such file or directory"),
    ],
)
def test_places_that_are_none(coderag: Run, root: Path, place: str, message: str) -> None:
    done = coderag("at", place, cwd=root)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


@pytest.mark.slow
def test_a_place_of_which_nothing_is_known(coderag: Run, root: Path) -> None:
    (root / "notes.txt").write_text("\n")
    done = coderag("at", "notes.txt:1", cwd=root)
    assert (done.returncode, done.stdout) == (1, "")
    assert json.loads(coderag("at", "notes.txt:1", "--json", cwd=root).stdout) == []
