"""Calls that emit an event of a constant name, or name the function that handles one: emitters as in Node.js."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

__all__ = ["EVENTS_OF", "read_events"]

EVENTS_OF = frozenset({"javascript", "typescript", "tsx"})
EMIT = "emit"
HANDLE = frozenset({"on", "once", "addListener", "prependListener", "prependOnceListener"})
MEMBER = b"."
# What follows the name of the call: 'saved', or a constant: SAVED, events.SAVED, Events.Saved.
NAME = re.compile(
    rb"""\s{0,200}\(\s{0,200}(?:(["'`])(?P<text>[^"'`\\$\s]{1,100})\1"""
    rb"|(?:[\w$]{1,60}\.){0,3}(?P<constant>[A-Z][A-Z0-9_]{1,60}(?![\w$.(]))"
    rb"|(?P<member>[A-Z][\w$]{0,60}\.[A-Za-z][\w$]{0,60}(?![\w$.(])))\s{0,200}"
)
# handler), this.handler), handler.bind(this)), function handler(
HANDLER = re.compile(
    rb",\s{0,200}(?:([\w$]{1,100}(?:\.[\w$]{1,100}){0,9}?)(?:\.bind\([\w$.]{1,100}\))?\s{0,200}[,)]"
    rb"|(?:async\s{1,9})?function\s{0,9}\*?\s{0,9}([\w$]{1,100})\s{0,9}\()"
)


def read_events(data: bytes, calls: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str, str | None]]:
    """Yield (byte, event, handler) of calls; the handler is None where it is emitted, "" where it has no name.

    `calls` are the first bytes of the names of calls, with the names.
    """
    for start, name in calls:
        if name != EMIT and name not in HANDLE:
            continue
        event = NAME.match(data, start + len(name)) if data[start - 1 : start] == MEMBER else None
        if event is None:
            continue
        said = event[event.lastgroup or 0].decode("utf-8", "replace")
        if name == EMIT:
            yield start, said, None
        elif data[event.end() : event.end() + 1] == b",":
            handler = HANDLER.match(data, event.end())
            yield start, said, (handler[1] or handler[2]).decode("utf-8", "replace") if handler is not None else ""
