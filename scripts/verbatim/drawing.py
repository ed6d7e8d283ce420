"""An index to questions: some of its strings, each with the places where it is written."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from random import Random

from coderag import Index, Query
from coderag.files.walk import WalkOptions, walk
from coderag.types import Content
from scripts.verbatim.forms import asked
from scripts.verbatim.literals import PLACEHOLDER, literals
from scripts.verbatim.records import Form, Kind, Place, Question, Written

__all__ = ["Texts", "draw", "half_of", "texts_below", "texts_of"]

MAX_PLACES = 5  # a string that stands in more is no question
HALVES = ("tuning", "held-out")
MIN_LETTERS = 12

Texts = Mapping[str, str]  # by path, in order


def half_of(repository: str) -> str:
    """Return the half that a repository belongs to, by its name."""
    return HALVES[blake2b(repository.encode(), digest_size=8).digest()[0] % 2]


def texts_of(index: Index, root: Path) -> Texts:
    """Return the texts of the files that an index holds."""
    paths = sorted(path for _, path in index.files(Query("any")))
    return {path: (root / path).read_bytes().decode("utf-8", "replace") for path in paths if (root / path).is_file()}


def texts_below(root: Path) -> Texts:
    """Return the texts of all code, documents and configuration below a folder, whatever its index holds."""
    files = walk(root, WalkOptions(contents=frozenset(Content))).files
    return {file.path: (root / file.path).read_bytes().decode("utf-8", "replace") for file in files}


def draw(repository: str, texts: Texts, count: int, *, seed: int) -> list[Question]:
    """Return `count` questions from the strings of some texts, kinds in turns; fewer where there are no more."""
    random = Random(f"{seed} {repository}")
    by_kind: dict[Kind, dict[str, list[Written]]] = defaultdict(lambda: defaultdict(list))
    for path, text in texts.items():
        for written in literals(path, text.encode()):
            by_kind[written.kind][written.text].append(written)
    queues = {kind: random.sample(sorted(found), len(found)) for kind, found in sorted(by_kind.items())}
    questions: list[Question] = []
    while len(questions) < count and any(queues.values()):
        for kind in _turn(queues):
            question = _question(repository, by_kind[kind], queues[kind], texts=texts, random=random)
            if question is not None and len(questions) < count:
                questions.append(question)
    return questions


def _turn(queues: Mapping[Kind, Sequence[str]]) -> list[Kind]:
    """Return the kinds of a turn: messages three times, as they are what people paste."""
    return [kind for kind, queue in queues.items() if queue for _ in range(3 if kind is Kind.MESSAGE else 1)]


def _question(
    repository: str, found: Mapping[str, Sequence[Written]], queue: list[str], *, texts: Texts, random: Random
) -> Question | None:
    """Return a question to the next string of a queue that stands in few places."""
    while queue:
        same = found[queue.pop()]
        if len(same) > MAX_PLACES:
            continue
        text, form = asked(same[0], random)
        sought = _sought(same[0], text, form)
        places = sorted({*(one.place for one in same), *_places(sought, texts)})
        if len(places) <= MAX_PLACES:
            return Question(repository, text, same[0].kind, form, same[0].text, tuple(places))
    return None


def _sought(written: Written, text: str, form: Form) -> Iterable[str]:
    """Return how a string may be written: as it is in code, as a program has it, and what was cut out of it."""
    spellings = {written.raw, written.text, text if form is Form.CUT else ""}
    # Fixed parts around placeholders would stand in other messages, too, and these are no answers.
    return sorted(
        spelling
        for spelling in spellings
        if spelling and (len(spelling) >= MIN_LETTERS or not PLACEHOLDER.search(spelling))
    )


def _places(sought: Iterable[str], texts: Texts) -> set[Place]:
    patterns = [_pattern(one) for one in sought]
    places: set[Place] = set()
    for path, text in texts.items():
        for spelling, pattern in zip(sought, patterns, strict=True):
            if spelling not in text:
                continue
            for found in pattern.finditer(text):
                first = text.count("\n", 0, found.start()) + 1
                places.add(Place(path, first, first + found[0].count("\n")))
    return places


def _pattern(spelling: str) -> re.Pattern[str]:
    """Return an expression for a string that is no part of a longer word."""
    before = r"(?<!\w)" if spelling[0].isalnum() else ""
    after = r"(?!\w)" if spelling[-1].isalnum() else ""
    return re.compile(before + re.escape(spelling) + after)
