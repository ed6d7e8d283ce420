"""Titles of tests to questions: what a test says is so, and the file that is called like the test's."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping

from coderag.evaluate.sampling import sample
from coderag.index.reader.corpus import Corpus
from coderag.text.tokens import split_identifier
from scripts.ranking_data.records import Judged, Target

__all__ = ["ask_tests"]

TITLED = re.compile(
    r"""
        \b(?:it|test|should|specify|scenario|context)\s*\(?\s*(["'`])(?P<title>[^"'`\n]{10,150})\1
      | \b(?:TEST|TEST_CASE|SECTION)\w*\(\s*(?:\w+,\s*)?"?(?P<macro>\w[\w :'-]{9,100})
      | \bfun\s+`(?P<quoted>[^`\n]{10,150})`
      | \b(?:def|fn|func|fun|function|void|Task)\s+(?P<name>[tT]est_?\w{6,}|\w+_should_\w+|should\w{6,})
    """,
    re.VERBOSE,
)
BESIDE = re.compile(r"^(?:tests?|spec)[_.-]|[_.-]?(?:tests?|specs?|testing|unittests?)$", re.IGNORECASE)
BEGINNING = re.compile(r"^(?:test|should|it|that|when|can|will|does)\s+", re.IGNORECASE)
MIN_WORDS, MAX_WORDS = 3, 20
EACH = 3  # questions of a file of tests
WITH_SUBJECT = 0.6  # share of questions that also name what is tested, as the block around a test does


def ask_tests(corpus: Corpus, *, most: int, seed: int) -> list[Judged]:
    """Return titles of tests whose file is called like one other file, which answers them."""
    chosen = random.Random(seed)
    tests = corpus.with_label("test")
    files = _tested(corpus)
    found: list[Judged] = []
    seen: dict[str, int] = {}
    chunks = tests[corpus.chunk_file].nonzero()[0].tolist()
    for number in sample(chunks, len(chunks), seed=seed):
        chunk = corpus.chunk(int(number))
        subject = _stem(chunk.path)
        path = files.get(subject.lower(), "")
        if not path or seen.get(path, 0) >= EACH:
            continue
        for title in sample(sorted(set(_titles(chunk.text))), 1, seed=seed):
            seen[path] = seen.get(path, 0) + 1
            words = " ".join(split_identifier(subject)) if chosen.random() < WITH_SUBJECT else ""
            found.append(Judged(f"{words} {title}".strip(), "test", (Target(path),)))
    return sample(found, most, seed=seed)


def _tested(corpus: Corpus) -> Mapping[str, str]:
    """Return the files that are no tests by their stems, where only one has it."""
    found: dict[str, list[str]] = {}
    tests = corpus.with_label("test")
    for number, path in enumerate(corpus.paths):
        if not tests[number] and not corpus.documents[number]:
            found.setdefault(_stem(path).lower(), []).append(path)
    return {stem: paths[0] for stem, paths in found.items() if len(paths) == 1 and stem}


def _stem(path: str) -> str:
    stem = path.rpartition("/")[2].split(".", 1)[0]
    return BESIDE.sub("", BESIDE.sub("", stem))


def _titles(text: str) -> Iterator[str]:
    for match in TITLED.finditer(text):
        title = match["title"] or match["macro"] or match["quoted"] or match["name"]
        words = title.split() if " " in title else [piece.lower() for piece in split_identifier(title)]
        plain = BEGINNING.sub("", " ".join(words))
        if MIN_WORDS <= len(plain.split()) <= MAX_WORDS and "%" not in plain and "{" not in plain:
            yield plain
