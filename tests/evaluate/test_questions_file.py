"""Files of questions: what they may say, and what a wrong line ends in."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag.errors import EvaluationError
from coderag.evaluate.question import JudgedQuestion, Wanted
from coderag.evaluate.questions_file import question_line, read_questions
from coderag.types import Span
from tests.workspace import REPOSITORY

GOOD = r"""
{"query": "add up prices", "relevant": ["src/cart.py", {"path": "src\\cart.go", "start_line": 4, "end_line": 6}]}
{"query": "total", "relevant": [{"symbol": "Cart.total"}, {"path": "./a.py", "name": "f"}], "kind": "symbol"}

{"query": "any of two", "relevant": [["a.go", {"path": "b.go", "start_line": 7}]], "category": "path", "language": "go"}
{"question": "revenue", "tables": ["sales.orders"], "evidence": "paid orders", "database": "shop"}
# how they were made
{"query": "how are dragons fed?", "answerable": false, "kind": "unanswerable"}
"""
BAD = {
    '{"query": "x", "answerable": false, "relevant": ["a.py"]}': 'yet something is "relevant"',
    '{"query": "x", "answerable": 0}': '"answerable" is 0; give true or false',
    '{"query": "x"': "not JSON",
    "[1]": 'give an object with "query" and "relevant", or with "question" and "tables"',
    '{"query": "x", "question": "x", "tables": ["t"]}': 'give an object with "query" and "relevant"',
    '{"query": " ", "relevant": ["a.py"]}': "the question is empty",
    '{"query": 1, "relevant": ["a.py"]}': '"query" is 1; give a text',
    '{"query": "x", "relevant": []}': '"relevant" is not a list of what answers the question',
    '{"query": "x", "relevent": ["a.py"]}': "unknown field 'relevent'; known are query, relevant",
    '{"query": "x", "relevant": [7]}': "7: what is relevant is a path",
    '{"query": "x", "relevant": [{"lines": 7}]}': "unknown field 'lines' of what is relevant",
    '{"query": "x", "relevant": [{}]}': 'it has neither "path" nor "symbol"',
    '{"query": "x", "relevant": [{"path": "a.py", "start_line": 9, "end_line": 2}]}': "lines begin with 1",
    '{"query": "x", "relevant": [{"symbol": "f", "start_line": 1}]}': "lines need a path",
    '{"question": "x", "tables": [{"name": "t"}]}': "a table is a text",
}


def test_every_form_is_read(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(GOOD)
    assert read_questions(file) == [
        JudgedQuestion(
            "add up prices",
            ((Wanted("src/cart.py"),), (Wanted("src/cart.go", Span(4, 6)),)),
            source="questions.jsonl:2",
        ),
        JudgedQuestion(
            "total",
            ((Wanted(symbol="Cart.total"),), (Wanted("a.py", symbol="f"),)),
            kind="symbol",
            source="questions.jsonl:3",
        ),
        JudgedQuestion(
            "any of two",
            ((Wanted("a.go"), Wanted("b.go", Span(7, 7))),),
            kind="path",
            language="go",
            source="questions.jsonl:5",
        ),
        JudgedQuestion(
            "revenue",
            ((Wanted(table="sales.orders"),),),
            kind="schema",
            evidence="paid orders",
            database="shop",
            source="questions.jsonl:6",
        ),
        JudgedQuestion("how are dragons fed?", (), kind="unanswerable", source="questions.jsonl:8"),
    ]


def test_written_questions_are_read_again(tmp_path: Path) -> None:
    file, again = tmp_path / "questions.jsonl", tmp_path / "again.jsonl"
    file.write_text(GOOD)
    questions = read_questions(file)
    again.write_text("\n".join(map(question_line, questions)))
    assert read_questions(again) == questions


def test_the_questions_of_the_fixtures_are_valid() -> None:
    questions = read_questions(REPOSITORY / "fixtures/questions.jsonl")
    assert len(questions) == 70
    assert {question.kind for question in questions} == {"symbol", "semantic", "architecture", "path"}


@pytest.mark.parametrize("line", BAD)
def test_a_wrong_line_is_named(line: str, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(f'{{"query": "good", "relevant": ["a.py"]}}\n{line}\n')
    with pytest.raises(EvaluationError) as raised:
        read_questions(file)
    assert str(raised.value).startswith(f"{file}:2: ")
    assert BAD[line] in str(raised.value)


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_a_file_without_questions_is_an_error(text: str, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(text)
    with pytest.raises(EvaluationError, match="has no questions"):
        read_questions(file)


def test_what_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="cannot be read: No such file"):
        read_questions(tmp_path / "missing.jsonl")
    (tmp_path / "odd.jsonl").write_bytes(b'{"query": "\xff\xfe", "relevant": ["a"]}')
    with pytest.raises(EvaluationError, match=r"odd\.jsonl:1: not JSON"):
        read_questions(tmp_path / "odd.jsonl")
