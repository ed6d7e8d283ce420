"""What repeats a better hit is named by it, and what only looks alike stays a hit."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from coderag import Chunk, Hit, Index, Kind, Span
from coderag.search.ranking.duplicates import MIN_RESEMBLANCE, groups_of_copies, resemblance, runs_of_words
from tests.workspace import write

RETRY = """\
def retry(call, attempts=5, delay=0.5, errors=(OSError,)):
    \"\"\"Call again after a failure, waiting twice as long each time.\"\"\"
    for attempt in range(attempts):
        try:
            return call()
        except errors as error:
            log.warning("attempt %d of %d failed: %s", attempt, attempts, error)
            if attempt + 1 == attempts:
                raise
            time.sleep(delay * 2 ** attempt)
    raise RuntimeError("no attempt was made")
"""
NEWER = RETRY.replace("log.warning", "logger.info")
GETTERS = "class Device:\n" + "".join(
    f"    def get_{name}(self):\n        lock(self)\n        return self.{name}\n\n"
    for name in ("mode", "size", "owner", "state")
)
OVERLOADS = "class Sum {\n" + "".join(
    f"    {kind} add({kind} a, {kind} b) {{\n        return a + b;\n    }}\n\n"
    for kind in ("int", "long", "float", "double")
)
BITWISE = """\
/* {name} -- {name} two numbers, digit by digit
   res is what comes out, and may be lhs or rhs; the digits of both must be zero or one,
   and both must be finite numbers without exponent and sign, else the status says invalid. */
Number *number{name}(Number *res, const Number *lhs, const Number *rhs, Context *set) {{
    if (!is_logical(lhs) || !is_logical(rhs)) return invalid(res, set);
    for (int i = 0; i < set->digits; i++) res->units[i] = lhs->units[i] {sign} rhs->units[i];
    res->digits = digits_of(res, set->digits);
    return res;
}}
"""


def search(tmp_path: Path, files: dict[str, str], question: str, *, collapse: bool = True) -> list[Hit]:
    root = write(tmp_path / "root", dict(files))
    return Index.build(root, index=tmp_path / "idx", workers=0).search(question, collapse=collapse)


def test_a_version_is_named_by_the_better_one(tmp_path: Path) -> None:
    files = {"src/retry.py": RETRY, "vendor/net/retry.py": NEWER, "src/other.py": "def call():\n    return retry(1)\n"}
    hits = search(tmp_path, files, "retry after a failure")
    assert [hit.chunk.path for hit in hits if hit.chunk.name == "retry"] == ["src/retry.py"]
    assert hits[0].also == ("vendor/net/retry.py:1",)


def test_nothing_is_hidden_when_asked(tmp_path: Path) -> None:
    files = {"src/retry.py": RETRY, "vendor/retry.py": NEWER, "old/retry.py": RETRY}
    hits = search(tmp_path, files, "retry after a failure", collapse=False)
    assert {hit.chunk.path for hit in hits} == files.keys()
    assert not any(hit.also for hit in hits)


@pytest.mark.parametrize(
    ("path", "text", "question", "names"),
    [
        ("device.py", GETTERS, "get device mode size owner state", {"get_mode", "get_size", "get_owner", "get_state"}),
        (
            "number.c",
            BITWISE.format(name="Or", sign="|") + "\n" + BITWISE.format(name="Xor", sign="^"),
            "or xor two numbers digit by digit",
            {"numberOr", "numberXor"},
        ),
    ],
)
def test_other_names_are_other_answers(tmp_path: Path, path: str, text: str, question: str, names: set[str]) -> None:
    assert names <= {hit.chunk.name for hit in search(tmp_path, {path: text}, question)}


def test_short_overloads_are_answers_of_their_own(tmp_path: Path) -> None:
    hits = search(tmp_path, {"Sum.java": OVERLOADS + "}\n"}, "add two numbers Sum")
    assert len([hit for hit in hits if hit.chunk.name == "add"]) == 4


def test_another_language_or_kind_is_no_version() -> None:
    first = chunk(RETRY)
    others = [
        chunk(NEWER.replace("raise\n", "raise  # 1\n"), language="cython"),
        chunk(NEWER.replace("raise\n", "raise  # 2\n"), kind=Kind.METHOD),
        chunk(NEWER.replace("raise\n", "raise  # 3\n"), name="again"),
    ]
    assert groups_of_copies([first, *others, chunk(NEWER)], k=10) == [[0, 4], [1], [2], [3]]


def test_only_equal_texts_are_copies_without_near() -> None:
    assert groups_of_copies([chunk(RETRY), chunk(NEWER), chunk(RETRY)], k=10, near=False) == [[0, 2], [1]]


def test_no_more_is_read_than_is_needed() -> None:
    texts = iter([chunk(RETRY), chunk(RETRY), chunk("a = 1\n"), chunk("b = 1\n")])
    assert groups_of_copies(texts, k=2) == [[0, 1], [2]]
    assert len(list(texts)) == 1
    assert groups_of_copies([], k=5) == []


def test_resemblance_falls_with_each_changed_word() -> None:
    words = [f"word{number}" for number in range(200)]
    runs = runs_of_words(" ".join(words))
    lot = random.Random(1)
    found = [1.0]
    for at in lot.sample(range(200), 40):
        words[at] = "changed"
        found.append(resemblance(runs, runs_of_words(" ".join(words))))
    assert found == sorted(found, reverse=True)
    assert found[5] > MIN_RESEMBLANCE > found[20]
    assert resemblance(frozenset(), frozenset()) == 0
    assert runs_of_words("too short to tell") == frozenset()


def chunk(text: str, *, language: str = "python", kind: Kind = Kind.FUNCTION, name: str = "retry") -> Chunk:
    span = Span(1, text.count("\n"))
    return Chunk("retry.py", language, kind, name, name, span, (span,), text)
