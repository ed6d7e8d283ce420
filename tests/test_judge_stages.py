"""scripts/judge_stages.py compares pipelines with and without a stage on sets of judged questions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from coderag import Index
from scripts.stages.command import run
from tests.workspace import write

pytestmark = pytest.mark.dev("ir_measures")

FILES = {
    "src/mail.py": 'def send_parcel_mail(parcel):\n    """Mail a customer about a parcel."""\n    return parcel.mail\n',
    "src/refund.py": 'def refund_order(order):\n    """Refund an order."""\n    order.refund()\n    return order\n',
    "src/stock.py": 'def count_stock(goods):\n    """Count what is in the store."""\n    return len(goods)\n',
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a folder of sets with one repository and two questions, and that of the indexed repositories."""
    folder = tmp_path_factory.mktemp("stages")
    questions = [
        {"query": "where are shoppers told of late parcels", "relevant": ["src/mail.py"]},
        {
            "query": "refund_order",
            "relevant": [{"path": "src/refund.py", "start_line": 1, "end_line": 4}],
            "secondary": [{"path": "src/stock.py"}],
        },
    ]
    sets = {
        "code/repos.json": json.dumps({"tiny": {"benchmark_root": "src"}, "absent": {}}),
        "code/annotations/tiny.json": json.dumps(questions),
    }
    write(folder / "sets", sets)
    Index.build(write(folder / "indexed/semble/tiny", FILES) / "src", workers=0)
    return folder / "sets", folder / "indexed"


@pytest.mark.parametrize("what", ["rank", "context"])
def test_stages_are_compared(folders: tuple[Path, Path], what: str, capsys: pytest.CaptureFixture[str]) -> None:
    sets, indexed = map(str, folders)
    assert run([what, "--sets", sets, "--indexed", indexed, "--suite", "semble"]) == 0
    printed = capsys.readouterr().out.split("\n")
    assert printed[0].startswith("absent is left out: ")
    (first, *_) = [line for line in printed if "questions, without" in line]
    assert "all: 2 questions, without" in first
    names = ["expand", "multi_query", "hyde", "step_back"] if what == "rank" else ["small_to_big", "compress"]
    for name in names:
        assert any(line.startswith(f"  {name} ") and " p 1.000 " in line for line in printed)


@pytest.mark.slow
def test_tables_that_the_sources_define_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = [
        {"db_id": "Shop", "question": "how many parcels are there?", "gold_tables": ["parcels"]},
        {"db_id": "Shop", "question": "which parcels has a customer?", "gold_tables": ["main.Parcels", "invoices"]},
        {"db_id": "elsewhere", "question": "no such database", "gold_tables": ["parcels"]},
    ]
    schema = "CREATE TABLE parcels (id INTEGER, weight INTEGER);\nCREATE TABLE invoices (number TEXT, cents INTEGER);\n"
    items = "\n".join(map(json.dumps, asked))
    sets = write(tmp_path, {"sql/ddl/kaggledbqa/shop.sql": schema, "sql/items/kaggledbqa.jsonl": items})
    assert run(["data", "--sets", str(sets), "--set", "kaggledbqa"]) == 0
    printed = capsys.readouterr().out.split("\n")
    assert printed[0] == "kaggledbqa, tables held, all: 2 questions, without 75.0"
    assert [line.split()[0] for line in printed[1:5]] == ["expand", "multi_query", "hyde", "step_back"]
    assert "all sets, tables held, all: 2 questions, without 75.0" in printed


def test_a_half_without_repositories_is_empty(folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    sets, indexed = map(str, folders)
    for half in ("tuning", "measuring"):
        run(["rank", "--sets", sets, "--indexed", indexed, "--suite", "semble", "--half", half])
    printed = capsys.readouterr().out
    assert "2 questions" in printed
    assert "no questions" in printed


@pytest.mark.slow
def test_questions_are_joined_and_cut(
    folders: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repositories = (folders[0] / "code/repos.json").read_text(encoding="utf-8")
    questions = [
        {"query": "how is a parcel mail sent", "relevant": ["src/mail.py"]},
        {"query": "where is an order refunded", "relevant": ["src/refund.py"]},
    ]
    write(tmp_path, {"code/repos.json": repositories, "code/annotations/tiny.json": json.dumps(questions)})
    assert run(["compound", "--sets", str(tmp_path), "--indexed", str(folders[1]), "--suite", "semble"]) == 0
    printed = capsys.readouterr().out
    assert "two questions in one, targets held in 2,000 tokens, all: 12 questions" in printed
    assert "joined by semicolon, all: 2 questions" in printed
    single = printed[printed.index("single questions") :]
    assert "acts on   0%" in single
