"""What files of code say of each other to edges: imports, calls, inheritance, references, tests, documents, routes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import compress

import numpy as np

from coderag.graph.edges.documented import Documented
from coderag.graph.edges.events import event_uses
from coderag.graph.edges.fixtures import fixture_uses
from coderag.graph.edges.held_functions import calls_of_held
from coderag.graph.edges.implicit import Implementation, implementations
from coderag.graph.edges.inline_handlers import InlineHandler
from coderag.graph.edges.references import Leads, ReferenceEdges
from coderag.graph.edges.requested import Requests, Served
from coderag.graph.edges.reused import NO_EDGES, CodeEdges, ReusedEdges
from coderag.graph.edges.routed import Answered, answered
from coderag.graph.edges.tested import Tests
from coderag.graph.files import LinkedFile, Places
from coderag.graph.graph import EDGE_CODES, GraphDraft
from coderag.graph.records import EdgeKind, NodeKind
from coderag.graph.resolve.abstract_values import OUTSIDE
from coderag.graph.resolve.fallback_resolution import FallbackResolution
from coderag.graph.resolve.imports.modules import Modules
from coderag.graph.resolve.names import Names
from coderag.graph.resolve.partial_types import settle
from coderag.graph.resolve.resolver import Resolver
from coderag.graph.resolve.tables import Tables
from coderag.graph.resolve.type_syntax import plain
from coderag.index.storage.arrays.ranges import distinct
from coderag.syntax.outline import CALLABLE
from coderag.syntax.references.records import Reference, Role

__all__ = ["add_code_edges"]

TEST = "test"  # the label of files that hold tests
TEST_ENDING = "_test"  # of a file whose name begins as that of what it tests
PACKAGE = "__init__.py"  # a file that stands for its folder
MAX_FILES = 16  # of a package that an import names, each of which gets an edge
IMPORTS = EDGE_CODES[EdgeKind.IMPORTS]
REFERENCES = EDGE_CODES[EdgeKind.REFERENCES]
KIND_OF_ROLE = np.full(max(Role) + 1, REFERENCES, np.uint8)  # codes
KIND_OF_ROLE[Role.CALL] = EDGE_CODES[EdgeKind.CALLS]
KIND_OF_ROLE[Role.DOCUMENT] = EDGE_CODES[EdgeKind.DOCUMENTS]
TESTING = (EDGE_CODES[EdgeKind.CALLS], REFERENCES)  # what tests reach


def add_code_edges(
    draft: GraphDraft,
    files: Sequence[LinkedFile],
    places: Places,
    *,
    read: Callable[[str], bytes | None] | None = None,
    reused: ReusedEdges | None = None,
) -> tuple[Names, list[InlineHandler]]:
    """Add the edges between files' code; return the resolver of all other names, and the handlers without a name.

    `reused` has the edges of files in which every name means what it meant in an earlier graph.
    """
    tables = Tables(files, places, few=reused is not None)
    resolver = Resolver(tables, Modules(files, read=read))
    _read_bases(resolver)
    settle(resolver)
    names = Names(resolver, FallbackResolution(resolver))
    edges, mentioned = _Edges(draft, names), ReferenceEdges(names, Documented(tables))
    for number in range(len(files)) if reused is None else sorted(reused.resolved):
        edges.add_imports(number)
        mentioned.read(number)
    edges.add_mentions(mentioned.leads(), NO_EDGES if reused is None else reused.edges)
    edges.add_inheritance()
    for test, fixture, candidates in fixture_uses(resolver):
        draft.add_edge(test, fixture, EdgeKind.CALLS, candidates=candidates)  # of no file, so that none keeps it
    for emitter, handler, candidates, row in event_uses(names):
        draft.add_edge(emitter, handler, EdgeKind.CALLS, candidates=candidates, row=row)  # the same
    edges.add_tests_by_name()
    routes = answered(names)
    are_asked = [not route.nodes and TEST in files[route.file].labels for route in routes]
    inline: list[InlineHandler] = []
    served = _add_routes(
        draft, [route for route, is_asked in zip(routes, are_asked, strict=True) if not is_asked], inline
    )
    edges.add_requests(served, compress(routes, are_asked))
    return names, inline


def _add_routes(draft: GraphDraft, routes: Iterable[Answered], inline: list[InlineHandler]) -> list[Served]:
    """Add a node for each address that is answered, and what answers it; `inline` grows by handlers without a name."""
    served = []
    for route in routes:
        rows = route.row, route.row, route.row
        name = f"{route.method} {route.address}" if route.method else route.address
        node = draft.add_node(NodeKind.ROUTE, name, name, file=route.file, rows=rows)
        handlers = route.nodes if route.last_row < 0 else ()  # what is around one without a name is more than that
        served.append(Served(node, route.method, route.address, handlers))
        if route.last_row >= 0:
            inline += [InlineHandler(node, around, route.row, route.last_row) for around in route.nodes[:1]]
        for target in route.nodes:
            draft.add_edge(node, target, EdgeKind.ROUTES, candidates=route.candidates, file=route.file, row=route.row)
    return served


def _read_bases(resolver: Resolver) -> None:
    """Note what each class writes as its bases."""
    tables = resolver.tables
    for number, rare in enumerate(tables.rare):
        base = tables.first[number]
        for reference in rare:
            if reference.role in (Role.INHERIT, Role.IMPLEMENT) and reference.owner >= 0:
                resolver.written_bases.setdefault(base + 1 + reference.owner, []).append(_text(reference))


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _text(one: Reference) -> str:
    return f"{plain(one.receiver)}.{one.name}" if one.receiver else one.name


class _Edges:
    """The edges of an index while they are added."""

    def __init__(self, draft: GraphDraft, names: Names) -> None:
        self._draft = draft
        self._names = names
        self._resolver = names.resolver
        self._tables = names.resolver.tables
        self._size = len(self._tables.kind)
        self._tests = Tests(self._tables)
        self._imported: dict[int, set[int]] = {}  # of files of tests: the files of what they import

    def add_imports(self, number: int) -> None:
        """Add what a file imports: files, and the definitions that it takes from them."""
        tables, draft = self._tables, self._draft
        base = tables.first[number]
        for imported in tables.files[number].links.mentions.imports:
            modules = self._resolver.modules.files_of(
                number, imported.module, imported.name if imported.name != "*" else ""
            )
            targets = [tables.first[other] for other in self._shown(modules)]
            if imported.name != "*":
                named = self._resolver.imported(base, imported)
                targets += [one for each in named for one in self._resolver.by_default(each) if isinstance(one, int)]
            targets = [target for target in dict.fromkeys(targets) if target != OUTSIDE and target != base]
            for target in targets:
                draft.add_edge(base, target, EdgeKind.IMPORTS, file=number, row=imported.row)
            self._note_imported(number, targets)

    def _note_imported(self, number: int, targets: Iterable[int]) -> None:
        """Remember which files a file of tests imports."""
        tables = self._tables
        if self._tests.in_tests(tables.first[number]):
            files = (tables.file[target] for target in targets if target < self._size)
            self._imported.setdefault(number, set()).update(files)

    def _shown(self, numbers: Sequence[int]) -> list[int]:
        """Return the files to which an import leads: of a package of many files the first of each folder."""
        if len(numbers) <= MAX_FILES:
            return list(numbers)
        files = self._tables.files
        return list({files[number].path.rpartition("/")[0]: number for number in reversed(numbers)}.values())[
            :MAX_FILES
        ]

    def add_mentions(self, leads: Leads, reused: CodeEdges) -> None:
        """Add what definitions call and refer to, what sections name, and what tests reach by that."""
        imports = reused.kind == IMPORTS
        for number, target in zip(reused.file[imports].tolist(), reused.target[imports].tolist(), strict=True):
            self._note_imported(number, (target,))
        found = self._of_leads(leads).and_then(reused)
        for edges in (found, calls_of_held(found, self._tables)):
            self._draft.add_edges(
                edges.source, edges.target, edges.kind, candidates=edges.candidates, file=edges.file, rows=edges.row
            )
        self._add_tests(found)

    def _of_leads(self, leads: Leads) -> CodeEdges:
        kinds = KIND_OF_ROLE[leads.role]
        kinds[leads.through] = REFERENCES
        rules = self._tables.rules
        callable_nodes = np.array([kind in CALLABLE for kind in self._tables.kind], np.bool_)
        bare = np.array([rule.bare_calls for rule in rules], np.bool_)[leads.file] & ~leads.through
        called = np.isin(leads.mention, leads.mention[bare & callable_nodes[leads.target]])
        kinds[bare & called & (kinds == REFERENCES)] = EDGE_CODES[EdgeKind.CALLS]
        return CodeEdges(leads.owner, leads.target, kinds, leads.candidates, leads.file, leads.row)

    def _add_tests(self, found: CodeEdges) -> None:
        """Add that tests reach what they or their helpers call and refer to."""
        tables, tests = self._tables, self._tests
        in_tests = np.array([tests.in_tests(base) for base in tables.first], np.bool_)
        maybe = np.flatnonzero(in_tests[found.file] & np.isin(found.kind, TESTING))
        tested = np.array([tests.is_tested(node) for node in range(len(tables.kind))], np.bool_)
        maybe = maybe[tested[found.target[maybe]]]
        owners = distinct(found.source[maybe])
        which = np.searchsorted(owners, found.source[maybe])
        test = np.array([tests.test_around(owner) for owner in owners.tolist()], np.int64)[which]
        maybe, test = maybe[test >= 0], test[test >= 0]
        self._draft.add_edges(
            test,
            found.target[maybe],
            EdgeKind.TESTS,
            candidates=found.candidates[maybe],
            file=found.file[maybe],
            rows=found.row[maybe],
        )

    def add_requests(self, served: Sequence[Served], asked: Iterable[Answered]) -> None:
        """Add which addresses are asked for, by tests and by others.

        `asked` are calls in tests that look like routes and have no handler: server.post("/orders", user).
        """
        if not served:
            return
        requests = Requests(served)
        for number, rare in enumerate(self._tables.rare):
            base = self._tables.first[number]
            for reference in rare:
                if reference.role == Role.REQUEST:
                    self._add_request(
                        base + 1 + reference.owner,
                        requests.answering(reference.receiver, reference.name),
                        (number, reference.row),
                    )

        for route in asked:
            owner = self._tables.first[route.file] + 1 + route.owner
            self._add_request(owner, requests.answering(route.method, route.address), (route.file, route.row))

    def _add_request(self, owner: int, routes: tuple[Served, ...], place: tuple[int, int]) -> None:
        number, row = place
        count = len(routes) if len(routes) > 1 else 0
        for route in routes:
            self._draft.add_edge(owner, route.node, EdgeKind.CALLS, candidates=count, file=number, row=row)
            if self._tests.in_tests(owner):
                test = self._tests.test_around(owner)
                for target in (route.node, *route.handlers) if test >= 0 else ():
                    self._draft.add_edge(test, target, EdgeKind.TESTS, candidates=count, file=number, row=row)

    def add_tests_by_name(self) -> None:
        """Add what tests say by their names that they test."""
        tables = self._tables
        for number, file in enumerate(tables.files):
            base = tables.first[number]
            if self._tests.in_tests(base):
                for node, defined in enumerate(file.links.definitions, base + 1):
                    targets = self._not_against_imports(number, self._tests.by_name(node))
                    for target in targets:
                        self._draft.add_edge(
                            node, target, EdgeKind.TESTS, candidates=len(targets), file=number, row=defined.row
                        )

    def _not_against_imports(self, number: int, targets: tuple[int, ...]) -> tuple[int, ...]:
        """Return the targets of a test's name that its file imports or is named after; all, if it imports none."""
        tables = self._tables
        if not targets or not tables.rules[number].closed:
            return targets
        known = [one for one in self._imported.get(number, ()) if self._tests.is_own(one)]
        if not known:
            return targets
        own = _stem(tables.files[number].path).removeprefix("test_").removesuffix(TEST_ENDING)
        paths = [tables.files[one].path for one in known]
        packages = tuple(path.removesuffix(PACKAGE) for path in paths if path.endswith(PACKAGE))
        return tuple(
            target
            for target in targets
            if tables.file[target] in known
            or (path := tables.files[tables.file[target]].path).startswith(packages)
            or _stem(path) == own
        )

    def add_inheritance(self) -> None:
        """Add the bases of classes, and the methods that replace one of a base."""
        tables, draft, resolver = self._tables, self._draft, self._resolver
        for number, rare in enumerate(tables.rare):
            base = tables.first[number]
            for reference in rare:
                if reference.role not in (Role.INHERIT, Role.IMPLEMENT) or reference.owner < 0:
                    continue
                node = base + 1 + reference.owner
                kind = EdgeKind.INHERITS if reference.role == Role.INHERIT else EdgeKind.IMPLEMENTS
                for target in resolver.values(tables.parent[node], _text(reference)):
                    if target < len(tables.kind) and target != node and tables.is_container(target):
                        draft.add_edge(node, target, kind, file=number, row=reference.row)
        for node in sorted(resolver.written_bases):
            self._add_overrides(node)
        for one in implementations(resolver):
            self._add_implicit(one)

    def _add_implicit(self, found: Implementation) -> None:
        """Add that a type implements an interface which it does not name."""
        ties = [(found.type, found.interface, EdgeKind.IMPLEMENTS)]
        ties += [(method, target, EdgeKind.OVERRIDES) for method, target in found.methods]
        for source, target, kind in ties:
            number, row = self._place(source)
            self._draft.add_edge(source, target, kind, candidates=1, file=number, row=row)

    def _place(self, node: int) -> tuple[int, int]:
        """Return the file and row of a definition."""
        tables = self._tables
        number = tables.file[node]
        return number, tables.files[number].links.definitions[node - tables.first[number] - 1].row

    def _add_overrides(self, node: int) -> None:
        tables = self._tables
        bases = [one for one in self._resolver.bases(node) if one != OUTSIDE]
        if not bases:
            return
        for name, methods in tables.members.get(node, {}).items():
            if not any(tables.is_callable(method) for method in methods):
                continue
            for base in bases:
                for target in self._resolver.class_member(base, name):
                    if isinstance(target, int) and target != OUTSIDE and tables.is_callable(target):
                        for method in methods:
                            number, row = self._place(method)
                            self._draft.add_edge(method, target, EdgeKind.OVERRIDES, file=number, row=row)
