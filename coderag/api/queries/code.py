"""Queries about code: chunks, definitions, files and commits of a snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

import numpy as np

from coderag.errors import QueryError
from coderag.limits import QUESTION, K, check_name, check_number, check_text
from coderag.search import pipeline
from coderag.search.query.filter import allowed_chunks
from coderag.search.query.language import may_be_prose, read_query
from coderag.search.query.query import Conditions, checked_case, checked_query, make_query
from coderag.types import Case, Chunk, Field, Hit, Matches, Query, Symbol, Term

if TYPE_CHECKING:
    from coderag.api.queries.pinned import PinnedSnapshot
    from coderag.index.history.records import LoggedChange
    from coderag.index.reader.corpus import Member

__all__ = ["chunks", "commits_of", "files", "find", "log", "missing_histories", "outline", "search", "symbols"]


def search(
    pinned: PinnedSnapshot,
    question: str | Query,
    *,
    stages: Sequence[pipeline.Stage] | None = None,
    **conditions: Unpack[Conditions],
) -> list[Hit]:
    """Return the k best chunks for a question, best first.

    A text may have phrases, regular expressions and fields in it (coderag.search.query.language); a Query has them
    as `clauses`, and its text is a question as it is.
    Phrases that nothing matches are read as quotations in a sentence.
    `conditions` are the fields of Query, as plain values; a Query brings its own. `k` is 10 where it is not given.
    `kinds`, `languages`, `repositories` and `paths` (globs as in .gitignore, "!" in front excludes) say which
    chunks may be found; `databases` and `environments` leave the files that declare, change, query or describe
    what is in such a database; `files` are pairs of repository and path (`changed_files`), and nothing else is
    found; `groups` are the caller's (`as_seen_by`), None for one that sees all; `tests` are
    included, demoted or excluded. `diversity`, 0..1, is that of the hits (MMR); `threshold`, 0..1, is the least
    confidence of a hit; without `collapse` copies are hits too; `expand` gives the surroundings of hits in their
    place; up to `related` neighbours in the graph come behind the hits; `pipeline` chooses how hits are ranked.
    `stages` are the steps of the search (coderag.search.pipeline); None for the usual ones.
    Raises QueryError for an empty question, an unknown condition, and what exceeds a limit (coderag.limits), and
    RerankerError for a reranker that is unknown. One that fails is left out, with a RetrievalWarning.
    """
    if isinstance(question, str):
        hits = search(pinned, read_query(question, **conditions), stages=stages)
        if hits or not may_be_prose(question):
            return hits
        return search(pinned, read_query(question, prose=True, **conditions), stages=stages)
    query = checked_query(question)
    if query.groups is not None:
        return search(pinned.seen_by(query.groups), replace(query, groups=None), stages=stages)
    return pipeline.search(query, pinned.sources(), stages=stages)


def find(
    pinned: PinnedSnapshot,
    pattern: str | Query,
    *,
    regex: bool = False,
    case: Case | str = Case.SMART,
    **conditions: Unpack[Conditions],
) -> Matches:
    """Return every match of a literal in the indexed texts, counted, and the k best chunks that hold one.

    With `regex` the pattern is a regular expression (RE2), whose matches lie within a line; one takes time in
    proportion to the texts, whatever it is. Smart `case` ignores case unless the pattern has a capital.
    `conditions` are those of `search`; a Query brings its own, with patterns in its `clauses`. Definitions of what
    is looked for come first, then what has most matches for its length; where a Query has a text as well, hits are
    ranked by it. Raises QueryError like `search`, and for a pattern that is empty, of several lines, or invalid.
    """
    from coderag.search.exact.hits import file_counts  # a search needs none of it

    if isinstance(pattern, str):
        check_text(QUESTION, pattern, name="the pattern")
        clause = (Term(Field.TEXT, pattern, regex=regex, case=checked_case(case)),)
        conditions["clauses"] = (*conditions.get("clauses", ()), clause)
        query = make_query("", **conditions)
    else:
        query = checked_query(pattern)
    if query.groups is not None:
        return find(pinned.seen_by(query.groups), replace(query, groups=None))
    state = pipeline.search_state(query, pinned.sources())
    if state.located is None:
        raise QueryError("the query has no pattern; give a text, or a Query with clauses")
    counts = file_counts(state.sources.corpus, state.located)
    return Matches(
        hits=tuple(state.hits),
        count=len(state.located.chunks),
        chunks=len(np.unique(state.located.chunks)),
        files=counts,
    )


def symbols(pinned: PinnedSnapshot, name: str, *, k: int = 20, alike: bool = True) -> list[Symbol]:
    """Return the definitions of a name, qualified or not; where there is none, those spelled most like it.

    Without `alike` there are only the former. Raises QueryError for an empty name and what exceeds a limit.
    """
    from coderag.search.retrieval.symbols import find_symbols  # a search needs none of it

    check_name(name, what="the name")
    check_number(K, k)
    return find_symbols(pinned.corpus, name, k=k, alike=alike)


def files(pinned: PinnedSnapshot, conditions: Query) -> frozenset[tuple[str, str]]:
    """Return the files that meet the conditions of a query, each as repository and path.

    Kinds count for the files that hold a chunk of such a kind. Raises QueryError like `search`.
    """
    from coderag.api.indexed_files import files_with

    conditions = checked_query(conditions)
    if conditions.groups is not None:
        return files(pinned.seen_by(conditions.groups), replace(conditions, groups=None))
    corpus = pinned.corpus
    return files_with(corpus, allowed_chunks(corpus, conditions, lambda: pinned.snapshot.catalogs))


def outline(pinned: PinnedSnapshot, path: str, *, repository: str = "") -> list[Symbol]:
    """Return the definitions of an indexed file in order; raises QueryError when it is not indexed.

    Of several roots the first that has the file answers, or the one whose `repository` is given.
    """
    member, file = _find(pinned, path, repository)
    return member.segment.outline(file, repository=member.repository)


def chunks(pinned: PinnedSnapshot, path: str, *, repository: str = "") -> list[Chunk]:
    """Return the chunks of an indexed file in order; as `outline` finds it."""
    member, file = _find(pinned, path, repository)
    numbers = np.flatnonzero(member.segment.chunk_file == file).tolist()
    return [member.segment.chunk(number, repository=member.repository) for number in numbers]


def log(pinned: PinnedSnapshot, target: str, *, k: int = 20, repository: str = "") -> list[LoggedChange]:
    """Return the last k commits that changed a symbol, FILE or FILE:LINE, newest first.

    The history is that of the repository around a root, read on where that has new commits. Of a line, the
    definition around it counts. Raises QueryError where nothing has the name.
    """
    from coderag.api.commit_log import commit_log

    check_name(target, what="the target")
    check_number(K, k)
    return commit_log(pinned.corpus, pinned.snapshot.read_histories(), target, k=k, repository=repository)


def commits_of(pinned: PinnedSnapshot, chunk: Chunk, *, question: str = "") -> list[LoggedChange]:
    """Return the commit that changed a chunk last, and behind it that whose subject fits a question best.

    The history is as it was stored; [] if it says nothing of the chunk.
    """
    from coderag.api.commit_log import commits_of_chunk

    check_text(QUESTION, question, name="the question")
    return commits_of_chunk(pinned.snapshot.histories, pinned.corpus, chunk, question)


def missing_histories(pinned: PinnedSnapshot) -> dict[str, str]:
    """Return why a root has no history, or not all of it, by repository; {} where each has."""
    return pinned.snapshot.missing_histories()


def _find(pinned: PinnedSnapshot, path: str, repository: str) -> tuple[Member, int]:
    from coderag.api.indexed_files import indexed_file

    check_name(path, what="the path")
    return indexed_file(pinned.corpus, path, repository=repository)
