"""`coderag search` shaped: nothing rather than a guess, different hits, every copy, and what is around a hit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.commands import run_here

RETRIED = "where are failed payments retried?"


@pytest.fixture(scope="module")
def coderag() -> Run:
    """Run commands in this process."""
    return run_here


def test_nothing_rather_than_a_guess(coderag: Run, shop: Path) -> None:
    guess = coderag("search", "what is the order of the planets", "-k", "1", cwd=shop)
    assert guess.returncode == 0
    none = coderag("search", "what is the order of the planets", "--threshold", "0.7", cwd=shop)
    assert (none.returncode, none.stdout) == (1, "")
    assert "nothing here answers 'what is the order of the planets' with a confidence of 0.7" in none.stderr
    assert coderag("search", "planets", "--threshold", "1", "--json", cwd=shop).stdout == "[]\n"
    assert coderag("search", RETRIED, "--threshold", "0.7", cwd=shop).returncode == 0


def test_json_says_how_sure_and_from_what(coderag: Run, shop: Path) -> None:
    arguments = ("search", RETRIED, "-k", "1", "--json", "--context", "whole")
    [plain] = json.loads(coderag(*arguments, cwd=shop).stdout)
    assert plain["confidence"] > 0.8
    assert plain["expanded_from"] == []
    [around] = json.loads(coderag(*arguments, "--expand", "parent", cwd=shop).stdout)
    assert plain.keys() == around.keys()
    assert (around["name"], around["kind"]) == ("PaymentRetrier", "class")
    assert around["expanded_from"] == ["shop/payments/retry.py:68"]
    assert plain["text"] in around["text"]


def test_text_says_what_was_found_in_it(coderag: Run, shop: Path) -> None:
    text = coderag("search", RETRIED, "-k", "1", "--expand", "parent", "--explain", cwd=shop).stdout
    assert "    around shop/payments/retry.py:68" in text
    assert ", confidence 0.9" in text or ", confidence 0.8" in text


def test_diversity_and_copies(coderag: Run, shop: Path) -> None:
    plain = json.loads(coderag("search", RETRIED, "--json", cwd=shop).stdout)
    diverse = json.loads(coderag("search", RETRIED, "--json", "--diversity", "0.6", cwd=shop).stdout)
    assert diverse[0] == plain[0]
    assert diverse != plain
    every = json.loads(coderag("search", RETRIED, "--json", "--no-collapse", cwd=shop).stdout)
    assert not any(hit["also"] for hit in every)


@pytest.mark.parametrize(
    "arguments", [("--threshold", "2"), ("--threshold", "-0.1"), ("--diversity", "much"), ("--expand", "all")]
)
def test_values_that_make_no_sense(coderag: Run, shop: Path, arguments: tuple[str, str]) -> None:
    done = coderag("search", "cart", *arguments, cwd=shop)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def test_batch(coderag: Run, shop: Path) -> None:
    lines = [
        {"query": RETRIED, "k": 1, "expand": "file"},
        {"query": "bake bread", "threshold": 0.7},
        {"query": RETRIED, "k": 1, "diversity": 0.5, "collapse": False, "threshold": 0, "expand": None},
        {"query": "cart", "threshold": "high"},
        {"query": "cart", "diversity": 3},
        {"query": "cart", "collapse": "no"},
        {"query": "cart", "expand": "all"},
    ]
    done = coderag("search", "--batch", cwd=shop, stdin="\n".join(map(json.dumps, lines)))
    file, none, plain, *wrong = map(json.loads, done.stdout.splitlines())
    assert (file[0]["start_line"], file[0]["kind"]) == (1, "module")
    assert none == []
    assert plain[0]["name"] == "retry_failed"
    assert [set(answer) for answer in wrong] == [{"error"}] * 4


def test_what_a_line_does_not_say_is_as_on_the_command_line(coderag: Run, shop: Path) -> None:
    done = coderag("search", "--batch", "--threshold", "0.99", cwd=shop, stdin='{"query": "bake bread cart"}\n')
    assert json.loads(done.stdout) == []
