"""Git repositories to clone: made with git, served as files and by git's own smart HTTP on the loopback."""

from __future__ import annotations

import base64
import gzip
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.workspace import write

__all__ = ["Served", "commit", "has_http_backend", "needs_git", "run_git", "serving"]

WHO = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org", "-c", "commit.gpgSign=false")
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def run_git(folder: Path, *arguments: str, stdin: str = "") -> str:
    """Return what a git command prints in a folder."""
    command = ["git", *WHO, "-C", str(folder), *arguments]
    environment = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(command, input=stdin, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit(folder: Path, files: Mapping[str, str | bytes]) -> str:
    """Commit files to a repository, which is made where there is none; return the commit."""
    if not (folder / ".git").exists():
        folder.mkdir(parents=True)
        run_git(folder, "init", "--quiet", "--initial-branch=main")
    write(folder, files)
    run_git(folder, "add", "--all")
    run_git(folder, "commit", "--quiet", "--message=Change")
    return run_git(folder, "rev-parse", "HEAD")


def has_http_backend() -> bool:
    """Tell whether git can serve HTTP."""
    where = subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=False).stdout.strip()
    return Path(where, "git-http-backend").exists()


@dataclass
class Served:
    """A server of all repositories in a folder."""

    folder: Path
    login: str = ""  # user:password that it wants, "" for none
    fetches: int = 0
    url: str = ""


@contextmanager
def serving(folder: Path, *, login: str = "") -> Iterator[Served]:
    """Serve the repositories in a folder by git's smart HTTP on the loopback."""
    served = Served(folder, login)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(b"")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            plain = gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body
            served.fetches += b"command=fetch" in plain
            self._answer(body)

        def _answer(self, body: bytes) -> None:
            given = self.headers.get("Authorization", "").removeprefix("Basic ")
            if base64.b64decode(given).decode() != served.login:
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="x"')
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            head, _, rest = _backend(served.folder, self, body).partition(b"\r\n\r\n")
            headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
            self.send_response(int(headers.pop("Status", "200").split()[0]))
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(rest)))
            self.end_headers()
            self.wfile.write(rest)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _backend(folder: Path, request: BaseHTTPRequestHandler, body: bytes) -> bytes:
    """Return what git answers as a CGI program."""
    path, _, query = request.path.partition("?")
    environment = os.environ | {
        "GIT_PROJECT_ROOT": str(folder),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "REQUEST_METHOD": request.command,
        "CONTENT_TYPE": request.headers.get("Content-Type", ""),
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""),
        "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
    }
    return subprocess.run(["git", "http-backend"], input=body, env=environment, capture_output=True, check=False).stdout
