"""JSON lines of questions on stdin to JSON lines of hits on stdout, one answer before the next question is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from coderag.api.records import hit_record
from coderag.cli.json_lines import answer_each, check_texts, check_whole, given
from coderag.errors import QueryError
from coderag.search.query.language import may_be_prose, read_query
from coderag.types import Hit, Query

__all__ = ["answer_lines"]

LISTS = ("kinds", "languages", "paths", "repositories", "databases", "environments", "groups")
SHARES = ("diversity", "threshold")
KNOWN = ("query", "k", *LISTS, "tests", *SHARES, "collapse", "expand", "related")


def answer_lines(search: Callable[[Query], list[Hit]], *, defaults: Query, whole: bool) -> None:
    """Answer until stdin ends; what a line does not say is as in `defaults`, a bad line gets {"error": why}."""

    def answer(asked: dict[str, Any]) -> list[dict[str, Any]]:
        hits = search(_query(asked, defaults))
        if not hits and may_be_prose(asked["query"]):
            hits = search(_query(asked, defaults, prose=True))
        return [hit_record(hit, whole=whole) for hit in hits]

    answer_each(answer, known=KNOWN, question="query")


def _query(asked: dict[str, Any], defaults: Query, *, prose: bool = False) -> Query:
    """Return the query of a line, whose text may be `prose` with quotations; raises QueryError."""
    check_whole(asked, "k", "related")
    check_texts(asked, *LISTS)
    for name in SHARES:
        if not isinstance(share := asked.get(name, 0), int | float) or isinstance(share, bool):
            raise QueryError(f'"{name}" is {given(share)}; give a number from 0 to 1')
    if not isinstance(collapse := asked.get("collapse", defaults.collapse), bool):
        raise QueryError(f'"collapse" is {given(collapse)}; give true or false')
    for name in ("tests", "expand"):
        if not isinstance(word := asked.get(name) or "", str):
            raise QueryError(f'"{name}" is {given(word)}; give a text')
    expand = asked.get("expand", defaults.expand)
    return read_query(
        asked["query"],
        prose=prose,
        k=asked.get("k", defaults.k),
        kinds=asked.get("kinds", defaults.kinds),
        languages=asked.get("languages", defaults.languages),
        paths=asked.get("paths", defaults.paths),
        repositories=asked.get("repositories", defaults.repositories),
        databases=asked.get("databases", defaults.databases),
        environments=asked.get("environments", defaults.environments),
        groups=asked.get("groups", defaults.groups),
        tests=str(asked.get("tests", defaults.tests)),
        diversity=asked.get("diversity", defaults.diversity),
        threshold=asked.get("threshold", defaults.threshold),
        collapse=collapse,
        expand=str(expand) if expand else None,
        related=asked.get("related", defaults.related),
        pipeline=defaults.pipeline,
        files=defaults.files,
        clauses=defaults.clauses,
    )
