"""A question about data to the tables, columns, example queries and definitions that answer it.

Signals score every table; their scores, divided by the best, are weighted and summed. Then tables are picked one by
one (greedy selection), and each pick gives a bonus to the tables that it can be joined with: a soft one, so that a
table that fits well comes before a neighbour that does not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from coderag.index.catalog.catalog import Catalog
from coderag.index.catalog.schema_postings import question_terms
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.vectors import cosines
from coderag.search.query.hints import hinted_terms
from coderag.search.tables.columns import COLUMNS, RankedColumn, rank_columns
from coderag.search.tables.copies import copy_priors
from coderag.search.tables.databases import RankedDatabase, rank_databases
from coderag.search.tables.example_voting import SimilarQuery, similar_queries, votes
from coderag.search.tables.glossary import DefinitionMatch, definitions_in
from coderag.search.tables.greedy_selection import DEFAULT, Selection, SelectionSettings, select_greedily
from coderag.search.tables.matching import Matches, QueryTerm, match, query_terms
from coderag.search.tables.phrase_expansion import phrase_expansions
from coderag.search.tables.signals import SIGNALS, Request, Signal, weighted
from coderag.text.asking import AskedWord, asked_words

__all__ = ["COMMON", "RankedTable", "TableRanking", "rank_tables"]

EVIDENCE_WEIGHT, DEFINITION_WEIGHT = 0.8, 0.5  # of words that do not come from the question itself
PRIORS = MappingProxyType({"test": 0.5, "example": 0.6, "vendored": 0.6, "legacy": 0.7})  # by the labels of a table
REASON_WORDS = 6
# Signals that score tables without a word of the question, too: one is the same for a whole database, and by the other
# some table is always nearest.
COMMON = ("database", "dense")


@dataclass(frozen=True, slots=True)
class RankedTable:
    """A table of the catalog with its score, the parts of it, and why it is there in words."""

    table: int
    score: float
    parts: dict[str, float]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableRanking:
    """What answers a question, each best first."""

    tables: tuple[RankedTable, ...]
    columns: tuple[RankedColumn, ...]
    queries: tuple[SimilarQuery, ...]
    definitions: tuple[DefinitionMatch, ...]
    databases: tuple[RankedDatabase, ...] = ()  # all that have a table allowed
    matched: bool = False  # a table, an example query or a definition holds a word of the question


def rank_tables(
    catalog: Catalog,
    question: str,
    *,
    k: int = 10,
    evidence: str = "",
    allowed: Array | None = None,
    use_examples: bool = True,
    columns: int = COLUMNS,
    vector: Array | None = None,
    signals: Sequence[Signal] = SIGNALS,
    selection_settings: SelectionSettings = DEFAULT,
) -> TableRanking:
    """Return the k best tables of those allowed (bool[tables]) and what else of the catalog answers a question.

    `evidence` is further knowledge: what words of the question mean, or a formula. `vector` is the question's,
    f32[dimensions], by the encoder that made the catalog's; None where words alone answer.
    """
    if allowed is None:
        allowed = np.ones(len(catalog), dtype=bool)
    words = asked_words(question)
    terms = question_terms(words)
    definitions = tuple(definitions_in(catalog, terms, allowed))
    similar = similar_queries(catalog, terms, allowed, vector=vector) if use_examples else []
    request = Request(
        catalog=catalog,
        allowed=allowed,
        matches=_matches(catalog, words, evidence, definitions=definitions, allowed=allowed),
        votes=votes(catalog, similar),
        definitions=definitions,
        near=_near(catalog, vector),
    )
    parts = {signal.name: weighted(signal, request) for signal in signals}
    scores = np.sum(list(parts.values()), axis=0) * allowed * _priors(catalog) * copy_priors(catalog, words)
    picked = select_greedily(catalog, scores, k=k, picking=selection_settings)
    ranked_columns = rank_columns(
        catalog,
        [(selection.table, selection.score) for selection in picked],
        matching=request.matches.columns,
        voted=request.votes.columns,
        hints=hinted_terms(question),
        k=columns,
    )
    return TableRanking(
        _explained(request, picked, parts),
        tuple(ranked_columns),
        tuple(similar),
        definitions,
        databases=tuple(rank_databases(catalog, scores, allowed)),
        matched=any((parts[signal.name] * allowed).any() for signal in signals if signal.name not in COMMON),
    )


def _matches(
    catalog: Catalog,
    words: Sequence[AskedWord],
    evidence: str,
    *,
    definitions: Sequence[DefinitionMatch],
    allowed: Array,
) -> Matches:
    """Return which tables and columns hold the terms and phrases of a question."""
    sought = _sought(catalog, words, evidence, definitions=definitions)
    return match(catalog, sought, allowed, phrases=phrase_expansions(catalog, words))


def _sought(
    catalog: Catalog, words: Sequence[AskedWord], evidence: str, *, definitions: Sequence[DefinitionMatch]
) -> list[QueryTerm]:
    """Return the terms of a question's words, of the evidence and of the definitions that it names, each once."""
    terms = {query_term.term: query_term for query_term in query_terms(words)}
    others = query_terms(asked_words(evidence), factor=EVIDENCE_WEIGHT)
    for named in definitions:
        definition = catalog.definitions[named.definition]
        others += query_terms(asked_words(f"{definition.text} {definition.expression}"), factor=DEFINITION_WEIGHT)
    for other in others:
        if other.term not in terms or terms[other.term].weight < other.weight:
            terms[other.term] = other
    return list(terms.values())


