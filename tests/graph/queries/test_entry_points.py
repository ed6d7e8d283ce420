"""Where programs begin."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from coderag.graph.queries.entry_points import EntryKind, EntryPoint, entry_groups, entry_points, group_text
from coderag.types import Chunk, Kind, Span
from tests.graph.sketch import sketch

GRAPH = sketch(
    """
cmd/tool/main.go         function main 3-5
main.go                  function main 3-5
app/Main.java            method Main.main 3-5
app/Other.java           method Other.run 3-5
lib/util.py              method Parser.main 3-5
web.py                   route GET /pay 4-4
web.py                   function answer 5-9
app/jobs/mail_job.rb     class MailJob 1-9
app/jobs/base_job.rb     class BaseJob 1-9
app/jobs/helper.rb       class Helper 1-9
shop/tasks.py            function send_mail 2-9
shop/cli.py              function serve 2-9
app/management/commands/clean_up.py  class Command 1-9
lib/mail_job.py          class Unrelated 1-9
tests/test_main.py       function main 1-9

GET /pay -routes> answer
MailJob -inherits> BaseJob
"""
)


def chunk(path: str, name: str, kind: Kind, **details: object) -> Chunk:
    text = f"{details.get('signature', '')}\n"
    return Chunk(path, "", kind, name, name, Span(1, 1), (Span(1, 1),), text, **details)  # type: ignore[arg-type]


CHUNKS = [
    chunk("app/jobs/mail_job.rb", "MailJob", Kind.CLASS, signature="class MailJob < BaseJob"),
    chunk("app/jobs/base_job.rb", "BaseJob", Kind.CLASS, signature="class BaseJob < ActiveJob::Base"),
    chunk("app/jobs/base_job.rb", "BaseJob", Kind.CLASS, signature="class BaseJob < QueueJob"),
    chunk("app/jobs/helper.rb", "Helper", Kind.CLASS, signature="class Helper"),
    chunk("shop/tasks.py", "send_mail", Kind.FUNCTION, decorators=("@shared_task",)),
    chunk("shop/cli.py", "serve", Kind.FUNCTION, decorators=("@app.command()",)),
    chunk("app/management/commands/clean_up.py", "Command", Kind.CLASS, signature="class Command(BaseCommand):"),
    chunk("lib/mail_job.py", "Unrelated", Kind.CLASS, signature="class Unrelated(Jobber):"),
]


def of_path(path: str) -> Sequence[Chunk]:
    return [one for one in CHUNKS if one.path == path]


def found() -> list[EntryPoint]:
    return entry_points(GRAPH, of_path, ranks=np.ones(len(GRAPH)))


def test_main_functions_near_the_root_come_first() -> None:
    mains = [(one.name, one.path) for one in found() if one.kind is EntryKind.MAIN]
    assert mains == [("main", "main.go"), ("Main.main", "app/Main.java"), ("main", "cmd/tool/main.go")]


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (EntryKind.JOB, {"MailJob", "send_mail"}),
        (EntryKind.COMMAND, {"serve", "clean_up"}),
        (EntryKind.ROUTE, {"GET /pay"}),
    ],
)
def test_jobs_commands_and_addresses(kind: EntryKind, names: set[str]) -> None:
    assert {one.name for one in found() if one.kind is kind} == names


def test_an_address_names_what_answers_it() -> None:
    assert [one.handler for one in found() if one.kind is EntryKind.ROUTE] == ["answer"]


def test_groups_in_words() -> None:
    points = [EntryPoint(EntryKind.ROUTE, f"GET /{number}", "web.py", number) for number in range(5)]
    [group] = entry_groups(points)
    assert group_text(group) == "5 routes: GET /0, GET /1, GET /2, …"
    assert group_text(entry_groups([EntryPoint(EntryKind.MAIN, "main", "main.go", 3)])[0]) == "main: main.go:3"
