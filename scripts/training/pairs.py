"""Extracts of packages to pairs of a question and what answers it."""

from __future__ import annotations

import ast
import random
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from scripts.training.extract import Extract, Record
from scripts.training.fetch import Sources
from scripts.training.queries import asked, tables_of

__all__ = ["Measured", "Pair", "Source", "measured", "pairs_of"]

PERMISSIVE = re.compile(
    r"""\b(?:MIT|0?BSD|Apache|ISC|PSF|Python[ ]Software|HPND|Zope|ZPL|Unlicense|Public[ ]Domain|CC0|zlib|Expat|Boost
            |Artistic)""",
    re.IGNORECASE | re.VERBOSE,
)
COPYLEFT = re.compile(
    r"GPL|General Public|MPL|Mozilla|EPL|Eclipse|EUPL|CeCILL|Copyleft|Proprietary|Business Source|NonCommercial", re.I
)
ALTERNATIVE = re.compile(r"\bor\b", re.I)  # GPL or a permissive one, as the user likes
MIN_TEXT = 40
MAX_SAME_QUESTION = 3
MAX_TABLES = 500  # of a package
CORPUS = 2_500  # functions of a package that is measured on
QUESTIONS = 150
MIN_QUESTION_WORDS = 4
MAX_QUESTION = 300
MIN_STATEMENTS = 2
MIN_COPIED = 200  # characters; shorter texts may be equal by chance


@dataclass(frozen=True, slots=True)
class Pair:
    """A record whose summary asks for it, and another way to ask."""

    package: str
    record: Record
    styled: str


@dataclass(frozen=True, slots=True)
class Source:
    """What a package contributed, or why it did not."""

    package: str
    told: str
    pairs: int
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class Measured:
    """The functions of a package without documentation, and which of them are asked for."""

    package: str
    records: tuple[Record, ...]
    asked: tuple[int, ...]


def measured(found: Extract) -> Measured:
    """Return the corpus and the questions of a package: first sentences of functions with two statements or more."""
    name = found.package.partition(":")[2]
    functions = [record for record in found.records if record.kind in {"function", "method"}]
    chance = random.Random(name)
    if len(functions) > CORPUS:
        functions = [functions[position] for position in sorted(chance.sample(range(len(functions)), CORPUS))]
    seen = Counter(_plain(function.summary) for function in functions)
    chosen = [
        position
        for position, one in enumerate(functions)
        if len(one.summary.split()) >= MIN_QUESTION_WORDS
        and len(one.summary) < MAX_QUESTION
        and seen[_plain(one.summary)] == 1
        and _statements(one.text) >= MIN_STATEMENTS
    ]
    if len(chosen) > QUESTIONS:
        chosen = sorted(chance.sample(chosen, QUESTIONS))
    return Measured(name, tuple(functions), tuple(chosen))


def pairs_of(
    extracts: Iterable[Extract], sources: Sources, *, held_out: Sequence[Measured]
) -> tuple[list[Pair], list[Source]]:
    """Return the pairs of permissively licensed packages, and what became of each package.

    What stands in a measured package too, as a question or as a text, is left out, as are copies.
    """
    known_questions = {_plain(one.summary) for package in held_out for one in package.records if one.summary}
    seen_texts = {_squeezed(one.text) for package in held_out for one in package.records if len(one.text) > MIN_COPIED}
    asked_for: Counter[str] = Counter(dict.fromkeys(known_questions, MAX_SAME_QUESTION))
    chance = random.Random(0)
    pairs: list[Pair] = []
    told: list[Source] = []
    for found in extracts:
        if reason := _refused(found, sources):
            told.append(Source(found.package, found.told, 0, reason))
            continue
        before, tables = len(pairs), 0
        for record in found.records:
            for table in tables_of(record, chance) if tables < MAX_TABLES else ():
                tables += 1
                pairs.append(Pair(found.package, table, table.summary))
            question, text = _plain(record.summary), _squeezed(record.text)
            if not question or len(record.text) < MIN_TEXT or len(question.split()) < 2:
                continue
            if asked_for[question] >= MAX_SAME_QUESTION or text in seen_texts:
                continue
            asked_for[question] += 1
            seen_texts.add(text)
            pairs.append(Pair(found.package, record, asked(record, chance)))
        told.append(Source(found.package, found.told, len(pairs) - before))
    return pairs, told


def _refused(found: Extract, sources: Sources) -> str:
    if any(part in found.package for part in sources.excluded):
        return "measured on"
    licence = found.told
    if found.package in sources.permissive:
        return ""
    if COPYLEFT.search(licence) and not (PERMISSIVE.search(licence) and ALTERNATIVE.search(licence)):
        return "copyleft or not free"
    return "" if PERMISSIVE.search(licence) else "licence not told"


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def _squeezed(text: str) -> bytes:
    return blake2b("".join(text.split()).encode("utf-8", "replace"), digest_size=8).digest()


def _statements(text: str) -> int:
    """Return how many statements a Python function has, 0 for what is none."""
    try:
        parsed = ast.parse(textwrap.dedent(text)).body
    except SyntaxError:
        return 0
    return len(parsed[0].body) if parsed and isinstance(parsed[0], ast.FunctionDef | ast.AsyncFunctionDef) else 0
