"""No regular expression of coderag is kept busy by a text that was made for it: its time grows as the text does."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

import coderag
from coderag.sql.in_code import prefilter
from coderag.sql.statements.dialect import dialects
from coderag.sql.statements.scan import scanner
from coderag.syntax.language import languages
from tests.attacks import Attack, attacks
from tests.growth import HANG_SECONDS, MAX_GROWTH, RUNS, TIMES, Hang, Work, cpu_seconds, must_end, ratio
from tests.workspace import NEEDING

CHARACTERS = 8000  # of each text: much more than a call costs by itself
# An expression may cost what this one does, which looks at each character so often.
LOOKS = 2500
LOOKING = re.compile(rf"[ab]{{0,{LOOKS}}}c")
CHEAP = 40  # looks, too few to be quadratic in half as many characters
GLANCE = (
    4  # a text this many times shorter comes first: what is quadratic looks at each of its characters CHEAP / 4 times
)
# As many times the looks at a character in a text GLANCE times as long are no more than noise: where a text of all
# characters takes MAX_GROWTH times as long as a quarter of it, the quadratic part makes them 1.6 times.
STEADY = 1.3
LONGER = (2, 8)  # times as long texts have to say the same: times of less than a millisecond are soon disturbed
PARTS = 4  # of all expressions, so that several processes look at them
TOGETHER = 8  # attacks that are glanced at as one
METHODS = ("match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split")
CALL = re.compile(rf"\b(\w+)\.({'|'.join(METHODS)})\b")
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
    "coderag.text.subjects.CHORE": 200,
    "coderag.text.subjects.LEADING": 200,
    "coderag.text.subjects.TRAILING": 200,
    "coderag.text.subjects.VERSION": 200,
    "coderag.files.privacy.secrets.anchors.CLASS": 400,  # a rule's expression
    "coderag.sql.ddl.comments.BANNERS": 400,
    "coderag.files.translations.BUNDLE": 255,  # a file's name
    "coderag.sql.migration_order.NUMBERED": 255,  # a file's name
}
# How expressions are used that their modules use by other names; where it is not said, texts are searched.
USED = {
    "coderag.graph.edges.tested.AFFIXES": "match",
    "coderag.search.query.relation_patterns.PATTERNS": "match",
    "coderag.sql.in_code.extraction.GIVEN_HEAD": "match",
    "coderag.sql.in_code.extraction.HEAD": "match",
    "coderag.sql.in_code.not_sql.PAIRS": "match",
    "coderag.sql.statements.statement_kind.SETTING": "match",
    "coderag.sql.statements.statement_kind.SETTINGS": "match",
    "coderag.sql.ddl.comments.BANNERS": "fullmatch",
    "coderag.sql.ddl.comments.CODE": "fullmatch",
    "coderag.sql.ddl.comments.HEADINGS": "fullmatch",
}
Expression = re.Pattern[str] | re.Pattern[bytes]
Found = dict[str, tuple[Expression, list[str]]]


def modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(coderag.__path__, "coderag."):
        if not found.name.endswith("__main__") and find_spec(NEEDING.get(found.name, "coderag")):
            yield importlib.import_module(found.name)


@cache
def patterns() -> Found:
    """Return every compiled expression that a module holds, with the methods that its module calls on it."""
    found: Found = {}
    for module in modules():
        calls = set(CALL.findall(Path(str(module.__file__)).read_text(encoding="utf-8")))
        for name, value in vars(module).items():
            for place, pattern in within(value):
                methods = [one for one in METHODS if (name, one) in calls]
                used = USED.get(f"{module.__name__}.{name}", "finditer")
                found.setdefault(f"{module.__name__}.{name}{place}", (pattern, methods or [used]))
    for name in dialects():
        taking_apart = scanner(name)
        for part in fields(taking_apart):
            pattern = getattr(taking_apart, part.name)
            found[f"schemas/{name}: {part.name}"] = (pattern, ["match"])
    for language in languages().values():
        for extension, text in language.claims:
            found[f"parsers/{language.name}{extension}"] = (re.compile(text.encode()), ["search"])
    for method, written in prefilter.expressions():
        found[f"{prefilter.__name__}: {written!r}"] = (re.compile(written), [method])
    return found


def within(value: object) -> Iterator[tuple[str, Expression]]:
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


def apply(pattern: Expression, method: str, text: str) -> None:
    given = text if isinstance(pattern.pattern, str) else text.encode()
    if method in ("sub", "subn"):
        getattr(pattern, method)(lambda found: found[0], given)
    elif method == "finditer":
        for _ in pattern.finditer(given):  # type: ignore[arg-type]
            pass
    else:
        getattr(pattern, method)(given)


def suspects(
    pattern: Expression, method: str, texts: Sequence[Attack], *, size: int, seconds: float
) -> Iterator[Attack]:
    """Yield the attacks that may be trouble: where some together take less than one of them may, none of these is."""
    characters = size // 2 // GLANCE
    for begin in range(0, len(texts), TOGETHER):
        some = texts[begin : begin + TOGETHER]
        work = partial(apply_each, pattern, method, [one.text(characters) for one in some])
        try:
            with must_end(seconds):
                is_cheap = cpu_seconds(work) / characters / seconds_a_look() < CHEAP / GLANCE
        except Hang:
            is_cheap = False
        if not is_cheap:
            yield from some


def apply_each(pattern: Expression, method: str, texts: Sequence[str]) -> None:
    for text in texts:
        apply(pattern, method, text)


def trouble(pattern: Expression, method: str, attack: Attack, *, size: int, short: bool) -> str:
    """Return what is wrong with the time that texts take, or nothing."""

    def on(size: int) -> Work:
        return partial(apply, pattern, method, attack.text(size))

    def looks_in(characters: int) -> float:
        return cpu_seconds(on(characters)) / characters / seconds_a_look()

    few = size // 2 // GLANCE
    if looks_in(few) < CHEAP / GLANCE:
        return ""
    roughly = looks_in(size // 2)
    if roughly < CHEAP:
        return ""
    if roughly < LOOKS / TIMES and roughly <= STEADY * min(looks_in(few) for _ in range(RUNS)):
        return ""
    growth = 0.0 if short else ratio(on(size), on(size // TIMES), at_most=MAX_GROWTH)
    for times in LONGER:
        if growth > MAX_GROWTH:
            growth = ratio(on(times * size), on(times * size // TIMES), at_most=MAX_GROWTH)
    if growth > MAX_GROWTH:
        return f"takes {growth:.0f} times as long for {TIMES} times as much"
    if roughly < LOOKS / TIMES:
        return ""
    share = size / CHARACTERS
    looks = ratio(on(size), partial(LOOKING.search, "a" * CHARACTERS), at_most=share) / share * LOOKS
    return f"looks at each character {looks:.0f} times" if looks > LOOKS else ""


@cache
def seconds_a_look() -> float:
    return min(cpu_seconds(partial(LOOKING.search, "a" * CHARACTERS)) for _ in range(5)) / LOOKS / CHARACTERS


def busy_ones(found: Found, *, characters: int = CHARACTERS, seconds: float = HANG_SECONDS) -> Iterator[str]:
    """Yield every expression that some text keeps busy, with the first such text."""
    distinct = {(pattern, tuple(methods)): name for name, (pattern, methods) in found.items()}  # dialects share many
    for (pattern, methods), name in distinct.items():
        short = SHORT.get(name, 0)
        size = short or characters
        texts = [*(Attack("", unit) for unit in UNITS), *attacks(pattern)]
        pairs = (
            (attack, method)
            for method in methods
            for attack in suspects(pattern, method, texts, size=size, seconds=seconds)
        )
        for attack, method in pairs:
            try:
                with must_end(seconds):
                    wrong = trouble(pattern, method, attack, size=size, short=bool(short))
            except Hang:
                wrong = "does not end"
            if wrong:
                yield f"{name}.{method} {wrong}: {attack.before!r}, and then only {attack.again!r}"
                break


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_no_expression_is_kept_busy(part: int) -> None:
    assert list(busy_ones(dict(list(patterns().items())[part::PARTS]))) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pattern", "characters", "seconds", "wrong"),
    [
        # Fewer characters, for each of which a quadratic expression takes less time, are as many as tell.
        (re.compile(r"\s*x"), 1000, HANG_SECONDS, "times as long for 4 times as much: '', and then only ' '"),
        (re.compile(r"<a [^>]*>"), 2000, HANG_SECONDS, "times as long for 4 times as much: '', and then only '<a "),
        (re.compile(rb"^[ \t]*[^\n]{0,900}?end"), CHARACTERS, HANG_SECONDS, "looks at each character"),
        (re.compile(r"'(?:\\.|.)*'"), CHARACTERS, 1.0, "does not end: \"'\", and then only '\\\\a'"),
    ],
)
def test_a_busy_expression_is_found(pattern: Expression, characters: int, seconds: float, wrong: str) -> None:
    (found,) = busy_ones({"busy": (pattern, ["search"])}, characters=characters, seconds=seconds)
    assert wrong in found


@pytest.mark.slow
def test_expressions_are_found() -> None:
    found = patterns()
    assert len(found) > 300
    assert {"coderag.chunking.sections.MARKUP", "coderag.files.decode.COOKIE"} <= found.keys()
    assert SHORT.keys() <= found.keys()
    assert USED.keys() <= {name.partition("[")[0] for name in found}
    assert found["coderag.chunking.sections.MARKUP"][1] == ["sub"]
