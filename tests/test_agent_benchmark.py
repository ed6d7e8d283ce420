"""What an agent reads is counted up to the code that it needs, alike for every way to look for it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from coderag.text.budget import tokens_of
from scripts.bench.agent.answers import excerpts_of_answer, excerpts_of_semble
from scripts.bench.agent.figures import figures_of
from scripts.bench.agent.grep import ranked, read_around, read_files, source_files
from scripts.bench.agent.questions import SUITES, Question, Repository, Target
from scripts.bench.agent.reading import Excerpt, tokens_until_held
from scripts.bench.agent.rows import BUDGETS, CODERAG, FILES, Row
from tests.workspace import REPOSITORY

SEMBLE, COMMITS = SUITES
SHOP = REPOSITORY / "fixtures" / "shop"
MONEY = """\
class Money:
    cents: int

    def add(self, other):
        return Money(self.cents + other.cents)

    def show(self):
        return f"{self.cents / 100:.2f}"
"""


def until(reading: Sequence[Excerpt], target: Target, *, suite: Any = SEMBLE, prefix: str = "") -> int | None:
    question = Question("?", "", (target,))
    return tokens_until_held(reading, question, Repository("", suite, Path(), prefix, (question,)))


def test_a_file_is_held_with_three_lines_of_it() -> None:
    reading = [
        Excerpt("a.py", range(1, 9), 10),
        Excerpt("src/b.py", range(3, 4), 20),
        Excerpt("src/b.py", range(3, 6), 25),
        Excerpt("src/b.py", range(5, 9), 40),
    ]
    assert until(reading, Target("src/b.py", range(0))) == 25
    assert until(reading, Target("b.py", range(0))) == 25
    assert until(reading, Target("lib/src/b.py", range(0)), prefix="lib/") == 25
    assert until(reading, Target("c/b.py", range(0))) is None


def test_lines_are_held_when_the_share_of_the_suite_was_read() -> None:
    reading = [
        Excerpt("a.py", range(1, 10), 10),
        Excerpt("a.py", range(10, 13), 20),
        Excerpt("a.py", range(10, 15), 30),
        Excerpt("a.py", range(17, 18), 40),
    ]
    function = Target("a.py", range(10, 20))
    assert until(reading, function) == 20
    assert until(reading, function, suite=COMMITS) == 30
    assert until(reading[:2], function, suite=COMMITS) is None
    assert until(reading[:1], function) is None


def test_the_first_of_several_targets_is_enough() -> None:
    question = Question("?", "", (Target("a.py", range(0)), Target("b.py", range(0))))
    repository = Repository("", SEMBLE, Path(), "", (question,))
    assert tokens_until_held([Excerpt("b.py", range(1, 4), 7)], question, repository) == 7


def test_grep_reads_files_with_most_different_words_first(tmp_path: Path) -> None:
    (tmp_path / "many.py").write_text("retry\n" * 9)
    (tmp_path / "both.py").write_text("def RetryPayment():\n    pass\n")
    (tmp_path / "none.py").write_text("nothing\n")
    (tmp_path / ".hidden.py").write_text("retry payment\n")
    (tmp_path / "binary.bin").write_bytes(b"retry payment\0")
    matches = ranked(source_files(tmp_path), "How is a payment retry done?")
    assert [match.file.path for match in matches] == ["both.py", "many.py"]
    first, second = read_files(matches)
    assert first == Excerpt("both.py", range(1, 4), tokens_of("both.py\ndef RetryPayment():\n    pass\n"))
    assert second.tokens == first.tokens + tokens_of("many.py\n" + "retry\n" * 9)


def test_lines_around_matches_are_read_once(tmp_path: Path) -> None:
    lines = [f"line {number}" for number in range(1, 201)]
    for number in (30, 60, 150):
        lines[number - 1] = "retry"
    (tmp_path / "a.py").write_text("\n".join(lines))
    excerpts = list(read_around(ranked(source_files(tmp_path), "retry")))
    assert [excerpt.lines for excerpt in excerpts] == [range(10, 81), range(130, 171)]
    assert excerpts[0].tokens == tokens_of("\n".join(["a.py", *lines[9:80]]))


def test_lines_of_an_answer_are_found_again_in_their_file() -> None:
    files = {"shop/money.py": MONEY.split("\n"), "notes.md": ["# Money"]}
    answer = """\
2 of 9 hits, index of today
shop/money.py:1-8 class Money
class Money:
    cents: int
    … 5 more lines
        return f"{self.cents / 100:.2f}"
