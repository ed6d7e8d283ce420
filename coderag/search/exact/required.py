"""A regular expression to literals without which no text matches it (Cox, Regular Expression Matching with a Trigram
Index, 2012; here without the trigrams of character classes).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from coderag.index.storage.trigrams import folded

__all__ = ["CHARACTERS", "Groups", "literal_groups", "required_literals"]

Groups = tuple[tuple[bytes, ...], ...]  # of each group one literal is in every text that matches; folded

LEAST = 3  # bytes of a literal that says something
MAX_ALTERNATIVES = 64
ZERO_WIDTH = frozenset("bBAz")
CLASSES = frozenset("dDsSwWC")
CONTROLS = {"t": "\t", "f": "\f", "v": "\v", "r": "\r", "a": "\a"}
REPEAT = re.compile(r"[*+?]|\{(\d+)(?:,\d*)?\}")
FLAGS = re.compile(r"\(\?([a-zA-Z]*)(?:-[a-zA-Z]*)?([:)])")
NAMED = re.compile(r"\(\?P?<\w+>")
PROPERTY = re.compile(r"\\[pP](?:\{\^?\w{1,40}\}|[^{])")
HEXADECIMAL = re.compile(r"\\x(?:\{([0-9a-fA-F]{1,8})\}|([0-9a-fA-F]{2}))")
OCTAL = re.compile(r"\\[0-7]+")
# A character class, with the classes of POSIX in it; "]" right after its beginning is a member.
CHARACTERS = re.compile(r"\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]", re.DOTALL)


class _Unknown(Exception):
    """An expression that this reader does not understand; RE2 may."""


def literal_groups(text: str, *, ignore_case: bool) -> Groups:
    """Return what a literal needs: itself, or its ASCII parts where case is ignored."""
    raw = text.encode("utf-8", "surrogateescape")
    pieces = re.findall(rb"[\x00-\x7f]+", raw) if ignore_case else [raw]
    return tuple((folded(piece),) for piece in pieces if len(piece) >= LEAST)


def required_literals(pattern: str, *, ignore_case: bool) -> Groups:
    """Return the literals that every match of a valid pattern needs, () where none are known."""
    reader = _Reader(pattern, ignore_case=ignore_case)
    try:
        groups = reader.alternatives()
    except (_Unknown, IndexError, RecursionError):
        return ()
    return groups if reader.at == len(pattern) else ()


@dataclass(slots=True)
class _Reader:
    pattern: str
    ignore_case: bool
    at: int = 0

    def alternatives(self) -> Groups:
        """Read branches up to the end or a closing parenthesis: one literal of the best group of each is needed."""
        branches = [self._sequence()]
        while self._next("|"):
            branches.append(self._sequence())
        if len(branches) == 1:
            return branches[0]
        if not all(branches):
            return ()
        best = [max(groups, key=lambda group: min(map(len, group))) for groups in branches]
        joined = tuple(dict.fromkeys(literal for group in best for literal in group))
        return (joined,) if len(joined) <= MAX_ALTERNATIVES else ()

    def _sequence(self) -> Groups:
        groups: list[tuple[bytes, ...]] = []
        run = ""
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            item = self._item()
            least = self._repeats()
            if isinstance(item, str) and least is None:
                run += item
                continue
            if isinstance(item, str) and least:
                run += item[:1]
            groups += literal_groups(run, ignore_case=self.ignore_case)
            run = item[-1:] if isinstance(item, str) and least else ""
            if not isinstance(item, str) and least != 0:
                groups += item
        return (*groups, *literal_groups(run, ignore_case=self.ignore_case))

    def _repeats(self) -> int | None:
        """Read repetitions and return the least number of times; None where there are none."""
        least: int | None = None
        while found := REPEAT.match(self.pattern, self.at):
            self.at = found.end()
            here = int(found[1]) if found[1] else int(found[0] == "+")
            least = here if least is None else least * here
            self._next("?")  # which makes it lazy
        return least

    def _item(self) -> str | Groups:
        """Read one item: a character, "" for what has no width, or the groups of anything else."""
        char = self.pattern[self.at]
        if char == "(":
            return self._group()
        if char == "[":
            found = CHARACTERS.match(self.pattern, self.at)
            if found is None:
                raise _Unknown
            self.at = found.end()
            return ()
        if char == "\\":
            return self._escape()
        self.at += 1
        if char in "^$":
            return ""
        return () if char == "." else char

    def _group(self) -> str | Groups:
        if found := FLAGS.match(self.pattern, self.at):
            self.ignore_case = self.ignore_case or "i" in found[1]  # to the end, which asks for less
            self.at = found.end()
            if found[2] == ")":
                return ""
        elif found := NAMED.match(self.pattern, self.at):
            self.at = found.end()
        elif self.pattern.startswith("(?", self.at):
            raise _Unknown
        else:
            self.at += 1
        groups = self.alternatives()
        if not self._next(")"):
            raise _Unknown
        return groups

    def _escape(self) -> str | Groups:
        char = self.pattern[self.at + 1]
        if char in "pP" and (found := PROPERTY.match(self.pattern, self.at)):
            self.at = found.end()
            return ()
        if char == "x" and (found := HEXADECIMAL.match(self.pattern, self.at)):
            self.at = found.end()
            return chr(int(found[1] or found[2], 16))
        if found := OCTAL.match(self.pattern, self.at):
            self.at = found.end()
            return ()
        self.at += 2
        if char in ZERO_WIDTH:
            return ""
        if char in CLASSES or char == "n":
            return ()
        if char in CONTROLS:
            return CONTROLS[char]
        if char.isalnum():  # \Q and what later versions may bring
            raise _Unknown
        return char

    def _next(self, char: str) -> bool:
        """Step over a character where it is the next one, and tell whether it was."""
        found = self.pattern.startswith(char, self.at)
        self.at += found
        return found
