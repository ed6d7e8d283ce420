"""Sources without what would speak to a model: lines that give it orders, and characters that nobody sees.

It is a help, not a wall: words of orders are many, and a line that is withheld may be an innocent one. What a model
writes is checked against the same defused sources, so what such a line says supports nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from coderag.ask.source import Source

__all__ = ["WITHHELD", "defused", "gives_orders", "orders_of", "plain", "repeats"]

WITHHELD = "(line withheld: it gives orders to a reader)"
WORD = re.compile(r"\w+")
UNSEEN = frozenset({"Cf", "Cc", "Co", "Cs", "Cn"})  # format, control and unassigned characters: zero widths, tags
KEPT = frozenset("\n\t")
REPEATED_WORDS = 4  # in a row, of an order: less may be chance
SETTING_ASIDE = frozenset({"ignore", "disregard", "forget", "override", "bypass"})
SET_ASIDE = frozenset({"instruction", "instructions", "prompt", "prompts", "guidelines", "previous", "prior", "above"})
ADDRESSED = frozenset({"ai", "llm", "llms", "assistant", "assistants", "chatbot", "chatgpt", "claude", "gpt"})
TOLD = frozenset({"must", "should", "say", "answer", "reply", "respond", "tell", "output", "include", "recommend"})
PHRASES = (
    *("system prompt", "you are now", "new instructions", "as an ai", "language model", "your answer must"),
    *(
        "your reply must",
        "answer only with",
        "reply only with",
        "respond only with",
        "do not mention",
        "in your answer",
    ),
    *("<|im_start|>", "<|system|>", "[inst]", "<<sys>>", "end of sources"),
)


def defused(sources: Sequence[Source]) -> list[Source]:
    """Return the sources with their lines in place, those that give orders replaced by a note."""
    return [replace(source, text=_withheld(plain(source.text)), name=plain(source.name)) for source in sources]


def plain(text: str) -> str:
    """Return a text without characters that nobody sees."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(one for one in text if one in KEPT or unicodedata.category(one) not in UNSEEN)


def gives_orders(line: str) -> bool:
    """Return whether a line speaks to a language model that reads it, by its words."""
    lowered = line.casefold()
    words = set(WORD.findall(lowered))
    if words & SETTING_ASIDE and words & SET_ASIDE:
        return True
    if words & ADDRESSED and words & TOLD:
        return True
    spaced = " ".join(lowered.split())
    return any(phrase in spaced for phrase in PHRASES)


def orders_of(sources: Sequence[Source]) -> frozenset[tuple[str, ...]]:
    """Return the runs of words of the lines that `defused` withholds."""
    lines = (line for source in sources for line in plain(source.text).split("\n"))
    return frozenset(run for line in lines if gives_orders(line) for run in _runs(line))


def repeats(text: str, orders: frozenset[tuple[str, ...]]) -> bool:
    """Return whether a text has a run of words of an order, or gives one itself."""
    return any(map(gives_orders, text.split("\n"))) or any(run in orders for run in _runs(text))


def _runs(text: str) -> list[tuple[str, ...]]:
    words = WORD.findall(text.casefold())
    return list(zip(*(words[begin:] for begin in range(REPEATED_WORDS)), strict=False))


def _withheld(text: str) -> str:
    return "\n".join(WITHHELD if gives_orders(line) else line for line in text.split("\n"))
