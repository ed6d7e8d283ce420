"""`coderag eval` on real folders: figures, comparisons, questions made of commits and documentation, and mistakes."""

from __future__ import annotations

import json
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from coderag import Index
from coderag.evaluate.from_docstrings import docstring_questions
from tests.cli.conftest import COLOUR, REPOSITORY, Run

pytestmark = [pytest.mark.slow, pytest.mark.dev("ir_measures", "matplotlib")]

QUESTIONS = REPOSITORY / "fixtures/questions.jsonl"
MEASURES = ["nDCG@10", "MRR@10", "recall@10", "precision@10", "success@1"]


@pytest.fixture(scope="module")
def undocumented(tmp_path_factory: pytest.TempPathFactory, shop: Path) -> Path:
    """An index of the example application without its documentation."""
    folder = tmp_path_factory.mktemp("undocumented")
    docstring_questions(shop, folder / "shop", 1)
    Index.build(folder / "shop", index=folder / "index", workers=0)
    return folder / "index"


def evaluation(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_file_of_questions_is_measured(coderag: Run, shop: Path) -> None:
    done = coderag("eval", QUESTIONS, "--by", "kind", cwd=shop)
    assert done.returncode == 0, done.stderr
    figures, confidence, reliability = done.stdout.split("\n\n")[1:]
    first = done.stdout.splitlines()[0]
    head, *rows = figures.splitlines()
    assert first == f"70 questions of {QUESTIONS}"
    assert head.split() == ["Questions", "Search", "Number", *MEASURES, "p50", "ms", "p90", "ms"]
    assert [row.split()[:3] for row in rows] == [
        ["all", "default", "70"],
        ["architecture", "default", "7"],
        ["path", "default", "8"],
        ["semantic", "default", "38"],
        ["symbol", "default", "17"],
    ]
    head, overall, *_ = confidence.splitlines()
    assert head.split()[4:] == ["Search", "Number", "Right", "Confidence", "AUC", "ECE", "Brier"]
    assert overall.split()[:3] == ["all", "default", "70"]
    assert overall.split()[3] == rows[0].split()[11]  # success@1 is the share of right first hits
    head, *bins = reliability.splitlines()
    assert head.split() == ["Reliability", "Search", "Number", "Confidence", "Right"]
    assert [row.split()[4] for row in bins] == ["7"] * 10


def test_the_figures_as_json(coderag: Run, shop: Path) -> None:
    found = evaluation(coderag("eval", QUESTIONS, "--json", "--sample", "30", "-k", "5", cwd=shop))
    assert set(found) == {"source", "k", "seed", "scopes"}
    assert found["source"] == {"from": "file", "questions": 30}
    assert list(found["scopes"]) == ["everywhere"]
    (figures,) = found["scopes"]["everywhere"]["figures"]
    assert set(figures) == {"configuration", "group", "questions", "measures", "p50", "p90", "confidence"}
    assert (figures["configuration"], figures["group"], figures["questions"]) == ("default", "all", 30)
    assert list(figures["measures"]) == ["nDCG@5", "MRR@5", "recall@5", "precision@5", "success@1"]
    for one in figures["measures"].values():
        assert 0 <= one["low"] < one["mean"] < one["high"] <= 1
    assert 0 < figures["p50"] <= figures["p90"]
    again = evaluation(coderag("eval", QUESTIONS, "--json", "--sample", "30", "-k", "5", cwd=shop))
    assert again["scopes"]["everywhere"]["figures"][0]["measures"] == figures["measures"]
    other = evaluation(coderag("eval", QUESTIONS, "--json", "--sample", "30", "-k", "5", "--seed", "2", cwd=shop))
    assert other["scopes"]["everywhere"]["figures"][0]["measures"] != figures["measures"]


def test_two_searches_are_compared(coderag: Run, shop: Path, undocumented: Path) -> None:
    done = coderag("eval", QUESTIONS, "--compare", undocumented, "-v", cwd=shop)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    compared = next(line.split() for line in lines if line.startswith("all") and " to " in line)
    name, difference, low, _, high, p, *counts = compared[1:]
    assert name == str(undocumented)
    assert float(low) < float(difference) < min(float(high), 0)
    assert 0 < float(p) <= 1
    assert sum(map(int, counts)) == 70
    differing = next(line for line in lines if "questions differ, losses first" in line)
    assert differing == f"{undocumented}: {int(counts[0]) + int(counts[2])} questions differ, losses first"
    changes = [line.split()[:3] for line in lines if " -> " in line and "questions.jsonl:" in line]
    assert len(changes) == int(counts[0]) + int(counts[2])
    losses = [float(before) - float(after) for before, _, after in changes]
    rounding = 0.0015  # each of the two is shown with three digits
    assert all(later <= earlier + rounding for earlier, later in pairwise(losses))


def test_an_index_compared_with_itself_is_a_tie(coderag: Run, shop: Path) -> None:
    command = ("eval", QUESTIONS, "--compare", f"index={shop / '.coderag'}", "--json", "-v", "--by", "language")
    found = evaluation(coderag(*command, cwd=shop))["scopes"]["everywhere"]
    for one in found["compared"]:
        for each in one["measures"].values():
            assert (each["p"], each["wins"], each["losses"]) == (1.0, 0, 0)
    assert found["differences"] == []
    assert {"go", "python", "sql", "typescript"} <= {one["group"] for one in found["figures"]}


@pytest.mark.dev("bm25s")
def test_a_baseline_is_compared_and_has_no_confidence(coderag: Run, shop: Path) -> None:
    command = ("eval", QUESTIONS, "--compare", "bm25s", "--json", "--sample", "20")
    found = evaluation(coderag(*command, cwd=shop))["scopes"]["everywhere"]
    own, other = found["figures"]
    assert [own["configuration"], other["configuration"]] == ["default", "bm25s"]
    assert own["measures"]["nDCG@10"]["mean"] > other["measures"]["nDCG@10"]["mean"] > 0
    assert own["confidence"]["questions"] == sum(part["questions"] for part in own["confidence"]["bins"]) == 20
    assert other["confidence"] is None


def test_a_baseline_answers_no_questions_about_tables(coderag: Run, shop: Path, tmp_path: Path) -> None:
    questions = tmp_path / "data.jsonl"
    questions.write_text('{"question": "which customers ordered most", "tables": ["orders"]}\n')
    done = coderag("eval", questions, "--compare", "bm25s", cwd=shop)
    assert (done.returncode, done.stdout) == (2, "")
    assert "bm25s answers no questions about tables; ask it about code alone" in done.stderr


def test_questions_about_data_rank_tables(coderag: Run, shop: Path, tmp_path: Path) -> None:
    questions = tmp_path / "data.jsonl"
    questions.write_text(
        '{"question": "which customers ordered most", "tables": ["orders", "customers"]}\n'
        '{"question": "invoices of a year", "tables": ["invoices"]}\n'
        '{"query": "orders", "relevant": [{"path": "schema/schema.sql"}], "kind": "path"}\n'
    )
    done = coderag("eval", questions, "--json", "--by", "kind", cwd=shop)
    by_group = {one["group"]: one for one in evaluation(done)["scopes"]["everywhere"]["figures"]}
    assert {name: one["questions"] for name, one in by_group.items()} == {"all": 3, "path": 1, "schema": 2}
    assert by_group["schema"]["measures"]["recall@10"]["mean"] == 1


def test_what_the_index_has_not_is_told(coderag: Run, shop: Path, tmp_path: Path) -> None:
    questions = tmp_path / "odd.jsonl"
    questions.write_text(
        '{"query": "retry", "relevant": ["shop/payments/retry.py", "shop/nowhere.py"]}\n'
        '{"query": "gone", "relevant": [{"symbol": "NoSuchThing"}]}\n'
        '{"question": "gone too", "tables": ["no_such_table"]}\n'
    )
    done = coderag("eval", questions, cwd=shop)
    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        "coderag: not in the index: odd.jsonl:1: shop/nowhere.py",
        "coderag: not in the index: odd.jsonl:2: NoSuchThing",
        "coderag: not in the index: odd.jsonl:3: no_such_table",
        "coderag: 2 questions left out: the index has nothing of what answers them",
    ]
    questions.write_text('{"query": "gone", "relevant": ["gone.py"]}\n')
    done = coderag("eval", questions, cwd=shop)
    assert (done.returncode, done.stdout) == (1, "")
    assert "there is nothing to ask: 1 question of" in done.stderr


