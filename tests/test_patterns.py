"""No regular expression of coderag takes much longer for a text that was made to keep it busy."""

from __future__ import annotations

import importlib
import pkgutil
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from types import ModuleType

import pytest

import coderag
from coderag.reading.language import languages
from coderag.sql.dialect import dialects
from coderag.sql.scan import scanner
from tests.files import REPOSITORY

CHARACTERS = (
    7000  # of each text: what takes the square of them takes tenths of a second, what takes them once next to none
)
SECONDS = 0.1  # of the processor, for one expression and one text
METHODS = ("match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split")
UNITS = (
    *" \t\n\r\\'\"`()[]{}<>,;:.-_=*#/|@$%&!?+~^aA1é\0",
    *(
        "a ",
        "a.",
        "a,",
        "a\n",
        " \n",
        "\n ",
        "/*",
        "--",
        "''",
        '""',
        "\\'",
        "$a$",
        "x=",
        "a(",
        "()",
        "a-",
        "1,",
        "- ",
        "# ",
    ),
    *(
        "> ",
        "| ",
        "aA",
        "a_",
        "a1",
        "{{",
        "{%",
        "{#",
        "[[",
        "create ",
        "select ",
        "a as ",
        "not null ",
        "((a",
        "'a'",
        '"a"',
    ),
    *("`a`", "<a>", "[a]", "{a}", "-- a\n", "/*a*/", "#a\n", "//a\n", "a: b\n", "a = b\n", "x.y.z", "http://", "\\\n"),
    *(
        "{% for a %}",
        "{% if a %}",
        "{% else %}",
        "{{ a ",
        "{% elif a",
        "[a](",
        "![",
        "</a",
        "E'",
        "$$",
        "<<A\n",
        "-----BEGIN ",
    ),
)
# Expressions whose texts are short, and how long these are at most.
SHORT = {
    "coderag.evaluate.subjects.LEADING": 400,
    "coderag.evaluate.subjects.TRAILING": 400,
    "coderag.index.corpus.LAST_NAME": 2000,
    "coderag.ranking.features.LAST_NAME": 2000,  # a name
    "coderag.ranking.understand.PATH": 400,  # words without end are cut out of a question before
    "coderag.reading.secrets.anchors.CLASS": 400,  # a rule's expression
    "coderag.sql.remarks.BANNERS": 400,
}
Found = dict[str, tuple[re.Pattern[str] | re.Pattern[bytes], list[str]]]


class Late(Exception):
    """A text kept an expression busy."""


def modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(coderag.__path__, "coderag."):
        if not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def patterns() -> Found:
    """Return every compiled expression that a module holds, with the methods that its module calls on it."""
    found: Found = {}
    for module in modules():
        source = Path(str(module.__file__)).read_text(encoding="utf-8")
        for name, value in vars(module).items():
            for place, pattern in within(value):
                methods = [one for one in METHODS if re.search(rf"\b{name}\.{one}\b", source)]
                found.setdefault(f"{module.__name__}.{name}{place}", (pattern, methods or ["match"]))
    for name in dialects():
        taking_apart = scanner(name)
        for part in fields(taking_apart):
            pattern = getattr(taking_apart, part.name)
            found[f"schemas/{name}: {part.name}"] = (pattern, ["finditer" if part.name == "comment" else "match"])
    for language in languages().values():
        for extension, text in language.claims:
            found[f"parsers/{language.name}{extension}"] = (re.compile(text.encode()), ["search"])
    return found


def within(value: object) -> Iterator[tuple[str, re.Pattern[str] | re.Pattern[bytes]]]:
    """Yield the expressions in a value, however deep in tuples, lists and dicts."""
    left: list[tuple[str, object]] = [("", value)]
    while left:
        place, one = left.pop()
        if isinstance(one, re.Pattern):
            yield place, one
        elif isinstance(one, dict):
            left += [(f"{place}[{key!r}]", inner) for key, inner in one.items()]
        elif isinstance(one, (tuple, list)):
            left += [(f"{place}[{number}]", inner) for number, inner in enumerate(one)]


def apply(pattern: re.Pattern[str] | re.Pattern[bytes], method: str, text: str) -> None:
    given = text if isinstance(pattern.pattern, str) else text.encode()
    if method in ("sub", "subn"):
        getattr(pattern, method)(lambda found: found[0], given)
    elif method == "finditer":
        for _ in pattern.finditer(given):  # type: ignore[arg-type]
            pass
    else:
        getattr(pattern, method)(given)


def late_ones() -> list[str]:
    """Return every expression that some text keeps busy, with the text's unit."""

    def late(*_: object) -> None:
        raise Late

    signal.signal(signal.SIGVTALRM, late)
    found = []
    for name, (pattern, methods) in patterns().items():
        size = SHORT.get(name, CHARACTERS)
        for unit in UNITS:
            text = unit * (size // len(unit)) + "\0!"  # at whose end no expression ends
            for method in methods:
                signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
                try:
                    apply(pattern, method, text)
                except Late:
                    found.append(f"{name}.{method} is kept busy by {unit!r}")
                finally:
                    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return found


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer that interrupts an expression")
def test_no_expression_is_kept_busy() -> None:
    script = "import sys; from tests.test_patterns import late_ones; print(*late_ones(), sep='\\n', end='')"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=REPOSITORY, capture_output=True, text=True, timeout=300, check=True
    )
    assert done.stdout == ""


def test_expressions_are_found() -> None:
    found = patterns()
    assert len(found) > 300
    assert {"coderag.reading.sections.MARKUP", "coderag.reading.decode.COOKIE"} <= found.keys()
    assert SHORT.keys() <= found.keys()
    assert found["coderag.reading.sections.MARKUP"][1] == ["sub"]
