"""`coderag serve`: a server over HTTP for programs, people and agents."""

from __future__ import annotations

import argparse
import secrets
import signal
import socket
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from coderag.cli.exit_codes import FOUND
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
    with bound(options.host, options.port) as listening:
        _serve(options, listening)
    return FOUND


def _serve(options: argparse.Namespace, listening: socket.socket) -> None:
    from coderag.cli.caller import callers, roots_for_caller
    from coderag.serve.http.app import make_app
    from coderag.serve.http.desk import Desk
    from coderag.serve.http.server import run_server

    token = None if options.no_token else secrets.token_urlsafe(TOKEN_BYTES)
    keys = _keys(options)
    if options.model:
        from coderag.ask.models.http_model import open_model

        open_model(options.model)  # what names no model is told now
    with Desk(roots_for_caller(options), callers=callers(options), language_model=options.model) as desk:
        app = make_app(desk, token=token, keys=keys, host=options.host)
        address = _address(options.host, listening, token)
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # what uvicorn raises again when it has ended
        run_server(app, listening, prepare=desk.prepare, said=lambda: _tell(address))


def _keys(options: argparse.Namespace) -> Sequence[Key]:
    from coderag.serve.http.keys import read_keys

    return read_keys(Path(options.groups_from)) if options.groups_from else []


def _address(host: str, listening: socket.socket, token: str | None) -> str:
    port = listening.getsockname()[1]
    name = f"[{host}]" if ":" in host else host or "0.0.0.0"
    return f"http://{name}:{port}/" + ("" if token is None else f"#token={token}")


def _tell(address: str) -> None:
    print(address, flush=True)
    note("serving; Ctrl-C ends it")
