"""A graph to where its programs begin: main functions, addresses, jobs and commands.

Addresses are nodes of the graph, and `main` is a name. What is a job or a command is told by what frameworks ask for (a
base class, a decorator, a mixin), read in files whose path mentions such things, so that few files are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from coderag.graph.graph import NODE_KINDS, Graph
from coderag.graph.queries.centrality import counted_nodes
from coderag.graph.queries.locations import TYPE_KINDS
from coderag.graph.records import EdgeKind, NodeKind
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.ranges import distinct
from coderag.types import Chunk, Kind

__all__ = ["Chunks", "EntryGroup", "EntryKind", "EntryPoint", "entry_groups", "entry_points", "group_text"]

Chunks = Callable[[str], Sequence[Chunk]]  # the chunks of a file by its path

SHOWN = 3  # of each kind
MOST_FILES = 300  # that are read for jobs and commands
# Languages whose programs begin in a method; in the others `main` is a function.
METHOD_FILES = (".java", ".cs", ".kt", ".scala", ".vb", ".groovy")
JOB_PATH = re.compile(
    r"jobs?|tasks?|workers?|cron|schedul(?:e|er|ers|ing)|consumers?|receivers?|listeners?|queues?|celery|sidekiq",
    re.IGNORECASE,
)
COMMAND_PATH = re.compile(r"cli|cmd|commands?|console|manage|scripts?|bin", re.IGNORECASE)
COMMAND_FILES = frozenset({"main", "app", "__main__"})  # folders of these names hold anything
WORD = re.compile(r"[A-Z]?[a-z]{1,60}|[A-Z]{1,60}(?![a-z])")
# What a class states before its body: bases, interfaces, mixins.
BASES = re.compile(r"\b(?:extends|implements|include)\s(.{1,300})|[(<:]\s{0,9}(.{1,300})", re.DOTALL)
JOB_BASE = re.compile(
    r"\b(?:\w{0,60}(?:Job|JobBase|Worker|Task|Consumer)|ShouldQueue|IHostedService|BackgroundService)\b"
)
COMMAND_BASE = re.compile(r"\b\w{0,60}Command\b")
MIXIN = re.compile(r"^\s{0,20}include\s+(?:Sidekiq::(?:Worker|Job)|ApplicationJob)\b", re.MULTILINE)
JOB_DECORATOR = re.compile(
    r"\b(?:shared_task|periodic_task|db_task|db_periodic_task|actor|dramatiq|cron|Cron|Interval|Scheduled|Process"
    r"|RabbitListener|KafkaListener|JmsListener|SqsListener|EventPattern)\b|\.(?:task|job|scheduled_job)\b|^@?job\b"
)
COMMAND_DECORATOR = re.compile(r"\.(?:command|group)\b|^@?(?:command|Command|AsCommand|CommandLine)\b")
CLASSES = frozenset(Kind(kind) for kind in TYPE_KINDS)
RUNS = frozenset({Kind.FUNCTION, Kind.METHOD})


class EntryKind(StrEnum):
    """What starts a program there, in the order in which maps show it."""

    MAIN = "main"
    COMMAND = "command"
    JOB = "job"
    ROUTE = "route"


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A place where a program begins to run."""

    kind: EntryKind
    name: str  # qualified; of an address its method and path
    path: str
    line: int
    handler: str = ""  # of an address: what answers it
    rank: float = 0.0  # how much of the whole a job or command matters, 0..1


@dataclass(frozen=True, slots=True)
class EntryGroup:
    """The entry points of one kind."""

    kind: EntryKind
    total: int
    shown: tuple[EntryPoint, ...]  # the first of them


def entry_groups(points: Iterable[EntryPoint]) -> tuple[EntryGroup, ...]:
    """Return entry points by kind, each kind with the first of them."""
    of_kind: dict[EntryKind, list[EntryPoint]] = {}
    for point in points:
        of_kind.setdefault(point.kind, []).append(point)
    return tuple(EntryGroup(kind, len(some), tuple(some[:SHOWN])) for kind, some in of_kind.items())


def group_text(group: EntryGroup) -> str:
    """Return entry points of one kind in a line."""
    names = [f"{one.path}:{one.line}" if group.kind is EntryKind.MAIN else one.name for one in group.shown]
    more = ", …" if group.total > len(names) else ""
    title = str(group.kind) if group.total == 1 else f"{group.total:,} {group.kind}s"
    return f"{'main' if group.kind is EntryKind.MAIN else title}: {', '.join(names)}{more}"


