"""Questions to hits by a program of the user's that speaks the protocol of `coderag search --batch`."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any

from coderag.api.index import Index
from coderag.errors import EvaluationError
from coderag.evaluate.baselines.found import Found
from coderag.evaluate.baselines.process import LineProcess
from coderag.types import Query, Span

__all__ = ["ProgramSearch"]

FIRST_SECONDS, SECONDS = 600.0, 60.0  # for the first answer, as a program may index before it, and for each other
ROOT = "{root}"
MAX_SHOWN = 200  # characters of an answer that an error repeats


class ProgramSearch:
    """A program that runs as long as it is asked; a callable as other searches are."""

    def __init__(self, index: Index, command: str) -> None:
        """Start a command, in which {root} is the folder that is searched, without a shell; raises EvaluationError."""
        if len(index.roots) != 1:
            raise EvaluationError("a program searches one root; give one --root")
        root = index.roots[0].root
        try:
            arguments = [part.replace(ROOT, str(root)) for part in shlex.split(command)]
        except ValueError as error:
            raise EvaluationError(f"{command!r} is no command: {error}") from None
        if not arguments:
            raise EvaluationError("program= names no command; write program=COMMAND, with {root} for the folder")
        self._name = arguments[0]
        self._process = LineProcess(arguments)
        self._seconds = FIRST_SECONDS

    def __call__(self, query: Query) -> list[Found]:
        """Return its hits; raises EvaluationError for an answer without them."""
        line = self._process.ask(json.dumps(_request(query)), seconds=self._seconds)
        self._seconds = SECONDS
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            raise self._error("is no JSON", line) from None
        if isinstance(answer, dict) and isinstance(answer.get("error"), str):
            raise EvaluationError(f"{self._name} answered {query.text!r} with an error: {answer['error'][:MAX_SHOWN]}")
        if not isinstance(answer, list):
            raise self._error("is no array of hits", line)
        hits = [_found(hit) for hit in answer[: query.k]]
        if any(hit is None for hit in hits):
            raise self._error('has a hit without "path", "start_line" and "end_line"', line)
        return [hit for hit in hits if hit is not None]

    def close(self) -> None:
        """End the program and whatever it started."""
        self._process.close()

    def _error(self, what: str, line: bytes) -> EvaluationError:
        return EvaluationError(
            f"an answer of {self._name} {what}: {line[:MAX_SHOWN].decode('utf-8', 'replace').strip()}"
        )


def _request(query: Query) -> Mapping[str, Any]:
    """Return a query as a line of the batch protocol: only what it asks for, as other programs know no more."""
    lists = {
        "kinds": sorted(query.kinds),
        "languages": sorted(query.languages),
        "paths": list(query.paths),
        "databases": sorted(query.databases),
    }
    return {"query": query.text, "k": query.k, **{name: values for name, values in lists.items() if values}}


def _found(hit: Any) -> Found | None:
    """Return a hit, None if a value describes no hit."""
    if not isinstance(hit, dict):
        return None
    path, first, last = hit.get("path"), hit.get("start_line"), hit.get("end_line")
    if not isinstance(path, str) or type(first) is not int or type(last) is not int or not 0 < first <= last:
        return None
    confidence = hit.get("confidence")
    sure = float(confidence) if isinstance(confidence, float | int) and 0 <= confidence <= 1 else None
    name = hit.get("qualified_name")
    label = f"{path}:{first} {name}" if isinstance(name, str) else f"{path}:{first}"
    return Found(((path.removeprefix("./"), (Span(first, last),)),), label, sure)
