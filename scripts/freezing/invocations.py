"""A sample of a root to the command lines that are run over it; each only reads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from scripts.freezing.sample import Sample

__all__ = ["HELP", "QUESTIONS_FILE", "Invocation", "help_invocations", "invocations"]

QUESTIONS_FILE = "<temporary>/questions.jsonl"
BUDGETS = (8000, 1000)  # tokens of a schema context
COMMANDS = (
    *("index", "search", "outline", "symbols", "refs", "impact", "path", "graph", "map", "schema", "tables", "table"),
    *("erd", "check-sql", "at", "eval", "status", "watch", "clean", "languages"),
)
HELP = "help"  # the place of what is the same for all roots


@dataclass(frozen=True, slots=True)
class Invocation:
    """A command line, without what names the index, and what it reads from its standard input."""

    arguments: tuple[str, ...]
    stdin: str = ""
    indexed: bool = True  # whether it takes --index
    timed: bool = False  # whether it prints how long something took, and sizes that depend on it
    scored: bool = False  # whether it prints scores as text


def help_invocations() -> list[Invocation]:
    """Return what is asked once: the help, the languages, and faults of usage."""
    lines = [
        (),
        ("--help",),
        ("--version",),
        ("nonsense",),
        ("search",),
        ("search", "x", "-k", "0"),
        ("search", "x", "--k", "many"),
        ("search", "x", "--kind", "nonsense"),
        ("refs",),
        ("map", "--budget", "1"),
        ("languages",),
        ("languages", "--json"),
        *((command, "--help") for command in COMMANDS),
    ]
    return [Invocation(line, indexed=False) for line in lines]


def invocations(sample: Sample) -> list[Invocation]:
    """Return what is run over the root of a sample."""
    return [*_indexing(), *_searching(sample), *_navigating(sample), *_schema(sample), *_checking(sample)]


def _indexing() -> Iterator[Invocation]:
    yield Invocation(("index", ".", "--dry-run"))
    yield Invocation(("index", ".", "--dry-run", "--json"))
    yield Invocation(("index", ".", "--dry-run", "--content", "code,docs,config"))
    for more in ((), ("--verbose",), ("--json",), ("--json", "--verbose"), ("--check",), ("--groups", "nobody")):
        yield Invocation(("status", *more), timed=True)
    yield Invocation(("eval", QUESTIONS_FILE, "--json"), timed=True)


def _searching(sample: Sample) -> Iterator[Invocation]:
    first, *others = sample.questions.code or ("main",)
    for more in (
        *((), ("--json",), ("--vimgrep",), ("--context", "whole"), ("--context", "none"), ("--expand", "parent")),
        *(("--related", "5"), ("--tests", "exclude"), ("--kind", "function,method"), ("--no-collapse",)),
        *(("--language", "nonsense"), ("--threshold", "1"), ("--path", "!**/test*/**"), ("--groups", "nobody")),
    ):
        yield Invocation(("search", first, *more))
    yield Invocation(("search", first, "--explain"), scored=True)
    yield Invocation(("search", first, "--database", "nonsense"))
    for question in others[:4]:
        yield Invocation(("search", question, "-k", "5"))
    lines = [{"query": question, "k": 3} for question in others[:4]] + [{"query": ""}, {"nonsense": 1}]
    yield Invocation(("search", "--batch"), stdin="".join(json.dumps(line) + "\n" for line in lines))


def _navigating(sample: Sample) -> Iterator[Invocation]:
    for name in (*sample.symbols[:3], "nonsense_that_nothing_is_called"):
        own = name.replace("::", ".").rpartition(".")[2]
        yield Invocation(("symbols", name))
        yield Invocation(("symbols", own[:-1] or own, "--json"))
    for path in (*sample.files[:2], "nonsense.py"):
        yield Invocation(("outline", path), indexed=False)
        yield Invocation(("outline", path, "--json"), indexed=False)
    targets = (*sample.symbols[:2], *sample.files[:1], *sample.tables[:2], *sample.columns[:2], *sample.routes[:1])
    for target in targets:
        yield Invocation(("refs", target))
        yield Invocation(("impact", target))
    for target in (*sample.symbols[:1], *sample.columns[:1]):
        yield Invocation(("refs", target, "--all", "--json"))
        yield Invocation(("impact", target, "--json", "--change", "drop", "--depth", "5"))
    yield Invocation(("refs", "nonsense_that_nothing_is_called"))
    yield Invocation(("impact", "nonsense_that_nothing_is_called"))
    for source, target in sample.pairs:
        yield Invocation(("path", source, target))
        yield Invocation(("path", target, source, "--json", "--limit", "3"))
    drawn = (*sample.symbols[:1], *sample.tables[:1], *sample.questions.code[:1])
    for target in drawn:
        yield Invocation(("graph", target))
    for form in ("svg", "dot", "graphml", "json"):
        yield Invocation(("graph", drawn[0] if drawn else "main", "--format", form))
    yield Invocation(("map",))
    yield Invocation(("map", "--json"))
    for question in sample.questions.code[:1]:
        yield Invocation(("map", question, "--budget", "3000"))


def _schema(sample: Sample) -> Iterator[Invocation]:
    asked = sample.questions.data[:1] or ("how many customers are there?",)
    for question in asked:
        for more in ((), ("--json",), ("--format", "markdown"), ("--explain", "--budget", "1000"), ("--no-samples",)):
            yield Invocation(("schema", question, *more))
        yield Invocation(("erd", question))
    lines = [{"question": one} | ({"budget": size} if size else {}) for one in asked for size in (0, *BUDGETS)]
    yield Invocation(("schema", "--batch"), stdin="".join(json.dumps(line) + "\n" for line in lines))
    yield Invocation(("tables",))
    yield Invocation(("tables", "--json"))
    yield Invocation(("tables", "*s", "--tests", "exclude"))
    for name in (*sample.tables, "nonsense_that_nothing_is_called"):
        yield Invocation(("table", name))
        yield Invocation(("table", name, "--json"))
    yield Invocation(("erd", *sample.tables[:2]))
    yield Invocation(("erd", *sample.tables[:1], "--format", "svg"))


def _checking(sample: Sample) -> Iterator[Invocation]:
    for text in (*sample.queries, "SELECT FROM WHERE"):
        yield Invocation(("check-sql", "-"), stdin=text)
        yield Invocation(("check-sql", "-", "--json"), stdin=text)
