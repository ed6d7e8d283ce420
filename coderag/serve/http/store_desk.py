"""Requests to a store: what it answers, as the groups of each caller see it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from starlette.requests import HTTPConnection

from coderag.encoders.encoder import Encoder
from coderag.errors import CoderagError, RemoteStoreError
from coderag.search.query.query import make_query
from coderag.serve.http.desk import GROUPS, LONGEST_SECONDS
from coderag.serve.http.threads import Threads
from coderag.stores.addresses import Address, name_in, store_opener
from coderag.stores.gathering import FileCache
from coderag.stores.store import Store
from coderag.stores.stored_index import StoredIndex

__all__ = ["StoreDesk"]

R = TypeVar("R")
CONNECTIONS = 8  # to the database of one process, and answers at a time


class StoreDesk:
    """An index in a store; the methods may be called from several threads."""

    def __init__(self, address: Address, *, callers: Iterable[frozenset[str]] = ()) -> None:
        """Answer from an index in a store; what is seen is at most what those of all the groups in `callers` see.

        Raises QueryError, IndexMissingError and RemoteStoreError.
        """
        self._open, self._callers = store_opener(address), tuple(callers)
        self._lock = threading.Lock()
        self._idle: list[Store] = []
        self._cache = FileCache()
        self._encoders: dict[str, Encoder | None] = {}
        self._threads = Threads(CONNECTIONS, seconds=LONGEST_SECONDS)
        store = self._open()
        try:
            self._name = name_in(store, address, names_are_told=not self._callers)
        finally:
            store.close()  # the copies that answer must not share a connection

    def prepare(self) -> None:
        """Import what a search needs, and connect, before the first request."""
        with suppress(CoderagError):  # the first request says it
            store = self._open()
            with self._used(store):
                self._index(store, self._callers).search(make_query("main", k=1))

    def answer(self, request: HTTPConnection, ask: Callable[[StoredIndex], R]) -> R:
        """Return what is answered from the index as the caller of a request sees it; call it in a thread.

        A connection that was idle may have been cut: what fails on one is asked once more on a new one. Raises
        CoderagError.
        """
        groups = request.scope.get(GROUPS, frozenset())
        callers = self._callers if groups is None else (*self._callers, groups)
        with self._lock:
            idle = self._idle.pop() if self._idle else None
        if idle is not None:
            try:
                with self._used(idle) as store:
                    return ask(self._index(store, callers))
            except RemoteStoreError:
                self._forget_idle()  # they are as old
        with self._used(self._open()) as store:
            return ask(self._index(store, callers))

    async def in_thread(self, function: Callable[[], R], *, asks_model: bool = False) -> R:
        """Return what a function returns that is run in a thread; raises TimeoutError after a limit."""
        del asks_model
        return await self._threads.run(function)

    def close(self) -> None:
        """Close the connections that are idle."""
        self._forget_idle()

    def _index(self, store: Store, callers: tuple[frozenset[str], ...]) -> StoredIndex:
        return StoredIndex(store, self._name, callers=callers, cache=self._cache, encoders=self._encoders)

    @contextmanager
    def _used(self, store: Store) -> Iterator[Store]:
        """Keep a connection for others afterwards, unless the store failed."""
        try:
            yield store
        except RemoteStoreError:
            store.close()
            raise
        except BaseException:
            self._keep(store)
            raise
        self._keep(store)

    def _keep(self, store: Store) -> None:
        with self._lock:
            self._idle.append(store)

    def _forget_idle(self) -> None:
        with self._lock:
            stores, self._idle = self._idle, []
        for store in stores:
            store.close()
