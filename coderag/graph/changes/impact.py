"""A change of files to what it touches: definitions and data that changed, what depends on them, the tests to run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from coderag.files.changes.records import ChangeSet
from coderag.graph.changes.broken import broken_by
from coderag.graph.changes.definitions import changed_definitions
from coderag.graph.changes.records import Broken, Changed, DiffImpact, How, RunnableTest, Touched
from coderag.graph.changes.schema import changed_schema
from coderag.graph.changes.tests_first import NAMED_CONFIDENCE, TestOrder
from coderag.graph.graph import Graph
from coderag.graph.queries.impact import DEPTH, MAX_TESTS
from coderag.graph.queries.locations import DATA_KINDS, Location, certainty_share, in_test, location_of
from coderag.graph.queries.lookup import find_nodes
from coderag.graph.queries.reach import TEST_DEPTH, Affected, affected_of, is_run, nearest, reach
from coderag.graph.queries.refs import unresolved_near
from coderag.graph.records import EdgeKind, NodeKind
from coderag.index.build.job import BuildOptions
from coderag.index.build.schema import fold_files, schema_files
from coderag.index.build.segment_ref import SegmentRef
from coderag.index.build.texts import ReadText, indexed_texts, read_texts
from coderag.index.reader.opened_root import OpenedRoot
from coderag.sql.records import AddDefinition, AddQuery, Facts, Schema, SchemaFile, SchemaOperation
from coderag.sql.settings import Settings, read_settings
from coderag.types import Content

__all__ = ["impact_of_changes", "test_id"]

USES = (EdgeKind.READS, EdgeKind.WRITES, EdgeKind.DELETES)
TABLES = frozenset({NodeKind.TABLE, NodeKind.VIEW})
# A change of these kinds leaves names and parameters as they are.
KEEPING = frozenset({How.ADDED, How.CHANGED})
SPLIT_NAMES = frozenset({".py", ".pyi"})  # whose runner wants FILE::CLASS::NAME
NEAR = 5  # tests at one step that come before those that are told by their names alone
NO_FACTS = Facts()
NO_SCHEMA = Schema()


def impact_of_changes(
    opened: OpenedRoot, graph: Graph, changes: ChangeSet, *, depth: int = DEPTH, repository: str = ""
) -> DiffImpact:
    """Return what a change of the files of a root touches, up to `depth` steps away; tests are found at any distance.

    The index is that of the root as it is now. Raises SettingsError, WorkerError and IndexDamagedError.
    """
    root = Path(opened.manifest.root)
    settings = read_settings(root)
    manifest = opened.manifest
    options = BuildOptions(
        contents=frozenset(map(Content, manifest.contents)), max_bytes=manifest.max_bytes, mask=manifest.mask
    )
    parts = [SegmentRef(*one) for one in zip(manifest.segments, opened.segments, opened.listed.stamps, strict=True)]
    sides = (
        {file.old_path: file.old for file in changes.files if file.old_path},
        {file.new_path: file.new for file in changes.files if file.new_path},
    )
    indexed = [indexed_texts(parts, texts) for texts in sides]
    lacking = [
        {path: data for path, data in texts.items() if path not in known}
        for texts, known in zip(sides, indexed, strict=True)
    ]
    read = read_texts(root, lacking, options, settings)
    old, new = (known | found for known, found in zip(indexed, read, strict=True))
    changed = changed_definitions(changes.files, old, new)
    data, schema = _changed_data(parts, old, new, settings)
    starts = _starts(graph, (*changed, *data))
    broken = tuple(broken_by((*changed, *data), graph, parts, schema))
    found = _affected(graph, starts, (*changed, *data), depth=depth)
    tests: dict[str, RunnableTest] = {}
    for test in (*_own_tests(graph, starts), *_naming_tests(graph, broken), *found.tests):
        tests.setdefault(test.id, test)
    return DiffImpact(
        title=changes.title,
        files=tuple(sorted(file.path for file in changes.files)),
        changed=changed,
        data=data,
        broken=broken,
        affected=found.affected,
        possibly=found.possibly,
        tests=tuple(tests.values()),
        tables=tuple(_touched(graph, starts)),
        further_tests=found.further_tests,
        unresolved=tuple(unresolved_near(graph, list(starts))),
        left_out=changes.left_out,
        repository=repository,
    )


class _Found(msgspec.Struct, frozen=True):
    """What depends on what changed."""

    affected: tuple[Affected, ...]
    possibly: tuple[Affected, ...]
    tests: tuple[RunnableTest, ...]
    further_tests: int


def _affected(graph: Graph, starts: Mapping[int, Changed], changes: Sequence[Changed], *, depth: int) -> _Found:
    """Return what depends on some nodes, each once by its nearest cause."""
    # What stands outside of definitions runs wherever the file is imported.
    keeping = {node for node, one in starts.items() if one.how in KEEPING and one.spot.kind is not NodeKind.FILE}
    reached = reach(graph, starts, depth=max(depth, TEST_DEPTH), keeping=keeping)
    behind = sorted(one for one in reached.values() if one.node not in starts)
    near = [one for one in behind if one.distance <= depth and not in_test(graph, one.node)]
    shown = [(one.doubtful, affected_of(graph, reached, one)) for one in near]
    order = TestOrder(graph, [one for one in changes if "test" not in one.spot.labels])
    tests = order.sorted(one for one in behind if in_test(graph, one.node) and is_run(graph, one.node))
    own = {graph.node(node).path for node in starts if in_test(graph, node) and is_run(graph, node)}
    run = [affected_of(graph, reached, one) for one in tests[:MAX_TESTS]]
    named = list(order.named_after(own.union(one.spot.path for one in run)))
    direct = sum(one.distance <= 1 and one.confidence > NAMED_CONFIDENCE for one in run[:NEAR])
    run = [*run[:direct], *named, *run[direct:]]
    return _Found(
        tuple(sorted((one for doubtful, one in shown if not doubtful), key=nearest)),
        tuple(sorted((one for doubtful, one in shown if doubtful), key=nearest)),
        tuple(map(_runnable, run)),
        max(len(tests) - MAX_TESTS, 0),
    )


def _own_tests(graph: Graph, starts: Mapping[int, Changed]) -> Iterator[RunnableTest]:
    """Yield the tests that changed themselves."""
    for node, one in starts.items():
        if in_test(graph, node) and is_run(graph, node):
            spot = location_of(graph.node(node))
            yield _runnable(Affected(spot, 0, 1.0, spot.path, spot.line, str(one.how), (spot.name,)))


def _naming_tests(graph: Graph, broken: Sequence[Broken]) -> Iterator[RunnableTest]:
    """Yield the tests that still name what is gone: they fail for sure, or tell that it means something else."""
    for place in broken:
        around = [node for node in find_nodes(graph, f"{place.path}:{place.line}") if in_test(graph, node.number)]
        for node in around[:1]:
            if is_run(graph, node.number):
                spot = location_of(node)
                confidence = 1.0 if place.certain else NAMED_CONFIDENCE
                why = f"names {place.name}, which is gone"
                yield _runnable(Affected(spot, 1, confidence, place.path, place.line, why, (place.name, spot.name)))


def _runnable(found: Affected) -> RunnableTest:
    return RunnableTest(test_id(found.spot), found)


def test_id(spot: Location) -> str:
    """Return a test as runners take it: `tests/test_cart.py::TestCart::test_total`, or the file alone."""
    if spot.kind is NodeKind.FILE:
        return spot.path
    is_split = spot.path.endswith(tuple(SPLIT_NAMES))
    return f"{spot.path}::{spot.name.replace('.', '::') if is_split else spot.name}"


# What changed, as nodes


def _starts(graph: Graph, changes: Sequence[Changed]) -> dict[int, Changed]:
    """Return the nodes that changed; with a table that came, went or has another name, its columns."""
    found: dict[int, Changed] = {}
    for one in changes:
        nodes = _of_data(graph, one) if one.spot.kind in DATA_KINDS else _of_code(graph, one)
        for node in nodes:
            found.setdefault(node, one)
            if one.spot.kind in TABLES and one.how is not How.CHANGED:
                for edge in graph.edges_from(node, (EdgeKind.CONTAINS,)):
                    found.setdefault(edge.target, one)
    return found


def _of_code(graph: Graph, one: Changed) -> list[int]:
    """Return the node of a definition or file; none for one that the index does not have, as it is gone or of the past.

    A patch that is not applied leaves what it removes in the index, with all that depends on it.
    """
    spot = one.spot
    fitting = [
        node
        for node in map(graph.node, graph.in_file(spot.path))
        if node.kind is spot.kind and (spot.kind is NodeKind.FILE or node.qualified_name == spot.name)
    ]
    fitting.sort(key=lambda node: abs(node.row - spot.line))
    return [node.number for node in fitting[:1]]


def _of_data(graph: Graph, one: Changed) -> list[int]:
    """Return the nodes of a table or column under the names that it has and had.

    What statements name and no schema defines is among them: so they name what is gone.
    """
    found: list[int] = []
    for name in filter(None, (one.spot.name, one.before)):
        nodes = [graph.node(number) for number in graph.named(name.rpartition(".")[2])]
        kinds = TABLES if one.spot.kind in TABLES else {one.spot.kind}
        same = [node for node in nodes if node.kind in kinds and node.qualified_name.casefold() == name.casefold()]
        own = [node for node in same if node.database == one.spot.database or node.unknown]
        found += [node.number for node in own or same]
    return found


def _touched(graph: Graph, starts: Mapping[int, Changed]) -> Iterator[Touched]:
    """Yield the tables that changed code uses, each once for each way of use: its surest and first place."""
    found: dict[tuple[str, str, EdgeKind], Touched] = {}
    for node in starts:
        if in_test(graph, node) or graph.node(node).kind in DATA_KINDS:
            continue
        for edge in graph.edges_from(node, USES):
            target = graph.node(edge.target)
            if target.kind not in TABLES:
                continue
            one = Touched(
                location_of(target),
                edge.kind,
                graph.node(node).qualified_name,
                edge.path or graph.node(node).path,
                edge.line,
                certainty_share(edge.candidates),
            )
            key = target.database, target.qualified_name, edge.kind
            if key not in found or one.confidence > found[key].confidence:
                found[key] = one
    yield from (found[key] for key in sorted(found))


# Schemas


def _changed_data(
    parts: Sequence[SegmentRef], old: Mapping[str, ReadText], new: Mapping[str, ReadText], settings: Settings
) -> tuple[tuple[Changed, ...], Schema]:
    """Return the tables and columns that a change of files changes, and the schema after it.

    The schema is that of the files: what a database said when it was asked is as it was.
    """
    paths = {path for path in old.keys() | new.keys() if _declared(old.get(path)) != _declared(new.get(path))}
    if not paths:
        return (), NO_SCHEMA
    present = {file.path: file for file in schema_files(parts)}
    before, after = (
        fold_files(_with(present, side, replaced=old.keys() | new.keys()), settings) for side in (old, new)
    )
    return changed_schema(before, after, list(_came(paths, old, new))), after


def _declared(read: ReadText | None) -> list[SchemaOperation]:
    """Return what a file says of schemas, queries and terms aside."""
    operations = read.facts.operations if read else ()
    return [one for one in operations if not isinstance(one, AddQuery | AddDefinition)]


def _with(
    present: Mapping[str, SchemaFile], side: Mapping[str, ReadText], *, replaced: Collection[str]
) -> list[SchemaFile]:
    """Return the files that tell something of schemas, those of one side in the place of what is there now."""
    files = {path: file for path, file in present.items() if path not in replaced}
    for path, read in side.items():
        if read.facts != NO_FACTS:
            modified = present[path].modified if path in present else ""
            files[path] = SchemaFile(path, read.facts, tuple(sorted(read.labels)), modified)
    return [files[path] for path in sorted(files)]


def _came(
    paths: Iterable[str], old: Mapping[str, ReadText], new: Mapping[str, ReadText]
) -> Iterator[tuple[str, SchemaOperation]]:
    """Yield the operations that the old side lacks, each with its file."""
    for path in sorted(paths):
        known = _declared(old.get(path))
        yield from ((path, operation) for operation in _declared(new.get(path)) if operation not in known)
