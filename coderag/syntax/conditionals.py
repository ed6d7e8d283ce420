"""Text of a language with a preprocessor to text without its conditionals, where a grammar cannot read them.

`#if` may stand inside a struct, a condition or half a function, which no grammar follows everywhere. Here the lines of
the directives are blanked and what they enclose is kept, so that both arms are read. Only where an arm cannot stand
beside the other, as each of them opens the same block, the first one alone is kept. Every byte keeps its place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

__all__ = ["without_conditionals"]

DIRECTIVE = re.compile(
    rb"^[ \t]*#[ \t]*(?P<word>if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b(?P<rest>(?:[^\\\n]|\\.|\\\n)*)",
    re.MULTILINE,
)
SIGNS = re.compile(
    # A text that is not closed ends with its line; more than a few characters in '...' are not C.
    rb"""//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:[^"\\\n]|\\.?)*+(?:"|$)|'(?:[^'\\\n]|\\.){1,16}'|"""
    rb"""^[ \t]*\#(?:[^\\\n]|\\.|\\\n)*|[^\s]""",
    re.DOTALL | re.MULTILINE,
)
OPENING, CLOSING = frozenset(b"{(["), frozenset(b"})]")
ENDINGS = frozenset(b";,{}:|&+")  # of what another text of its kind may follow
NOT_CODE = (b"//", b"/*", b"#")
NEWLINES = re.compile(rb"[^\n]")


@dataclass(slots=True)
class Group:
    """A conditional: its directives, which enclose its arms."""

    directives: list[tuple[int, int]] = field(default_factory=list)
    for_cpp: bool = False  # the condition is that the compiler is one of C++


def without_conditionals(data: bytes) -> bytes:
    """Return text of the same length without the directives of its conditionals; as it is where these do not match."""
    groups = _groups(data)
    blanked = bytearray(data)
    for group in groups:  # inner ones first
        for start, end in group.directives:
            _blank(blanked, start, end)
        arms = [(end, start) for (_, end), (start, _) in zip(group.directives, group.directives[1:], strict=False)]
        if len(arms) == 1:
            if group.for_cpp and _balance(bytes(blanked[slice(*arms[0])])) != (0, 0):
                _blank(blanked, *arms[0])
        elif not all(_stands_alone(bytes(blanked[start:end])) for start, end in arms):
            full = [arm for arm in arms if blanked[slice(*arm)].strip()]
            for arm in full[1:]:
                _blank(blanked, *arm)
    return bytes(blanked)


def _groups(data: bytes) -> list[Group]:
    groups: list[Group] = []
    around: list[Group] = []
    for directive in DIRECTIVE.finditer(data):
        word = directive["word"]
        if word.startswith(b"if"):
            around.append(Group(for_cpp=b"__cplusplus" in directive["rest"]))
        if not around:
            return []
        around[-1].directives.append(directive.span())
        if word == b"endif":
            groups.append(around.pop())
    return groups


def _stands_alone(arm: bytes) -> bool:
    """Tell whether an arm is whole statements, fields or values, which others may follow."""
    signs = [one for one in SIGNS.findall(arm) if not one.startswith(NOT_CODE)]
    return _balance(arm) == (0, 0) and (not signs or signs[-1][-1] in ENDINGS)


def _balance(arm: bytes) -> tuple[int, int]:
    """Return how many brackets of an arm close what was open before, and how many stay open."""
    closed = opened = 0
    for sign in SIGNS.findall(arm):
        if len(sign) > 1:
            continue
        if sign[0] in OPENING:
            opened += 1
        elif sign[0] in CLOSING and opened:
            opened -= 1
        elif sign[0] in CLOSING:
            closed += 1
    return closed, opened


def _blank(data: bytearray, start: int, end: int) -> None:
    data[start:end] = NEWLINES.sub(b" ", data[start:end])
