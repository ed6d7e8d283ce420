"""Plain values to a query that makes sense, and within the limits of one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace

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
    check_name,
    check_number,
    check_text,
    checked_list,
)
from coderag.search.ranking.rank import STANDARD
from coderag.search.ranking.settings import make_pipeline
from coderag.types import Expand, Kind, Pipeline, Query, TableFilter, TestPolicy

__all__ = ["DATE", "check_conditions", "check_question", "checked_query", "make_query"]

DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d(?:[T ].*)?)?)?\Z", re.ASCII)  # ISO 8601, or the beginning of it


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
    check_question(text, k=k)
    check_number(RELATED, related)
    check_number(DIVERSITY, diversity)
    check_number(THRESHOLD, threshold)
    _check_pipeline(pipeline)
    kinds = checked_list(ITEMS, kinds, name="kinds")
    query = Query(
        text=text,
        k=k,
        languages=frozenset(checked_list(ITEMS, languages, name="languages")),
        paths=checked_list(GLOBS, paths, name="paths", item=GLOB),
        repositories=frozenset(checked_list(ITEMS, repositories, name="repositories")),
        databases=frozenset(checked_list(ITEMS, databases, name="databases")),
        environments=frozenset(checked_list(ITEMS, environments, name="environments")),
        groups=None if groups is None else frozenset(checked_list(ITEMS, groups, name="groups")),
        diversity=diversity,
        threshold=threshold,
        collapse=collapse,
        related=related,
        pipeline=pipeline,
    )
    try:
        return replace(
            query,
            kinds=frozenset(map(Kind, kinds)),
            tests=TestPolicy(tests),
            expand=Expand(expand) if expand else None,
        )
    except ValueError as error:
        known = f"kinds are {', '.join(Kind)}; tests are {', '.join(TestPolicy)}; expand is {', '.join(Expand)}"
        raise QueryError(f"{error}; {known}") from error


def checked_query(query: Query) -> Query:
    """Return a query that somebody made with values as they should be; raises like `make_query`."""
    if not isinstance(query, Query):
        raise TypeError(f"the question is of type {type(query).__name__}; give a text or a Query")
    values = {field.name: getattr(query, field.name) for field in fields(query)}
    return make_query(values.pop("text"), **values)


def _check_pipeline(pipeline: Pipeline) -> None:
    if not isinstance(pipeline, Pipeline):
        raise TypeError(f"the pipeline is of type {type(pipeline).__name__}; give a Pipeline")
    check_number(RERANKED, pipeline.depth)
    check_number(BLEND, pipeline.blend)
    check_name(pipeline.reranker, what="the reranker of the pipeline")
    make_pipeline(fusion=pipeline.fusion, without=checked_list(ITEMS, pipeline.without, name="without"))


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
    for name in ("databases", "schemas", "dialects", "environments", "domains", "languages", "kinds"):
        checked_list(ITEMS, getattr(conditions, name), name=name)
    checked_list(GLOBS, conditions.paths, name="paths", item=GLOB)
    check_text(NAME, conditions.since, name="since")
    if conditions.since and not DATE.match(conditions.since):
        raise QueryError(f"since is {conditions.since!r}; give a date such as 2025-06-30")
    if conditions.tests not in set(TestPolicy):
        raise QueryError(f"tests is {conditions.tests!r}; tests are {', '.join(TestPolicy)}")
