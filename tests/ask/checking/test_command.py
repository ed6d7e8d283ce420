"""`coderag check-answer` as a process: what it prints, and its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from coderag import Index
from tests.commands import Done, run_here

TRUE = "`Cart.empty` deletes from `cart_items` (shop/cart.py:82-85)."
FALSE = "`Cart.empty` calls `vacuum_cart` (shop/cart.py:82-85)."


def run(shop: Index, *arguments: str, text: str = "") -> Done:
    return run_here("check-answer", *arguments, "--no-refresh", cwd=Path(shop.roots[0].root), stdin=text)


def test_a_supported_answer_exits_with_0(shop: Index) -> None:
    done = run(shop, text=TRUE)
    assert (done.returncode, done.stdout) == (0, f"supported   1: {TRUE}\n")
    assert "1 of 1 claim supported" in done.stderr


def test_faults_are_printed_below_their_sentence(shop: Index, tmp_path: Path) -> None:
    answer = tmp_path / "answer.md"
    answer.write_text(f"{TRUE}\n\n{FALSE}\n")
    done = run(shop, str(answer))
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[1].startswith("partly      3: `Cart.empty` calls")
    assert lines[2].startswith("    error[invented] vacuum_cart is nowhere in the index")
    assert "\x1b[" not in done.stdout


def test_sources_are_what_a_search_printed(shop: Index, tmp_path: Path) -> None:
    hits = tmp_path / "hits.json"
    hits.write_text(json.dumps([{"path": "shop/cart.py", "start_line": 82, "end_line": 85, "kind": "method"}]))
    done = run(shop, "--sources", str(hits), "--json", text="Emptying deletes every item of the customer [1].")
    check = json.loads(done.stdout)
    assert done.returncode == 0
    assert [one["verdict"] for one in check["sentences"]] == ["supported"]
    assert check["sentences"][0]["citations"][0]["number"] == 1


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ("{", "line 1 of the sources is no JSON; give an array, or one record per line"),
        ("[3]", "source 1 has no path; a source has path, start_line, end_line and maybe number, text"),
        ('{"path": "a", "start_line": "x"}', "start_line of source 1 is 'x'; give a whole number"),
    ],
)
def test_sources_that_are_none(shop: Index, tmp_path: Path, sources: str, message: str) -> None:
    file = tmp_path / "sources.json"
    file.write_text(sources)
    done = run(shop, "--sources", str(file), text=TRUE)
    assert (done.returncode, done.stderr.strip()) == (2, f"coderag: {message}")


def test_an_empty_answer_is_a_failure(shop: Index) -> None:
    done = run(shop, text="  \n")
    assert done.returncode == 2
    assert "stdin is empty" in done.stderr
