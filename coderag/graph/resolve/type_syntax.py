"""Expressions and types as they are written to their parts."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

__all__ = ["Typed", "first_of", "plain", "read_type", "split_last"]

MAX_CHARS = 400  # nobody writes a type that is longer, except a program
MAX_DEPTH = 8
MEMO = 1 << 16
SEPARATORS = re.compile(r"\?\.|!!?\.|->|::|:|\\")  # all that "." is in Python
TOKEN = re.compile(r"[^\W\d][\w$]*(?:(?:\.|::|->|\\)[^\W\d][\w$]*)*|\[\]|[\[\]<>(){},|&?*]")
OPENING = {"[": "]", "<": ">", "(": ")", "{": "}"}
NO_TYPES = frozenset(
    "const mut dyn impl struct enum union class ref out in final readonly None null undefined nil void static volatile "
    "unsigned signed keyof typeof chan map params inout some any extends async virtual inline extern where".split()
)


class Typed(NamedTuple):
    """A type: its name and what it is of."""

    name: str
    arguments: tuple[tuple[Typed, ...], ...] = ()  # each a union


@lru_cache(MEMO)
def plain(text: str) -> str:
    """Return an expression with "." between its parts, whatever its language writes there."""
    return SEPARATORS.sub(".", text).strip(".")


@lru_cache(MEMO)
def first_of(text: str) -> str:
    """Return what a plain expression begins with, without its call."""
    return text.partition(".")[0].rstrip("()[]")


def split_last(text: str) -> tuple[str, str]:
    """Return what stands before the last part of an expression, and that part."""
    head, _, name = text.rpartition(".")
    return head, name


@lru_cache(MEMO)
def read_type(text: str) -> tuple[Typed, ...]:
    """Return the types that a declared type may be: `Foo | None` is Foo, `"list[Foo]"` is list of Foo."""
    tokens = TOKEN.findall(text[:MAX_CHARS])
    types, _ = _union(tokens, 0, "", 0)
    return types


def _union(tokens: list[str], at: int, end: str, depth: int) -> tuple[tuple[Typed, ...], int]:
    """Return the types up to a "," or what ends them, and where that is."""
    types: list[Typed] = []
    array = False
    while at < len(tokens) and tokens[at] not in (end, ",", "]", ">", ")", "}"):
        token = tokens[at]
        at += 1
        if token == "[]":
            if types:  # Foo[]
                types[-1] = Typed("[]", ((types[-1],),))
            else:  # []Foo
                array = True
        elif token in OPENING:
            arguments, at = _arguments(tokens, at, OPENING[token], depth + 1)
            if token in "[<" and types:
                types[-1] = Typed(types[-1].name, types[-1].arguments or arguments)
            elif token == "[":  # [Foo], map[string,Foo]
                types.append(Typed("[]", arguments))
            elif token == "(" and len(arguments) == 1 and not types:
                types.extend(arguments[0])
        elif token not in "|&?*" and token not in NO_TYPES:
            types.append(Typed(plain(token)))
    if array and types:
        types = [Typed("[]", (tuple(types),))]
    return tuple(types), at


def _arguments(tokens: list[str], at: int, end: str, depth: int) -> tuple[tuple[tuple[Typed, ...], ...], int]:
    arguments: list[tuple[Typed, ...]] = []
    if depth > MAX_DEPTH:
        return (), len(tokens)
    while at < len(tokens) and tokens[at] != end:
        types, at = _union(tokens, at, end, depth)
        arguments.append(types)
        if at < len(tokens) and tokens[at] != end:
            at += 1
    return tuple(arguments), at + 1
