"""An answer to server-sent events while it is made: its steps, the draft of a model, and the answer at last.

https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

from __future__ import annotations

import json
import math
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import anyio.from_thread
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from coderag.record import record
from coderag.serve.http.responses import error_response

__all__ = ["MEDIA_TYPE", "Event", "EventStream", "Tell", "accepts_events", "error_event"]

MEDIA_TYPE = "text/event-stream"
HEARTBEAT = b": waiting\n\n"  # a comment, which every reader passes over
HEARTBEAT_SECONDS = 5.0  # without an event; proxies give up a connection on which nothing comes
ERROR = "error"
HEADERS = [
    (b"content-type", f"{MEDIA_TYPE}; charset=utf-8".encode()),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # nginx would hold events back
]


@record
class Event:
    """Something that is told while an answer is made."""

    name: str
    data: Any  # plain data

    @property
    def as_bytes(self) -> bytes:
        """The event as it is sent; JSON in ASCII has no line break that would end it."""
        return f"event: {self.name}\ndata: {json.dumps(self.data)}\n\n".encode()


Tell = Callable[[Event], None]


def error_event(status: int, why: str) -> Event:
    """Return the last event of an answer that failed, with the status that it has where it is the first."""
    return Event(ERROR, {"error": why, "status": status})


def accepts_events(request: Request) -> bool:
    """Tell whether a request asks for events rather than for one answer."""
    return MEDIA_TYPE in request.headers.get("accept", "").lower()


class EventStream(Response):
    """Events as they come; an answer that fails before the first of them is a response with the status of the failure.

    `make` gives the last event. It gets a function that tells those before, which is called in a thread of anyio and
    raises anyio.BrokenResourceError once the client is gone, so that the work ends there.
    """

    def __init__(self, make: Callable[[Tell], Awaitable[Event]]) -> None:
        """Stream what `make` tells."""
        super().__init__(media_type=MEDIA_TYPE)
        self._make = make

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events until the last one, or until the client is gone."""
        sending, told = anyio.create_memory_object_stream[Event](math.inf)
        async with sending, told, anyio.create_task_group() as group:

            async def leave() -> None:
                while (await receive())["type"] != "http.disconnect":
                    pass
                group.cancel_scope.cancel()

            group.start_soon(leave)
            group.start_soon(self._work, sending)
            first = await _next(told)
            if first is not None and first.name == ERROR:
                await error_response(first.data["status"], first.data["error"])(scope, receive, send)
            else:
                await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
                await _send_all(first, told, send)
            group.cancel_scope.cancel()

    async def _work(self, sending: ObjectSendStream[Event]) -> None:
        def tell(event: Event) -> None:
            anyio.from_thread.run(sending.send, event)

        await sending.send(await self._make(tell))
        await sending.aclose()


async def _send_all(event: Event | None, told: ObjectReceiveStream[Event], send: Send) -> None:
    while True:
        body = HEARTBEAT if event is None else event.as_bytes
        await send({"type": "http.response.body", "body": body, "more_body": True})
        try:
            event = await _next(told)
        except anyio.EndOfStream:
            await send({"type": "http.response.body", "body": b""})
            return


async def _next(told: ObjectReceiveStream[Event]) -> Event | None:
    """Return the next event, None if none comes for a while."""
    with anyio.move_on_after(HEARTBEAT_SECONDS):
        return await told.receive()
    return None
