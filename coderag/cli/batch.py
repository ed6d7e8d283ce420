"""JSON lines of questions on stdin to JSON lines of hits on stdout, one answer before the next question is read."""

from __future__ import annotations

import json
import sys
from typing import Any

from coderag.api import Index
from coderag.cli.records import hit_record, json_line
from coderag.errors import CoderagError, QueryError
from coderag.ranking.query import make_query
from coderag.types import Query

__all__ = ["answer_lines"]

LISTS = ("kinds", "languages", "paths", "repositories", "databases", "environments", "groups")
SHARES = ("diversity", "threshold")
KNOWN = ("query", "k", *LISTS, "tests", *SHARES, "collapse", "expand", "related")


def answer_lines(index: Index, *, defaults: Query, whole: bool) -> None:
    """Answer until stdin ends; what a line does not say is as in `defaults`, a bad line gets {"error": why}."""
    for raw in sys.stdin.buffer:
        if not raw.strip():
            continue
        answer: Any
        try:
            answer = [hit_record(hit, whole=whole) for hit in index.search(_query(raw, defaults))]
        except CoderagError as error:
            answer = {"error": str(error)}
        print(json_line(answer), flush=True)


def _query(raw: bytes, defaults: Query) -> Query:
    """Return the query of a line; raises QueryError."""
    try:
        asked = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise QueryError(f"this line is not JSON: {error}") from error
    if not isinstance(asked, dict) or not isinstance(asked.get("query"), str):
        raise QueryError('a line is an object with a text "query"')
    if unknown := sorted(asked.keys() - set(KNOWN)):
        raise QueryError(f"unknown field {unknown[0]!r}; known are {', '.join(KNOWN)}")
    k = asked.get("k", defaults.k)
    if not isinstance(k, int) or isinstance(k, bool):
        raise QueryError(f'"k" is {k!r}; give a whole number')
    for name in LISTS:
        found = asked.get(name, [])
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            raise QueryError(f'"{name}" is {found!r}; give a list of texts')
    for name in SHARES:
        if not isinstance(share := asked.get(name, 0), int | float) or isinstance(share, bool):
            raise QueryError(f'"{name}" is {share!r}; give a number from 0 to 1')
    if not isinstance(collapse := asked.get("collapse", defaults.collapse), bool):
        raise QueryError(f'"collapse" is {collapse!r}; give true or false')
    expand = asked.get("expand", defaults.expand)
    related = asked.get("related", defaults.related)
    if not isinstance(related, int) or isinstance(related, bool):
        raise QueryError(f'"related" is {related!r}; give a whole number')
    return make_query(
        asked["query"],
        k=k,
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
        related=related,
        pipeline=defaults.pipeline,
    )
