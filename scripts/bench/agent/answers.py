"""The answers of coderag's `search` tool and of semble's server to what an agent reads in them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from coderag import Index
from coderag.api.roots import resolve_roots
from coderag.serve.tools import call
from coderag.serve.workspace import Workspace
from coderag.text.budget import tokens_of
from scripts.bench.agent.questions import Repository
from scripts.bench.agent.reading import Excerpt
from scripts.bench.engines import Engine, Job
from scripts.bench.measure import run

__all__ = [
    "SEMBLE_HITS",
    "Answered",
    "answers_of_coderag",
    "answers_of_semble",
    "excerpts_of_answer",
    "excerpts_of_semble",
]

HEAD = re.compile(r"(?P<path>[^\s:].*?):(?P<first>\d+)-(?P<last>\d+)\b")
GUTTER = re.compile(r"^\s*\d+[:|\t]\s?")  # the number of a line before it
SEMBLE_HITS = 100

Answered = tuple[list[Excerpt], int]  # what is read in an answer, and the tokens of all of it


def answers_of_coderag(repository: Repository, *, budgets: Sequence[int], scratch: Path) -> list[dict[int, Answered]]:
    """Return the answers of the tool to each question, by their budgets of tokens; an index is built in a copy."""
    copy = Path(shutil.copytree(repository.root, scratch / repository.name, symlinks=True))
    with Index.build(copy, cache=False):
        pass
    files = _lines_by_path(repository.root)
    answered = []
    with Workspace(resolve_roots([copy])) as workspace:
        workspace.prepare()
        for question in repository.questions:
            texts = {
                budget: call(workspace, "search", {"query": question.text, "budget": budget}).text for budget in budgets
            }
            answered.append(
                {budget: (excerpts_of_answer(text, files), tokens_of(text)) for budget, text in texts.items()}
            )
    shutil.rmtree(copy)
    return answered


def _lines_by_path(root: Path) -> dict[str, list[str]]:
    paths = (path for path in root.rglob("*") if path.is_file())
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8", errors="replace").split("\n")
        for path in paths
    }


def excerpts_of_answer(text: str, files: Mapping[str, Sequence[str]]) -> list[Excerpt]:
    """Return the lines of files that an answer shows below a line that begins with `path:first-last`.

    What only names a place is no excerpt. The lines are found again among those of the place, so that what is left out
    between them does not count as read, whatever the answer says in its stead.
    """
    excerpts: list[Excerpt] = []
    path, place, read = "", range(0), 0
    for line in text.split("\n"):
        read += len(line) + 1
        head = HEAD.match(line)
        if head is not None and head["path"] in files:
            path, place = head["path"], range(int(head["first"]), int(head["last"]) + 1)
            continue
        number = _find(line, files.get(path, ()), place)
        if number is None:
            continue
        place = range(number + 1, place.stop)
        tokens = tokens_of(text[:read])
        last = excerpts[-1] if excerpts else None
        if last is not None and last.path == path and last.lines.stop == number:
            excerpts[-1] = Excerpt(path, range(last.lines.start, number + 1), tokens)
        else:
            excerpts.append(Excerpt(path, range(number, number + 1), tokens))
    return excerpts


def _find(line: str, lines: Sequence[str], place: range) -> int | None:
    """Return the number of a line in a place of a file; an empty line is nowhere else than at its beginning."""
    for wanted in (line.strip(), GUTTER.sub("", line).strip()):
        for number in place if wanted else place[:1]:
            if number <= len(lines) and lines[number - 1].strip() == wanted:
                return number
    return None


def answers_of_semble(engine: Engine, repository: Repository, *, lines: int | None, scratch: Path) -> list[Answered]:
    """Return semble's answers to each question, with so many lines of each of its hits; None for whole chunks."""
    file = scratch / "questions.json"
    file.write_text(json.dumps([question.text for question in repository.questions]), encoding="utf-8")
    job = Job(engine, repository.root, scratch / "semble", 1)
    job.forget()
    shown = "" if lines is None else lines
    answers: list[dict[str, Any]] = json.loads(
        run(job.command("answers", file=file, hits=SEMBLE_HITS, lines=shown)).output
    )
    return [(list(excerpts_of_semble(answer)), tokens_of(json.dumps(answer))) for answer in answers]


def excerpts_of_semble(answer: Mapping[str, Any]) -> Iterator[Excerpt]:
    """Read the hits of semble's answer in order: what is read is what its server says for so many hits."""
    for count, hit in enumerate(answer["results"], start=1):
        shown = {**answer, "results": answer["results"][:count]}
        first = hit["start_line"]
        yield Excerpt(
            hit["file_path"],
            range(first, first + len(hit["content"].splitlines())),
            tokens_of(json.dumps(shown)),
        )
