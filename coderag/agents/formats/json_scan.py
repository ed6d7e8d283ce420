"""JSON with comments and trailing commas to its value, and to the places of the members of one object or list."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from coderag.agents.formats.errors import LeftAlone

__all__ = ["Container", "Member", "container_at", "find", "value_of"]

# Each token is read where the one before ends, so none is tried twice; quantifiers are possessive.
TOKEN = re.compile(
    r'[ \t\r\n]++|"(?:[^"\\\n]|\\.)*+"|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/|[{}\[\]:,]|[^\s"{}\[\]:,/]++', re.DOTALL
)
BLANKS = re.compile(r"[ \t\r\n]*+")
DECODER = json.JSONDecoder()
MAX_DEPTH = 200  # of brackets; Python's own reader recurses
OPENING, CLOSING = "{[", "}]"


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an object, or an item of a list; places are offsets in the text."""

    key: str | None
    start: int
    value: int  # where its value begins
    end: int
    comma: int | None  # where the comma after it is


@dataclass(frozen=True, slots=True)
class Container:
    """An object or list in a text."""

    open: int  # of its brackets
    close: int
    members: tuple[Member, ...]
    commented: int  # where the last comment in it ends, outside of its members; 0 without any


def value_of(text: str) -> Any:
    """Return the value of a text; raises LeftAlone for what is not JSON with comments and trailing commas."""
    with suppress(ValueError, RecursionError):
        return json.loads(text)  # most files have no comments, and some have megabytes
    try:
        return json.loads(_plain(text))
    except (ValueError, RecursionError) as error:
        line = f" at line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise LeftAlone(f"it is no JSON{line}") from None


def find(text: str, key: tuple[str, ...]) -> tuple[list[Container], Member | None]:
    """Return the containers on the way to a key, from the outermost, and the member itself where it is there.

    The text has to be sound JSON. Raises LeftAlone for a way through something else than objects, or an ambiguous one.
    """
    start = _first(text)
    if text[start] != "{":
        raise LeftAlone("it holds no table")
    outer = container_at(text, start)
    containers = [outer]
    member: Member | None = None
    for depth, name in enumerate(key):
        members = [one for one in outer.members if one.key == name]
        if len(members) > 1:
            raise LeftAlone(f"{name!r} is there twice")
        member = members[0] if members else None
        if member is None or depth == len(key) - 1:
            return containers, member
        if text[member.value] != "{":
            raise LeftAlone(f"{name!r} is no table")
        outer = container_at(text, member.value)
        containers.append(outer)
    return containers, member


def container_at(text: str, start: int) -> Container:
    """Return the object or list that begins at an offset."""
    return _plain_container(text, start) or _commented_container(text, start)


def _plain_container(text: str, start: int) -> Container | None:
    """Return a container without comments, over whose values Python's own reader passes; None for any other."""
    is_object, close = text[start] == "{", CLOSING[OPENING.index(text[start])]
    members: list[Member] = []
    at = _after_blanks(text, start + 1)
    while text[at : at + 1] != close:
        begin, key = at, None
        try:
            if is_object:
                key, at = DECODER.raw_decode(text, at)
                at = _after_blanks(text, at)
                if text[at : at + 1] != ":":
                    return None
                at = _after_blanks(text, at + 1)
            value = at
            _, end = DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return None
        at = _after_blanks(text, end)
        comma = at if text[at : at + 1] == "," else None
        members.append(Member(key, begin, value, end, comma))
        if comma is not None:
            at = _after_blanks(text, at + 1)
        elif text[at : at + 1] != close:
            return None
    return Container(start, at, tuple(members), 0)


def _after_blanks(text: str, at: int) -> int:
    blanks = BLANKS.match(text, at)
    return blanks.end() if blanks else at


def _commented_container(text: str, start: int) -> Container:
    members: list[Member] = []
    commented = depth = 0
    key: str | None = None
    begin = value = end = -1
    for kind, at, after in _tokens(text, start):
        depth -= kind in CLOSING
        if kind == "comment":
            commented = after if depth == 1 else commented
        elif begin >= 0 and (not depth or (depth == 1 and kind == ",")):
            members.append(Member(key, begin, value, end, at if kind == "," else None))
            key, begin, value = None, -1, -1
        elif depth == 1 and kind == ":":
            key, value = json.loads(text[begin:end]), -1
        elif depth:
            begin, value, end = (at if begin < 0 else begin), (at if value < 0 else value), after
        if not depth and kind in CLOSING:
            return Container(start, at, tuple(members), commented)
        depth += kind in OPENING
    raise LeftAlone("a bracket is not closed")


def _tokens(text: str, start: int = 0) -> Iterator[tuple[str, int, int]]:
    """Yield what kind each token is, where it begins and where it ends; brackets, commas and colons are their kinds."""
    at = start
    while at < len(text):
        token = TOKEN.match(text, at)
        if token is None:
            raise LeftAlone(f"it is no JSON at line {text.count(chr(10), 0, at) + 1}")
        first, at = text[at], token.end()
        if first not in " \t\r\n":
            yield (first if first in "{}[]:," else "comment" if first == "/" else "value"), token.start(), at


def _plain(text: str) -> str:
    """Return a text without its comments and trailing commas; lines stay."""
    pieces: list[str] = []
    done = depth = 0
    comma: int | None = None  # the piece that is a comma, until something follows
    for kind, at, after in _tokens(text):
        pieces.append(text[done:at])
        done = after
        if kind == "comment":
            pieces.append("\n" * text.count("\n", at, after))
            continue
        depth += (kind in OPENING) - (kind in CLOSING)
        if depth > MAX_DEPTH:
            raise LeftAlone("it is nested too deeply")
        if kind in CLOSING and comma is not None:
            pieces[comma] = ""
        pieces.append(text[at:after])
        comma = len(pieces) - 1 if kind == "," else None
    return "".join([*pieces, text[done:]])


def _first(text: str) -> int:
    return next((at for kind, at, _ in _tokens(text) if kind != "comment"), 0)
