"""The clauses of a query to the chunks that meet them, and to every match of its patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coderag.errors import QueryError
from coderag.index.reader.corpus import Corpus, Member
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.ranges import ranges
from coderag.index.storage.segment import Segment
from coderag.search.exact.pattern import Pattern, compiled
from coderag.search.query.query import pattern_terms
from coderag.search.query.terms import checked_term
from coderag.types import Field, Term

__all__ = ["Located", "locate"]

Clauses = Sequence[Sequence[Term]]
FILE_SHIFT = 40  # above a place in a file, in one number
GLOB = re.compile(r"[*?\[]|^/|/$")  # as opposed to a part of a path


@dataclass(frozen=True, slots=True)
class Located:
    """The chunks that meet a query's clauses, and the matches of its patterns in them."""

    allowed: Array  # bool[chunks]
    chunks: Array  # i64[matches]: the chunk that holds the first byte of each, by file and place in it
    starts: Array  # i64[matches]: the first byte, in the text of the file
    ends: Array  # i64[matches]


def locate(corpus: Corpus, clauses: Clauses, allowed: Array | None) -> Located:
    """Return what meets all clauses among the allowed chunks (bool[chunks]; None: all), with every match.

    Raises QueryError for a term that makes no sense, and a language or repository that no file is of.
    """
    alive = corpus.live_file[corpus.chunk_file]
    left = alive if allowed is None else alive & allowed
    tables: dict[Term, Array] = {}  # the matches of each pattern, in the files of all chunks that were left then
    # What is known without reading texts comes first, so that fewer texts are read.
    for clause in sorted(clauses, key=lambda clause: any(term.field is Field.TEXT for term in clause)):
        met = np.zeros(len(corpus), dtype=bool)
        for term in clause:
            if term.field is Field.TEXT:
                tables[term] = _match_table(corpus, term, left)
            met |= _holds(corpus, checked_term(term), tables) != term.negated
        left = left & met
    found = [tables[term][left[tables[term][:, 0]]] for term in pattern_terms(clauses)]
    table = np.concatenate(found) if found else np.zeros((0, 3), dtype=np.int64)
    if len(found) > 1:
        table = np.unique(table, axis=0)
        table = table[np.lexsort((table[:, 1], corpus.chunk_file[table[:, 0]]))]
    return Located(left, chunks=table[:, 0], starts=table[:, 1], ends=table[:, 2])


def _holds(corpus: Corpus, term: Term, tables: Mapping[Term, Array]) -> Array:
    """Return of which chunks a term holds, whether negated or not, bool[chunks]."""
    match term.field:
        case Field.TEXT:
            found = np.zeros(len(corpus), dtype=bool)
            found[tables[term][:, 0]] = True
            return found
        case Field.SYMBOL:
            return _defining(corpus, compiled(term))
        case Field.KIND:
            return corpus.of_kinds([term.value])
    return _files_holding(corpus, term)[corpus.chunk_file]


def _files_holding(corpus: Corpus, term: Term) -> Array:
    """Return of which files a term about files holds, bool[files]."""
    match term.field:
        case Field.LANGUAGE:
            return np.array([name == term.value for name in corpus.languages] or [False])[corpus.file_language]
        case Field.REPOSITORY:
            return _of_repository(corpus, term.value)
        case Field.TEST:
            return corpus.with_label("test")
    if not term.regex and GLOB.search(term.value):
        return corpus.path_table.matching((term.value,))
    pattern = compiled(term)
    return np.fromiter(map(pattern.matches, corpus.paths), dtype=bool, count=corpus.files)


def _of_repository(corpus: Corpus, part: str) -> Array:
    names = [member.repository for member in corpus.members]
    if not any(part.casefold() in name.casefold() for name in names):
        known = ", ".join(sorted(filter(None, set(names)))) or "none"
        raise QueryError(f"no file is of a repository with {part!r} in its name; known are {known}")
    sizes = [len(member.segment.paths) for member in corpus.members]
    found: Array = np.repeat([part.casefold() in name.casefold() for name in names], sizes)
    return found.astype(bool)


def _defining(corpus: Corpus, pattern: Pattern) -> Array:
    """Return which chunks hold a definition whose name matches, bool[chunks]."""
    found = np.zeros(len(corpus), dtype=bool)
    for member in corpus.members:
        for number, name in member.segment.definition_names():
            if pattern.matches(name):
                found[member.first_chunk + member.segment.chunk_of_definition(number)] = True
    return found


def _match_table(corpus: Corpus, term: Term, among: Array) -> Array:
    """Return every match in the files of some chunks, i64[matches, 3]: chunk, first and end byte in its file."""
    pattern = compiled(term)
    files = corpus.files_of(among)
    tables = [_matches_in(member, pattern, files) for member in corpus.members]
    return np.concatenate(tables) if tables else np.zeros((0, 3), dtype=np.int64)


def _matches_in(member: Member, pattern: Pattern, files: Array) -> Array:
    own = files[member.first_file : member.first_file + len(member.segment.paths)]
    candidates = np.flatnonzero(own & member.segment.may_contain(pattern.needed))
    texts = _texts(member.segment, pattern, candidates.tolist())
    rows = [(file, at + begin, at + end) for file, at, text in texts for begin, end in pattern.spans(text)]
    found = np.array(rows, dtype=np.int64).reshape(-1, 3)
    found[:, 0] = _owners(member, found[:, 0], found[:, 1]) + member.first_chunk
    return found


def _texts(segment: Segment, pattern: Pattern, files: Sequence[int]) -> Iterator[tuple[int, int, bytes]]:
    """Yield a file, a place in it and the text from there: of all places where a match may begin."""
    if not pattern.reach or not files:
        yield from ((file, 0, segment.text(file)) for file in files)
        return
    blocks = segment.blocks_with(pattern.needed[0])
    for file in files:
        for at, text in segment.texts_of_blocks(file, blocks, tail=pattern.reach):
            yield file, at, text


def _owners(member: Member, files: Array, begins: Array) -> Array:
    """Return the chunk of each match: the one with its first byte, or with what is before a blank line.

    Matches come by file and place, i64[n] each.
    """
    segment = member.segment
    some = np.unique(files)
    chunks, _ = ranges(*member.chunk_bounds(some))
    offsets = segment.arrays["chunk_part_offsets"]
    parts, position = ranges(offsets[chunks], offsets[chunks + 1])
    chunk_of_part = chunks[position]
    file_of_part = segment.chunk_file[chunk_of_part].astype(np.int64)
    keys = (file_of_part << FILE_SHIFT) + segment.arrays["parts"][parts, 2]
    order = np.argsort(keys, kind="stable")
    places = np.searchsorted(keys[order], (files << FILE_SHIFT) + begins, side="right") - 1
    # What stands before the first part of its file is of that part.
    first = np.searchsorted(file_of_part[order], files, side="left")
    owners: Array = chunk_of_part[order][np.maximum(places, first)]
    return owners
