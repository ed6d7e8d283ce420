"""Plain values to a query that makes sense, and within the limits of one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from coderag.errors import QueryError
from coderag.limits import (
    BLEND,
    DIVERSITY,
    EVIDENCE,
    GLOB,
    GLOBS,
    ITEMS,
    NAME,
    QUESTION,
    RELATED,
    RERANKED,
    THRESHOLD,
    K,
    check_number,
    check_text,
    checked_list,
)
from coderag.ranking.rank import STANDARD
from coderag.types import Expand, Kind, Pipeline, Query, TableFilter, TestPolicy

__all__ = ["check_conditions", "check_query", "check_question", "make_query"]


def make_query(
    text: str,
    *,
    k: int = 10,
    kinds: Iterable[Kind | str] = (),
    languages: Iterable[str] = (),
    paths: Sequence[str] = (),
    repositories: Iterable[str] = (),
    databases: Iterable[str] = (),
    environments: Iterable[str] = (),
    groups: Iterable[str] | None = None,
    tests: TestPolicy | str = TestPolicy.DEMOTE,
    diversity: float = 0.0,
    threshold: float = 0.0,
    collapse: bool = True,
    expand: Expand | str | None = None,
    related: int = 0,
    pipeline: Pipeline = STANDARD,
) -> Query:
    """Return a query of plain values.

    Raises QueryError for one that makes no sense or exceeds a limit, and TypeError for values of another type.
    """
    try:
        query = Query(
            text=text,
            k=k,
            kinds=frozenset(map(Kind, checked_list(ITEMS, kinds, name="kinds"))),
            languages=frozenset(checked_list(ITEMS, languages, name="languages")),
            paths=checked_list(GLOBS, paths, name="paths", item=GLOB),
            repositories=frozenset(checked_list(ITEMS, repositories, name="repositories")),
            databases=frozenset(checked_list(ITEMS, databases, name="databases")),
            environments=frozenset(checked_list(ITEMS, environments, name="environments")),
            groups=None if groups is None else frozenset(checked_list(ITEMS, groups, name="groups")),
            tests=TestPolicy(tests),
            diversity=diversity,
            threshold=threshold,
            collapse=collapse,
            expand=Expand(expand) if expand else None,
            related=related,
            pipeline=pipeline,
        )
    except ValueError as error:
        known = f"kinds are {', '.join(Kind)}; tests are {', '.join(TestPolicy)}; expand is {', '.join(Expand)}"
        raise QueryError(f"{error}; {known}") from error
    check_query(query)
    return query


def check_query(query: Query) -> None:
    """Raise QueryError for a query that makes no sense or exceeds a limit, and TypeError for what is none."""
    if not isinstance(query, Query):
        raise TypeError(f"the question is of type {type(query).__name__}; give a text or a Query")
    check_question(query.text, k=query.k)
    check_number(RELATED, query.related)
    check_number(DIVERSITY, query.diversity)
    check_number(THRESHOLD, query.threshold)
    if not isinstance(query.pipeline, Pipeline):
        raise TypeError(f"the pipeline is of type {type(query.pipeline).__name__}; give a Pipeline")
    check_number(RERANKED, query.pipeline.depth)
    check_number(BLEND, query.pipeline.blend)
    check_text(NAME, query.pipeline.reranker, name="the reranker")
    checked_list(GLOBS, query.paths, name="paths", item=GLOB)
    for name in ("kinds", "languages", "repositories", "databases", "environments"):
        checked_list(ITEMS, getattr(query, name), name=name)
    if query.groups is not None:
        checked_list(ITEMS, query.groups, name="groups")


def check_question(text: str, *, k: int = 1, evidence: str = "") -> None:
    """Raise QueryError for an empty question, and for what exceeds a limit; TypeError for values of another type."""
    check_text(QUESTION, text)
    check_text(EVIDENCE, evidence)
    if not text.strip():
        raise QueryError("the question is empty; ask in words or give a symbol")
    check_number(K, k)


def check_conditions(conditions: TableFilter) -> None:
    """Raise QueryError for conditions on tables that exceed a limit, and TypeError for what are none."""
    if not isinstance(conditions, TableFilter):
        raise TypeError(f"the conditions are of type {type(conditions).__name__}; give a TableFilter")
    for name in ("databases", "schemas", "dialects", "environments", "domains"):
        checked_list(ITEMS, getattr(conditions, name), name=name)
    checked_list(GLOBS, conditions.paths, name="paths", item=GLOB)
    check_text(NAME, conditions.since, name="since")
