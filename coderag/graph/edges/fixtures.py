"""Fixtures of pytest to the tests and fixtures that have a parameter of their name.

https://docs.pytest.org/en/stable/reference/fixtures.html#fixture-availability
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from coderag.graph.resolve.tables import Tables
from coderag.syntax.references.records import How, Role

__all__ = ["fixture_uses"]

LANGUAGE = "python"
TEST = "test"  # the label of files that hold tests, and what the name of a test begins with
MARKS = frozenset({"fixture", "yield_fixture"})
TESTS_FILE = re.compile(r"test_.*\.py|.*_test\.py|conftest\.py")  # conftest.py is for what lies below it
SHARED = "conftest.py"  # its fixtures are known to all tests of its folder and of those below


def fixture_uses(tables: Tables) -> Iterator[tuple[int, int, int]]:
    """Yield (test or fixture, the fixture that it is handed, candidates) in order.

    The nearest fixture of a name counts: of the class, the file, the folders above. Where none of these has it, the
    only one of that name in the index counts: surely where they import it, else as sure as a unique name.
    """
    fixtures = _Fixtures(tables)
    for node in fixtures.users():
        for name, bindings in tables.bindings.get(node, {}).items():
            if any(one.how is How.TYPE for one in bindings):
                found = fixtures.known_to(node, name)
                if found is not None:
                    yield node, *found


class _Fixtures:
    """The fixtures of an index."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._by_name: dict[str, list[int]] = {}
        self._nodes: set[int] = set()
        self._conftests: dict[str, list[int]] = {}  # by folder
        for number, file in enumerate(tables.files):
            folder, _, name = file.path.rpartition("/")
            if name == SHARED:
                self._conftests.setdefault(folder, []).append(number)
        for number, rare in enumerate(tables.rare):
            for reference in rare if self._is_python(number) else ():
                if reference.role is not Role.DECORATE or reference.owner < 0 or reference.name not in MARKS:
                    continue
                node = tables.first[number] + 1 + reference.owner
                if tables.is_callable(node) and node not in self._nodes:
                    self._nodes.add(node)
                    self._by_name.setdefault(tables.name[node], []).append(node)

    def _is_python(self, number: int) -> bool:
        return self._tables.files[number].language == LANGUAGE

    def users(self) -> Iterator[int]:
        """Yield the fixtures and the tests beside them."""
        tables = self._tables
        if not self._nodes:
            return
        for number, file in enumerate(tables.files):
            if self._is_python(number):
                is_tests = TEST in file.labels
                for node in range(tables.first[number] + 1, tables.first[number] + 1 + len(file.links.definitions)):
                    is_test = is_tests and tables.is_callable(node) and tables.name[node].startswith(TEST)
                    if is_test or node in self._nodes:
                        yield node

    def known_to(self, node: int, name: str) -> tuple[int, int] | None:
        """Return the fixture that a parameter is handed, and how many it may be."""
        nodes = [one for one in self._by_name.get(name, ()) if one != node]
        if not nodes:
            return None
        near = {one: self._nearness(node, one) for one in nodes}
        best = max(nodes, key=lambda one: (near[one], one))  # of equally near ones, the last definition counts
        if near[best] != (0, 0):
            return best, 0
        shared = [one for one in nodes if self._is_shared(one)]
        if len(shared) != 1:
            return None
        return shared[0], 0 if self._is_imported(self._tables.file[node], name) else 1

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

    def _nearness(self, node: int, fixture: int) -> tuple[int, int]:
        """Return how near a fixture is to what may use it, (0, 0) where that does not know it."""
        tables = self._tables
        number, other = tables.file[node], tables.file[fixture]
        around = tables.parent[fixture]
        if number == other:
            within = [node]
            while tables.kind[within[-1]] is not None:
                within.append(tables.parent[within[-1]])
            return (2, len(within) - within.index(around)) if around in within else (0, 0)
        folder, _, file = tables.files[other].path.rpartition("/")
        is_above = not folder or tables.files[number].path.startswith(f"{folder}/")
        shared = file == SHARED and is_above and tables.kind[around] is None
        return (1, folder.count("/") + bool(folder) + 1) if shared else (0, 0)
