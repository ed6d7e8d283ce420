"""Plain values to a query that makes sense."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from coderag.errors import QueryError
from coderag.ranking.rank import STANDARD
from coderag.types import Expand, Kind, Pipeline, Query, TestPolicy

__all__ = ["make_query"]


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
    """Return a query of plain values; raises QueryError for one that makes no sense."""
    if not text.strip():
        raise QueryError("the question is empty; ask in words or give a symbol")
    if k < 1:
        raise QueryError(f"k is {k}; ask for at least one hit")
    if related < 0:
        raise QueryError(f"related is {related}; give a number from 0")
    for name, share in (("diversity", diversity), ("threshold", threshold)):
        if not 0 <= share <= 1:
            raise QueryError(f"{name} is {share}; give a number from 0 to 1")
    try:
        return Query(
            text=text,
            k=k,
            kinds=frozenset(map(Kind, kinds)),
            languages=frozenset(languages),
            paths=tuple(paths),
            repositories=frozenset(repositories),
            databases=frozenset(databases),
            environments=frozenset(environments),
            groups=None if groups is None else frozenset(groups),
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
