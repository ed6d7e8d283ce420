"""A graph to an overview within a budget: its parts, and what matters most in each.

Parts are communities, what matters is told by PageRank, and both come with the graph. What is chosen one after the
other is what matters most, less for each further one of the same file and the same part, so that no part takes all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heapify, heappop, heapreplace

import numpy as np

from coderag.files.globs import path_test
from coderag.graph.graph import EDGE_KINDS, NODE_KINDS, Graph
from coderag.graph.queries.centrality import importance, test_nodes
from coderag.graph.queries.communities import NO_COMMUNITY, communities
from coderag.graph.queries.community_names import part_names
from coderag.graph.queries.entry_points import Chunks, EntryGroup, EntryPoint, entry_groups, entry_points, group_text
from coderag.graph.queries.families import Family, families, family_lines
from coderag.graph.queries.locations import TYPE_KINDS
from coderag.graph.queries.map_parts import (
    DATA,
    MapEntry,
    MapPart,
    RepositoryMap,
    entry_text,
    part_definitions,
    part_text,
    sentence_text,
)
from coderag.graph.queries.part_sentences import PartFiles, PartSentence, part_sentence
from coderag.graph.records import EdgeKind, Node, NodeKind
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.ranges import distinct
from coderag.index.storage.arrays.specs import within
from coderag.index.storage.postings import summed
from coderag.text.budget import tokens_of
from coderag.types import Symbol, TestPolicy

__all__ = [
    "MapEntry",
    "MapPart",
    "RepositoryMap",
    "communities_of",
    "entry_text",
    "map_of",
    "part_definitions",
    "part_text",
    "sentence_text",
]

ENTRIES = TYPE_KINDS | {
    *(NodeKind.FUNCTION, NodeKind.METHOD, NodeKind.MODULE, NodeKind.MACRO, NodeKind.EXTENSION),
    *(NodeKind.TABLE, NodeKind.VIEW),
}
TOKENS_PER_PART = 70  # of the budget; more parts are only counted
MIN_PARTS, MAX_PARTS = 3, 24
CANDIDATES_PER_TOKEN = 0.4  # so many more than fit that what is not chosen again and again has followers
FURTHER_OF_FILE, FURTHER_OF_PART = 0.7, 0.93  # what each further one of a file and of a part counts
NAMED = 4  # of a part, in its title
DEMOTED = 0.05  # what a test counts beside the rest where tests are demoted
MAX_USERS = 3
SAID_SHARE = 0.6  # of the room for sentences, entry points and families; the rest is for definitions
ANYWHERE, NEAR_QUESTION = 0.01, 20.0  # what counts a file that has nothing of the answer to a question, or all of it


@dataclass(slots=True)
class _Part:
    """A part while it is filled."""

    number: int
    paths: Mapping[str, float]  # its files, and how much each matters
    central: tuple[tuple[str, str], ...]  # the names that matter most in it, each with its path
    files: int
    tables: int
    share: float
    name: str = ""
    about: PartSentence | None = None
    entry_points: tuple[EntryGroup, ...] = ()
    chosen: list[MapEntry] = field(default_factory=list)

    def done(self) -> MapPart:
        entries = sorted(
            self.chosen, key=lambda map_entry: (map_entry.kind not in DATA, map_entry.path, map_entry.line)
        )
        return MapPart(
            self.name,
            tuple(name for name, _ in self.central),
            self.files,
            self.tables,
            self.share,
            tuple(entries),
            about=self.about,
            entry_points=self.entry_points,
            community=self.number,
        )


Outline = Callable[[str], Sequence[Symbol]]


def map_of(
    graph: Graph,
    outline: Outline,
    *,
    budget: int,
    paths: Sequence[str] = (),
    files: Collection[str] | None = None,
    kinds: Collection[str] = (),
    question: str = "",
    near: Mapping[str, float] | None = None,
    repository: str = "",
    chunks: Chunks | None = None,
    tests: TestPolicy = TestPolicy.EXCLUDE,
    k: int | None = None,
) -> RepositoryMap:
    """Return what of a repository matters most and fits a budget of tokens.

    Of the files that match `paths` and are among `files`, where these are given; with `kinds`, only such definitions
    are listed, and at most `k` parts. `outline` gives the definitions of a file, `near` the share of a file in what
    answers the question. Without `chunks`, which gives the texts of a file, parts have no sentences and nothing has
    entry points. With `tests`, ranks and parts are recomputed, as those that are stored know none.
    """
    ranks, community = (_ranks(graph), communities_of(graph)) if tests is TestPolicy.EXCLUDE else _with(graph, tests)
    allowed = _allowed(graph, ranks, community, paths=paths, chosen=files)
    folded, single = _folded(graph, allowed)
    rank = np.where(single, ranks, 0.0)
    if near:
        rank = _nearer(graph, rank, community, near=near)
    parts = _parts(graph, rank, community, budget=budget, most=k)
    count = int(np.count_nonzero(allowed & (graph.node_kind == NODE_KINDS.index(NodeKind.FILE))))
    room = budget - tokens_of(f"{repository} {count:,} files")
    points = entry_points(graph, chunks, ranks=np.where(allowed, ranks, 0.0)) if chunks is not None else []
    kept = _described(graph, parts, folded, points=points, chunks=chunks, room=room)
    room -= sum(map(_tokens_of_part, parts)) + sum(tokens_of(line) + 1 for line in family_lines(kept))
    entries = [kind for kind in ENTRIES if not kinds or kind in kinds]
    _fill(graph, parts, rank, community=community, kinds=entries, outline=outline, room=room)
    shown = [part.done() for part in parts]
    if tests is not TestPolicy.EXCLUDE:  # the graph numbers its communities without them
        shown = [replace(part, community=NO_COMMUNITY) for part in shown]
    known = len(distinct(community[(rank > 0) & (community >= 0)]))
    return RepositoryMap(
        repository,
        question,
        count,
        tuple(shown),
        known - len(shown),
        entry_points=entry_groups(points),
        families=tuple(kept),
    )


def _ranks(graph: Graph) -> Array:
    stored = graph.arrays.get("node_rank")
    return importance(graph) if stored is None else stored


def _with(graph: Graph, tests: TestPolicy) -> tuple[Array, Array]:
    """Return the ranks and communities of the nodes with tests among them, the tests behind where these are demoted."""
    ranks = importance(graph, tests=True)
    if tests is TestPolicy.DEMOTE:
        ranks[test_nodes(graph)] *= DEMOTED
    return ranks, communities(graph, tests=True)


def communities_of(graph: Graph) -> Array:
    """Return the community of each node, as it is stored with the graph or else as it is found."""
    stored = graph.arrays.get("node_community")
    if stored is None:
        return communities(graph)
    # A community has a node, or the sums of all of them would take as much room as their numbers are large.
    return within(stored, len(graph), least=NO_COMMUNITY, what="node_community")


def _allowed(
    graph: Graph, ranks: Array, community: Array, *, paths: Sequence[str], chosen: Collection[str] | None
) -> Array:
    allowed: Array = (ranks > 0) & (community != NO_COMMUNITY)
    if paths or chosen is not None:
        test = path_test(paths)
        known = graph.paths.all()
        of_file = np.array([test(path) and (chosen is None or path in chosen) for path in known] + [False])
        allowed &= of_file[graph.node_file]
    return allowed


def _folded(graph: Graph, allowed: Array) -> tuple[list[Family], Array]:
    """Return families of files that are alike, and which nodes are left without them; data stays."""
    files = distinct(graph.node_file[allowed & (graph.node_kind == NODE_KINDS.index(NodeKind.FILE))])
    found = families(graph, files.tolist())
    members = [graph.file_numbers[path] for family in found for path in family.paths]
    if not members or len(members) == len(files):  # where there is nothing else, they are what is asked for
        return [], allowed
    is_data = np.isin(graph.node_kind, [NODE_KINDS.index(kind) for kind in (*DATA, NodeKind.COLUMN)])
    single: Array = allowed & (is_data | ~np.isin(graph.node_file, members))
    return found, single


def _described(
    graph: Graph,
    parts: Sequence[_Part],
    folded: Sequence[Family],
    *,
    points: Sequence[EntryPoint],
    chunks: Chunks | None,
    room: int,
) -> list[Family]:
    """Give parts their sentences and entry points as far as there is room, and return the families that have some."""
    room = int((room - sum(map(_tokens_of_part, parts))) * SAID_SHARE)
    cost = sum(tokens_of(line) + 1 for line in family_lines(folded))
    kept = list(folded) if cost <= room else []
    room -= cost if kept else 0
    if chunks is not None:
        sizes = _folder_sizes(graph.paths.all(), {path for family in folded for path in family.paths})
        used: set[str] = set()
        for part in parts:
            files = PartFiles(part.paths, part.central, graph.file_numbers, sizes)
            about = part_sentence(files, chunks, used=used)
            room -= _said(part, room, about=about)
            used |= {part.about.text} if part.about else set()
    for part in parts:
        room -= _said(part, room, groups=entry_groups(one for one in points if one.path in part.paths))
    return kept


def _folder_sizes(paths: Iterable[str], without: Collection[str]) -> Counter[str]:
    """Return how many of some files are below each folder."""
    sizes: Counter[str] = Counter()
    for path in paths:
        folder = "" if path in without else path.rpartition("/")[0]
        while folder:
            sizes[folder] += 1
            folder = folder.rpartition("/")[0]
    return sizes


def _said(part: _Part, room: int, *, about: PartSentence | None = None, groups: tuple[EntryGroup, ...] = ()) -> int:
    """Give a part a sentence or entry points where there is room, and return how many tokens more it takes."""
    before, had = _tokens_of_part(part), (part.about, part.entry_points)
    part.about, part.entry_points = about or part.about, groups or part.entry_points
    more = _tokens_of_part(part) - before
    if more <= max(room, 0):
        return more
    part.about, part.entry_points = had
    return 0


def _tokens_of_part(part: _Part) -> int:
    """Return how many tokens the head of a part takes."""
    done = part.done()
    lines = (part_text(done), sentence_text(done), *map(group_text, done.entry_points))
    return sum(tokens_of(f"  {line}") + 1 for line in lines if line)


def _nearer(graph: Graph, rank: Array, community: Array, *, near: Mapping[str, float]) -> Array:
    """Return ranks that count more in the files that answer a question, and in the communities of these."""
    of_file = np.zeros(len(graph.paths) + 1)
    for path, share in near.items():
        if (number := graph.file_numbers.get(path)) is not None:
            of_file[number] = share
    own = of_file[graph.node_file]
    of_community = np.zeros(int(community.max(initial=0)) + 1)
    files = (graph.node_kind == NODE_KINDS.index(NodeKind.FILE)) & (community >= 0)
    np.add.at(of_community, community[files], own[files])
    near_community = np.where(community >= 0, of_community[community], 0.0)
    # The root: what matters in general matters less here.
    found: Array = np.sqrt(rank) * (ANYWHERE + near_community + NEAR_QUESTION * own)
    return found / max(float(found.sum()), 1e-12)


def _parts(graph: Graph, rank: Array, community: Array, *, budget: int, most: int | None) -> list[_Part]:
    """Return the communities that matter most, as many as a budget has room for and `most` allows, without entries."""
    known = community >= 0
    shares = np.bincount(community[known], weights=rank[known], minlength=1)
    total = max(float(rank.sum()), 1e-12)
    count = min(max(budget // TOKENS_PER_PART, MIN_PARTS), MAX_PARTS, most or MAX_PARTS)
    parts: list[_Part] = []
    for number in np.argsort(-shares, kind="stable").tolist():
        if len(parts) == count or not shares[number]:
            break
        share = float(shares[number]) / total
        part = _part(graph, rank, np.flatnonzero(community == number), number=number, share=share)
        if part.central or not parts:  # documents alone are no part of a program
            parts.append(part)
    for part, name in zip(parts, part_names([part.paths for part in parts]), strict=True):
        part.name = name
    return parts


def _part(graph: Graph, rank: Array, members: Array, *, number: int, share: float) -> _Part:
    members = members[rank[members] > 0]
    kinds = graph.node_kind[members]
    files = members[kinds == NODE_KINDS.index(NodeKind.FILE)]
    tables = np.isin(kinds, [NODE_KINDS.index(kind) for kind in DATA])
    wanted = np.isin(kinds, [NODE_KINDS.index(kind) for kind in ENTRIES if kind is not NodeKind.METHOD])
    best = members[wanted][np.argsort(-rank[members[wanted]], kind="stable")[: 4 * NAMED]]
    nodes = [graph.node(one) for one in best.tolist() if not _is_nested(graph, one)]
    first = {node.name: (node.name, node.path) for node in reversed(nodes)}
    names = [name for name in dict.fromkeys(node.name for node in nodes) if len(name) > 1 and not name.startswith("_")]
    central = tuple(first[name] for name in names[:NAMED])
    numbers = graph.node_file[members]
    held = summed(numbers[numbers >= 0], rank[members][numbers >= 0], len(graph.paths))
    paths = dict(zip(graph.paths.some(graph.node_file[files]), held[graph.node_file[files]].tolist(), strict=True))
    return _Part(number, paths, central, len(files), int(tables.sum()), share)


def _fill(
    graph: Graph,
    parts: Sequence[_Part],
    rank: Array,
    *,
    community: Array,
    kinds: Collection[NodeKind],
    outline: Outline,
    room: int,
) -> None:
    """Add entries to parts as long as there is room, those that matter most first."""
    of_number = {part.number: part for part in parts}
    wanted = np.isin(graph.node_kind, [NODE_KINDS.index(kind) for kind in kinds]) & np.isin(community, list(of_number))
    candidates = np.flatnonzero(wanted & (rank > 0))
    count = int(max(room, 0) * CANDIDATES_PER_TOKEN) + 1
    best = candidates[np.argsort(-rank[candidates], kind="stable")[:count]]
    described: dict[str, Mapping[tuple[str, int], Symbol]] = {}
    files: set[str] = set()
    for number in _diverse(graph, rank, best, community=community):
        node = graph.node(number)
        if node.path and node.path not in described and node.kind not in DATA:
            described[node.path] = {(symbol.name, symbol.span.start_line): symbol for symbol in outline(node.path)}
        entry = _entry(graph, node, rank, symbols=described.get(node.path, {}))
        if entry is None:
            continue
        cost = tokens_of("    " + "  ".join(entry_text(entry))) + 1
        if node.kind not in DATA and node.path not in files:
            cost += tokens_of(f"  {node.path}") + 1
        if cost > room:
            return
        room -= cost
        if node.kind not in DATA:
            files.add(node.path)
        of_number[int(community[number])].chosen.append(entry)


def _diverse(graph: Graph, rank: Array, nodes: Array, *, community: Array) -> Iterator[int]:
    """Yield nodes, the one that matters most first; each further one of a file and of a part counts less."""
    taken_of_file: dict[int, int] = {}
    taken_of_part: dict[int, int] = {}

    def worth(node: int) -> float:
        file = int(graph.node_file[node])
        own = FURTHER_OF_FILE ** taken_of_file.get(file, 0) if NODE_KINDS[graph.node_kind[node]] not in DATA else 1.0
        return -float(rank[node]) * own * FURTHER_OF_PART ** taken_of_part.get(int(community[node]), 0)

    heap = [(worth(node), node) for node in nodes.tolist()]
    heapify(heap)
    while heap:
        value, node = heap[0]
        now = worth(node)
        if now > value:  # it counts less by now
            heapreplace(heap, (now, node))
            continue
        heappop(heap)
        taken_of_file[int(graph.node_file[node])] = taken_of_file.get(int(graph.node_file[node]), 0) + 1
        taken_of_part[int(community[node])] = taken_of_part.get(int(community[node]), 0) + 1
        yield node


def _entry(graph: Graph, node: Node, rank: Array, *, symbols: Mapping[tuple[str, int], Symbol]) -> MapEntry | None:
    """Return a node as an entry; None for a function inside another, and for what declares a table."""
    if _is_nested(graph, node.number):
        return None
    value = round(float(rank[node.number]), 6)
    if node.kind not in DATA:
        symbol = symbols.get((node.name, node.span.start_line))
        signature, doc = (symbol.signature, symbol.doc) if symbol else ("", "")
        return MapEntry(node.kind, node.qualified_name, node.path, node.row, signature, doc, value)
    if any(graph.edges_from(node.number, (EdgeKind.DEFINES,))):
        return None
    columns = sum(1 for _ in graph.edges_from(node.number, (EdgeKind.CONTAINS,)))
    return MapEntry(
        node.kind,
        node.qualified_name,
        node.path,
        node.row,
        rank=value,
        columns=columns,
        readers=_users(graph, node.number, rank, EdgeKind.READS),
        writers=_users(graph, node.number, rank, EdgeKind.WRITES),
    )


def _is_nested(graph: Graph, node: int) -> bool:
    """Tell whether a definition stands inside a function."""
    functions = (NodeKind.FUNCTION, NodeKind.METHOD)
    return any(
        NODE_KINDS[graph.node_kind[edge.source]] in functions for edge in graph.edges_to(node, (EdgeKind.CONTAINS,))
    )


def _users(graph: Graph, table: int, rank: Array, kind: EdgeKind) -> tuple[str, ...]:
    code = EDGE_KINDS.index(kind)
    using = [int(graph.edge_source[in_edge]) for in_edge in graph.in_edges(table) if graph.edge_kind[in_edge] == code]
    functions = (NodeKind.FUNCTION, NodeKind.METHOD, NodeKind.CLASS, NodeKind.ROUTINE)
    using = [user for user in dict.fromkeys(using) if NODE_KINDS[graph.node_kind[user]] in functions and rank[user] > 0]
    using.sort(key=lambda one: (-float(rank[one]), one))
    return tuple(graph.node(one).qualified_name for one in using[:MAX_USERS])
