"""`coderag search` with patterns: every match as text, JSON, quickfix lines and counts."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cli.conftest import COLOUR, Run
from tests.commands import run_here

pytestmark = pytest.mark.slow
needs_re2 = pytest.mark.skipif(find_spec("re2") is None, reason="google-re2 is not installed")


@pytest.fixture(scope="module")
def coderag() -> Run:
    """Run commands in this process."""
    return run_here


def test_a_phrase_shows_its_lines_and_counts_all(coderag: Run, shop: Path) -> None:
    done = coderag("search", '"retry_failed" file:retry.py', cwd=shop)
    assert done.returncode == 0
    assert done.stdout.startswith("shop/payments/retry.py:68  method PaymentRetrier.retry_failed\n")
    assert "    68      def retry_failed(self, size: int = 50) -> RetryReport:\n" in done.stdout
    assert "why: defines PaymentRetrier.retry_failed; 1 match\n" in done.stdout
    assert done.stderr == "coderag: 1 match in 1 file; 1 of 1 definition shown\n"


def test_a_phrase_that_nothing_has_is_a_quotation_beside_words(coderag: Run, shop: Path) -> None:
    done = coderag("search", 'payment failed order "zz3f"', "-k", "1", cwd=shop)
    assert (done.returncode, bool(done.stdout)) == (0, True)
    assert done.stderr == "coderag: no match for 'zz3f' in the indexed files; its words find:\n"
    batch = coderag("search", "--batch", cwd=shop, stdin='{"query": "payment failed order \\"zz3f\\"", "k": 1}\n')
    assert json.loads(batch.stdout)[0]["path"] == done.stdout.partition(":")[0]
    for arguments in (['"zz3f"'], ["--literal", "zz3f"], ["--count", 'payment failed "zz3f"']):
        nothing = coderag("search", *arguments, cwd=shop)
        assert (nothing.returncode, nothing.stdout) == (1, "")


def test_matches_are_painted_on_a_terminal(coderag: Run, shop: Path) -> None:
    shown = coderag("search", "--literal", "retry_failed", "--color", "always", cwd=shop).stdout
    assert "def \x1b[1;31mretry_failed\x1b[0m(self" in shown
    assert COLOUR.sub("", shown) == coderag("search", "--literal", "retry_failed", cwd=shop).stdout


def test_a_literal_is_no_query(coderag: Run, shop: Path) -> None:
    done = coderag("search", "--literal", 'lang:go "x"', cwd=shop)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "coderag: no match for 'lang:go \"x\"' in the indexed files\n"


def test_vimgrep_has_a_line_for_each_match(coderag: Run, shop: Path) -> None:
    lines = coderag("search", "--literal", "return", "--vimgrep", "-k", "1000", cwd=shop).stdout.splitlines()
    counts = coderag("search", "--literal", "return", "--count", cwd=shop).stdout.splitlines()
    assert len(lines) == len(set(lines)) == sum(int(line.rpartition(":")[2]) for line in counts)
    path, line, column, text = lines[0].split(":", 3)
    assert (shop / path).read_text().splitlines()[int(line) - 1] == text
    assert text[int(column) - 1 :].lower().startswith("return")


def test_json_has_the_matches(coderag: Run, shop: Path) -> None:
    [hit] = json.loads(coderag("search", "--literal", "def retry_failed", "--json", cwd=shop).stdout)
    assert hit["matches"] == [{"line": 68, "column": 5, "length": len("def retry_failed")}]
    [file] = json.loads(coderag("search", "--literal", "def retry_failed", "--count", "--json", cwd=shop).stdout)
    assert (file["path"], file["count"]) == ("shop/payments/retry.py", 1)


def test_case_is_smart_unless_it_is_said(coderag: Run, shop: Path) -> None:
    def count(*options: str) -> int:
        lines = coderag("search", *options, "--count", cwd=shop).stdout.splitlines()
        return sum(int(line.rpartition(":")[2]) for line in lines)

    lower, capital = count("--literal", "order", "--case-sensitive"), count("--literal", "Order")
    assert 0 < lower < lower + capital <= count("--literal", "order")
    assert count("--literal", "Order", "-i") == count("--literal", "order") == count('"order"')


def test_batch_lines_are_in_the_query_language(coderag: Run, shop: Path) -> None:
    lines = ['{"query": "\\"retry_failed\\" kind:method", "k": 1}', '{"query": "kind:methd x"}']
    first, second = map(json.loads, coderag("search", "--batch", cwd=shop, stdin="\n".join(lines)).stdout.splitlines())
    assert first[0]["name"] == "retry_failed"
    assert second["error"].startswith('column 1 of the query: unknown kind "methd", did you mean "method"; ')


def test_counting_nothing_is_refused(coderag: Run, shop: Path) -> None:
    done = coderag("search", "retry", "--count", cwd=shop)
    assert (done.returncode, done.stdout) == (2, "")
    assert '--count counts matches; give --literal, --regex, "a phrase" or /regex/' in done.stderr


@needs_re2
def test_an_expression_finds_all(coderag: Run, shop: Path) -> None:
    done = coderag("search", "--regex", r"def retry_\w+\(", "--vimgrep", cwd=shop)
    assert done.stdout.startswith("shop/payments/retry.py:68:5:    def retry_failed(self, size: int = 50)")
    wrong = coderag("search", "--regex", "(retry", cwd=shop)
    assert (wrong.returncode, wrong.stderr) == (
        2,
        "coderag: the regular expression '(retry' is not valid: missing ): (retry, at column 1\n",
    )
