"""A regular expression to literals without which no text matches it (Cox, Regular Expression Matching with a Trigram
Index, 2012; here without the trigrams of character classes).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from coderag.index.storage.trigrams import folded

__all__ = ["Groups", "intersection_column", "literal_groups", "required_literals"]

Groups = tuple[tuple[bytes, ...], ...]  # of each group one literal is in every text that matches; folded

LEAST = 3  # bytes of a literal that says something
MAX_ALTERNATIVES = 64
MAX_TEXTS = 16  # that something can match, which are followed through what comes after it ...
MAX_TEXT = 256  # ... up to so many characters
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
ESCAPED = re.compile(r"\\.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Part:
    """What a part of an expression matches: exactly some texts, or anything that has a literal of each group."""

    texts: tuple[str, ...] | None = None
    groups: Groups = ()


NOTHING = _Part(("",))


class _Unknown(Exception):
    """An expression that this reader does not understand; RE2 may."""


def literal_groups(text: str, *, ignore_case: bool) -> Groups:
    """Return what a literal needs: itself, or its ASCII parts where case is ignored."""
    raw = text.encode("utf-8", "surrogateescape")
    pieces = re.findall(rb"[\x00-\x7f]+", raw) if ignore_case else [raw]
    return tuple((folded(piece),) for piece in pieces if len(piece) >= LEAST)


def intersection_column(pattern: str) -> int:
    """Return the column of && in a class, which is an intersection to ripgrep and two characters to RE2; or 0."""
    at = 0
    while at < len(pattern):
        found = CHARACTERS.match(pattern, at) if pattern[at] == "[" else None
        if found is None and pattern[at] == "[":  # of a class that does not end
            return 0
        inside = ESCAPED.sub("__", found[0]).find("&&") if found else -1
        if inside >= 0:
            return at + inside + 1
        at = found.end() if found else at + 1 + (pattern[at] == "\\")
    return 0


def required_literals(pattern: str, *, ignore_case: bool) -> Groups:
    """Return the literals that every match of a valid pattern needs, () where none are known."""
    reader = _Reader(pattern, ignore_case=ignore_case)
    try:
        groups = reader.groups_of(reader.alternatives())
    except (_Unknown, IndexError, RecursionError):
        return ()
    return groups if reader.at == len(pattern) else ()


@dataclass(slots=True)
class _Reader:
    pattern: str
    ignore_case: bool
    at: int = 0

    def alternatives(self) -> _Part:
        """Read branches up to the end or a closing parenthesis: one literal of the best group of each is needed."""
        branches = [self._sequence()]
        while self._next("|"):
            branches.append(self._sequence())
        texts = tuple(dict.fromkeys(text for branch in branches for text in branch.texts or ()))
        if len(texts) <= MAX_TEXTS and all(branch.texts for branch in branches):
            return _Part(texts)
        return _Part(groups=_any_of([self.groups_of(branch) for branch in branches]))

    def groups_of(self, part: _Part) -> Groups:
        """Return the literals that a part needs."""
        if part.texts is None:
            return part.groups
        return _any_of([literal_groups(text, ignore_case=self.ignore_case) for text in part.texts])

    def _sequence(self) -> _Part:
        groups: list[tuple[bytes, ...]] = []
        run, is_exact = NOTHING, True
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            item = self._item()
            least = self._repeats()
            joined = None if least == 0 else _joined(run, item)
            if joined and least is None:
                run = joined
                continue
            is_exact = False
            groups += self.groups_of(joined or run)
            run = item if item.texts and least != 0 else NOTHING
            if item.texts is None and least != 0:
                groups += item.groups
        return run if is_exact else _Part(groups=(*groups, *self.groups_of(run)))

    def _repeats(self) -> int | None:
        """Read repetitions and return the least number of times; None where there are none."""
        least: int | None = None
        while found := REPEAT.match(self.pattern, self.at):
            self.at = found.end()
            here = int(found[1]) if found[1] else int(found[0] == "+")
            least = here if least is None else least * here
            self._next("?")  # which makes it lazy
        return least

    def _item(self) -> _Part:
        """Read one item."""
        char = self.pattern[self.at]
        if char == "(":
            return self._group()
        if char == "[":
            found = CHARACTERS.match(self.pattern, self.at)
            if found is None:
                raise _Unknown
            self.at = found.end()
            return _Part()
        if char == "\\":
            return self._escape()
        self.at += 1
        if char in "^$":
            return NOTHING
        return _Part() if char == "." else _Part((char,))

    def _group(self) -> _Part:
        if found := FLAGS.match(self.pattern, self.at):
            self.ignore_case = self.ignore_case or "i" in found[1]  # to the end, which asks for less
            self.at = found.end()
            if found[2] == ")":
                return NOTHING
        elif found := NAMED.match(self.pattern, self.at):
            self.at = found.end()
        elif self.pattern.startswith("(?", self.at):
            raise _Unknown
        else:
            self.at += 1
        part = self.alternatives()
        if not self._next(")"):
            raise _Unknown
        return part

    def _escape(self) -> _Part:
        char = self.pattern[self.at + 1]
        if char in "pP" and (found := PROPERTY.match(self.pattern, self.at)):
            self.at = found.end()
            return _Part()
        if char == "x" and (found := HEXADECIMAL.match(self.pattern, self.at)):
            self.at = found.end()
            return _Part((chr(int(found[1] or found[2], 16)),))
        if found := OCTAL.match(self.pattern, self.at):
            self.at = found.end()
            return _Part()
        self.at += 2
        if char in ZERO_WIDTH:
            return NOTHING
        if char in CLASSES or char == "n":
            return _Part()
        if char in CONTROLS:
            return _Part((CONTROLS[char],))
        if char.isalnum():  # \Q and what later versions may bring
            raise _Unknown
        return _Part((char,))

    def _next(self, char: str) -> bool:
        """Step over a character where it is the next one, and tell whether it was."""
        found = self.pattern.startswith(char, self.at)
        self.at += found
        return found


def _joined(run: _Part, item: _Part) -> _Part | None:
    """Return what two parts match one after the other, None if these are no texts, or too many."""
    if not (run.texts and item.texts) or len(run.texts) * len(item.texts) > MAX_TEXTS:
        return None
    if len(run.texts[0]) + len(item.texts[0]) > MAX_TEXT:
        return None
    return _Part(tuple(before + text for before in run.texts for text in item.texts))


def _any_of(branches: Sequence[Groups]) -> Groups:
    """Return what is needed where one of some branches matches: one literal of the best group of each."""
    if len(branches) == 1:
        return branches[0]
    if not all(branches):
        return ()
    best = [max(groups, key=lambda group: min(map(len, group))) for groups in branches]
    joined = tuple(dict.fromkeys(literal for group in best for literal in group))
    return (joined,) if len(joined) <= MAX_ALTERNATIVES else ()
