"""JSON lines on standard input to objects, and an answer for each of them before the next is read."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterator
from typing import Any, BinaryIO

from coderag.api.records import json_line
from coderag.cli.output.text import shorten
from coderag.errors import CoderagError, QueryError
from coderag.limits import LINE

__all__ = ["answer_each", "check_texts", "check_whole", "given"]

MAX_GIVEN = 200  # characters of a value that an error repeats
SKIPPED_BYTES = 1 << 20  # of the rest of a line that is too long, at a time


def answer_each(answer: Callable[[dict[str, Any]], Any], *, known: Collection[str], question: str) -> None:
    """Print an answer for each line until stdin ends; a bad line gets {"error": why}.

    A line is an object of `known` fields, of which `question` is a text.
    """
    for raw in _lines(sys.stdin.buffer):
        record: Any
        try:
            record = answer(_object(raw, known, question))
        except CoderagError as error:
            record = {"error": str(error)}
        print(json_line(record), flush=True)


def check_whole(asked: dict[str, Any], *names: str) -> None:
    """Raise QueryError unless fields, where they are there, are whole numbers."""
    for name in names:
        value = asked.get(name, 0)
        if not isinstance(value, int) or isinstance(value, bool):
            raise QueryError(f'"{name}" is {given(value)}; give a whole number')


def check_texts(asked: dict[str, Any], *names: str) -> None:
    """Raise QueryError unless fields, where they are there, are lists of texts."""
    for name in names:
        value = asked.get(name, [])
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise QueryError(f'"{name}" is {given(value)}; give a list of texts')


def given(value: Any) -> str:
    """Return a value as an error repeats it."""
    return shorten(repr(value), MAX_GIVEN)


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines that are not blank; of one that is too long no more than shows that it is."""
    most = int(LINE.most)
    while raw := stream.readline(most + 1):
        rest = raw
        while len(raw) > most and rest and not rest.endswith(b"\n"):
            rest = stream.readline(SKIPPED_BYTES)
        if raw.strip() or len(raw) > most:
            yield raw


def _object(raw: bytes, known: Collection[str], question: str) -> dict[str, Any]:
    """Return the object of a line; raises QueryError."""
    if len(raw) > LINE.most:
        raise QueryError(f"this line has more than {LINE.most:,} bytes")
    try:
        fields = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise QueryError(f"this line is not JSON: {error}") from error
    if not isinstance(fields, dict) or not isinstance(fields.get(question), str):
        raise QueryError(f'a line is an object with a text "{question}"')
    if unknown := sorted(fields.keys() - set(known)):
        raise QueryError(f"unknown field {given(unknown[0])}; known are {', '.join(known)}")
    return fields
