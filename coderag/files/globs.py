"""Globs that match a path or one of its parent folders, without backtracking whatever the pattern.

A glob is a row of patterns, one for each name of a path. Which of them may come next is a set of places in that row,
as in Thompson's simulation of an automaton ("Regular Expression Search Algorithm", 1968): each name of a path leads
from one set to the next, so the work is bounded by the names of the path times those of the glob.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from operator import methodcaller

from coderag.errors import QueryError
from coderag.limits import GLOB, check_text
from coderag.record import record

__all__ = ["Glob", "parse_glob", "path_test", "split_globs"]

ANY_FOLDERS = "**"
MAGIC = re.compile(r"[*?\[\\]")
ESCAPED = re.compile(r"\\(.)", re.DOTALL)
NEGATED_CLASS = re.compile(r"\[\^")
EXCLUDES = "!"

NameTest = Callable[[str], object]  # tells whether a name matches by what it returns being true


@record
class Glob:
    """A glob as the tests of the names of a path, None for any number of folders; places in it are bits."""

    tests: tuple[NameTest | None, ...]

    @property
    def start(self) -> int:
        """The places before the first name."""
        return self._reached(1)

    @property
    def end(self) -> int:
        """The place behind the last test: whoever is there matches, and so does all that lies inside."""
        return 1 << len(self.tests)

    @property
    def last(self) -> int:
        """The place before the last test."""
        return self.end >> 1

    def after(self, places: int, name: str) -> int:
        """Return the places behind a name, given those before it; 0 for none."""
        found, left = 0, places & (self.end - 1)
        while left:
            here = left & -left
            left ^= here
            test = self.tests[here.bit_length() - 1]
            if test is None:
                found |= here | here << 1
            elif test(name):
                found |= here << 1
        return self._reached(found)

    def matches(self, path: str) -> bool:
        """Tell whether a path or one of its parent folders matches."""
        places = self.start
        for name in path.split("/"):
            places = self.after(places, name)
            if places & self.end or not places:
                break
        return bool(places & self.end)

    def _reached(self, places: int) -> int:
        """Return places and those that lie behind nothing but any number of folders, none among them."""
        for number, test in enumerate(self.tests):
            if test is None and places & (1 << number):
                places |= 1 << (number + 1)
        return places


@lru_cache(maxsize=1024)
def parse_glob(text: str) -> Glob:
    """Return a glob as it is written in .gitignore; raises QueryError for one without a name, and one that is too long.

    `*` and `?` stop at a slash; `**` between slashes is any number of folders; a glob without a slash, but for one at
    its end, matches at any depth, and one that names a folder matches what is in it.
    """
    check_text(GLOB, text)
    names = [name for name in text.split("/") if name not in ("", ".")]
    if not names:
        raise QueryError(f"the path filter {text!r} names nothing; give a glob such as 'src/**/*.py'")
    if "/" not in text.rstrip("/"):
        names.insert(0, ANY_FOLDERS)
    while len(names) > 1 and names[-1] == names[-2] == ANY_FOLDERS:
        names.pop()
    last = len(names) - 1
    # At the end it stands for what is inside, of which there is at least one name.
    return Glob(tuple(None if name == ANY_FOLDERS and at < last else name_test(name) for at, name in enumerate(names)))


@lru_cache(maxsize=1024)
def name_test(pattern: str) -> NameTest:
    """Return the test of a name by a glob without slashes."""
    if not MAGIC.search(pattern):
        return pattern.__eq__
    fixed = pattern.lstrip("*")
    if not fixed:
        return _any_name
    if fixed != pattern and not MAGIC.search(fixed):
        return methodcaller("endswith", fixed)
    # What fnmatch writes never tries a star's other ends once what follows it is found, so it takes no long time.
    return re.compile(fnmatch.translate(_without_escapes(NEGATED_CLASS.sub("[!", pattern)))).match


def _any_name(_: str) -> bool:
    return True


def _without_escapes(pattern: str) -> str:
    """Return a pattern in which a character behind a backslash stands for itself."""
    return ESCAPED.sub(lambda match: f"[{match[1]}]" if match[1] in "*?[" else match[1], pattern)


def split_globs(globs: Iterable[str]) -> tuple[list[Glob], list[Glob]]:
    """Return the globs that include and, with "!" in front, those that exclude; raises QueryError."""
    written = list(globs)
    included = [parse_glob(one) for one in written if not one.startswith(EXCLUDES)]
    return included, [parse_glob(one[len(EXCLUDES) :]) for one in written if one.startswith(EXCLUDES)]


def path_test(globs: Sequence[str]) -> Callable[[str], bool]:
    """Return whether a path matches some glob and no negative one; only negative ones allow the rest."""
    included, excluded = split_globs(globs)

    def allowed(path: str) -> bool:
        return (not included or any(glob.matches(path) for glob in included)) and not any(
            glob.matches(path) for glob in excluded
        )

    return allowed
