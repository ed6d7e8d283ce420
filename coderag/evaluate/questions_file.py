"""JSON lines to questions and back: {"query", "relevant", "kind"?, "language"?} or {"question", "tables", ...}."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from coderag.errors import EvaluationError
from coderag.evaluate.question import JudgedQuestion, Wanted
from coderag.files.named_file import read_named
from coderag.limits import (
    EVIDENCE,
    ITEMS,
    NAME,
    QUESTION,
    QUESTION_FILE,
    QUESTION_LINE,
    QUESTIONS,
    Limit,
    fault_of_text,
)
from coderag.types import Span

__all__ = ["question_line", "read_questions"]

CODE_FIELDS = ("query", "relevant", "answerable", "kind", "category", "language", "source")
SCHEMA_FIELDS = ("question", "tables", "evidence", "database", "kind", "category", "source")
COMMENT = b"#"  # in front of a line: how the questions were made
WANTED_FIELDS = ("path", "start_line", "end_line", "name", "symbol")


class _Bad(Exception):
    """What is wrong with a line."""


def read_questions(path: Path) -> list[JudgedQuestion]:
    """Return the questions of a file of JSON lines; raises EvaluationError with the number of a line that is wrong.

    `relevant` is a list of "path", {"path", "start_line"?, "end_line"?}, {"path", "name"} for a definition in a file,
    and {"symbol"} for one wherever it is; a list in it stands for places of which any will do. `category` is another
    word for `kind`. `answerable` is false where nothing in the repository answers. A line that begins with # is passed
    over.
    """
    raw = _read(path)
    questions: list[JudgedQuestion] = []
    for number, line in enumerate(raw.split(b"\n"), start=1):
        if not line.strip() or line.startswith(COMMENT):
            continue
        try:
            questions.append(_question(line, f"{path.name}:{number}"))
        except _Bad as error:
            raise EvaluationError(f"{path}:{number}: {error}") from None
        if len(questions) > QUESTIONS.most:
            raise EvaluationError(f"{path} has more than {QUESTIONS.most:,} questions; ask them in parts")
    if not questions:
        raise EvaluationError(f"{path} has no questions; write one JSON object a line")
    return questions


def question_line(question: JudgedQuestion) -> str:
    """Return a question as a line that `read_questions` reads."""
    record: dict[str, Any]
    if question.is_schema:
        record = {
            "question": question.text,
            "tables": [_any_of([wanted.table for wanted in p]) for p in question.wanted],
        }
        record |= {"evidence": question.evidence, "database": question.database}
    elif not question.is_answerable:
        record = {"query": question.text, "language": question.language}
    else:
        record = {"query": question.text, "relevant": [_any_of(list(map(_record, p))) for p in question.wanted]}
        record["language"] = question.language
    record |= {"kind": question.kind, "source": question.source}
    unanswerable = {} if question.is_answerable else {"answerable": False}
    return json.dumps({name: value for name, value in record.items() if value} | unanswerable)


def _read(path: Path) -> bytes:
    most = int(QUESTION_FILE.most)
    try:
        raw = read_named(path, most + 1)
    except OSError as error:
        raise EvaluationError(f"{path} cannot be read: {error.strerror}") from error
    if len(raw) > most:
        raise EvaluationError(f"{path} has more than {most:,} bytes; ask its questions in parts")
    return raw


def _any_of(places: list[Any]) -> Any:
    return places[0] if len(places) == 1 else places


def _record(one: Wanted) -> Mapping[str, Any]:
    if not one.path:
        return {"symbol": one.symbol}
    lines = {"start_line": one.span.start_line, "end_line": one.span.end_line} if one.span else {}
    return {"path": one.path, **lines, **({"name": one.symbol} if one.symbol else {})}


def _question(line: bytes, source: str) -> JudgedQuestion:
    """Return the judged question of a line; raises _Bad.

    {"query": "parse a date", "relevant": [{"path": "a.py"}]}   -> about code, answered by a.py
    {"question": "sales by region", "tables": ["sales"]}        -> about a schema, answered by sales
    """
    if len(line) > QUESTION_LINE.most:
        raise _Bad(f"a line of {len(line):,} bytes is no question")
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _Bad(f"not JSON: {error}") from error
    if not isinstance(row, dict) or ("query" in row) == ("question" in row):
        raise _Bad('give an object with "query" and "relevant", or with "question" and "tables"')
    is_schema = "question" in row
    known = SCHEMA_FIELDS if is_schema else CODE_FIELDS
    if unknown := sorted(row.keys() - set(known)):
        raise _Bad(f"unknown field {unknown[0]!r}; known are {', '.join(known)}")
    text = _text(row, "question" if is_schema else "query", limit=QUESTION)
    if not text.strip():
        raise _Bad("the question is empty")
    answers = row.get("tables" if is_schema else "relevant")
    if _is_unanswerable(row):
        return _judged(row, text, (), source=source)
    if not isinstance(answers, list) or not answers:
        raise _Bad(f'"{"tables" if is_schema else "relevant"}" is not a list of what answers the question')
    if len(answers) > ITEMS.most:
        raise _Bad(f"{len(answers):,} answers are more than {ITEMS.most:,}")
    return _judged(row, text, tuple(_places(answer, is_schema=is_schema) for answer in answers), source=source)


def _is_unanswerable(row: Mapping[str, Any]) -> bool:
    """Return whether nothing answers a question, by its own word."""
    answerable = row.get("answerable", True)
    if not isinstance(answerable, bool):
        raise _Bad(f'"answerable" is {answerable!r}; give true or false')
    if not answerable and row.get("relevant"):
        raise _Bad('it is not "answerable", and yet something is "relevant"')
    return not answerable


def _judged(
    row: Mapping[str, Any], text: str, wanted: tuple[tuple[Wanted, ...], ...], *, source: str
) -> JudgedQuestion:
    is_schema = "question" in row
    return JudgedQuestion(
        text,
        wanted,
        kind=_text(row, "kind") or _text(row, "category") or ("schema" if is_schema else ""),
        language=_text(row, "language"),
        evidence=_text(row, "evidence", limit=EVIDENCE),
        database=_text(row, "database"),
        source=_text(row, "source") or source,
    )


def _text(row: Mapping[str, Any], name: str, *, limit: Limit = NAME) -> str:
    value = row.get(name, "")
    if not isinstance(value, str):
        raise _Bad(f'"{name}" is {value!r}; give a text')
    if fault := fault_of_text(limit, value):
        raise _Bad(f'"{name}" {fault}')
    return value


def _places(answer: Any, *, is_schema: bool) -> tuple[Wanted, ...]:
    several: Iterable[Any] = answer if isinstance(answer, list) and answer else [answer]
    return tuple(_table(one) if is_schema else _wanted(one) for one in several)


def _table(answer: Any) -> Wanted:
    if not isinstance(answer, str) or not answer:
        _refuse(answer, "a table is a text, with schema and database or without")
    return Wanted(table=answer)


def _wanted(answer: Any) -> Wanted:
    if isinstance(answer, str) and answer:
        return Wanted(_relative(answer))
    if not isinstance(answer, dict):
        _refuse(answer, 'what is relevant is a path, {"path", "start_line", "end_line"}, or {"symbol"}')
    if unknown := sorted(answer.keys() - set(WANTED_FIELDS)):
        raise _Bad(f"unknown field {unknown[0]!r} of what is relevant; known are {', '.join(WANTED_FIELDS)}")
    path, symbol = _text(answer, "path"), _text(answer, "symbol") or _text(answer, "name")
    if not path and not symbol:
        _refuse(answer, 'it has neither "path" nor "symbol"')
    return Wanted(_relative(path), _span(answer), symbol)


def _relative(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./")


def _span(answer: Mapping[str, Any]) -> Span | None:
    lines = [answer.get("start_line"), answer.get("end_line")]
    if lines == [None, None]:
        return None
    start, end = lines[0], lines[0] if lines[1] is None else lines[1]
    if type(start) is not int or type(end) is not int or not 1 <= start <= end:
        _refuse(answer, "lines begin with 1, and the last is not before the first")
    if not answer.get("path"):
        _refuse(answer, "lines need a path")
    return Span(start, end)


def _refuse(answer: Any, why: str) -> NoReturn:
    raise _Bad(f"{json.dumps(answer)[:200]}: {why}")
