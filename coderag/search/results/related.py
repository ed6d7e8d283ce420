"""Hits to their close relations in the graph, in brief, and to its neighbours as further hits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from coderag.graph.queries.relations import Relations
from coderag.index.reader.corpus import Corpus
from coderag.index.storage.arrays.arrays import Array
from coderag.record import replaced
from coderag.text.tokens import words
from coderag.types import Hit, Kind, Relation

__all__ = ["Graphs", "nodes_of", "related_hits", "relations_text", "with_relations"]

Graphs = Mapping[str, Relations]  # by repository
Found = Sequence[tuple[int, Hit]]  # hits with the numbers of their chunks
SHARE = 0.5  # of the score of the hit that a neighbour is related to


def with_relations(corpus: Corpus, found: Found, graphs: Graphs) -> list[tuple[int, Hit]]:
    """Return hits with their relations; a hit of a file that changed since its graph was made has none."""
    relations: dict[int, tuple[Relation, ...]] = {}
    for repository, nodes in nodes_of(corpus, [chunk for chunk, _ in found], graphs).items():
        relations |= zip(nodes, graphs[repository].of(list(nodes.values())), strict=True)
    return [(chunk, replaced(hit, relations=own) if (own := relations.get(chunk)) else hit) for chunk, hit in found]


def relations_text(relations: Sequence[Relation]) -> str:
    """Return relations in brief: `called by a, b (+3) · reads orders`."""
    kinds: dict[str, list[Relation]] = {}
    for relation in relations:
        kinds.setdefault(relation.kind, []).append(relation)
    parts = []
    for kind, found in kinds.items():
        more = found[0].total - len(found)
        names = ", ".join(relation.name for relation in found)
        parts.append(f"{kind} {names}{f' (+{more:,})' if more else ''}")
    return " · ".join(parts)


def related_hits(
    corpus: Corpus, question: str, found: Found, *, graphs: Graphs, count: int, allowed: Array | None
) -> list[tuple[int, Hit]]:
    """Return up to `count` neighbours of hits, and of the tables that the question names, that are not hits themselves.

    `allowed` are the chunks that meet the question's conditions, bool[chunks]; None for all.
    """
    taken = {chunk for chunk, _ in found}
    further: list[tuple[int, Hit]] = []
    best: dict[int, tuple[float, str, float]] = {}
    from coderag.search.results.chunk_places import ChunkPlaces  # most questions want no neighbours

    places = ChunkPlaces(corpus)
    for repository, node, score, confidence in _seeds(corpus, question, found, graphs):
        for sure, other, why in graphs[repository].near(node):
            neighbour = graphs[repository].graph.node(other)
            chunk = places.starting(repository, neighbour.path, neighbour.span.start_line)
            if chunk is None or chunk in taken or (allowed is not None and not allowed[chunk]):
                continue
            worth = (score * sure * SHARE, why, confidence * sure * SHARE)
            if chunk not in best or worth[0] > best[chunk][0]:
                best[chunk] = worth
    for chunk in sorted(best, key=lambda number: (-best[number][0], corpus.place(number), number))[:count]:
        score, why, confidence = best[chunk]
        hit = Hit(corpus.chunk(chunk), round(score, 4), reasons=(why,), confidence=round(confidence, 4), related=True)
        further.append((chunk, hit))
    return with_relations(corpus, further, graphs)


def _seeds(corpus: Corpus, question: str, found: Found, graphs: Graphs) -> Iterator[tuple[str, int, float, float]]:
    """Yield the nodes whose neighbours may be further hits: repository, node, score and confidence."""
    score, confidence = max(((hit.score, hit.confidence) for _, hit in found), default=(1.0, 0.5))
    for repository, relations in graphs.items():
        for node in relations.tables_named(words(question)):
            yield repository, node, score, confidence
    nodes = nodes_of(corpus, [chunk for chunk, _ in found], graphs)
    for chunk, hit in found:
        own = nodes.get(hit.chunk.repository, {}).get(chunk)
        if own is not None:
            yield hit.chunk.repository, own, hit.score, hit.confidence


def nodes_of(corpus: Corpus, chunks: Iterable[int], graphs: Graphs) -> dict[str, dict[int, int]]:
    """Return the nodes of some chunks, by repository and chunk.

    A chunk is missing where the graph has no node of it, or is of another version of its file.
    """
    found: dict[str, dict[int, int]] = {}
    asked: dict[str, list[tuple[int, int, int, int]]] = {}
    for chunk in chunks:
        member, local = corpus.member_of(chunk)
        segment, relations = member.segment, graphs.get(member.repository)
        form = member.form(local)
        if relations is None or not form.defines or form.continues:
            continue
        number = int(segment.chunk_file[local])
        file = relations.file(segment.paths[number], member.blob(number))
        if file is None:
            continue
        if form.kind not in (Kind.TABLE, Kind.VIEW):
            rows = int(segment.first_row[local]), int(segment.last_row[local])
            asked.setdefault(member.repository, []).append((chunk, file, *rows))
        elif (table := relations.table(file, segment.name(local))) is not None:
            found.setdefault(member.repository, {})[chunk] = table
    for repository, definitions in asked.items():
        numbers, *places = zip(*definitions, strict=True)
        nodes = zip(numbers, graphs[repository].nodes(*places), strict=True)
        found.setdefault(repository, {}).update((chunk, node) for chunk, node in nodes if node is not None)
    return found
