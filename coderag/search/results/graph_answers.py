"""A question for relations to hits: the callers, readers, affected code, steps of a path or main parts themselves."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from coderag.graph.graph import Graph
from coderag.graph.queries.answers import all_impacts, all_paths, targets_in
from coderag.graph.queries.impact import Change
from coderag.graph.queries.locations import TYPE_KINDS, certainty_share
from coderag.graph.queries.lookup import chosen_nodes
from coderag.graph.queries.map import map_of
from coderag.graph.queries.refs import Reference, Role, references_to
from coderag.graph.records import Node, NodeKind
from coderag.index.reader.corpus import Corpus
from coderag.index.storage.arrays.arrays import Array
from coderag.search.query.relation_question import RelationQuestion, Sought
from coderag.search.ranking.settings import GRAPH
from coderag.search.results.chunk_places import ChunkPlaces
from coderag.search.results.related import Graphs, with_relations
from coderag.sql.migration_order import MIGRATION_WORDS
from coderag.types import Hit, Relation

__all__ = ["ROLES", "VERBS", "graph_answers"]

LAST_NAME = re.compile(r"[.#:]+")
DEFINITION_SHARE = 0.5  # of the confidence of what the question names, behind what it asks for
MAP_BUDGET = 1_500  # tokens of the map whose entries are the hits
DEPTH = 3  # steps of a change
MAX_HEIRS = 200  # types whose heirs are looked up
KINDS: Mapping[str, frozenset[NodeKind]] = {
    "function": frozenset({NodeKind.FUNCTION, NodeKind.METHOD, NodeKind.ROUTINE, NodeKind.MACRO}),
    "method": frozenset({NodeKind.METHOD, NodeKind.FUNCTION}),
    **dict.fromkeys(("class", "struct", "enum", "type", "trait", "interface", "protocol"), TYPE_KINDS),
    "table": frozenset({NodeKind.TABLE, NodeKind.VIEW}),
    "view": frozenset({NodeKind.VIEW}),
    "column": frozenset({NodeKind.COLUMN}),
    "file": frozenset({NodeKind.FILE}),
    "module": frozenset({NodeKind.FILE}),
    "route": frozenset({NodeKind.ROUTE}),
}
# What refers to the target in the way that a question asks for, in the order of the hits.
ROLES: Mapping[Sought, tuple[Role, ...]] = {
    Sought.CALLERS: (Role.CALLERS, Role.DISPATCHED, Role.TESTS),
    Sought.READERS: (Role.READERS, Role.QUERIES, Role.VIEWS, Role.ROUTINES, Role.ROW_READERS, Role.TESTS, Role.MAPPED),
    Sought.WRITERS: (Role.WRITERS, Role.DELETERS, Role.ROUTINES, Role.ROW_WRITERS, Role.TESTS, Role.MAPPED),
    Sought.TESTS: (Role.TESTS,),
    Sought.IMPORTERS: (Role.IMPORTERS,),
    Sought.HEIRS: (Role.HEIRS,),
    Sought.USES: (
        *(
            Role.CALLERS,
            Role.DISPATCHED,
            Role.READERS,
            Role.WRITERS,
            Role.DELETERS,
            Role.QUERIES,
            Role.VIEWS,
            Role.ROUTINES,
        ),
        *(Role.MAPPED, Role.REFERRING, Role.HEIRS, Role.OVERRIDDEN, Role.REFERENCES, Role.IMPORTERS),
        *(Role.ROW_READERS, Role.ROW_WRITERS, Role.TESTS),
    ),
}
VERBS: Mapping[Role, str] = {
    Role.CALLERS: "calls",
    Role.DISPATCHED: "calls a base of",
    Role.READERS: "reads",
    Role.WRITERS: "writes",
    Role.DELETERS: "deletes from",
    Role.ROW_READERS: "reads whole rows of",
    Role.ROW_WRITERS: "writes whole rows of",
    Role.QUERIES: "queries",
    Role.VIEWS: "derives from",
    Role.ROUTINES: "uses",
    Role.MAPPED: "maps to",
    Role.REFERRING: "has a foreign key to",
    Role.HEIRS: "inherits from",
    Role.OVERRIDDEN: "overrides",
    Role.REFERENCES: "references",
    Role.IMPORTERS: "imports",
    Role.TESTS: "tests",
}


@dataclass(frozen=True, slots=True)
class _Answer:
    """Something that the graph gives as an answer, and where."""

    repository: str
    path: str  # of the place that says so
    line: int
    reason: str
    confidence: float  # 0..1
    relation: Relation | None = None
    is_definition: bool = False  # of what the question names, which comes behind what it asks for


def graph_answers(
    corpus: Corpus, question: RelationQuestion, graphs: Graphs, *, k: int, allowed: Array | None
) -> list[tuple[int, Hit]]:
    """Return up to k hits that answer a question for relations, each with its chunk's number; [] where none is known.

    What a target means is decided as in `refs`. What its definition is comes last. `allowed` are the chunks that meet
    the question's conditions, bool[chunks]; None for all. A file that changed since its graph was made has answers
    only where what it defines still begins at the same line.
    """
    known = {repository: relations.graph for repository, relations in graphs.items()}
    places = ChunkPlaces(corpus)
    hits: dict[int, Hit] = {}
    for answer in _answers(question, known):
        chunk = places.around(answer.repository, answer.path, answer.line)
        if chunk is None or chunk in hits or (allowed is not None and not allowed[chunk]):
            continue
        blob = places.blob(answer.repository, answer.path) or b""
        is_current = graphs[answer.repository].file(answer.path, blob) is not None
        if answer.is_definition and not hits:  # what it stands behind may not be shown
            break
        if is_current or places.starting(answer.repository, answer.path, answer.line) is not None:
            hits[chunk] = _hit(corpus, chunk, answer)
        if len(hits) == k:
            break
    related = with_relations(corpus, list(hits.items()), graphs)
    return [(chunk, replace(hit, relations=_with_own(hits[chunk].relations, hit.relations))) for chunk, hit in related]


def _with_own(own: tuple[Relation, ...], found: tuple[Relation, ...]) -> tuple[Relation, ...]:
    """Return the relations of a hit, in front those that say why it is one, which stand for all of their kind."""
    if own == found:
        return own
    total = {relation.kind: relation.total for relation in found}
    said = tuple(replace(relation, total=total.get(relation.kind, 1)) for relation in own)
    return *said, *(relation for relation in found if relation.kind not in {one.kind for one in own})


def _hit(corpus: Corpus, number: int, answer: _Answer) -> Hit:
    chunk = corpus.chunk(number)
    lines = {line for line, _ in chunk.numbered_lines()}
    confidence = round(answer.confidence, 4)
    return Hit(
        chunk,
        confidence,
        parts={GRAPH: confidence},
        lines=(answer.line if answer.line in lines else chunk.span.start_line,),
        reasons=(answer.reason,),
        confidence=confidence,
        relations=() if answer.relation is None else (answer.relation,),
    )


def _answers(question: RelationQuestion, graphs: Mapping[str, Graph]) -> Iterator[_Answer]:
    """Yield what answers a question, the best first; what it names comes last, and only if there is anything else."""
    if question.sought is Sought.PARTS:
        yield from _of_parts(graphs)
        return
    if question.sought is Sought.PATH:
        yield from _of_path(question, graphs)
        return
    meant = _meant(question, graphs)
    if question.sought is Sought.IMPACT:
        found = _of_change(question, graphs)
    elif question.sought is Sought.HANDLERS:
        found = _of_routes(meant, graphs)
    else:
        found = _of_references(question.sought, meant, graphs)
    some = list(islice(found, 1))
    yield from some
    yield from found
    for repository, node in meant if some else ():
        if node.path:
            reason = f"defines {node.qualified_name}"
            yield _Answer(repository, node.path, node.span.start_line, reason, DEFINITION_SHARE, is_definition=True)


def _meant(question: RelationQuestion, graphs: Mapping[str, Graph]) -> list[tuple[str, Node]]:
    """Return the nodes that a question's target is taken for, each with its repository."""
    kinds = KINDS.get(question.kind, frozenset())
    found = targets_in(graphs, question.target, kinds=kinds)
    if not found and kinds:
        found = targets_in(graphs, question.target)
    if not question.is_code and not kinds:  # an ordinary word has to be spelled as the name is
        found = [(repository, node) for repository, node in found if node.name == question.target]
    chosen = {id(node) for node in chosen_nodes([node for _, node in found])} if found else set()
    return [(repository, node) for repository, node in found if id(node) in chosen]


