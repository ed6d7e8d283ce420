"""The filters of a command, --path --language --kind --tests --database, to the conditions that the library knows."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property

from coderag.api.index import Index
from coderag.api.roots import Root
from coderag.cli.roots import given_roots
from coderag.errors import EvaluationError, QueryError
from coderag.search.query.query import DATE, make_query
from coderag.types import Query, TableFilter, TestPolicy

__all__ = ["Filters", "date_of", "filters_of", "table_conditions"]

SECOND = timedelta(seconds=1)  # git counts time by it


@dataclass(frozen=True)
class Filters:
    """Which files, and which kinds of things in them, a command lists."""

    paths: tuple[str, ...] = ()  # globs; a leading "!" excludes
    languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    databases: tuple[str, ...] = ()
    tests: TestPolicy = TestPolicy.DEMOTE

    @cached_property
    def of_files(self) -> Query:
        """The conditions on files, as a query; raises QueryError for one that makes no sense."""
        return make_query(
            "-", paths=self.paths, languages=self.languages, databases=self.databases, tests=str(self.tests)
        )

    @property
    def beyond_names(self) -> bool:
        """Whether a condition is set that the name, kind and path of a thing do not tell."""
        return bool(self.languages or self.databases or self.tests is TestPolicy.EXCLUDE)

    @property
    def tables(self) -> TableFilter:
        """The conditions on tables."""
        return TableFilter(
            databases=frozenset(self.databases),
            paths=self.paths,
            tests=self.tests,
            languages=frozenset(self.languages),
            kinds=frozenset(self.kinds),
        )

    def files(self, index: Index) -> Collection[tuple[str, str]] | None:
        """Return the files that meet the conditions, as repository and path; None if all do."""
        return index.files(self.of_files) if self.paths or self.beyond_names else None


def filters_of(options: argparse.Namespace) -> Filters:
    """Return the filters that a command was given."""
    languages = options.language
    if languages:
        from coderag.search.query.languages import language_names

        languages = language_names(languages)
    return Filters(
        paths=tuple(options.path),
        languages=tuple(languages),
        kinds=tuple(kind.lower() for kind in options.kind),
        databases=tuple(options.database),
        tests=TestPolicy(options.tests),
    )


def table_conditions(options: argparse.Namespace) -> TableFilter:
    """Return the conditions on tables that a command was given; raises QueryError for an unknown date or revision."""
    return replace(
        filters_of(options).tables,
        schemas=frozenset(options.schema),
        dialects=frozenset(options.dialect),
        environments=frozenset(options.environment),
        domains=frozenset(options.domain),
        since=date_of(options.since, given_roots(options, options.root)) if options.since else "",
    )


def date_of(since: str, roots: Sequence[Root]) -> str:
    """Return a date as it is, and of a revision of a root the first moment after its commit; raises QueryError."""
    if DATE.match(since):
        return since
    from coderag.evaluate.git import History  # most commands run no git

    for root in roots:
        try:
            date = History(root.root).date_of(since)
        except EvaluationError:
            continue
        if date:
            return (datetime.fromisoformat(date) + SECOND).isoformat()
    names = ", ".join(str(root.root) for root in roots)
    raise QueryError(f"since is {since!r}, no date and no revision of {names}; give a date such as 2025-06-30")
