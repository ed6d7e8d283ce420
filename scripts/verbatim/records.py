"""What the parts of the judge hand on to each other."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Answer", "Form", "Kind", "Place", "Question", "Written"]


class Kind(StrEnum):
    """What a string is for, as far as its spelling and the code around it tell."""

    MESSAGE = "message"  # raised, logged or printed
    TEXT = "text"  # other words
    KEY = "key"  # of a configuration, an event, a header: words joined by signs
    SETTING = "setting"  # an environment variable or another name in capitals
    FLAG = "flag"
    ROUTE = "route"
    TRANSLATION = "translation"  # a message in a file of translations, of which code has the key
    CODE = "code"  # letters and digits: E1234, 0x80004005


class Form(StrEnum):
    """How a string is asked for."""

    VERBATIM = "verbatim"
    FILLED = "filled"  # values in place of placeholders
    CUT = "cut"  # some words of it
    PREFIXED = "prefixed"  # behind a timestamp, a level or the name of an exception
    SENTENCE = "sentence"  # within a question


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Lines of a file, 1-based and inclusive."""

    path: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Written:
    """A string literal of a file."""

    text: str  # without quotes and escapes
    raw: str  # as it is written, without quotes; "" where it has several parts
    kind: Kind
    place: Place


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the places that answer it."""

    repository: str
    text: str
    kind: Kind
    form: Form
    written: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """A question, the rank of the first hit that holds a place of it, and that of an exact search; None: not found."""

    question: Question
    rank: int | None
    exact_rank: int | None
    hits: tuple[str, ...]
    confidence: float
