"""Acronyms of a question to what they stand for in the repository: by its glossary, and by initials of its names.

how is the DLQ emptied?    DLQ is read as DeadLetterQueue, the only name with these initials
AOV by month               AOV (average order value), as the glossary has it
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from coderag.record import record

if TYPE_CHECKING:
    from coderag.api.index import Index
    from coderag.sql.records import Definition

__all__ = ["Expansion", "NamesOfInitials", "spelled_out"]

NamesOfInitials = Callable[[str], list[str]]  # initials -> names of definitions that have them
ACRONYM = re.compile(r"\b[A-Z][A-Z0-9]{1,5}\b")
WORD = re.compile(r"\w+")
MOST_ACRONYMS = 4  # of a question
MOST_DEFINITIONS = 5_000  # that are compared with an acronym
MOST_TEXT = 200  # characters of a definition in which an acronym is explained
SMALL_WORDS = frozenset("of the and for in to a an on by with".split())


@record
class Expansion:
    """An acronym and what it stands for."""

    acronym: str
    meaning: str
    by: str  # "the glossary", "initials"
    replaces: bool  # whether no indexed file has the acronym

    @property
    def said(self) -> str:
        """What became of it, for the trace."""
        return f"{self.acronym} is read as {self.meaning}, by {self.by}"


def spelled_out(
    text: str, index: Index, *, unknown: frozenset[str], names: NamesOfInitials
) -> tuple[str, list[Expansion]]:
    """Return a question with its acronyms spelled out, and which they were; those with two meanings stay.

    An acronym of the glossary is kept beside its meaning; `unknown` words, which no indexed file has, are replaced.
    """
    acronyms = list(dict.fromkeys(match[0] for match in ACRONYM.finditer(text)))[:MOST_ACRONYMS]
    expansions = [
        expansion
        for acronym in acronyms
        if not index.symbols(acronym, k=1, alike=False)
        and (expansion := _by_glossary(acronym, index, unknown) or _by_initials(acronym, unknown, names))
    ]
    for one in expansions:
        written = one.meaning if one.replaces else f"{one.acronym} ({one.meaning})"
        text = re.sub(rf"\b{one.acronym}\b", written.replace("\\", ""), text, count=1)
    return text, expansions


def _by_glossary(acronym: str, index: Index, unknown: frozenset[str]) -> Expansion | None:
    meanings = {
        meaning.lower(): meaning
        for definition in index.catalog.definitions[:MOST_DEFINITIONS]
        for meaning in _meanings(acronym, definition)
    }
    if len(meanings) != 1:
        return None
    (meaning,) = meanings.values()
    return Expansion(acronym, meaning, "the glossary", acronym in unknown)


def _meanings(acronym: str, definition: Definition) -> Iterator[str]:
    """Yield the names of a definition that have these initials, and for an acronym the words that explain it."""
    for label in (definition.term, *definition.synonyms):
        if _initials(WORD.findall(label)) == acronym:
            yield " ".join(word for word in WORD.findall(label) if word != acronym)
    if acronym in (definition.term, *definition.synonyms):
        words = list(WORD.finditer(definition.text[:MOST_TEXT]))
        for size in range(len(acronym), len(acronym) + 3):
            if len(words) >= size and _initials([word[0] for word in words[:size]]) == acronym:
                yield definition.text[: words[size - 1].end()]
                return


def _by_initials(acronym: str, unknown: frozenset[str], names: NamesOfInitials) -> Expansion | None:
    if acronym not in unknown or len(acronym) < 3:  # two letters are those of too many names
        return None
    meanings = sorted(set(names(acronym)))
    return Expansion(acronym, meanings[0], "its initials", True) if len(meanings) == 1 else None


def _initials(words: list[str]) -> str:
    counted = [word for word in words if word.lower() not in SMALL_WORDS]
    return "".join(word[0] for word in counted).upper() if len(counted) > 1 else ""