def _near(catalog: Catalog, vector: Array | None) -> Array:
    """Return the cosine of each table and the question, f32[tables]; zeros where words alone answer."""
    if vector is None or catalog.table_vectors is None:
        return np.zeros(len(catalog), dtype=np.float32)
    return cosines(catalog.table_vectors, vector)


def _priors(catalog: Catalog) -> Array:
    """Return the prior of each table, f32[tables]: below one for those of tests, examples and old code."""
    prior = np.ones(len(catalog), dtype=np.float32)
    labels = catalog.values("label")
    for label in labels:
        if label in PRIORS:
            prior[catalog.having("label", [label == known for known in labels])] *= PRIORS[label]
    return prior


def _explained(request: Request, picked: Sequence[Selection], parts: Mapping[str, Array]) -> tuple[RankedTable, ...]:
    """Return picked tables with the parts of their scores, and why each was picked, in words."""
    numbers = [selection.table for selection in picked]
    known = {name: scores[numbers].tolist() for name, scores in parts.items()}
    held, used = _held(request.matches, numbers), _used(request, numbers)
    ranked = []
    for position, selection in enumerate(picked):
        of_table = {name: round(scores[position], 4) for name, scores in known.items() if scores[position]}
        if selection.joins:
            of_table["joins"] = round(selection.joins, 4)
        joined = f"joins with {request.catalog.names[selection.by]}" if selection.by >= 0 else ""
        reasons = tuple(filter(None, (held[position], joined, used[position])))
        ranked.append(RankedTable(selection.table, selection.score, of_table, reasons))
    return tuple(ranked)


def _held(matches: Matches, tables: Sequence[int]) -> list[str]:
    """Return which words of the question each table holds, those that count most first."""
    counts = matches.weights[:, None] * matches.tables[:, tables]
    order = np.argsort(-counts, axis=0, kind="stable").T.tolist()
    found = []
    for rows, held in zip(order, np.count_nonzero(counts, axis=0).tolist(), strict=True):
        words = dict.fromkeys(matches.words[row].lower() for row in rows[:held])
        found.append(f"holds {', '.join(list(words)[:REASON_WORDS])}" if words else "")
    return found


def _used(request: Request, tables: Sequence[int]) -> list[str]:
    """Return how many of the similar queries use each table."""
    uses: Counter[int] = Counter()
    for voter in request.votes.voters:
        uses.update(request.catalog.listed("query_table", voter.query).tolist())
    counts = [uses[table] for table in tables]
    return [f"used by {count} similar {'query' if count == 1 else 'queries'}" if count else "" for count in counts]