def test_documentation_asks(coderag: Run, shop: Path, tmp_path: Path) -> None:
    command = ("eval", "--from-docstrings", "--kind", "function,method", "--group-by-folder", "--sample", "5")
    done = coderag(*command, "--by", "folder", "--save", tmp_path / "made.jsonl", cwd=shop)
    assert done.returncode == 0, done.stderr
    assert "whose documentation is hidden; not asked: " in done.stdout
    everywhere, own = done.stdout.split("In its own folder\n")
    assert "Everywhere\n" in everywhere
    folders = {row.split()[0] for row in own.partition("\n\n")[0].splitlines()[1:]}
    assert {"all", "shop", "worker"} <= folders
    made = (tmp_path / "made.jsonl").read_text().splitlines()
    assert done.stdout.startswith(f"{len(made)} questions of ")
    assert coderag("eval", tmp_path / "made.jsonl", cwd=shop).returncode == 0


def test_commits_ask(coderag: Run, tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()

    def commit(subject: str, text: str) -> None:
        (root / "cart.py").write_text(text)
        who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        subprocess.run(["git", "-C", root, "add", "cart.py"], check=True)
        subprocess.run(["git", *who, "-C", root, "commit", "-q", "-m", subject], check=True)

    subprocess.run(["git", "init", "-q", root], check=True)
    commit("Begin with a cart", "def total(prices):\n    return 0\n")
    commit("Add up the prices of all goods", "def total(prices):\n    return sum(prices)\n")
    done = coderag("eval", "--from-git", cwd=root)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == (
        "1 question of 2 commits (50%); 100% of the 1 function that they changed are still there; "
        "not used: 1 no commit before it"
    )
    assert "1.000 ±0.000" in done.stdout
    done = coderag("eval", "--from-git", "--since", "HEAD", cwd=root)
    assert (done.returncode, done.stderr) == (2, f"coderag: {root} has no commit since 'HEAD' that changes something\n")


@pytest.mark.parametrize(("ending", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_quality_and_latency_are_drawn(ending: str, start: bytes, coderag: Run, shop: Path, tmp_path: Path) -> None:
    picture = tmp_path / f"quality.{ending}"
    command = ("eval", QUESTIONS, "--sample", "5", "--plot", picture, "--compare", f"index={shop / '.coderag'}")
    done = coderag(*command, cwd=shop)
    assert done.returncode == 0, done.stderr
    assert picture.read_bytes().startswith(start)
    if ending == "svg":
        assert "Quality and latency over 5 questions" in picture.read_text()


def test_a_terminal_gets_a_drawn_table(coderag: Run, shop: Path) -> None:
    done = coderag("eval", QUESTIONS, "--sample", "5", "--color", "always", cwd=shop)
    assert "────" in done.stdout
    assert COLOUR.sub("", done.stdout).splitlines()[0] == f"5 questions of {QUESTIONS}"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "one of the arguments QUESTIONS.jsonl --from-git --from-docstrings is required"),
        (("missing.jsonl",), "missing.jsonl cannot be read: No such file or directory"),
        (("README.md",), "README.md:3: not JSON"),
        (("--from-git",), "cannot read the history of"),
        ((QUESTIONS, "--model", "ollama:qwen3"), "--model is about answers; give it with --answers"),
        ((QUESTIONS, "--answers", "--plot", "a.svg"), "--plot is about searches; give it without --answers"),
        ((QUESTIONS, "--answers", "--model", "qwen3"), "no language model is called 'qwen3'"),
        (("--from-docstrings", "--since", "HEAD"), "--since is about commits; give it with --from-git"),
        ((QUESTIONS, "--compare", "nowhere"), "'nowhere' is neither a list of name=value nor the folder of an index"),
        ((QUESTIONS, "--compare", "colour=red"), "unknown setting 'colour'; known are "),
        ((QUESTIONS, "--compare", "index=x", "--compare", "index=x"), "--compare names a configuration twice"),
        ((QUESTIONS, "--compare", "index=missing"), "there is no index at "),
        (
            (QUESTIONS, "--sample", "2", "--plot", "a.gif"),
            "a.gif is no picture that can be drawn; name it .svg or .png",
        ),
        ((QUESTIONS, "--plot", "no/a.svg"), "no/a.svg cannot be drawn: there is no folder no"),
        ((QUESTIONS, "--compare", "program=no-such-program {root}"), "no-such-program cannot be run: No such file"),
        ((QUESTIONS, "--kind", "poem"), "unknown kind 'poem'"),
        ((QUESTIONS, "--sample", "2", "-k", "0"), "-k: 0 is less than 1"),
    ],
)
def test_mistakes_end_in_one_line(arguments: tuple[str | Path, ...], said: str, coderag: Run, shop: Path) -> None:
    done = coderag("eval", *arguments, cwd=shop)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


