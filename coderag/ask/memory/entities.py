"""A question to what it is about: the names that the index knows, and its subject in its own words.

who calls Cart.total?                  Cart.total
what columns does orders have?         orders
where are failed payments retried?     no name; its subject is "failed payments"
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from coderag.ask.relations import relation_of
from coderag.ask.wording import content_words, is_weak, names_in
from coderag.limits import NAME, fault_of_text
from coderag.record import record

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = [
    "DETERMINERS",
    "Frame",
    "frame_of",
    "is_known",
    "is_participle",
    "is_plural",
    "is_table",
    "names_of",
    "topic_of",
]

LONGEST = 400  # characters of a question with a subject
MOST_NAMES = 4
MOST_LOOKED_UP = 12  # words of a question
MOST_SUBJECT_WORDS = 5
AUXILIARY = r"is|are|was|were|does|do|did|can|will|would|should|has|have|gets?"
LEAD = re.compile(
    rf"""^(?P<lead>(?:(?:and|so|but)\ )?(?:(?:in\ )?(?:what|which)(?:\ \w{{1,30}})?|how(?:\ (?:many|much|often|long))?
      |where|when|why|who)\ (?P<auxiliary>{AUXILIARY}))\ (?P<after>\S.*)$""",
    re.IGNORECASE | re.VERBOSE,
)
DETERMINERS = frozenset("a an the any all each every some this that these those our".split())
IRREGULAR = frozenset(
    """made sent written kept built read set sold held found paid drawn done put run given taken shown known thrown
    chosen hidden split cut begun lost bound""".split()
)
# What comes after a participle, or after a subject.
BOUNDARIES = frozenset(
    """in on at of to from for by with without when if before after once until while because and or but into during
    as per than through against where twice again first""".split()
)


@record
class Frame:
    """A question as its opening, its subject and the rest: "where are", "failed payments", "retried"."""

    lead: str
    auxiliary: str
    subject: str
    rest: str


def frame_of(question: str) -> Frame | None:
    """Return the parts of a question, None where rules do not tell them apart."""
    text = " ".join(question.split()).rstrip(" ?.!")
    match = LEAD.match(text) if len(text) <= LONGEST else None
    if match is None:
        return None
    words = match["after"].split()
    size = _subject_size(words, auxiliary=match["auxiliary"].lower())
    if not size:
        return None
    return Frame(match["lead"], match["auxiliary"], " ".join(words[:size]), " ".join(words[size:]))


def _subject_size(words: list[str], *, auxiliary: str) -> int:
    """Return how many words the subject has that a question goes on with."""
    start = 1 if words[0].lower() in DETERMINERS else 0
    if start == len(words):
        return 0
    for number in range(start + 1, min(len(words), MOST_SUBJECT_WORDS + start + 1)):
        word, following = words[number].lower(), words[number + 1].lower() if number + 1 < len(words) else ""
        if word in BOUNDARIES:
            return number
        is_end = not following or following in BOUNDARIES
        if auxiliary.startswith(("do", "did", "can", "will", "would", "should")):
            if is_end or is_weak(word):
                return number
        elif is_end and is_participle(word):
            return number
    return len(words) if len(words) - start <= MOST_SUBJECT_WORDS else 0


def topic_of(question: str, *, is_named: bool = False) -> str:
    """Return the subject of a question without its article; where there is none, and no name, its main words."""
    frame = frame_of(question)
    words = frame.subject.split() if frame else []
    if words and words[0].lower() in DETERMINERS:
        words = words[1:]
    if words and content_words(" ".join(words)):
        return " ".join(words)
    return "" if is_named else " ".join(word for word in content_words(question) if not is_weak(word))[:LONGEST]


def names_of(question: str, index: Index, *, tables: bool = False) -> tuple[str, ...]:
    """Return the names in a question that the index knows, in order.

    An ordinary word counts where it is the target of a relation, with `tables` also the first one that names a table.
    """
    relation = relation_of(question)
    targets = (relation.target, relation.other) if relation else ()
    written = [name.rstrip(".") for name in names_in(question)]
    capital = [word for word in content_words(question) if word[0].isupper()][:MOST_LOOKED_UP]
    names = [name for name in dict.fromkeys((*targets, *written, *capital)) if name and is_known(name, index)]
    names = [name for name in names if not any(name != other and name in other for other in names)]
    if not names and tables:
        words = [word for word in content_words(question) if not is_weak(word)]
        names = [word for word in words[:MOST_LOOKED_UP] if is_table(word, index)][:1]
    return tuple(names[:MOST_NAMES])


def is_known(name: str, index: Index) -> bool:
    """Tell whether the index has a definition or a table of exactly this name."""
    return not fault_of_text(NAME, name) and bool(index.symbols(name, k=1, alike=False) or index.table(name))


def is_table(name: str, index: Index) -> bool:
    """Tell whether the index has a table of this name."""
    return not fault_of_text(NAME, name) and bool(index.table(name))


def is_participle(word: str) -> bool:
    """Tell whether a word is a verb as in "where is it stored"."""
    return word.lower() in IRREGULAR or (word.endswith("ed") and word.isalpha())


def is_plural(phrase: str) -> bool:
    """Tell whether a phrase is of several things, by the ending of its last word."""
    last = phrase.rsplit(" ", 1)[-1].lower()
    return len(last) > 3 and last.endswith("s") and not last.endswith(("ss", "us", "is"))