def entry_points(graph: Graph, chunks: Chunks, *, ranks: Array) -> list[EntryPoint]:
    """Return where programs begin among the nodes that matter, given how much each does, f[nodes].

    By kind; main functions near the root come first, of jobs and commands those that matter most. Of tests, examples
    and what nobody here wrote nothing is.
    """
    among = (ranks > 0) & counted_nodes(graph)
    found = {*_mains(graph, among), *_routes(graph, among), *_declared(graph, chunks, ranks=ranks, among=among)}
    return sorted(found, key=_order)


def _order(point: EntryPoint) -> tuple[int, int, float, str, int, str]:
    depth = point.path.count("/") if point.kind is EntryKind.MAIN else 0
    return list(EntryKind).index(point.kind), depth, -point.rank, point.path, point.line, point.name


def _mains(graph: Graph, among: Array) -> Iterator[EntryPoint]:
    for number in graph.named("main"):
        if not among[number]:
            continue
        node = graph.node(number)
        is_main = node.kind is NodeKind.METHOD and node.path.endswith(METHOD_FILES)
        if is_main or (node.kind is NodeKind.FUNCTION and node.name == "main"):
            yield EntryPoint(EntryKind.MAIN, node.qualified_name, node.path, node.row)


def _routes(graph: Graph, among: Array) -> Iterator[EntryPoint]:
    for number in np.flatnonzero(among & (graph.node_kind == NODE_KINDS.index(NodeKind.ROUTE))).tolist():
        node = graph.node(number)
        if not node.path:
            continue
        handler = next((edge.target for edge in graph.edges_from(number, (EdgeKind.ROUTES,))), None)
        answers = graph.node(handler).qualified_name if handler is not None else ""
        yield EntryPoint(EntryKind.ROUTE, node.qualified_name, node.path, node.row, answers)


def _declared(graph: Graph, chunks: Chunks, *, ranks: Array, among: Array) -> Iterator[EntryPoint]:
    """Yield the jobs and commands that files declare whose paths mention such things."""
    files = distinct(graph.node_file[among & (graph.node_file >= 0)])
    paths = ((path, _asked(path)) for path in sorted(graph.paths.some(files)))
    asked_of = sorted(((path, asked) for path, asked in paths if asked), key=lambda one: EntryKind.JOB not in one[1])
    for path, asked in asked_of[:MOST_FILES]:
        for chunk in chunks(path):
            kind = _kind_of(chunk)
            if kind in asked:
                nodes = [one for one in graph.named(chunk.name) if graph.node(one).path == path]
                if any(True for one in nodes for _ in graph.edges_to(one, (EdgeKind.INHERITS,))):
                    continue  # a base of jobs, such as Rails' ApplicationJob
                rank = round(max((float(ranks[one]) for one in nodes), default=0.0), 6)
                yield EntryPoint(kind, _called(chunk), path, _line_of(chunk), rank=rank)


def _called(chunk: Chunk) -> str:
    """Return what somebody who runs a command or job calls it: Django's are called like their file."""
    return chunk.path.rpartition("/")[2].partition(".")[0] if chunk.name == "Command" else chunk.qualified_name


def _asked(path: str) -> frozenset[EntryKind]:
    """Return what a file may declare by its path."""
    *folders, name = path.split("/")
    stem = name.partition(".")[0]
    words = [word for part in (*folders, stem) for word in WORD.findall(part)]
    kinds = {EntryKind.JOB for word in words if JOB_PATH.fullmatch(word)}
    kinds |= {EntryKind.COMMAND for word in words if COMMAND_PATH.fullmatch(word)}
    return frozenset(kinds | ({EntryKind.COMMAND} if stem in COMMAND_FILES else set()))


def _kind_of(chunk: Chunk) -> EntryKind | None:
    """Return what a chunk declares, None for anything that no framework starts."""
    if chunk.kind in RUNS:
        if any(map(JOB_DECORATOR.search, chunk.decorators)):
            return EntryKind.JOB
        return EntryKind.COMMAND if any(map(COMMAND_DECORATOR.search, chunk.decorators)) else None
    if chunk.kind not in CLASSES or chunk.signature.lstrip().startswith("abstract ") or " abstract " in chunk.signature:
        return None
    match = BASES.search(chunk.signature)
    bases = (match[1] or match[2] or "") if match else ""
    if JOB_BASE.search(bases) or MIXIN.search(chunk.text):
        return EntryKind.JOB
    return EntryKind.COMMAND if COMMAND_BASE.search(bases) else None


def _line_of(chunk: Chunk) -> int:
    """Return the line that names what a chunk defines: decorators and comments may stand before it."""
    if chunk.name:
        for number, line in chunk.numbered_lines():
            if chunk.name in line and not line.lstrip().startswith(("@", "#", "//", "*", "/*")):
                return number
    return chunk.span.start_line
