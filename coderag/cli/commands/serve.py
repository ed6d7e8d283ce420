"""`coderag serve`: a server over HTTP for programs, people and agents."""

from __future__ import annotations

import argparse
import os
import secrets
import signal
import socket
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.opening import note
from coderag.errors import CoderagError, QueryError
from coderag.extras import Extra, how_to_install

if TYPE_CHECKING:
    from coderag.serve.http.keys import Key

__all__ = ["run"]

TOKEN_BYTES = 32
LIBRARIES = ("starlette", "uvicorn")


def run(options: argparse.Namespace) -> int:
    """Serve until a signal."""
    for library in LIBRARIES:
        if find_spec(library) is None:
            raise CoderagError(f"the Python package {library} is not installed; {how_to_install(Extra.SERVE)}")
    from coderag.serve.http.origins import is_loopback
    from coderag.serve.http.server import bound

    if options.no_token and not is_loopback(options.host):
        raise QueryError(f"--no-token lets in whoever reaches {options.host}; it is for 127.0.0.1 alone")
    if options.no_token and options.groups_from:
        raise QueryError("--no-token and --groups-from exclude each other")
    if options.workers > 1 and (options.idle or not hasattr(os, "fork")):
        raise QueryError("--workers needs a system with fork, and no --idle: one worker knows nothing of the others")
    if options.store:
        _check_store(options)
    if options.background or options.stop:
        return _in_background(options)
    with bound(options.host, options.port) as listening:
        token = _token(options)
        address = _address(options.host, listening, token)
        _serve(options, listening, token=token, keys=_keys(options), said=lambda: _tell(address))
    return FOUND


def _check_store(options: argparse.Namespace) -> None:
    """Raise QueryError for options that go with files alone."""
    for name, why in (
        ("root", "a store has the index of one repository, which its address names"),
        ("repositories", "a store has the index of one repository, which its address names"),
        ("index", "an index is in a folder or in a store"),
        ("model", "questions are answered from files"),
        ("background", "servers in the background are known by their roots"),
        ("stop", "servers in the background are known by their roots"),
    ):
        if getattr(options, name):
            raise QueryError(f"--store and --{name} exclude each other: {why}")


def _in_background(options: argparse.Namespace) -> int:
    """Start a server that goes on without this process, or end it."""
    if find_spec("fcntl") is None:
        raise CoderagError("--background and --stop need a system with fork, such as Linux or macOS")
    from coderag.cli.opening import roots_for_caller
    from coderag.serve.background import Background, running, start, stop
    from coderag.serve.http.server import bound

    place = Background.of(roots_for_caller(options), host=options.host, port=options.port)
    if options.stop:
        stopped = stop(place)
        note("ended" if stopped else "no server of these roots and this port is in the background")
        return FOUND if stopped else NOTHING
    if address := running(place):
        print(address, flush=True)
        note("it serves already; coderag serve --stop ends it")
        return FOUND
    token, keys = _token(options), _keys(options)
    with bound(options.host, options.port) as listening:
        address = _address(options.host, listening, token)
        start(place, lambda ready: _serve(options, listening, token=token, keys=keys, said=ready), address=address)
    print(address, flush=True)
    note(f"serving in the background; coderag serve --stop ends it, its log is {place.log}")
    return FOUND


def _token(options: argparse.Namespace) -> str | None:
    return None if options.no_token else secrets.token_urlsafe(TOKEN_BYTES)


def _serve(
    options: argparse.Namespace,
    listening: socket.socket,
    *,
    token: str | None,
    keys: Sequence[Key],
    said: Callable[[], None],
) -> None:
    from coderag.cli.groups import callers
    from coderag.cli.opening import roots_for_caller
    from coderag.serve.http.app import make_app
    from coderag.serve.http.desk import Desk
    from coderag.serve.http.server import run_server
    from coderag.serve.http.workers import run_workers

    def work(ready: Callable[[], None]) -> None:
        if options.store:
            _serve_store(options, listening, token=token, keys=keys, said=ready)
            return
        with Desk(roots_for_caller(options), callers=callers(options), language_model=options.model) as desk:
            app = make_app(desk, token=token, keys=keys, host=options.host, is_one_of_many=options.workers > 1)
            signal.signal(signal.SIGTERM, signal.default_int_handler)  # what uvicorn raises again when it has ended
            run_server(app, listening, prepare=desk.prepare, said=ready, idle_seconds=options.idle * 60)

    run_workers(options.workers, work, said=said)


def _serve_store(
    options: argparse.Namespace,
    listening: socket.socket,
    *,
    token: str | None,
    keys: Sequence[Key],
    said: Callable[[], None],
) -> None:
    from coderag.cli.groups import callers
    from coderag.serve.http.server import run_server
    from coderag.serve.http.store_app import make_store_app
    from coderag.serve.http.store_desk import StoreDesk
    from coderag.stores.addresses import parse_address

    desk = StoreDesk(parse_address(options.store), callers=callers(options))
    app = make_store_app(desk, token=token, keys=keys, host=options.host)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    run_server(app, listening, prepare=desk.prepare, said=said, idle_seconds=options.idle * 60)


def _keys(options: argparse.Namespace) -> Sequence[Key]:
    """Return who else is let in, and tell now what names no model."""
    from coderag.ask.models.http_model import open_model
    from coderag.serve.http.keys import read_keys

    if options.model:
        open_model(options.model)
    return read_keys(Path(options.groups_from)) if options.groups_from else []


def _address(host: str, listening: socket.socket, token: str | None) -> str:
    port = listening.getsockname()[1]
    name = f"[{host}]" if ":" in host else host or "0.0.0.0"
    return f"http://{name}:{port}/" + ("" if token is None else f"#token={token}")


def _tell(address: str) -> None:
    print(address, flush=True)
    note("serving; Ctrl-C ends it")
