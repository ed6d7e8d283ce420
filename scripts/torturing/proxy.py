"""A proxy on the loopback that cuts the connections through it after some bytes."""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import suppress
from pathlib import Path
from typing import Self

__all__ = ["Proxy"]

PIECE = 4096  # bytes that are passed on at once
RESET = struct.pack("ii", 1, 0)  # close at once, and let the other side see a reset


class Proxy:
    """Connections to a port, passed on to a socket; use it in a `with` block."""

    def __init__(self, target: Path | tuple[str, int]) -> None:
        """Pass on to a socket in the file system, or to a host and port."""
        self._target = target
        self._lock = threading.Lock()
        self._left: int | None = None  # bytes until all connections are cut; None: never
        self._stays = self._is_gone = False
        self._pairs: set[tuple[socket.socket, socket.socket]] = set()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self.cuts = 0  # of connections

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.close()
        self._cut()

    def cut_after(self, count: int | None, *, stays: bool = False) -> None:
        """Cut the connections after so many bytes in both directions together.

        New ones pass, or with `stays` none until this is called again.
        """
        with self._lock:
            self._left, self._stays, self._is_gone = count, stays, False

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            if self._is_gone or (server := self._reached()) is None:
                _close(client)
                continue
            pair = client, server
            with self._lock:
                self._pairs.add(pair)
            for way in (pair, pair[::-1]):
                threading.Thread(target=self._pass_on, args=(*way, pair), daemon=True).start()

    def _reached(self) -> socket.socket | None:
        """Return a connection to the target, None where the engine is down."""
        server = socket.socket(socket.AF_UNIX if isinstance(self._target, Path) else socket.AF_INET)
        try:
            server.connect(str(self._target) if isinstance(self._target, Path) else self._target)
        except OSError:
            server.close()
            return None
        return server

    def _pass_on(self, source: socket.socket, sink: socket.socket, pair: tuple[socket.socket, socket.socket]) -> None:
        with suppress(OSError):
            while piece := source.recv(PIECE):
                if self._is_over(len(piece)):
                    self._cut()
                    return
                sink.sendall(piece)
        with self._lock:
            self._pairs.discard(pair)
        for one in pair:
            _close(one, reset=False)

    def _is_over(self, count: int) -> bool:
        with self._lock:
            if self._left is None:
                return False
            self._left -= count
            if self._left > 0:
                return False
            self._left, self._is_gone = None, self._stays
            return True

    def _cut(self) -> None:
        with self._lock:
            pairs, self._pairs = self._pairs, set()
        for pair in pairs:
            self.cuts += 1
            for one in pair:
                _close(one)


def _close(one: socket.socket, *, reset: bool = True) -> None:
    with suppress(OSError):
        if reset and one.family == socket.AF_INET:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        one.shutdown(socket.SHUT_RDWR)
    one.close()
