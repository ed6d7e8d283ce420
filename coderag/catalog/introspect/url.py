"""The address of a database, as people write it, to its parts, without ever showing the password."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from coderag.errors import DatabaseError

__all__ = ["DatabaseUrl", "is_database_url", "parse_url", "slug_of"]

SCHEMES = {
    "postgresql": "postgres",
    "postgres": "postgres",
    "mysql": "mysql",
    "mariadb": "mariadb",
    "sqlite": "sqlite",
    "sqlite3": "sqlite",
    "duckdb": "duckdb",
}
TITLES = {"postgres": "postgresql"}  # the scheme that is shown, where it is not the dialect's name
PORTS = {"postgres": 5432, "mysql": 3306, "mariadb": 3306}
FILES = frozenset({"sqlite", "duckdb"})
SUFFIXES = {
    ".db": "sqlite",
    ".db3": "sqlite",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".duckdb": "duckdb",
    ".ddb": "duckdb",
}
SQLITE_MAGIC = b"SQLite format 3\0"
DUCKDB_MAGIC = b"DUCK"  # from byte 8 on, after a checksum
PLACES = ("host", "hostaddr", "port", "service", "unix_socket")  # parameters that say where, not how
SECRETS = frozenset({"password", "passwd", "sslpassword"})
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9]*)(?:\+\w+)?:")
VARIABLE = re.compile(r"\$\{(\w+)\}")
SLUG_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class DatabaseUrl:
    """Where a database is and who asks; `repr` and `name` show no credentials."""

    dialect: str  # postgres, mysql, mariadb, sqlite or duckdb
    host: str = ""
    port: int = 0  # 0: the usual one
    database: str = ""
    path: Path | None = None  # of a file
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    parameters: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @property
    def name(self) -> str:
        """Return the address to show: no user, no password, of the parameters only those that say where."""
        scheme = TITLES.get(self.dialect, self.dialect)
        if self.path is not None:
            return f"{scheme}:///{self.path.as_posix()}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = f":{self.port or PORTS[self.dialect]}" if host else ""
        places = "&".join(f"{key}={value}" for key, value in self.parameters if key in PLACES)
        return f"{scheme}://{host}{port}/{quote(self.database)}" + (f"?{places}" if places else "")

    @property
    def slug(self) -> str:
        """Return the name of a file that is this database's alone."""
        return slug_of(self.name)

    def without_secrets(self, text: str) -> str:
        """Return a text, such as a driver's message, with every secret of this address blotted out."""
        secrets = [self.password, *(value for key, value in self.parameters if key in SECRETS)]
        for secret in sorted(filter(None, {*secrets, *map(quote, secrets)}), key=len, reverse=True):
            text = text.replace(secret, "***")
        return text


def slug_of(name: str) -> str:
    """Return a file name, without ending, for the shown address of a database; different ones stay different."""
    words = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")[:SLUG_CHARACTERS].rstrip("-")
    return f"{words}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def is_database_url(text: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Tell whether a text is the address of a database, a variable that holds one, or a SQLite or DuckDB file."""
    if variable := VARIABLE.fullmatch(text):
        text = environment.get(variable[1], "")
    scheme = SCHEME.match(text)
    if scheme and "://" in text:
        return scheme[1].lower() in SCHEMES
    path = Path(text)
    if path.suffix.lower() not in SUFFIXES or path.is_dir():
        return False
    return not path.exists() or bool(_dialect_of_file(path))


def parse_url(text: str, environment: Mapping[str, str] = os.environ) -> DatabaseUrl:
    """Return the parts of an address; `${NAME}` in a part stands for a variable of the environment.

    Raises DatabaseError for what is no address of a database that can be asked, and for a variable that is not set.
    """
    if variable := VARIABLE.fullmatch(text):
        text = _expanded(variable[0], environment)
    if "://" not in text:
        return _file_url(_expanded(text, environment))
    scheme, _, rest = text.partition("://")
    dialect = SCHEMES.get(scheme.partition("+")[0].lower())
    if dialect is None:
        known = ", ".join(f"{one}://" for one in ("postgresql", "mysql", "mariadb", "sqlite", "duckdb"))
        raise DatabaseError(f"{scheme}:// is no database that coderag asks; known are {known}")
    if dialect in FILES:
        return _file_url(_expanded(unquote(rest.partition("?")[0]).removeprefix("/"), environment), dialect)
    return _server_url(dialect, rest, environment)


def _server_url(dialect: str, rest: str, environment: Mapping[str, str]) -> DatabaseUrl:
    # By hand, as urlsplit ends the address at a "?" or "#" that a password may hold.
    address, slash, tail = rest.partition("/")
    credentials, _, place = address.rpartition("@")
    user, _, password = credentials.partition(":")
    try:
        parts = urlsplit(f"//{_expanded(place, environment)}{slash}{tail}")
        host, port = parts.hostname or "", parts.port or 0
    except ValueError as error:
        raise DatabaseError(
            f"the address of the {dialect} database cannot be read: its host or port is wrong"
        ) from error
    if parts.fragment:
        raise DatabaseError(
            f"the address of the {dialect} database cannot be read: write it as {TITLES.get(dialect, dialect)}://"
            "user:password@host:port/database, with the signs @ / ? # of a password as %40 %2F %3F %23"
        )
    parameters = parse_qsl(parts.query, keep_blank_values=True)
    return DatabaseUrl(
        dialect=dialect,
        host=unquote(host),
        port=port,
        database=_expanded(unquote(parts.path.removeprefix("/")), environment),
        user=_expanded(unquote(user), environment),
        password=_expanded(unquote(password), environment),
        parameters=tuple((key, _expanded(value, environment)) for key, value in parameters),
    )


def _file_url(text: str, dialect: str = "") -> DatabaseUrl:
    if text in {"", ":memory:"}:
        raise DatabaseError("a database in memory is empty; give the path of a file, as in sqlite:///shop.db")
    path = Path(text)
    with suppress(RuntimeError):  # there is no such user
        path = path.expanduser()
    found = _dialect_of_file(path) or dialect or SUFFIXES.get(path.suffix.lower(), "")
    if not found:
        raise DatabaseError(f"{text} is neither the address of a database nor a SQLite or DuckDB file")
    return DatabaseUrl(dialect=found, database=path.stem, path=path.absolute())


def _dialect_of_file(path: Path) -> str:
    if not path.is_file():  # a FIFO would be waited for
        return ""
    try:
        with path.open("rb") as file:
            head = file.read(16)
    except OSError:
        return ""
    if head == SQLITE_MAGIC or (not head and SUFFIXES.get(path.suffix.lower()) == "sqlite"):
        return "sqlite"  # which takes an empty file for an empty database
    return "duckdb" if head[8:12] == DUCKDB_MAGIC else ""


def _expanded(text: str, environment: Mapping[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        if match[1] not in environment:
            raise DatabaseError(f"the variable {match[1]} of the database's address is not set in the environment")
        return environment[match[1]]

    return VARIABLE.sub(value, text)
