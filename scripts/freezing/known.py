"""An index to rows of all that it holds and answers: the one module here that imports coderag."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

import coderag
from coderag.graph.records import EdgeKind, Node, NodeKind
from coderag.index.catalog.catalog import Catalog
from coderag.index.reader.corpus import Member, open_members
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.link_columns import StoredReferences
from coderag.index.storage.links import Links
from coderag.index.storage.manifest import read_manifest
from coderag.index.storage.postings import Postings
from coderag.search.ranking.features import FAMILIES
from coderag.types import Fusion, Hit, Kind, Pipeline
from scripts.freezing.rows import DIGEST_LETTERS, Row, digest
from scripts.freezing.sample import Questions, Sample, pick, spoken

__all__ = ["PORTABLE", "TOPICS", "Known"]

NAMES_ASKED, DOCS_ASKED, DATA_ASKED = 25, 20, 12  # questions that are made of a root
VARIED = 5  # questions that are asked in other ways too
HITS = 20
BUDGETS = (8000, 1000)  # tokens of a schema context
MODIFIED, OF_CHECKOUT = "modified_", frozenset({"table_modified", "table_json"})  # arrays that hold times of files
DEFINING = (Kind.FUNCTION, Kind.METHOD, Kind.CLASS, Kind.STRUCT, Kind.INTERFACE)
VARIANTS: Mapping[str, Mapping[str, Any]] = {
    **{f"reranker {name}": {"pipeline": Pipeline(reranker=name)} for name in ("linear", "graph", "maxsim")},
    "fusion rrf": {"pipeline": Pipeline(fusion=Fusion.RANKS)},
    **{f"without {name}": {"pipeline": Pipeline(without=frozenset({name}))} for name in sorted(FAMILIES)},
    "linear, words alone": {"pipeline": Pipeline(reranker="linear", without=frozenset({"vectors"}))},
    **{f"expand {name}": {"expand": name} for name in ("parent", "file", "neighbours")},
    **{f"tests {name}": {"tests": name} for name in ("include", "exclude")},
    "diversity": {"diversity": 0.5},
    "related": {"related": 8},
    "threshold": {"threshold": 0.5},
    "no collapse": {"collapse": False},
    "kinds": {"kinds": ["function", "method"]},
    "paths": {"paths": ["!**/test*/**", "!**/*test*"]},
    "groups": {"groups": ["nobody"]},
}


class Known:
    """An index of one root, and what is asked of it."""

    def __init__(self, root: Path, *, folder: Path, given: Questions, workers: int | None) -> None:
        """Index a root into a folder; questions that are not given are made of the root."""
        self.index = coderag.Index.build(root, index=folder, workers=workers, cache=False)
        [placed] = self.index.roots
        self.members = open_members(placed.folder, read_manifest(placed.folder))
        [self.graph] = self.index.graphs()
        self.catalog = self.index.catalog
        self.sample = self._sample(given)

    def close(self) -> None:
        """End what the index left running."""
        self.index.close()

    def _files(self) -> Iterator[tuple[Member, int]]:
        for member in self.members:
            for number in range(len(member.segment.paths)):
                if number not in member.dead:
                    yield member, number

    def _chunks(self) -> Iterator[tuple[Member, int, coderag.Chunk]]:
        for member in self.members:
            files = member.segment.chunk_file.tolist()
            for number, file in enumerate(files):
                if file not in member.dead:
                    yield member, number, member.segment.chunk(number, repository=member.repository)

    def _sample(self, given: Questions) -> Sample:
        chunks = [chunk for _, _, chunk in self._chunks()]
        defining = [one for one in chunks if one.kind in DEFINING and not one.labels and one.name]
        names = [one.qualified_name for one in defining]
        docs = [one.doc for one in defining if one.doc.count(" ") > 1]
        asked = [spoken(name) for name in pick(names, NAMES_ASKED)]
        made = (*asked, *pick(names, VARIED, salt="as they are"), *pick(docs, DOCS_ASKED))
        questions = Questions(
            given.code or tuple(question for question in made if question),
            (given.data or tuple(self._data_questions())) if len(self.catalog) else (),
        )
        judged = pick([(one.doc, one.path) for one in defining if one.doc.count(" ") > 1], 10, salt="judged")
        tables = pick(sorted(set(self.catalog.names)), 3)
        columns = [f"{table.name.name}.{column.name}" for table in self.catalog.tables for column in table.columns]
        return Sample(
            questions=questions,
            symbols=pick(names, 4, salt="symbols"),
            files=pick([one.path for one in defining], 3, salt="files"),
            tables=tables,
            columns=pick(columns, 3),
            routes=pick([node.qualified_name for node in self._nodes() if node.kind is NodeKind.ROUTE], 2),
            pairs=(*self._pairs(EdgeKind.CALLS, 2), *self._pairs(EdgeKind.READS, 2)),
            queries=tuple(self._queries(tables)),
            judged=judged,
        )

    def _data_questions(self) -> Iterator[str]:
        tables = [one for one in self.catalog.tables if one.columns]
        for table in pick(range(len(tables)), DATA_ASKED, salt="asked"):
            name = spoken(tables[table].name.name)
            first, *others = pick([spoken(column.name) for column in tables[table].columns], 2)
            yield f"how many {name} are there by {first}?"
            if others:
                yield f"{others[0]} and {first} of the last {name}"

    def _pairs(self, kind: EdgeKind, count: int) -> tuple[tuple[str, str], ...]:
        edges = [self.graph.edge(at) for at in range(len(self.graph.edge_kind))]
        found = [
            (self.graph.node(edge.source).qualified_name, self.graph.node(edge.target).qualified_name)
            for edge in edges
            if edge.kind is kind and not edge.candidates and edge.source != edge.target
        ]
        return pick([pair for pair in found if all(pair)], count)

    def _queries(self, tables: Sequence[str]) -> Iterator[str]:
        for name in tables:
            number = self.catalog.names.index(name)
            columns = [column.name for column in self.catalog.tables[number].columns][:3] or ["id"]
            yield f"SELECT {', '.join(columns)} FROM {name} ORDER BY {columns[0]}"
            yield f"SELECT {columns[0]}x, count(*)\nFROM {name}s\nWHERE {columns[-1]} = 1 GROUP BY nothing"
        if tables:
            yield f"DELETE FROM {tables[0]}"

    def _nodes(self) -> Iterator[Node]:
        return (self.graph.node(number) for number in range(len(self.graph)))

    def files(self) -> Iterator[Row]:
        """Yield what is known of each file, and the terms of its path."""
        for member in self.members:
            terms = _terms(Postings.from_arrays(member.segment.arrays, "path"), len(member.segment.paths))
            for number, path in enumerate(member.segment.paths.all()):
                if number not in member.dead:
                    file = member.segment.file(number)
                    about = file.language, file.content, file.labels, file.text_bytes, file.problem, file.masked
                    yield Row(path, (file.size, file.blob, *about, digest(member.segment.text(number)), terms[number]))

    def chunks(self) -> Iterator[Row]:
        """Yield the chunks, each with a digest of its text and of its terms."""
        for member in self.members:
            terms = _terms(member.segment.text_postings, len(member.segment))
            for number in range(len(member.segment)):
                if int(member.segment.chunk_file[number]) not in member.dead:
                    chunk = member.segment.chunk(number, repository=member.repository)
                    short = replace(chunk, text=digest(chunk.text))
                    yield Row(_place(chunk), (chunk.id, terms[number], short))

    def vectors(self) -> Iterator[Row]:
        """Yield a digest of the vector of each chunk, and of what the catalog holds as arrays."""
        for member, number, chunk in self._chunks():
            if member.segment.vectors is not None:
                yield Row(_place(chunk), (digest(member.segment.vectors.rows[number].tobytes()),))
        for name, array in self.catalog.arrays.items():
            if name in OF_CHECKOUT or name.startswith(MODIFIED):
                continue
            yield Row(f"catalog {name}", (str(array.dtype), array.shape, digest(np.ascontiguousarray(array).tobytes())))

    def outlines(self) -> Iterator[Row]:
        """Yield the definitions of each file, and what a definition is looked up by."""
        for member, number in self._files():
            for symbol in member.segment.outline(number, repository=member.repository):
                yield Row(f"{symbol.path}:{symbol.span.start_line} {symbol.qualified_name}", (symbol,))
        for member in self.members:
            count = len(member.segment) + len(member.segment.symbol_chunk)
            keys = _terms(member.segment.symbol_postings, count)
            for number in range(count):
                symbol = member.segment.symbol(number)
                yield Row(f"keys of {symbol.path}:{symbol.span.start_line} {symbol.qualified_name}", (keys[number],))

    def facts(self) -> Iterator[Row]:
        """Yield what each file says of schemas, an operation a line, as it is stored."""
        for member, number in self._files():
            if member.segment.deflated_facts(number):
                path, facts = member.segment.paths[number], member.segment.facts(number)
                for at, operation in enumerate(facts.operations):
                    yield Row(f"{path} operation {at:06}", (operation,))
                yield Row(f"{path} rest", (_without(facts, "operations"),))

    def links(self) -> Iterator[Row]:
        """Yield what each file has to do with others, as it is stored: a line for each part that is a list."""
        for member, number in self._files():
            path = member.segment.paths[number]
            for position, part in enumerate(_with_rows(member.segment.links(number))):
                for place, values in enumerate(_parts(part)):
                    for at, value in enumerate(values):
                        yield Row(f"{path} {position}.{place} {at:06}", (value,))

    def graph_rows(self) -> Iterator[Row]:
        """Yield nodes, edges and notes; the ends of an edge are written out."""
        nodes = list(self._nodes())
        names = [_end(node) for node in nodes]
        rank, community = self.graph.arrays["node_rank"].tolist(), self.graph.arrays["node_community"].tolist()
        for node in nodes:
            about = node._replace(number=0)
            yield Row(f"node {names[node.number]}", (about, float(rank[node.number]), community[node.number]))
        for at in range(len(self.graph.edge_kind)):
            edge = self.graph.edge(at)
            ends = f"{names[edge.source]} -> {edge.kind} -> {names[edge.target]}"
            yield Row(f"edge {ends}", (edge.candidates, edge.certainty, edge.path, edge.line))
        for note in self.graph.notes():
            yield Row(f"note {names[note.node]}", (note.path, note.line, note.text))

    def catalog_rows(self) -> Iterator[Row]:
        """Yield every database, table, join, routine, type, query, definition and problem."""
        catalog = self.catalog
        for name, table in zip(catalog.names, catalog.tables, strict=True):
            yield Row(f"table {table.name.database} {name}", (table,))
        for relation in catalog.relations:
            left, right = (catalog.names[one] for one in (relation.left, relation.right))
            yield Row(f"join {left} {right}", (relation.left_columns, relation.right_columns, _of_relation(relation)))
        for what, records in _others(catalog).items():
            for at, record in enumerate(records):
                yield Row(f"{what} {at:06}", (record,))

    def hits(self) -> Iterator[Row]:
        """Yield the best hits of each question, and of some questions asked in other ways, with their scores."""
        ways: list[tuple[str, str, Mapping[str, Any]]] = [("", one, {}) for one in self.sample.questions.code]
        for question in self.sample.questions.code[:VARIED]:
            ways += [(name, question, options) for name, options in VARIANTS.items()]
        for name, question, options in ways:
            about = f"{question} | {name} |"

            def search(question: str = question, options: Mapping[str, Any] = options) -> list[Hit]:
                return self.index.search(question, k=HITS, **options)

            found, said = _answer(search)
            for rank, hit in enumerate(found or ()):
                yield Row(f"{about} {rank:02}", _hit(hit))
            yield Row(f"{about} in all", (len(found or ()), said))

    def contexts(self) -> Iterator[Row]:
        """Yield the schema context of each question about data, as text, and the ranking that it is made of."""
        for question in self.sample.questions.data:
            for budget in BUDGETS:
                context = self.index.schema_context(question, budget=budget)
                yield Row(f"{question} | {budget} | ddl", (context.as_ddl(explain=True).split("\n"),))
                if budget == min(BUDGETS):
                    yield Row(f"{question} | {budget} | markdown", (context.as_markdown(explain=True).split("\n"),))
            ranking = self.index.table_ranking(question)
            yield Row(f"{question} | ranking", (ranking,))


Topic = Callable[[Known], Iterator[Row]]

TOPICS: Mapping[str, Topic] = {
    "files": Known.files,
    "chunks": Known.chunks,
    "outlines": Known.outlines,
    "facts": Known.facts,
    "links": Known.links,
    "graph": Known.graph_rows,
    "catalog": Known.catalog_rows,
    "vectors": Known.vectors,
    "hits": Known.hits,
    "contexts": Known.contexts,
}
PORTABLE = frozenset(TOPICS) - {"vectors"}


def _terms(postings: Postings, count: int) -> list[str]:
    """Return a digest of the terms and weights of each document."""
    sizes: Array = np.diff(postings.offsets.astype(np.int64))
    hashes = np.repeat(postings.hashes, sizes)
    docs: Array = postings.every_doc().astype(np.int64)
    order = np.argsort(docs, kind="stable")
    ends = np.searchsorted(docs[order], np.arange(count + 1))
    hashes, weights = hashes[order], postings.weights[order]
    return [
        sha256(hashes[begin:end].tobytes() + weights[begin:end].tobytes()).hexdigest()[:DIGEST_LETTERS]
        for begin, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)
    ]


def _place(chunk: coderag.Chunk) -> str:
    return f"{chunk.path}:{chunk.span.start_line}-{chunk.span.end_line} {chunk.kind} {chunk.qualified_name}"


def _end(node: Node) -> str:
    where = f"{node.path}:{node.span.start_line}" if node.path else node.database
    return f"{where} {node.kind} {node.qualified_name}"


def _with_rows(links: Links) -> Iterator[Any]:
    """Yield the parts of links, references as rows."""
    for part in links:
        yield part.rows() if isinstance(part, StoredReferences) else part


def _parts(record: Any) -> list[Sequence[Any]]:
    """Return the fields of a record that are lists, and behind them the others as one; a list is its only field."""
    if not hasattr(record, "_fields") and isinstance(record, list | tuple):
        return [record]
    names = getattr(record, "_fields", None) or record.__struct_fields__
    values = [getattr(record, name) for name in names]
    return [
        value if isinstance(value, list | tuple) and not hasattr(value, "_fields") else (value,) for value in values
    ]


def _without(record: Any, field: str) -> list[Any]:
    return [getattr(record, name) for name in record.__struct_fields__ if name != field]


def _of_relation(relation: Any) -> list[Any]:
    numbers = ("left", "right")  # of tables, which their names say already
    return [getattr(relation, name) for name in relation.__struct_fields__ if name not in numbers]


def _others(catalog: Catalog) -> dict[str, Sequence[Any]]:
    return {
        "database": catalog.databases,
        "routine": catalog.routines,
        "type": catalog.types,
        "query": catalog.queries,
        "definition": catalog.definitions,
        "problem": catalog.problems,
    }


def _answer(search: Callable[[], list[Hit]]) -> tuple[list[Hit] | None, list[str]]:
    """Return hits, or None where a question may not be asked so, with what is said of it."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            return search(), [str(one.message) for one in heard]
        except coderag.CoderagError as error:
            return None, [str(error)]


def _hit(hit: Hit) -> tuple[Any, ...]:
    scores = hit.score, hit.confidence, dict(hit.parts)
    reasons = hit.lines, hit.reasons, hit.also, hit.expanded_from, hit.relations, hit.related
    return (_place(hit.chunk), *scores, *reasons, digest(hit.chunk.text))
