"""Fixtures of pytest to the tests and fixtures that have a parameter or a mark `usefixtures` with their name.

Fixtures with `autouse=True` that nothing names are left out: they run for every test around, which says nothing of one.

https://docs.pytest.org/en/stable/reference/fixtures.html#fixture-availability
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from coderag.graph.resolve.resolver import Resolver
from coderag.syntax.references.fixtures import FIXTURE_MARKS
from coderag.syntax.references.records import Role

__all__ = ["fixture_uses"]

LANGUAGE = "python"
TEST = "test"  # the label of files that hold tests, and what the name of a test begins with
TESTS_FILE = re.compile(r"test_.*\.py|.*_test\.py|conftest\.py")  # conftest.py is for what lies below it
UNKNOWN = 0, 0, 0
SHARED = "conftest.py"  # its fixtures are known to all tests of its folder and of those below


def fixture_uses(resolver: Resolver) -> Iterator[tuple[int, int, int]]:
    """Yield (test or fixture, the fixture that it is handed, candidates) in order.

    The nearest fixture of a name counts: of the class, its bases, the file, the folders above. Where none of these has
    it, the only one of that name in the index counts: surely where they import it, else as sure as a unique name.
    """
    fixtures = _Fixtures(resolver)
    for node, names in fixtures.users():
        for name in names:
            found = fixtures.known_to(node, name)
            if found is not None:
                yield node, *found


class _Fixtures:
    """The fixtures of an index."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver, tables = resolver, resolver.tables
        self._tables = tables
        self._by_name: dict[str, list[int]] = {}
        self._nodes: set[int] = set()
        self._asked: dict[int, list[str]] = {}  # names, by what has the parameters or the mark
        self._conftests: dict[str, list[int]] = {}  # by folder
        for number, file in enumerate(tables.files):
            folder, _, name = file.path.rpartition("/")
            if name == SHARED:
                self._conftests.setdefault(folder, []).append(number)
        called: dict[int, str] = {}
        for number, rare in enumerate(tables.rare):
            for reference in rare if self._is_python(number) else ():
                node = tables.first[number] + 1 + reference.owner
                if reference.role is Role.FIXTURE and reference.receiver:
                    called[node] = reference.name
                elif reference.role is Role.FIXTURE:
                    self._asked.setdefault(node, []).append(reference.name)
                elif reference.role is Role.DECORATE and reference.name in FIXTURE_MARKS and tables.is_callable(node):
                    self._nodes.add(node)
        for node in sorted(self._nodes):
            self._by_name.setdefault(called.get(node, tables.name[node]), []).append(node)

    def _is_python(self, number: int) -> bool:
        return self._tables.files[number].language == LANGUAGE

    def users(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the fixtures and the tests beside them, with the names of the fixtures that they ask for."""
        tables = self._tables
        if not self._nodes:
            return
        for number, file in enumerate(tables.files):
            if self._is_python(number):
                is_tests = TEST in file.labels
                for node in range(tables.first[number] + 1, tables.first[number] + 1 + len(file.links.definitions)):
                    is_test = is_tests and tables.is_callable(node) and tables.name[node].startswith(TEST)
                    if is_test or node in self._nodes:
                        yield node, list(dict.fromkeys(self._names(node, with_around=node not in self._nodes)))

    def _names(self, node: int, *, with_around: bool) -> Iterator[str]:
        """Yield what a test or fixture asks for; what marks of its class and module say holds for tests alone."""
        yield from self._asked.get(node, ())
        while with_around and self._tables.kind[node] is not None:
            node = self._tables.parent[node]
            if not self._tables.is_callable(node):
                yield from self._asked.get(node, ())

    def known_to(self, node: int, name: str) -> tuple[int, int] | None:
        """Return the fixture that a parameter is handed, and how many it may be."""
        nodes = [one for one in self._by_name.get(name, ()) if one != node]
        if not nodes:
            return None
        near = {one: self._nearness(node, one) for one in nodes}
        best = max(nodes, key=lambda one: (near[one], one))  # of equally near ones, the last definition counts
        if near[best] != UNKNOWN:
            return best, 0
        shared = [one for one in nodes if self._is_shared(one)]
        if len(shared) != 1:
            return None
        return shared[0], 0 if self._is_imported(self._tables.file[node], self._tables.name[shared[0]]) else 1

    def _is_imported(self, number: int, name: str) -> bool:
        """Tell whether a file, or a conftest.py that it knows, imports a name."""
        folder, knowing = self._tables.files[number].path, [number]
        while folder:
            folder = folder.rpartition("/")[0]
            knowing += self._conftests.get(folder, ())
        return any(name in self._tables.imports.get(self._tables.first[one], ()) for one in knowing)

    def _is_shared(self, fixture: int) -> bool:
        """Tell whether a fixture may be imported or come by a plugin: of no class, and in no file of tests."""
        tables = self._tables
        file = tables.files[tables.file[fixture]].path.rpartition("/")[2]
        return tables.kind[tables.parent[fixture]] is None and not TESTS_FILE.fullmatch(file)

    def _nearness(self, node: int, fixture: int) -> tuple[int, int, int]:
        """Return how near a fixture is to what may use it, UNKNOWN where that does not know it."""
        tables = self._tables
        number, other = tables.file[node], tables.file[fixture]
        around = tables.parent[fixture]
        within = [node]
        while tables.kind[within[-1]] is not None:
            within.append(tables.parent[within[-1]])
        if around in within:
            return 2, len(within) - within.index(around), 0
        if tables.is_container(around):  # a base of a class around
            for depth, one in enumerate(reversed(within), 1):
                line = self._resolver.line(one) if tables.is_container(one) else ()
                if around in line:
                    return 2, depth, -line.index(around)
        folder, _, file = tables.files[other].path.rpartition("/")
        is_above = not folder or tables.files[number].path.startswith(f"{folder}/")
        if file == SHARED and is_above and number != other and tables.kind[around] is None:
            return 1, folder.count("/") + bool(folder) + 1, 0
        return UNKNOWN
