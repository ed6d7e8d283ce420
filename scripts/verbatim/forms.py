"""A string to a question: how somebody who has seen it would paste it."""

from __future__ import annotations

import re
from random import Random

from scripts.verbatim.literals import PLACEHOLDER
from scripts.verbatim.records import Form, Kind, Written

__all__ = ["asked", "filled"]

NUMBERS = ("0", "3", "17", "42", "404", "8192", "1700000001")
NAMES = ("alice", "main", "orders", "payload", "node-7", "eu-west-1", "Widget", "tmp_42")
PATHS = ("/var/lib/app/data.json", "src/main.c", "C:\\Temp\\x.log", "https://example.org/a?b=1")
OTHERS = ("connection refused", "'foo'", "None", "[1, 2]", "user@example.org")
PREFIXES = (
    "2026-11-02 13:45:10,123 ERROR ",
    "[2026-11-02T13:45:10Z] WARN ",
    "ERROR: ",
    "Error: ",
    "RuntimeError: ",
    "java.lang.IllegalStateException: ",
    "panic: ",
    "E/App(1234): ",
    "fatal: ",
    "Uncaught exception: ",
)
SENTENCES = ("where is {} read", "what does {} do", "{} is ignored", "who uses {}", "{}")
SHARE_PREFIXED, SHARE_CUT = 0.2, 0.25  # of the strings with words
MIN_CUT = 4  # words that stay
NUMBER = re.compile(r"%[-+#0]*\d*(?:\.\d+)?[a-z]*[diufgxX]")


def asked(written: Written, random: Random) -> tuple[str, Form]:
    """Return the question that a string makes, and its form."""
    if written.kind not in (Kind.MESSAGE, Kind.TEXT):
        sentence = random.choice(SENTENCES)
        return sentence.format(written.text), Form.VERBATIM if sentence == "{}" else Form.SENTENCE
    text, form = written.text, Form.VERBATIM
    if PLACEHOLDER.search(text):
        text, form = filled(PLACEHOLDER, text, random), Form.FILLED
    chance = random.random()
    if chance < SHARE_PREFIXED:
        return random.choice(PREFIXES) + text, Form.PREFIXED
    parts = text.split(" ")
    if chance < SHARE_PREFIXED + SHARE_CUT and len(parts) > MIN_CUT + 1 and form is Form.VERBATIM:
        size = random.randint(MIN_CUT, len(parts) - 1)
        first = random.randint(0, len(parts) - size)
        return " ".join(parts[first : first + size]), Form.CUT
    return text, form


def filled(placeholder: re.Pattern[str], text: str, random: Random) -> str:
    """Return a text with values in place of its placeholders."""
    return placeholder.sub(lambda found: _value(found[0], random), text)


def _value(placeholder: str, random: Random) -> str:
    """Return what a program might put in place of a placeholder."""
    if NUMBER.fullmatch(placeholder):
        return random.choice(NUMBERS)
    return random.choice(random.choice((NUMBERS, NAMES, NAMES, PATHS, OTHERS)))