notes.md:1 # Money
missing.py:1-2 function
class Money:
"""
    excerpts = excerpts_of_answer(answer, files)
    assert [(excerpt.path, excerpt.lines) for excerpt in excerpts] == [
        ("shop/money.py", range(1, 3)),
        ("shop/money.py", range(8, 9)),
    ]
    assert excerpts[0].tokens == tokens_of(answer[: answer.index("    …")])


def test_numbered_lines_of_an_answer_are_found() -> None:
    answer = "shop/money.py:4-5 method add\n4: def add(self, other):\n5:     return Money(self.cents + other.cents)"
    (excerpt,) = excerpts_of_answer(answer, {"shop/money.py": MONEY.split("\n")})
    assert excerpt.lines == range(4, 6)


def test_semble_is_read_hit_by_hit() -> None:
    hits = [
        {"file_path": "a.py", "start_line": 5, "end_line": 40, "score": 0.5, "content": "one\ntwo"},
        {"file_path": "b.py", "start_line": 1, "end_line": 1, "score": 0.4, "content": "three"},
    ]
    answer = {"query": "numbers", "results": hits}
    first, second = excerpts_of_semble(answer)
    assert (first.path, first.lines) == ("a.py", range(5, 7))
    assert first.tokens == tokens_of(json.dumps({**answer, "results": hits[:1]}))
    assert second.tokens == tokens_of(json.dumps(answer))


def row(way: str, budget: int, held: int | None, question: str = "?") -> Row:
    return Row("semble", "shop", question, "semantic", way, budget, held, 9000)


def test_shares_and_tokens_for_an_equal_share() -> None:
    rows = [row(CODERAG, budget, 300 if budget >= 1000 else None, "a") for budget in BUDGETS]
    rows += [row(CODERAG, budget, 3500 if budget >= 4000 else None, "b") for budget in BUDGETS]
    rows += [row(FILES, 0, 900, "a"), row(FILES, 0, 30_000, "b")]
    found = {(one.part, one.engine, one.name): one.median for one in figures_of(rows)}
    shares = [found["agent", CODERAG, f"within {budget:,}"] for budget in BUDGETS]
    assert shares == [0, 50, 50, 100, 100]
    assert [found["agent", FILES, f"within {step:,}"] for step in (500, 1000, 16_000, 32_000)] == [0, 50, 50, 100]
    assert found["agent", FILES, "median"] == 900
    equal = [found["agent, tokens for an equal share", FILES, f"as coderag within {budget:,}"] for budget in BUDGETS]
    assert equal == [0, 900, 900, 30_000, 30_000]


SHOP_QUESTIONS = [
    {"query": "TokenBucket", "relevant": ["shop/web/middleware.py"], "secondary": [], "category": "symbol"},
    {
        "query": "wait before a failed payment is tried again",
        "relevant": ["shop/payments/retry.py"],
        "category": "semantic",
    },
]


@pytest.fixture
def laid_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of question sets about the shop, which is laid out beside it."""
    sets = tmp_path / "sets" / "code"
    (sets / "annotations").mkdir(parents=True)
    entry = {"source": "example/shop", "revision": "1", "language": "python", "benchmark_root": "shop"}
    (sets / "repos.json").write_text(json.dumps({"shop": entry, "absent": entry}))
    (sets / "annotations" / "shop.json").write_text(json.dumps(SHOP_QUESTIONS))
    (sets / "run.py").touch()
    shutil.copytree(SHOP, tmp_path / "trees" / "semble" / "shop", ignore=shutil.ignore_patterns(".coderag*"))
    monkeypatch.setenv("CODERAG_BENCH", str(tmp_path / "trees"))
    return sets.parent


def benchmark(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(REPOSITORY / "scripts" / "benchmark.py"), "agent", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.dev("matplotlib")
def test_a_run_writes_tables_and_a_plot_and_is_resumed(laid_out: Path, tmp_path: Path) -> None:
    options = ("--sets", str(laid_out), "--cache", str(tmp_path / "cache"), "--docs", str(tmp_path / "docs"), "--json")
    done = benchmark(*options)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert [one["name"] for one in report["left_out"]] == ["absent"]
    found = {(one["engine"], one["name"]): one["median"] for one in report["figures"] if one["part"] == "agent"}
    assert found["coderag", "questions"] == 2
    assert found["coderag", "within 8,000"] == 100
    assert 0 < found["coderag", "median"] < found["grep, whole files", "median"]
    page = (tmp_path / "docs" / "agents-benchmark.md").read_text()
    assert "| within 8,000, % | 100 |" in page
    assert "<svg" in (tmp_path / "docs" / "agents-benchmark.svg").read_text()
    assert "semble, shop: coderag" in done.stderr
    again = benchmark(*options)
    assert again.stderr == ""
    assert json.loads(again.stdout)["figures"] == report["figures"]


@pytest.mark.slow
def test_what_is_unknown_is_told_in_a_line(laid_out: Path, tmp_path: Path) -> None:
    done = benchmark("--sets", str(laid_out), "--cache", str(tmp_path), "--only", "nonesuch")
    assert done.returncode == 2
    told = f"benchmark: 'nonesuch' is neither a suite nor a repository of the question sets in {laid_out}\n"
    assert done.stderr == told
    done = benchmark("--sets", str(laid_out), "--cache", str(tmp_path), "--only", "absent")
    assert done.returncode == 2
    assert done.stderr.startswith(f"benchmark: no repository is laid out in {tmp_path / 'trees'}; ")