def _of_references(sought: Sought, meant: Iterable[tuple[str, Node]], graphs: Mapping[str, Graph]) -> Iterator[_Answer]:
    """Yield what refers to some nodes in the way that is sought, role by role."""
    found: dict[Role, list[tuple[str, Node, Reference]]] = {}
    for repository, node in _with_heirs(meant, graphs) if sought is Sought.HEIRS else meant:
        for group in references_to(graphs[repository], node, shown=None).groups:
            found.setdefault(group.role, []).extend((repository, node, one) for one in group.references)
    for role in ROLES[sought]:
        by_worth = sorted(found.get(role, ()), key=lambda one: _worth(graphs[one[0]], one[2]))
        for repository, node, reference in by_worth:
            yield _reference(repository, node, reference, VERBS[role])


def _of_routes(meant: Iterable[tuple[str, Node]], graphs: Mapping[str, Graph]) -> Iterator[_Answer]:
    """Yield the definitions that answer the requests of some routes."""
    for repository, node in meant:
        for group in references_to(graphs[repository], node, shown=None).groups:
            for reference in group.references if group.role is Role.HANDLER else ():
                spot = reference.spot
                sure = certainty_share(_candidates(reference))
                yield _Answer(repository, spot.path, spot.line, f"handles {node.name}", sure)


