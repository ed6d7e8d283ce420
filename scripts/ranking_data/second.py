"""Docstrings to questions: the second sentence says what the first left out, often in words that no name has."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

from coderag.evaluate.sampling import sample
from scripts.ranking_data.records import Judged, Target

__all__ = ["ask_second"]

MIN_WORDS, MAX_WORDS = 4, 40
MIN_STATEMENTS = 3  # of a function with its docstring
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`'\"])")
MARKUP = re.compile(r":\w+:`~?\.?([^`]*)`|`+([^`]*)`+|\*\*([^*]*)\*\*")
FIELDS = re.compile(r"^\s*(?::\w+|@\w+|Parameters\b|Args?:|Returns?:|Raises:|Examples?\b|>>>|-{3,}|={3,}|\.\. )")
TESTS = re.compile(r"(?:^|/)(?:tests?|testing|examples?|_?vendor(?:ed)?)(?:/|$)|(?:^|/)test_")


def ask_second(root: Path, *, most: int, seed: int) -> list[Judged]:
    """Return second sentences of the docstrings of Python functions, to be asked where documentation is hidden."""
    found: list[Judged] = []
    seen: set[str] = set()
    for path in sorted(root.rglob("*.py")):
        place = path.relative_to(root).as_posix()
        if TESTS.search(place):
            continue
        for first, last, sentence in _sentences(path.read_bytes()):
            if sentence not in seen:
                seen.add(sentence)
                found.append(Judged(sentence, "second", (Target(place, first, last),)))
    return sample(found, most, seed=seed)


def _sentences(data: bytes) -> Iterator[tuple[int, int, str]]:
    """Yield the second sentence of each function's docstring with the function's first and last line."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # other people's escape sequences
            tree = ast.parse(data)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or len(node.body) < MIN_STATEMENTS:
            continue
        sentences = _split(ast.get_docstring(node) or "")
        if len(sentences) > 1 and MIN_WORDS <= len(sentences[1].split()) <= MAX_WORDS:
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            yield first, node.end_lineno or node.lineno, sentences[1]


def _split(documentation: str) -> list[str]:
    """Return the sentences of a docstring up to its parameters, without markup."""
    kept: list[str] = []
    for line in documentation.split("\n"):
        if FIELDS.match(line):
            break
        kept.append(line.strip())
    plain = MARKUP.sub(lambda found: found[1] or found[2] or found[3] or "", " ".join(kept))
    return [one.strip() for one in SENTENCE_END.split(" ".join(plain.split())) if one.strip()]
