"""Queries about the code graph of a snapshot: references, impact, paths, drawings and maps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from coderag.api.queries.code import files, search
from coderag.api.queries.schema import table_ranking
from coderag.limits import (
    DEPTH,
    GLOB,
    GLOBS,
    ITEMS,
    MAP_BUDGET,
    NAME,
    NODES,
    QUESTION,
    SHOWN,
    WAYS,
    K,
    check_name,
    check_number,
    check_text,
    checked_list,
    fault_of_text,
)
from coderag.search.query.query import check_question, make_query
from coderag.types import Kind, TestPolicy

if TYPE_CHECKING:
    from coderag.api.queries.pinned import PinnedSnapshot
    from coderag.graph.changes.records import DiffImpact
    from coderag.graph.drawing.drawing import Drawing
    from coderag.graph.queries.answers import Meanings, Neighbours, OutgoingEdges
    from coderag.graph.queries.impact import Change, Impact
    from coderag.graph.queries.locations import Location
    from coderag.graph.queries.map import RepositoryMap
    from coderag.graph.queries.paths import GraphPath
    from coderag.graph.queries.refs import References
    from coderag.graph.records import EdgeKind, NodeKind

__all__ = [
    "changed_files",
    "graph",
    "impact",
    "impact_of_diff",
    "map",
    "meanings",
    "names_like",
    "neighbours",
    "outgoing",
    "part_changes",
    "path_between",
    "reached",
    "refs",
]

DRAWN, DRAWN_TABLES = 3, 2  # hits and tables of a question that a drawing begins with
DRAWN_CONFIDENCE, DRAWN_SCORE = 0.05, 1.0  # that they have at least
MAX_ANSWERING = 50  # hits that tell which parts of a map a question is about


def refs(
    pinned: PinnedSnapshot,
    target: str,
    *,
    kinds: Iterable[NodeKind | str] = (),
    paths: Sequence[str] = (),
    shown: int | None = 10,
    repository: str = "",
) -> list[References]:
    """Return what refers to each definition, file, route, table or column that a target means, the best first.

    A target is a symbol, FILE, FILE:LINE, table, table.column or route; `kinds`, `paths` (globs) and `repository`
    narrow it. At most `shown` references of each group are there, None for all. [] if nothing has the name.
    Raises QueryError.
    """
    from coderag.graph.queries.answers import all_references

    _check_target(target)
    kinds, paths = _narrowing(kinds, paths)
    if shown is not None:
        check_number(SHOWN, shown)
    return all_references(pinned.graphs(repository), target, kinds=kinds, paths=paths, shown=shown)


def impact(
    pinned: PinnedSnapshot,
    target: str,
    *,
    change: Change | str = "rename",
    depth: int = 3,
    kinds: Iterable[NodeKind | str] = (),
    paths: Sequence[str] = (),
    repository: str = "",
) -> Impact | None:
    """Return what is affected when the best that a target means is renamed, dropped or changes its type.

    Up to `depth` steps away; the tests that run any of it are found at any distance. None if nothing has the
    name. Raises QueryError for an empty target, an unknown change or kind, and what exceeds a limit.
    """
    from coderag.graph.queries.answers import all_impacts

    _check_target(target)
    kinds, paths = _narrowing(kinds, paths)
    check_number(DEPTH, depth)
    return all_impacts(pinned.graphs(repository), target, change=change, depth=depth, kinds=kinds, paths=paths)


def impact_of_diff(
    pinned: PinnedSnapshot, revision: str = "", *, staged: bool = False, patch: str | None = None, depth: int = 3
) -> DiffImpact:
    """Return what a change touches: its definitions and columns, what depends on them, the tests to run first.

    The change is that of a range (`main...HEAD`, `A..B`), or of the files as they are (or are `staged`) against a
    revision, by default HEAD, untracked files included; or a `patch`, a unified diff as text, applied or not. What
    depends on it is told up to `depth` steps away, from the index as it is. Raises QueryError for several roots and
    a patch that cannot be read, GitError, and AccessError for an index as some groups see it.
    """
    from coderag.api.changes import diff_impact

    check_text(NAME, revision, name="the revision")
    check_number(DEPTH, depth)
    snapshot = pinned.whole("be compared with what git has")
    return diff_impact(snapshot, revision, staged=staged, patch=patch, depth=depth)


def changed_files(pinned: PinnedSnapshot, revision: str = "") -> frozenset[tuple[str, str]]:
    """Return the files that differ from a revision, by default HEAD, or that a range changes: repository and path.

    Untracked files are included, removed ones are not; `search(files=...)` takes them. Raises GitError.
    """
    from coderag.api.changes import changed_paths

    check_text(NAME, revision, name="the revision")
    return frozenset((root.repository, path) for root in pinned.roots for path in changed_paths(root.root, revision))


def path_between(
    pinned: PinnedSnapshot,
    source: str,
    target: str,
    *,
    k: int = 1,
    kinds: Iterable[NodeKind | str] = (),
    paths: Sequence[str] = (),
) -> list[GraphPath]:
    """Return up to `k` different ways from one target to another, the surest and shortest first.

    Over routes, calls, overriding methods, mappings and uses of data; where none leads there, the ways back. []
    where neither leads to the other, or nothing has a name. Raises QueryError.
    """
    from coderag.graph.queries.answers import all_paths

    _check_target(source)
    _check_target(target)
    kinds, paths = _narrowing(kinds, paths)
    check_number(WAYS, k)
    return all_paths(pinned.graphs(), source, target, kinds=kinds, paths=paths, k=k)


def neighbours(pinned: PinnedSnapshot, target: str, *, shown: int = 3) -> Neighbours:
    """Return what stands around a target in the graph, at most `shown` of each relation.

    What it is part of, what calls, reads, writes, maps, inherits and tests it, what it calls, reads and writes;
    of a class also of its members. What half of the program uses comes last. Raises QueryError for no target.
    """
    from coderag.graph.queries.answers import around

    _check_target(target)
    return around(pinned.graphs(), target, shown=shown)


def outgoing(
    pinned: PinnedSnapshot, target: str, *, kinds: Iterable[EdgeKind | str] = ("calls", "reads", "writes")
) -> OutgoingEdges:
    """Return what a target calls, reads or writes, each once, the nearest first; of a class also its members.

    Tables that are read, written or deleted from are found up to four certain calls away. Raises QueryError for no
    target, and for an unknown kind of edge.
    """
    from coderag.graph.queries.answers import all_outgoing

    _check_target(target)
    return all_outgoing(pinned.graphs(), target, kinds=kinds)


def reached(pinned: PinnedSnapshot, source: str, *, like: str) -> list[Location]:
    """Return what of the kind of a second target a first one leads to, the nearest first; at most three of a root.

    Raises QueryError for an empty target.
    """
    from coderag.graph.queries.answers import all_reached

    _check_target(source)
    _check_target(like)
    return all_reached(pinned.graphs(), source, like)


def graph(
    pinned: PinnedSnapshot,
    what: str,
    *,
    depth: int = 1,
    k: int = 30,
    kinds: Iterable[NodeKind | str] = (),
    paths: Sequence[str] = (),
    languages: Iterable[str] = (),
    databases: Iterable[str] = (),
    tests: str = "demote",
    repository: str = "",
) -> Drawing | None:
    """Return a drawing of a target, or of what a question finds, with what is up to `depth` steps around it.

    At most `k` nodes. `languages`, `databases` and `tests` are about what a question finds. None if nothing
    is found. Raises QueryError for an empty question, an unknown kind, and what exceeds a limit.
    """
    from coderag.graph.queries.answers import draw, draw_places

    check_question(what)
    kinds, paths = _narrowing(kinds, paths)
    check_number(DEPTH, depth)
    check_number(NODES, k)
    graphs = pinned.graphs(repository)
    is_name = not fault_of_text(NAME, what)
    drawn = draw(graphs, what, kinds=kinds, paths=paths, depth=depth, k=k) if is_name else None
    if drawn is not None:
        return drawn
    hits = search(
        pinned,
        what,
        k=DRAWN,
        paths=paths,
        languages=languages,
        databases=databases,
        tests=tests,
        threshold=DRAWN_CONFIDENCE,
        repositories=tuple(graphs),
    )
    tables = table_ranking(pinned, what, k=DRAWN_TABLES).tables if len(pinned.catalog) else ()
    return draw_places(
        graphs,
        [(hit.chunk.repository, hit.chunk.path, hit.chunk.span.start_line) for hit in hits],
        [str(pinned.catalog.tables[table.table].name.name) for table in tables if table.score >= DRAWN_SCORE],
        depth=depth,
        k=k,
    )


def map(
    pinned: PinnedSnapshot,
    question: str = "",
    *,
    budget: int = 1024,
    paths: Sequence[str] = (),
    kinds: Iterable[Kind | str] = (),
    languages: Iterable[str] = (),
    databases: Iterable[str] = (),
    tests: TestPolicy | str = TestPolicy.EXCLUDE,
    k: int | None = None,
) -> list[RepositoryMap]:
    """Return an overview of each root within `budget` tokens: its parts, and what matters most in each.

    With a question the parts that it is about come first; one such as "what are the main parts?" is about all.
    `paths` are globs; `kinds`, `languages`, `databases` and `tests` as in `search`, but that tests are left out
    unless they are asked for. At most `k` parts of each root, by default as many as the budget has room for.
    Raises QueryError for an unknown condition and what exceeds a limit.
    """
    from coderag.api.maps import maps_of, shares_of_files
    from coderag.graph.queries.overview import about_the_whole

    check_text(QUESTION, question)
    check_number(MAP_BUDGET, budget)
    check_number(K, 1 if k is None else k)
    topic = question if question.strip() and not about_the_whole(question) else ""
    conditions = make_query("-", paths=paths, kinds=kinds, languages=languages, databases=databases, tests=tests)
    near = {}
    if topic:
        hits = search(pinned, topic, k=MAX_ANSWERING, paths=conditions.paths, tests=conditions.tests)
        near = shares_of_files(hits)
    paths_of: dict[str, set[str]] | None = None  # each repository
    if conditions.languages or conditions.databases:
        paths_of = {}
        for name, path in files(pinned, replace(conditions, paths=(), kinds=frozenset(), tests=TestPolicy.INCLUDE)):
            paths_of.setdefault(name, set()).add(path)
    return maps_of(
        pinned.graphs(),
        pinned.corpus,
        conditions,
        budget=budget // len(pinned.roots),
        files=paths_of,
        question=question,
        near=near,
        k=k,
    )


def part_changes(pinned: PinnedSnapshot, maps: Sequence[RepositoryMap]) -> list[tuple[int, ...]]:
    """Return for each part of each map how many commits changed it, as far as the index has their history."""
    from coderag.api.part_changes import part_changes

    graphs, histories = pinned.graphs(), pinned.snapshot.histories
    return [
        part_changes(repository_map, graphs[repository_map.repository], histories[repository_map.repository])
        if repository_map.repository in histories
        else ()
        for repository_map in maps
    ]


def meanings(
    pinned: PinnedSnapshot,
    target: str,
    *,
    kinds: Iterable[NodeKind | str] = (),
    paths: Sequence[str] = (),
    stored: bool = False,
) -> Meanings:
    """Return what of the graph a target is taken for, and what else has its name; raises QueryError.

    With `stored` no graph is built: those of the last time answer, and where there are none, nothing is meant.
    """
    from coderag.graph.queries.answers import meanings_of

    _check_target(target)
    kinds, paths = _narrowing(kinds, paths)
    graphs = pinned.snapshot.stored_graphs if stored else pinned.graphs()
    return meanings_of(graphs, target, kinds=kinds, paths=paths)


def names_like(pinned: PinnedSnapshot, target: str) -> tuple[str, ...]:
    """Return the names of the graph that are spelled most like a target, the likeliest first; at most three."""
    from coderag.graph.queries.answers import names_like

    _check_target(target)
    return names_like(pinned.graphs(), target)


def _check_target(target: str) -> None:
    check_name(target, what="the target")


def _narrowing(kinds: Iterable[NodeKind | str], paths: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the conditions on a target; raises QueryError for too many or too long ones."""
    return checked_list(ITEMS, kinds, name="kinds"), checked_list(GLOBS, paths, name="paths", item=GLOB)
