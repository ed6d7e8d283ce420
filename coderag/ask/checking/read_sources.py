"""JSON to the sources of an answer: records of sources, or what `coderag search --json` and `ask --json` print."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from coderag.ask.source import Source
from coderag.errors import QueryError

__all__ = ["read_sources"]

MAX_SOURCES = 10_000
LISTS = ("sources", "hits", "results")  # where an object keeps them


def read_sources(text: str) -> list[Source]:
    """Return the sources of a JSON array, of an object that has them, or of JSON lines.

    Those without a number have that of their place. Raises QueryError for what is no list of sources.
    """
    sources = [_source(value, place) for place, value in enumerate(_values(text), start=1)]
    if len(sources) > MAX_SOURCES:
        raise QueryError(f"there are {len(sources):,} sources, which is more than {MAX_SOURCES:,}")
    return sources


def _values(text: str) -> Iterator[Any]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        lines = [line for line in text.splitlines() if line.strip()]
        for number, line in enumerate(lines, start=1):
            yield _line(line, number)
        return
    if isinstance(document, dict):
        document = next((document[key] for key in LISTS if isinstance(document.get(key), list)), [document])
    if not isinstance(document, list):
        raise QueryError("the sources are no list; give an array of records with path, start_line, end_line")
    yield from document


def _line(line: str, number: int) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise QueryError(f"line {number} of the sources is no JSON; give an array, or one record per line") from error


def _source(value: Any, place: int) -> Source:
    if not isinstance(value, dict) or not isinstance(value.get("path"), str):
        raise QueryError(f"source {place} has no path; a source has path, start_line, end_line and maybe number, text")
    return Source(
        number=_number(value, "number", place) or place,
        repository=_text(value, "repository"),
        path=value["path"],
        start_line=_number(value, "start_line", place),
        end_line=_number(value, "end_line", place),
        text=_text(value, "text"),
        name=_text(value, "qualified_name") or _text(value, "name"),
    )


def _number(value: dict[str, Any], key: str, place: int) -> int:
    number = value.get(key, 0)
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 10**9:
        raise QueryError(f"{key} of source {place} is {str(number)[:40]!r}; give a whole number")
    return number


def _text(value: dict[str, Any], key: str) -> str:
    text = value.get(key)
    return text if isinstance(text, str) else ""
