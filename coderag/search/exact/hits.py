"""Located matches to hits: which chunks come first where no question ranks them, and where each match lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from coderag.index.reader.corpus import Corpus
from coderag.index.storage.arrays.arrays import Array
from coderag.search.exact.locate import Located
from coderag.search.exact.pattern import compiled
from coderag.search.query.query import pattern_terms
from coderag.text.counted import counted
from coderag.types import Field, FileMatches, Hit, Match, Query, Term, TestPolicy

__all__ = ["exact_hits", "file_counts", "with_matches"]

WHOLE = 2  # a name that is all of a match
DEMOTED = ("example", "generated", "vendored", "legacy")


def exact_hits(corpus: Corpus, query: Query, located: Located) -> list[tuple[int, Hit]]:
    """Return the first k chunks that hold a match, each as a hit with its number; without patterns, the first allowed.

    A definition whose name is what is looked for comes first. Tests, examples, generated and vendored files and
    documents come behind the rest; among these, what has a part of it in its name, then what has the most matches for
    its length. Ties go to the earlier path and row.
    """
    patterns = pattern_terms(query.clauses)
    chunks, counts = np.unique(located.chunks, return_counts=True)
    if not patterns:
        chunks = np.flatnonzero(located.allowed)
        counts = np.zeros(len(chunks), dtype=np.int64)
    if not len(chunks):
        return []
    files = corpus.chunk_file[chunks]
    names = [*patterns, *(term for clause in query.clauses for term in clause if _names_symbol(term))]
    defining = _defining(corpus, chunks, names)
    behind = _demoted(corpus, files, query.tests)
    density = counts / _rows(corpus, chunks)
    ties = corpus.first_rows(chunks), corpus.path_ranks(files)
    order = np.lexsort((*ties, -density, -defining, behind, defining < WHOLE))[: query.k]
    return [
        (int(chunks[at]), _hit(corpus, int(chunks[at]), count=int(counts[at]), defines=bool(defining[at])))
        for at in order.tolist()
    ]


def with_matches(corpus: Corpus, chunk: int, hit: Hit, located: Located) -> Hit:
    """Return the hit of a chunk with its matches, whose lines are its best ones."""
    places = np.flatnonzero(located.chunks == chunk)
    if not len(places):
        return hit
    member, local = corpus.member_of(chunk)
    text = member.segment.text(int(member.segment.chunk_file[local]))
    spans = zip(located.starts[places].tolist(), located.ends[places].tolist(), strict=True)
    matches = _matches(text, list(spans))
    return replace(hit, matches=matches, lines=tuple(dict.fromkeys(match.line for match in matches)))


def file_counts(corpus: Corpus, located: Located) -> tuple[FileMatches, ...]:
    """Return how many matches each file has that has any, by repository and path."""
    files, counts = np.unique(corpus.chunk_file[located.chunks], return_counts=True)
    firsts = np.array([member.first_file for member in corpus.members])
    owners = (np.searchsorted(firsts, files, side="right") - 1).tolist()
    return tuple(
        sorted(
            (
                FileMatches(corpus.members[owner].repository, path, count)
                for owner, path, count in zip(owners, corpus.paths_of(files), counts.tolist(), strict=True)
            ),
            key=lambda found: (found.repository, found.path),
        )
    )


def _names_symbol(term: Term) -> bool:
    return term.field is Field.SYMBOL and not term.negated


def _defining(corpus: Corpus, chunks: Array, terms: Sequence[Term]) -> Array:
    """Return how well the names of chunks match a pattern: WHOLE, 1 in part, 0 not; i64[chunks]."""
    found = np.zeros(len(chunks), dtype=np.int64)
    raw = [name.encode("utf-8", "surrogateescape").replace(b"\n", b" ") for name, _ in corpus.names(chunks)]
    lines = b"\n".join(raw)  # patterns match within a line
    ends = np.cumsum(np.fromiter(map(len, raw), dtype=np.int64, count=len(raw)) + 1) - 1
    starts = np.concatenate([[0], ends[:-1] + 1])
    for term in terms:
        spans = np.array(list(compiled(term).spans(lines)), dtype=np.int64).reshape(-1, 2)
        owners = np.searchsorted(ends, spans[:, 0])
        is_whole = (spans[:, 0] == starts[owners]) & (spans[:, 1] == ends[owners])
        np.maximum.at(found, owners, np.where(is_whole, WHOLE, 1))
    return found


def _demoted(corpus: Corpus, files: Array, tests: TestPolicy) -> Array:
    labels = DEMOTED if tests is TestPolicy.INCLUDE else (*DEMOTED, "test")
    behind = corpus.documents.copy()
    for label in labels:
        behind |= corpus.with_label(label)
    return behind[files]


def _rows(corpus: Corpus, chunks: Array) -> Array:
    rows = np.ones(len(chunks), dtype=np.int64)
    for member, positions, local in corpus.by_member(chunks):
        rows[positions] += member.segment.last_row[local] - member.segment.first_row[local]
    return rows


def _hit(corpus: Corpus, number: int, *, count: int, defines: bool) -> Hit:
    chunk = corpus.chunk(number)
    reasons = [f"defines {chunk.qualified_name}"] if defines else []
    reasons += [counted(count, "match")] if count else []
    return Hit(
        chunk, float(count), parts={"matches": float(count)} if count else {}, lines=(chunk.span.start_line,),
        reasons=tuple(reasons), confidence=1.0,
    )  # fmt: skip


def _matches(text: bytes, spans: Sequence[tuple[int, int]]) -> tuple[Match, ...]:
    """Return byte spans of a file's text, in order, as lines and columns."""
    found: list[Match] = []
    line, before = 1, 0
    for begin, end in spans:
        line += text.count(b"\n", before, begin)
        start = text.rfind(b"\n", 0, begin) + 1
        column = len(text[start:begin].decode("utf-8", "replace")) + 1
        found.append(Match(line, column, len(text[begin:end].decode("utf-8", "replace"))))
        before = begin
    return tuple(found)
