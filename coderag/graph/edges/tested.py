"""Which definitions are tests, and what they are tests of by their names."""

from __future__ import annotations

import re

from coderag.graph.resolve.tables import Tables
from coderag.syntax.references.records import Role
from coderag.types import Kind

__all__ = ["Tests"]

MAX_CANDIDATES = 8
TEST = "test"  # the label of files that hold tests
OTHERS_CODE = frozenset({"test", "vendored", "generated", "example"})
TEST_NAME = re.compile(
    r"(?:test|Test|it_|should|spec_|Benchmark|Fuzz|Example)|.*(?:_test|_spec|Tests?|Spec|TestCase)$|.*\s"
)
MARKS = frozenset(
    {"Test", "test", "ParameterizedTest", "RepeatedTest", "Fact", "Theory", "TestMethod", "TestCase", "rstest"}
)
AFFIXES = (  # of the name of what is tested
    re.compile(r"test_(\w+)$"),
    re.compile(r"[Tt]est([A-Z]\w*)$"),
    re.compile(r"(\w+?)(?:_test|_spec)$"),
    re.compile(r"([A-Z]\w*?)(?:UnitTests?|IntegrationTests?|Tests?|TestCase|Spec|IT)$"),
)
NAMED = frozenset(
    {Kind.FUNCTION, Kind.METHOD, Kind.CLASS, Kind.STRUCT, Kind.INTERFACE, Kind.TRAIT, Kind.ENUM, Kind.MODULE}
)
NOTHING: tuple[int, ...] = ()


class Tests:
    """The tests of an index."""

    __test__ = False  # not a test class, whatever its name suggests to pytest

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._found: dict[int, int] = {}
        self._own = [OTHERS_CODE.isdisjoint(file.labels) for file in tables.files]
        self._marked = {
            tables.first[number] + 1 + reference.owner
            for number, rare in enumerate(tables.rare)
            for reference in rare
            if reference.role == Role.DECORATE and reference.owner >= 0 and reference.name in MARKS
        } | tables.titled

    def in_tests(self, node: int) -> bool:
        """Tell whether a node is in a file of tests."""
        return TEST in self._tables.files[self._tables.file[node]].labels

    def is_tested(self, node: int) -> bool:
        """Tell whether a definition is code that may be tested: no test, and nobody else's."""
        tables = self._tables
        return self._own[tables.file[node]] and tables.kind[node] is not None

    def is_own(self, file: int) -> bool:
        """Tell whether a file is code that may be tested."""
        return self._own[file]

    def test_around(self, node: int) -> int:
        """Return the test that a place in a file of tests belongs to, -1 for none: a function, a class, or the file."""
        found = self._found.get(node)
        if found is None:
            found = self._found[node] = self._test_around(node)
        return found

    def _test_around(self, node: int) -> int:
        tables = self._tables
        around = -1
        at = node
        while tables.kind[at] is not None:
            if tables.is_callable(at) and (at in self._marked or TEST_NAME.match(tables.name[at])):
                return at
            if tables.kind[at] is Kind.CLASS or (tables.kind[at] is Kind.MODULE and at != node):
                around = at
            at = tables.parent[at]
        if around >= 0:
            return around
        return at if tables.kind[node] is None else -1

    def by_name(self, node: int) -> tuple[int, ...]:
        """Return what a test says by its name that it tests; () when nothing has that name, or too much."""
        tables = self._tables
        if tables.kind[node] not in NAMED:
            return NOTHING
        for pattern in AFFIXES:
            match = pattern.match(tables.name[node])
            if match is not None:
                found = self._named(match[1], family=tables.rules_at(node).family, types=match[1][:1].isupper())
                if found:
                    return found
        return NOTHING

    def _named(self, name: str, *, family: str, types: bool) -> tuple[int, ...]:
        tables = self._tables
        names = (name, name[:1].lower() + name[1:]) if types else (name,)
        for each in names:
            nodes = [
                node
                for node in tables.by_name.get(each, ())
                if tables.kind[node] in NAMED and tables.rules_at(node).family == family and self.is_tested(node)
            ]
            if nodes:
                return tuple(nodes) if len(nodes) <= MAX_CANDIDATES else NOTHING
        return NOTHING