def _with_heirs(meant: Iterable[tuple[str, Node]], graphs: Mapping[str, Graph]) -> Iterator[tuple[str, Node]]:
    """Yield some types, then what inherits from them, then what inherits from that."""
    waiting = deque(meant)
    seen = {(repository, node.number) for repository, node in waiting}
    while waiting:
        repository, node = waiting.popleft()
        yield repository, node
        graph = graphs[repository]
        for group in references_to(graph, node, shown=None).groups if len(seen) < MAX_HEIRS else ():
            for heir in (one for reference in group.references for one in _nodes_of(graph, reference)):
                if group.role is Role.HEIRS and (repository, heir.number) not in seen:
                    seen.add((repository, heir.number))
                    waiting.append((repository, heir))


def _nodes_of(graph: Graph, reference: Reference) -> Iterator[Node]:
    """Yield the nodes that a reference comes from."""
    spot = reference.spot
    for node in map(graph.node, graph.named(LAST_NAME.split(spot.name)[-1])):
        if node.row == spot.line and node.path == spot.path:
            yield node


def _worth(graph: Graph, reference: Reference) -> tuple[int, bool, float]:
    """Return what puts references in order: the surest first, migrations behind, then by how much each matters."""
    spot = reference.spot
    numbers = graph.named(LAST_NAME.split(spot.name)[-1])
    ranks = [
        float(graph.arrays["node_rank"][number])
        for number in (numbers if "node_rank" in graph.arrays else ())
        if (node := graph.node(number)).row == spot.line and node.path == spot.path
    ]
    return _candidates(reference), _migrates(spot.path), -max(ranks, default=0.0)


def _migrates(path: str) -> bool:
    """Tell whether a file holds migrations, by its path."""
    *folders, name = path.lower().split("/")
    return any(not MIGRATION_WORDS.isdisjoint(part.split("_")) for part in (*folders, name.partition(".")[0]))


def _reference(repository: str, node: Node, reference: Reference, verb: str) -> _Answer:
    doubt = f", one of {reference.candidates} that it may mean" if reference.candidates else ""
    return _Answer(
        repository,
        reference.path,
        reference.line,
        f"{verb} {node.qualified_name} at line {reference.line}{doubt}",
        certainty_share(_candidates(reference)),
        Relation(verb, node.qualified_name, node.path, node.row, certainty=str(reference.certainty)),
    )


def _candidates(reference: Reference) -> int:
    """Return by how many candidates a reference holds, as edges have it: 0 where it is resolved."""
    return reference.candidates or (0 if str(reference.certainty) == "resolved" else 1)


def _of_change(question: RelationQuestion, graphs: Mapping[str, Graph]) -> Iterator[_Answer]:
    impact = all_impacts(graphs, question.target, kinds=KINDS.get(question.kind, ()), change=Change.RENAME, depth=DEPTH)
    if impact is None or not (question.is_code or impact.target.name.rpartition(".")[2] == question.target):
        return
    affecting = sorted(impact.affected, key=lambda affected: _migrates(affected.path))
    for affected in (*affecting, *impact.possibly, *impact.tests):
        steps = f" ({affected.distance} steps away)" if affected.distance > 1 else ""
        yield _Answer(
            impact.repository, affected.path, affected.line, f"{affected.why}{steps}", confidence=affected.confidence
        )


def _of_path(question: RelationQuestion, graphs: Mapping[str, Graph]) -> Iterator[_Answer]:
    for way in all_paths(graphs, question.target, question.other, k=1):
        ends = f"to {question.other}" if not way.backwards else f"to {question.target}"
        before = way.start
        for number, step in enumerate(way.steps, start=1):
            reason = f"step {number} of the path {ends}: {step.how} {step.spot.name}"
            sure = certainty_share(step.candidates or (0 if str(step.certainty) == "resolved" else 1))
            yield _Answer(way.repository, step.path or before.path, step.line or before.line, reason, sure)
            before = step.spot
        if before.path:
            yield _Answer(way.repository, before.path, max(before.line, 1), f"the end of the path {ends}", 1.0)


def _of_parts(graphs: Mapping[str, Graph]) -> Iterator[_Answer]:
    """Yield what matters most in each part, then what comes second, and so on."""
    parts = [
        (repository, part, sorted(part.entries, key=lambda entry: -entry.rank))
        for repository, graph in graphs.items()
        for part in map_of(graph, lambda _: (), budget=MAP_BUDGET).parts
    ]
    for place in range(max((len(entries) for _, _, entries in parts), default=0)):
        for repository, part, entries in parts:
            if place < len(entries) and entries[place].path:
                entry = entries[place]
                yield _Answer(
                    repository, entry.path, entry.line, f"matters most in {part.name}, {part.share:.0%} of all", 1.0
                )
