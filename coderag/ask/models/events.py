"""The bytes of an answer to server-sent events.

Format: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation. Comments, ids and
times to wait are passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from coderag.errors import LanguageModelError
from coderag.record import record

__all__ = ["Event", "events"]

MAX_EVENT_BYTES = 1 << 20  # an event is a few words of an answer


@record
class Event:
    """What a server sent at once."""

    data: str
    name: str = ""


def events(parts: Iterable[bytes]) -> Iterator[Event]:
    """Yield the events of a stream; one that is cut off is left out. Raises LanguageModelError for one without end."""
    data: list[str] = []
    name, size = "", 0
    for line in _lines(parts):
        size += len(line)
        if size > MAX_EVENT_BYTES:
            raise LanguageModelError(f"the model sent an event of more than {MAX_EVENT_BYTES >> 20} MB")
        if not line:
            if data:
                yield Event("\n".join(data), name)
            name, data, size = "", [], 0
            continue
        key, _, value = line.decode("utf-8", "replace").partition(":")
        value = value.removeprefix(" ")
        if key == "data":
            data.append(value)
        elif key == "event":
            name = value


def _lines(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines that end, without their ends: \\n or \\r\\n."""
    rest = b""
    for part in parts:
        *whole, rest = (rest + part).split(b"\n")
        yield from (line.removesuffix(b"\r") for line in whole)
        if len(rest) > MAX_EVENT_BYTES:
            raise LanguageModelError(f"the model sent a line of more than {MAX_EVENT_BYTES >> 20} MB")