ANSWERS = (
    {
        "query": "where are failed payments retried?",
        "relevant": [{"symbol": "PaymentRetrier.retry_failed"}],
        "kind": "how",
    },
    {"query": "how are dragons fed?", "answerable": False, "kind": "none"},
)


def test_answers_are_measured(coderag: Run, shop: Path, tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text("# two questions\n" + "\n".join(map(json.dumps, ANSWERS)))
    done = coderag("eval", file, "--answers", "--by", "kind", "-v", cwd=shop)
    assert done.returncode == 0, done.stderr
    first, quality, cost, wrong = done.stdout.rstrip().split("\n\n")
    assert first == f"2 questions of {file}"
    assert any(row.split()[:5] == ["all", "abstention", "recall", "1", "1.000"] for row in quality.splitlines())
    assert [row.split()[:5] for row in cost.splitlines()[1:]] == [
        ["all", "2", "1", "1", "0"],
        ["how", "1", "0", "0", "0"],
        ["none", "1", "1", "1", "0"],
    ]
    assert wrong == "0 of 2 questions are answered wrongly"
    found = evaluation(coderag("eval", file, "--answers", "--json", "-v", "--pipeline", "naive", cwd=shop))
    (figures,) = found["figures"]
    assert figures["abstained"] == 0  # without correction nothing is refused
    assert figures["measures"]["abstention recall"]["value"]["mean"] == 0
    assert [one["verdict"] for one in found["answers"]] == ["found", "found"]
    assert found["answers"][0]["sources"]
