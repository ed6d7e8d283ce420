"""A pronoun or a gap to what the conversation was about: a name, the subject of a question, a file that was shown.

"where is it called?"    a function: the name that was asked for, else what the best source defines
"when does it expire?"   the subject of the last question, where that names nothing
"who are they sent to?"  the last subject that is a plural
"what joins that table?" the last name that is one of a table
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from coderag.ask.memory.conversation import Exchange
from coderag.ask.memory.entities import is_known, is_plural, is_table
from coderag.ask.wording import names_in

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = ["antecedents"]

RECENT = 3  # exchanges that a pronoun may reach back to
CODE_VERB = re.compile(
    r"\b(?:call(?:s|ed|ing|ers?)?|us(?:es|ed|ages?)|test(?:s|ed)?|defined?|implement(?:s|ed|ation)?|overrid(?:es|den)"
    r"|rais(?:es|ed)|return(?:s|ed)?|import(?:s|ed)?|invoke[sd]?|references?|arguments?|parameters?|signature"
    r"|breaks?|changes?|renamed?|inherits?|subclass(?:es)?|writes?|reads?)\b",
    re.IGNORECASE,
)
TABLES = frozenset("table tables view views".split())
FILES = frozenset("file files module modules".split())


def antecedents(
    question: str, exchanges: Sequence[Exchange], index: Index, *, noun: str = "", plural: bool = False
) -> Iterator[str]:
    """Yield what a question may lean on, the likeliest first; `noun` is what it calls it, as in "that table"."""
    for exchange in exchanges[: -RECENT - 1 : -1]:
        yield from dict.fromkeys(_of_exchange(question, exchange, index, noun=noun, plural=plural))


def _of_exchange(question: str, exchange: Exchange, index: Index, *, noun: str, plural: bool) -> Iterator[str]:
    names = [name for name in exchange.names if is_known(name, index)]
    shown = [one.name for one in exchange.shown if one.name and is_known(one.name, index)]
    if noun in TABLES:
        yield from (name for name in (*names, *shown) if is_table(name, index))
        return
    if noun in FILES:
        yield from (one.path for one in exchange.shown[:1])
        return
    topic = _topic(exchange, index)
    if plural and len(names) > 1 and len(set(names)) == len(exchange.names):
        yield " and ".join(names)
    elif plural and is_plural(exchange.topic):
        yield from topic
    yield from names
    if noun or CODE_VERB.search(question):
        yield from shown
    elif not is_plural(exchange.topic) or plural:
        yield from topic
    yield from (*shown, *topic)


def _topic(exchange: Exchange, index: Index) -> list[str]:
    """Return what an exchange is about, unless that names what the index does not have."""
    is_known_topic = all(is_known(name, index) for name in names_in(exchange.topic))
    return [_definite(exchange.topic)] if exchange.topic and is_known_topic else []


def _definite(topic: str) -> str:
    """Return a subject as something that is known: "coupon" as "the coupon"."""
    return topic if is_plural(topic) or not topic[0].islower() else f"the {topic}"
