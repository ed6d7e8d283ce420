"""What changed and the tests that run it, to the order in which to run them.

The nearest come first. How far a test is counts less where its file is named after what changed: of a hundred tests
that all pass through a common function, `test_cart.py` is the one for a change of `cart.py`. A test file that is named
after a changed file is one of its tests even where no edge of the graph leads there, as between a component's template
and its specification.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from math import log

from coderag.graph.changes.records import Changed
from coderag.graph.graph import Graph
from coderag.graph.queries.locations import Location, test_files
from coderag.graph.queries.reach import Affected, Reached
from coderag.graph.records import NodeKind
from coderag.text.tokens import cut_identifier

__all__ = ["NAMED_CONFIDENCE", "TestOrder"]

NAME_STEPS = 3.0  # that the best fitting name is worth
DOUBT_STEPS = 0.5  # that a way over one of several candidates is longer by
MAX_NAMED = 5  # test files that are told by their names alone, of each changed file
NAMED_CONFIDENCE = 0.5
NAME_PARTS = 3  # of a path: the file and the folders next to it say what it is about
PLURAL = 4  # letters that a word has at least whose last "s" is one of the plural
IDENTIFIER = re.compile(r"\w+")
AFFIXES = frozenset(["test", "tests", "spec", "specs", "testcase", "it", "e2e", "unit", "integration", "feature"])

# What code is called after its part in the application, which its tests leave out.
ROLES = frozenset(
    """controller service repository model view component handler action manager helper command resource request
    response factory provider policy job listener middleware impl index page form screen""".split()
)


@dataclass(frozen=True)
class TestOrder:
    """The order of tests, given what changed."""

    __test__ = False  # not a test class, whatever its name suggests to pytest

    graph: Graph
    changes: Sequence[Changed]  # that are no tests

    def sorted(self, tests: Iterable[Reached]) -> list[Reached]:
        """Return reached tests, those to run first in front."""
        return sorted(tests, key=self._key)

    def named_after(self, known: Iterable[str]) -> Iterator[Affected]:
        """Yield the test files that are named after a changed file, those that are `known` aside."""
        there = set(known)
        for path in self._paths:
            fitting = [test for test in self._test_files if self._is_named_after(test, path)]
            nearest = max((_shared(test, path) for test in fitting), default=0)
            new = [test for test in fitting if test not in there and _shared(test, path) == nearest]
            for test in new[:MAX_NAMED]:
                there.add(test)
                spot = Location(NodeKind.FILE, test, test, labels=frozenset({"test"}))
                yield Affected(spot, 1, NAMED_CONFIDENCE, test, 0, f"is named after {path}", (path, test))

    def _key(self, one: Reached) -> tuple[float, float, str, int]:
        file = int(self.graph.node_file[one.node])
        path = self.graph.paths[file] if file >= 0 else ""
        steps = one.distance + DOUBT_STEPS * one.doubtful - NAME_STEPS * self._fit(path)
        return steps, one.doubt, path, one.node

    def _fit(self, path: str) -> float:
        """Return how well the name of a test file fits what changed, 0..1: the share of its words, rare ones first."""
        if path not in self._fits:
            words = _words(path)
            total = sum(map(self._weight, words))
            best = max((sum(map(self._weight, words & others)) for others in self._changed_words), default=0.0)
            self._fits[path] = best / total if total else 0.0
        return self._fits[path]

    def _weight(self, word: str) -> float:
        return log(1 + len(self._test_files) / self._frequency.get(word, 1))

    def _is_named_after(self, test: str, path: str) -> bool:
        """Tell whether a test file has the name of a file, or in its neighbourhood that of the folder around it."""
        own = _stem_words(test)
        folder, _, file = path.rpartition("/")
        if not own or AFFIXES.isdisjoint(_cut(test.rpartition("/")[2])):
            return False  # nothing but "test", or what tests share
        if own <= _stem_words(file) and _stem_words(file) - own <= ROLES:
            return True
        around = test.rpartition("/")[0].rpartition("/")[0]
        return bool(around) and path.startswith(f"{around}/") and own == _stem_words(folder.rpartition("/")[2])

    @cached_property
    def _fits(self) -> dict[str, float]:
        return {}

    @cached_property
    def _paths(self) -> list[str]:
        """The files that changed, as they are called now."""
        return sorted({one.spot.path for one in self.changes if one.spot.path})

    @cached_property
    def _test_files(self) -> list[str]:
        return test_files(self.graph)

    @cached_property
    def _frequency(self) -> Mapping[str, int]:
        """In how many names of test files a word is."""
        found: dict[str, int] = {}
        for path in self._test_files:
            for word in _words(path):
                found[word] = found.get(word, 0) + 1
        return found

    @cached_property
    def _changed_words(self) -> list[frozenset[str]]:
        """The words of what changed, file by file."""
        names: dict[str, list[str]] = {}
        for one in self.changes:
            names.setdefault(one.spot.path, []).append(one.spot.name)
        return [_words(path) | _cut(" ".join(called)) for path, called in sorted(names.items())]


def _words(path: str) -> frozenset[str]:
    """Return the words of the last parts of a path, without what every test is called."""
    return _cut(" ".join(path.rpartition(".")[0].split("/")[-NAME_PARTS:])) - AFFIXES


def _shared(path: str, other: str) -> int:
    """Return how many folders two paths have in common, from the top."""
    pairs = zip(path.split("/")[:-1], other.split("/")[:-1], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _stem_words(path: str) -> frozenset[str]:
    return _cut(path.rpartition("/")[2].partition(".")[0]) - AFFIXES


def _cut(text: str) -> frozenset[str]:
    """Return the words of identifiers, in lower case and singular."""
    words = (word.casefold() for name in IDENTIFIER.findall(text) for word in cut_identifier(name))
    return frozenset(word.removesuffix("s") if len(word) >= PLURAL else word for word in words)
