"""An application to the process that answers on a port until a signal ends it."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from contextlib import suppress

import uvicorn

from coderag.errors import CoderagError
from coderag.serve.http.connections import Connection, raise_limit
from coderag.serve.http.guard import Guard
from coderag.serve.http.heap import release_free_memory, share_heaps

__all__ = ["bound", "run_server"]

BACKLOG = 1_024  # connections that wait to be accepted
ACCEPTED_AT_ONCE = 8  # of which a worker takes so many before the others have their turn
IDLE_SECONDS = 5  # that a connection is kept after an answer
ENDING_SECONDS = 3  # for the answers that are being made when a signal comes
LATE_SECONDS = 0.1  # after which those are closed that came meanwhile
TRIM_SECONDS = 10  # between two times that free memory is given back
TICKS = 10  # of uvicorn's clock in a second
MAX_HEAD_BYTES = 65_536  # beyond which the head of a request is not even read


def bound(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to a host and port, 0 for any that is free; raises CoderagError."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound_socket = socket.socket(family, kind, protocol)
    except OSError as error:
        raise CoderagError(f"{host}:{port} cannot be served: {error.strerror or error}") from None
    try:
        bound_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound_socket.bind(address)
        bound_socket.listen(BACKLOG)
    except OSError as error:
        bound_socket.close()
        why = error.strerror or error
        raise CoderagError(f"{host}:{port} cannot be served: {why}; give another --port, or 0 for any") from None
    return bound_socket


def run_server(
    app: Guard,
    listening: socket.socket,
    *,
    prepare: Callable[[], None],
    said: Callable[[], None],
    idle_seconds: float = 0.0,
) -> None:
    """Answer on a socket until SIGINT or SIGTERM; `prepare` runs beside, and `said` once requests are accepted.

    It ends after `idle_seconds` without a request, where these are given.
    """
    raise_limit()
    share_heaps()
    config = uvicorn.Config(
        app,
        backlog=ACCEPTED_AT_ONCE,
        http=Connection,
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_level="error",
        access_log=False,
        proxy_headers=False,  # nobody tells here who somebody else is
        server_header=False,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=ENDING_SECONDS,
        h11_max_incomplete_event_size=MAX_HEAD_BYTES,
    )
    server = _Server(
        config, prepare=prepare, said=said, is_over=lambda: bool(idle_seconds) and app.idle_seconds() > idle_seconds
    )
    with suppress(KeyboardInterrupt):  # uvicorn raises a signal again that it obeyed
        server.run(sockets=[listening])


class _Server(uvicorn.Server):
    def __init__(
        self,
        config: uvicorn.Config,
        *,
        prepare: Callable[[], None],
        said: Callable[[], None],
        is_over: Callable[[], bool],
    ) -> None:
        super().__init__(config)
        self._is_over = is_over
        self._prepare = prepare
        self._said = said

    async def on_tick(self, counter: int) -> bool:
        if not counter % (TICKS * TRIM_SECONDS):
            await asyncio.to_thread(release_free_memory)
        return await super().on_tick(counter) or (not counter % TICKS and self._is_over())

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        closing = asyncio.create_task(self._close_late())
        try:
            await super().shutdown(sockets)
        finally:
            closing.cancel()

    async def _close_late(self) -> None:
        """Close connections that were accepted while the others were closed: uvicorn would wait for them."""
        while True:
            await asyncio.sleep(LATE_SECONDS)
            for connection in list(self.server_state.connections):
                if not connection.transport.is_closing():
                    connection.shutdown()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(BACKLOG)  # uvicorn sets it to what is accepted at once
        self._said()
        threading.Thread(target=self._prepare, name="prepare", daemon=True).start()
