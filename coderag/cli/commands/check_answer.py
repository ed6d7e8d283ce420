"""`coderag check-answer`: a text that cites code to its sentences and how far they are supported."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from coderag.api.records import json_line
from coderag.ask.checking import AnswerCheck, CheckedSentence, Severity, Verdict
from coderag.ask.checking.read_sources import read_sources
from coderag.ask.source import Source
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.groups import callers
from coderag.cli.opening import note, open_graph_for_caller
from coderag.cli.output.text import Screen, Style, screen, shorten, visible
from coderag.errors import AccessError, QueryError
from coderag.files.named_file import read_named
from coderag.limits import ANSWER, QUESTION_FILE
from coderag.text.counted import counted

__all__ = ["run"]

STYLES = {Verdict.SUPPORTED: Style.GOOD, Verdict.PARTLY: Style.KIND, Verdict.NO_CLAIM: Style.DIM}
SHOWN = 160  # characters of a sentence


def run(options: argparse.Namespace) -> int:
    """Print the verdict of each sentence; 1 if a claim is not supported."""
    if callers(options) and options.file != "-":
        raise AccessError('a caller of groups gives the answer on stdin: "coderag check-answer -"')
    text = _read(options.file, int(ANSWER.most))
    sources = _sources(options)
    check = open_graph_for_caller(options).check_answer(text, sources)
    if options.json:
        print(json_line(check))
    else:
        shown = screen(options.color)
        for sentence in check.sentences:
            if sentence.verdict is not Verdict.NO_CLAIM:
                print("\n".join(_lines(sentence, shown)))
        note(_summary(check))
    return FOUND if check.is_supported else NOTHING


def _sources(options: argparse.Namespace) -> list[Source]:
    if not options.sources:
        return []
    if callers(options):
        raise AccessError("--sources reads a file, which is for who may see all")
    if options.sources == "-" and options.file == "-":
        raise QueryError("the answer and the sources are both stdin; give one of them as a file")
    return read_sources(_read(options.sources, int(QUESTION_FILE.most)))


def _read(file: str, most: int) -> str:
    name = "stdin" if file == "-" else file
    data = sys.stdin.buffer.read(most + 1) if file == "-" else read_named(file, most + 1)
    if len(data) > most:
        raise QueryError(f"{name} is larger than {most:,} bytes; check it in parts")
    if not data.strip():
        raise QueryError(f"{name} is empty")
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    return text if len(text.encode()) <= most else text[: most // 4]


def _lines(checked_sentence: CheckedSentence, shown: Screen) -> Iterator[str]:
    verdict = shown.paint(f"{checked_sentence.verdict:<11}", STYLES.get(checked_sentence.verdict, Style.BAD))
    place = shown.paint(f"{checked_sentence.line}:", Style.LINE)
    yield f"{verdict} {place} {shorten(visible(' '.join(checked_sentence.text.split())), SHOWN)}"
    for fault in checked_sentence.faults:
        style = Style.BAD if fault.severity is Severity.ERROR else Style.NOTE
        line = f"    {shown.paint(f'{fault.severity}[{fault.kind}]', style)} {visible(fault.message)}"
        quoted = shorten(visible(" ".join(fault.text.split())), SHOWN // 2)
        parts = [line, f"({quoted})"] if quoted not in fault.message else [line]
        parts += [shown.paint(visible(fault.place), Style.PATH)] if fault.place else []
        parts += [f"did you mean {visible(fault.suggestion)}?"] if fault.suggestion else []
        yield "  ".join(parts)


def _summary(check: AnswerCheck) -> str:
    """Return the figures of a check on one line."""
    claims = len(check.claims)
    if not claims:
        return "nothing is claimed"
    supported = sum(claim.verdict is Verdict.SUPPORTED for claim in check.claims)
    rest = "; not all of the text was checked" if check.truncated else ""
    shares = f"faithfulness {check.faithfulness:.2f}, citation precision {check.citation_precision:.2f}"
    invented = counted(len(check.invented), "invented name")
    return (
        f"{supported:,} of {counted(claims, 'claim')} supported; {shares},"
        f" recall {check.citation_recall:.2f}; {invented}{rest}"
    )
