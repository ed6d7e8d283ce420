"""Drafts of apps that only tests have to the database of the application that they are made in.

Django makes the tables of all its apps in one database; those of the tests stand there beside the application's.
"""

from __future__ import annotations

from collections.abc import Sequence

from coderag.catalog.databases.candidates import DatabaseCandidate
from coderag.catalog.databases.declared import Declared
from coderag.catalog.databases.places import project_of
from coderag.sql.records import CreateTable

__all__ = ["with_test_apps"]

OF_TESTS = ("test",)


def with_test_apps(drafts: list[DatabaseCandidate]) -> list[DatabaseCandidate]:
    """Give the apps of tests to the only application of their project, which has more tables and none of theirs."""
    applications = [
        database_candidate
        for database_candidate in drafts
        if not database_candidate.side and _is_django(database_candidate)
    ]
    kept: list[DatabaseCandidate] = []
    for draft in drafts:
        home = _home(draft, applications) if draft.side == OF_TESTS and _is_django(draft) else None
        if home is None:
            kept.append(draft)
            continue
        home.series += draft.series
        home.models += draft.models
        home.members += draft.members
    return kept


def _home(draft: DatabaseCandidate, applications: Sequence[DatabaseCandidate]) -> DatabaseCandidate | None:
    project = project_of(draft.files[0].path)
    mine = [application for application in applications if project_of(application.files[0].path) == project]
    if len(mine) != 1:
        return None
    own, names = mine[0].names(), draft.names()
    return mine[0] if len(names) < len(own) and own.isdisjoint(names) else None


def _is_django(draft: DatabaseCandidate) -> bool:
    """Tell whether all that creates tables are migrations and models of Django, which have their app in front."""
    made = [file for file in draft.files if file.names]
    return bool(made) and not draft.live and not draft.name and all(map(_is_of_django, made))


def _is_of_django(declared: Declared) -> bool:
    if declared.series is not None:
        return declared.series.tool == "django"
    tables = [operation.table for operation in declared.file.facts.operations if isinstance(operation, CreateTable)]
    return declared.path.endswith(".py") and bool(tables) and all("." in table.alias for table in tables)
