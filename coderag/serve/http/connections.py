"""Connections that ask nothing or read nothing: closed after a while, and the oldest first where there are too many."""

from __future__ import annotations

import asyncio
import json
import resource

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["Connection", "raise_limit"]

HEAD_SECONDS = 10.0  # from a connection, or the last answer on it, to the end of the next request's head
STUCK_SECONDS = 30.0  # that a client may read nothing while its answer waits
MOST_CONNECTIONS = 4_096  # at once; uvicorn needs some ten kilobytes for each
SPARE_DESCRIPTORS = 256  # for the files of indexes and the processes that read files


class Connection(H11Protocol):
    """A connection that ends if no request arrives on it in time, or nobody reads its answer; uvicorn would wait."""

    _waiting: asyncio.TimerHandle | None = None
    _stuck: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > most_connections():
            idle = [each for each in self.connections if isinstance(each, Connection) and each.is_idle]
            min(idle, key=Connection.since, default=self).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all clocks."""
        for timer in (self._waiting, self._stuck):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def since(self) -> float:
        """Return when it began to wait; with the clock of the loop."""
        return self._waiting.when() if self._waiting is not None else 0.0

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        super().on_response_complete()
        self._wait()

    def pause_writing(self) -> None:
        """Wait for the client to read."""
        super().pause_writing()
        self._stuck = self.loop.call_later(STUCK_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on."""
        super().resume_writing()
        if self._stuck is not None:
            self._stuck.cancel()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP."""
        body = json.dumps({"error": msg}).encode() + b"\n"
        headers = [("content-type", "application/json"), ("content-length", str(len(body))), ("connection", "close")]
        for event in (h11.Response(status_code=400, headers=headers), h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _wait(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _give_up(self) -> None:
        if self.is_idle:
            self.transport.abort()


def raise_limit() -> None:
    """Let the process have as many descriptors as the system allows."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def most_connections() -> int:
    """Return how many connections there may be at once."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(min(MOST_CONNECTIONS, soft - SPARE_DESCRIPTORS), 1)
