"""A question about data to the words that say what it is about, each with its weight."""

from __future__ import annotations

from typing import NamedTuple

from coderag.text.tokens import words

__all__ = ["AskedWord", "asked_words"]

# Words that say nothing of the matter.
STOP_WORDS = frozenset(
    """a about above across after all along also am among an and any are as at be because been before being below
    between both but by can could d did do does doing down during each either else ever every for from further get
    had has have having he her here hers him his how i if in into is it its itself just ll me mine more most must my
    no nor not of off on once one only onto or other our out over own per please re s same shall she should so some
    such t than that the their theirs them then there these they this those through to too under until up upon us use
    used uses using very via want was we were what when where whether which while who whom whose why will with within
    without would you your yours""".split()
)
# Words that say what is done with the data, or that nearly every table could answer; they still count a little, as a
# column may be called so.
WEAK_WORDS = frozenset(
    """among amount alphabetical ascending available average avg belong belongs biggest calculate column columns
    compute contain contains corresponding count data database date descending detail details determine difference
    different display distinct entries entry equal exactly exist exists fewest field fields find first give greater
    greatest higher highest id identify ids indicate info information largest last least less list lists lower lowest
    many max maximum mean mention min minimum name names number order ordered percent percentage proportion provide
    ratio record records related respectively result results return rows row show smallest sort sorted state sum table
    tables tell time top total type types unique value values various year""".split()
)
# What comes before "order" when it means how results are sorted.
SORTING = frozenset(
    """alphabetic alphabetical ascending chronological decreasing descending in increasing lexicographic
    lexicographical numerical reverse reversed same sorted""".split()
)
WEAK_WEIGHT, NUMBER_WEIGHT, YEAR_WEIGHT = 0.35, 0.2, 0.1
YEAR_DIGITS = 4  # a number of so many is most often a year, which names no table


class AskedWord(NamedTuple):
    """A word of a question as it is written, and how much it says."""

    word: str
    weight: float  # 0: only that something is asked


def asked_words(text: str) -> list[AskedWord]:
    """Return the words of a question in order."""
    found = words(text)
    before = ["", *(word.lower() for word in found)]
    return [AskedWord(word, _weight(word.lower(), before=left)) for word, left in zip(found, before, strict=False)]


def _weight(word: str, *, before: str) -> float:
    if word in STOP_WORDS:
        return 0.0
    if word.isdigit():
        return YEAR_WEIGHT if len(word) == YEAR_DIGITS else NUMBER_WEIGHT
    if word == "order" and before not in SORTING:
        return 1.0  # one that a customer placed
    return WEAK_WEIGHT if word in WEAK_WORDS else 1.0
