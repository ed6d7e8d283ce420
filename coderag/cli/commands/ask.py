"""`coderag ask`: a question to what the indexed files say about it, each statement with its source."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator

from coderag.api.index import Index
from coderag.api.records import json_line
from coderag.ask.agentic.records import Limits
from coderag.ask.records import Answer, Part, Statement, Verdict
from coderag.ask.source import Source
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.filters import filters_of
from coderag.cli.opening import note, open_for_caller
from coderag.cli.output.text import Screen, Style, screen, shorten, visible
from coderag.cli.roots import Paths
from coderag.errors import QueryError
from coderag.search.query.query import check_question
from coderag.text.counted import counted
from coderag.text.visible import visible_prose

__all__ = ["run"]

QUOTE_MARK = "│"
MAX_FAULT = 300  # characters
SPACES = re.compile(r"\s+")


def run(options: argparse.Namespace) -> int:
    """Print the answer; 1 when the evidence carries none."""
    _check_options(options)
    if options.sql:
        from coderag.cli.commands import ask_sql  # which needs much that an answer in words does not

        return ask_sql.run(options)
    question = " ".join(options.question)
    check_question(question, k=options.k)
    index = open_for_caller(options)
    answer = _answer(question, index, options)
    if options.json:
        print(json_line(answer))
        return FOUND if answer.is_found else NOTHING
    shown = screen(options.color)
    print("\n".join(_lines(answer, index, shown)))
    if options.trace:
        print("\n".join(["", *_trace(answer, shown)]))
    if not answer.is_found:
        note(_why(answer))
    return FOUND if answer.is_found else NOTHING


def _check_options(options: argparse.Namespace) -> None:
    """Raise QueryError for options of a conversation where there is none."""
    if options.session is None and (options.pin or options.unpin):
        raise QueryError("--pin and --unpin are of a conversation; add --session NAME")
    if options.session is not None and options.sql:
        raise QueryError("--sql takes no --session: each question stands alone there")


def _answer(question: str, index: Index, options: argparse.Namespace) -> Answer:
    """Return the answer; with --session, of a conversation that goes on with it."""
    session = None if options.session is None else index.session(options.session)
    if session is not None:
        session.unpin(options.unpin)
        session.pin(options.pin, index)
    filters = filters_of(options)
    answer = index.ask(
        question,
        k=options.k,
        budget=options.budget,
        pipeline=options.pipeline or "",
        paths=filters.paths,
        databases=filters.databases,
        languages=filters.languages,
        kinds=filters.kinds,
        tests=filters.tests,
        model=options.model,
        watch=_draft if options.model and sys.stderr.isatty() else None,
        conversation=None if session is None else session.read(),
        cache=not options.no_cache,
        limits=Limits(**options.limits),
    )
    if options.limits and not any(step.stage == "agentic" for step in answer.trace):
        note("no stage called tools; --limits counts with --pipeline agentic")
    if session is not None:
        session.add(answer, index, model=options.model or "")
        if answer.read_as:
            note(f"the question is read as: {visible(answer.read_as)}")
    return answer


def _draft(piece: str) -> None:
    """Show what a model writes while it writes it; what stays of it is printed once it is checked."""
    print("\n".join(map(visible_prose, piece.split("\n"))), end="", file=sys.stderr, flush=True)


def _lines(answer: Answer, index: Index, shown: Screen) -> Iterator[str]:
    paths = Paths(index.roots)
    if not answer.is_found:
        yield shown.paint("not found", Style.BAD)
        yield from (_elsewhere(part, shown) for part in answer.parts if part.elsewhere)
        if answer.nearest:
            yield ""
            yield shown.paint("nearest", Style.TITLE)
    if answer.text:
        yield from (visible_prose(line) for line in answer.text.split("\n"))
        yield from (_found_in(part, shown) for part in answer.parts if part.found_in)
    for number, part in enumerate(answer.parts if answer.is_found and not answer.text else ()):
        if len(answer.parts) > 1:
            yield from [*([""] if number else []), shown.paint(visible(part.text), Style.TITLE)]
        yield from _part(answer, part, number, shown)
    if answer.sql:
        yield from _sql(answer, shown)
    if answer.is_found:
        yield from ["", shown.paint("sources", Style.TITLE)]
    for source in answer.sources or answer.nearest:
        mark = f"[{source.number}] " if answer.is_found else "  "
        yield f"{mark}{_place(source, paths, shown)}"
    if answer.further:
        yield from ["", shown.paint("near them", Style.TITLE)]
        yield from (f"  {_place(source, paths, shown)}" for source in answer.further)


def _place(source: Source, paths: Paths, shown: Screen) -> str:
    lines = f"{source.start_line}" + (f"-{source.end_line}" if source.end_line > source.start_line else "")
    path = visible(paths.of(source.path, source.repository))
    place = f"{shown.paint(path, Style.PATH)}:{shown.paint(lines, Style.LINE)}"
    return place + (f"  {shown.paint(visible(source.name), Style.DIM)}" if source.name else "")


def _part(answer: Answer, part: Part, number: int, shown: Screen) -> Iterator[str]:
    if part.verdict is Verdict.NOT_FOUND:
        yield shown.paint(f"not found{_lacking(part)}", Style.BAD)
        yield from [_elsewhere(part, shown)] if part.elsewhere else []
        return
    for statement in (*answer.statements, *answer.facts):
        if statement.part == number:
            yield from _statement(statement, shown)
    if part.found_in:
        yield _found_in(part, shown)
    if part.uncovered:
        yield shown.paint(f"The sources say nothing of: {visible(', '.join(part.uncovered))}", Style.DIM)


def _found_in(part: Part, shown: Screen) -> str:
    return shown.paint(f"Found in {visible(part.found_in)}", Style.DIM)


def _elsewhere(part: Part, shown: Screen) -> str:
    return shown.paint(f"Without --path, {visible(part.elsewhere)} would answer", Style.DIM)


def _statement(statement: Statement, shown: Screen) -> Iterator[str]:
    yield f"- {''.join(_pieces(statement, shown))}"
    for quote in statement.quotes:
        yield shown.paint(f"    {QUOTE_MARK} {shorten(visible(quote), max(shown.width - 6, 1))}", Style.DIM)


def _pieces(statement: Statement, shown: Screen) -> Iterator[str]:
    for text, numbers in statement.pieces():
        yield SPACES.sub(" ", visible(text))
        if numbers:
            yield f" {shown.paint(''.join(f'[{number}]' for number in numbers), Style.LINE)}"


def _sql(answer: Answer, shown: Screen) -> Iterator[str]:
    yield from ["", f"{shown.paint('SQL', Style.TITLE)}  {shown.paint(visible(answer.sql_origin), Style.DIM)}"]
    yield from (f"    {visible(line)}" for line in answer.sql.split("\n"))


def _trace(answer: Answer, shown: Screen) -> Iterator[str]:
    yield f"{shown.paint('trace', Style.TITLE)}  {' > '.join(answer.pipeline)}"
    yield from (f"  {shown.paint(step.stage, Style.KIND)}: {visible(step.said)}" for step in answer.trace)


def _lacking(part: Part) -> str:
    if part.unknown:
        return f": no indexed file has {visible(', '.join(repr(word) for word in part.unknown))}"
    return ""


def _why(answer: Answer) -> str:
    """Return why nothing answers, and what to do."""
    if answer.faults:
        return f"the sources do not carry what the model says: {shorten(visible(answer.faults[0]), MAX_FAULT)}"
    unknown = [word for part in answer.parts for word in part.unknown]
    if unknown:
        words = ", ".join(visible(repr(word)) for word in unknown)
        return f"no indexed file has {words}; ask in other words, or see coderag search"
    return f"{counted(len(answer.nearest), 'hit')}, none of which is likely to answer this; see coderag search"
