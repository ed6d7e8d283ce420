"""What the drivers have in common: loading one, connecting in time, and the connection that comes of it."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from coderag.catalog.introspect.url import DatabaseUrl
from coderag.errors import DatabaseError
from coderag.extras import Extra, how_to_install

__all__ = ["Link", "connect_in_time", "load_driver", "said"]

MESSAGE_CHARACTERS = 300

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Link:
    """An open connection in a transaction that cannot write, and how its driver wants to be used."""

    dialect: str
    cursor: Callable[[], AbstractContextManager[Any]]  # with execute(), description and fetchall()
    close: Callable[[], None]
    errors: tuple[type[Exception], ...]  # that a statement raises
    parameter: str  # how a parameter is written, with {} for its name
    array: Callable[[Sequence[str]], object]  # what a list is passed as
    stop: Callable[[], None]  # ends what runs, called from another thread
    alive: Callable[[], bool]
    savepoints: bool = False  # an error spoils the transaction unless one is set
    percent: bool = False  # a "%" must be doubled where there are parameters
    alone: Mapping[str, object] = field(default_factory=dict)  # what execute() takes to refuse several statements


def load_driver(module: str, *, extra: Extra, title: str) -> Any:
    """Return the module of a driver; raises DatabaseError that says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise DatabaseError(
            f"{title} is asked through {module}, which is not installed; {how_to_install(extra)}"
        ) from error


def connect_in_time(
    url: DatabaseUrl, connect: Callable[[], T], *, timeout: float, errors: tuple[type[Exception], ...]
) -> T:
    """Return what `connect` returns; raises DatabaseError when it fails, or has not returned in time.

    A name server that does not answer keeps a driver waiting whatever time it was given, hence the thread. Only the
    text of an error goes on, as the error itself may hold the password.
    """
    found: list[T] = []
    failed: list[Exception] = []
    given_up = threading.Event()

    def work() -> None:
        try:
            connection = connect()
        except errors as error:
            failed.append(error)
            return
        found.append(connection)
        if given_up.is_set():
            connection.close()  # type: ignore[attr-defined]

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(timeout)
    if found:
        return found[0]
    if failed:
        raise DatabaseError(f"{url.name} cannot be opened: {said(failed[0], url)}") from None
    given_up.set()
    raise DatabaseError(f"{url.name} did not answer within {timeout:g} s")


def said(error: Exception, url: DatabaseUrl) -> str:
    """Return what a driver's error says, on one line and without secrets."""
    numbered = len(error.args) > 1 and isinstance(error.args[0], int)  # MySQL's: (1045, "Access denied")
    text = url.without_secrets(str(error.args[1] if numbered else error))
    words = " ".join(text.partition("\nLINE ")[0].split())  # what follows is the statement, and a mark under it
    return words if len(words) <= MESSAGE_CHARACTERS else words[:MESSAGE_CHARACTERS] + " ..."
