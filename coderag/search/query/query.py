"""Plain values to a query that makes sense, and within the limits of one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import fields
from enum import StrEnum
from typing import Any, TypedDict, TypeVar, Unpack

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
from coderag.search.ranking.settings import make_pipeline
from coderag.types import Case, Expand, Field, Kind, Pipeline, Query, TableFilter, Term, TestPolicy

__all__ = [
    "DATE",
    "Conditions",
    "check_conditions",
    "check_question",
    "checked_case",
    "checked_query",
    "make_query",
    "pattern_terms",
]

Word = TypeVar("Word", bound=StrEnum)

USUAL = {field.name: field.default for field in fields(Query) if field.name != "text"}  # conditions of a plain question
MAX_TERMS = 32  # of a query: each may read every text
DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d(?:[T ].*)?)?)?\Z", re.ASCII)  # ISO 8601, or its beginning


class Conditions(TypedDict, total=False):
    """The conditions of a query as plain values; coderag.types.Query says what each means and is without it."""

    k: int
    kinds: Iterable[Kind | str]
    languages: Iterable[str]
    paths: Sequence[str]
    repositories: Iterable[str]
    databases: Iterable[str]
    environments: Iterable[str]
    groups: Iterable[str] | None
    tests: TestPolicy | str
    diversity: float
    threshold: float
    collapse: bool
    expand: Expand | str | None
    related: int
    pipeline: Pipeline
    files: Iterable[tuple[str, str]] | None
    clauses: Iterable[Iterable[Term]]


def _checked_word(what: str, word: str, known: type[Word], plural: str = "") -> Word:
    """Return a word as the member of its enum; raises QueryError for an unknown one."""
    try:
        return known(word)
    except ValueError as error:
        from coderag.text.suggestion import unknown  # for an error alone

        raise QueryError(unknown(what, word, known, plural=plural)) from error


def make_query(text: str, **conditions: Unpack[Conditions]) -> Query:
    """Return a query of plain values.

    Raises QueryError for one that makes no sense or exceeds a limit, and TypeError for values of another type.
    """
    if unknown := sorted(conditions.keys() - USUAL.keys()):
        raise TypeError(f"a query has no {unknown[0]!r}; its conditions are {', '.join(USUAL)}")
    values: dict[str, Any] = {**USUAL, **conditions}
    values["clauses"] = _checked_clauses(values["clauses"])
    check_question(text or "-" if values["clauses"] else text, k=values["k"])
    check_number(RELATED, values["related"])
    check_number(DIVERSITY, values["diversity"])
    check_number(THRESHOLD, values["threshold"])
    _check_pipeline(values["pipeline"])
    for name in ("kinds", "languages", "repositories", "databases", "environments"):
        values[name] = frozenset(checked_list(ITEMS, values[name], name=name))
    values["paths"] = checked_list(GLOBS, values["paths"], name="paths", item=GLOB)
    if values["files"] is not None:
        values["files"] = _checked_files(values["files"])
    if values["groups"] is not None:
        values["groups"] = frozenset(checked_list(ITEMS, values["groups"], name="groups"))
    values["kinds"] = frozenset(_checked_word("kind", kind, Kind) for kind in values["kinds"])
    values["tests"] = _checked_word("policy", values["tests"], TestPolicy, plural="policies")
    values["expand"] = _checked_word("expansion", values["expand"], Expand) if values["expand"] else None
    return Query(text, **values)


def checked_query(query: Query) -> Query:
    """Return a query made by a caller, checked and with the right types; raises like `make_query`."""
    if not isinstance(query, Query):
        raise TypeError(f"the question is of type {type(query).__name__}; give a text or a Query")
    values = {field.name: getattr(query, field.name) for field in fields(query)}
    return make_query(values.pop("text"), **values)


def _checked_files(files: Iterable[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """Return files as repository and path; raises TypeError for anything else."""
    found = frozenset(files)
    pairs = (file for file in found if isinstance(file, tuple) and len(file) == 2)
    if sum(isinstance(name, str) and isinstance(path, str) for name, path in pairs) < len(found):
        raise TypeError("files is no list of pairs; give repository and path of each, as Index.files does")
    return found


def checked_case(case: Case | str) -> Case:
    """Return whether capitals count; raises QueryError for an unknown word."""
    return _checked_word("case", case, Case)


def _checked_clauses(clauses: Iterable[Iterable[Term]]) -> tuple[tuple[Term, ...], ...]:
    """Return clauses with the right types; raises QueryError for too many terms, TypeError for what is no term."""
    found = tuple(tuple(clause) for clause in clauses)
    terms = [term for clause in found for term in clause]
    if len(terms) > MAX_TERMS:
        raise QueryError(f"the query has {len(terms)} terms; give at most {MAX_TERMS}")
    for term in terms:
        if not (isinstance(term, Term) and isinstance(term.field, Field) and isinstance(term.case, Case)):
            raise TypeError(f"a clause has {term!r}; give a Term with a Field and a Case")
        check_text(NAME, term.value, name="a term")
    return found


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
    """Raise QueryError for conditions on tables that exceed a limit, and TypeError for any other value."""
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


def pattern_terms(clauses: Iterable[Iterable[Term]]) -> list[Term]:
    """Return the terms whose matches are shown: the patterns of texts that are not negated."""
    terms = (term for clause in clauses for term in clause)
    return list(dict.fromkeys(term for term in terms if term.field is Field.TEXT and not term.negated))
