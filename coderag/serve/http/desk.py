"""Requests to answers: the roots of a process as the caller of a request sees them, a few threads at work at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Self, TypeVar

from starlette.requests import HTTPConnection

from coderag.api.roots import Root
from coderag.errors import CoderagError
from coderag.serve.http.event_stream import Event, EventStream, Tell, error_event
from coderag.serve.http.failures import failure_of
from coderag.serve.http.response_cache import ResponseCache
from coderag.serve.http.threads import Threads
from coderag.serve.workspace import View, Workspace

__all__ = ["GROUPS", "LONGEST_SECONDS", "OWNER", "THREADS", "Desk"]

R = TypeVar("R")

GROUPS = "coderag.groups"  # where the scope of a request has the groups of its caller; None: sees all
OWNER = "coderag.owner"  # and what tells the holder of a token from others
THREADS = 32  # most of which wait for the same look at the files; the cores are shared by those that search
LONGEST_SECONDS = 30.0  # that an answer may take
MODEL_THREADS = 8  # that wait for a language model, apart from the others
MODEL_SECONDS = 300.0  # that an answer may take for which a language model is asked


class Desk:
    """The roots of one process; its methods may be called from several threads."""

    def __init__(
        self, roots: Sequence[Root], *, callers: Iterable[frozenset[str]] = (), language_model: str = ""
    ) -> None:
        """Answer from roots; what callers may see is at most what those of all the groups in `callers` see.

        Questions in words are answered by a language model where one is named.
        """
        self._roots = tuple(roots)
        self._callers = tuple(callers)
        self._lock = threading.Lock()
        self._workspaces: dict[frozenset[str] | None, Workspace] = {}
        self._language_model = language_model
        self._threads = Threads(THREADS, seconds=LONGEST_SECONDS)
        self._model_threads = Threads(MODEL_THREADS, seconds=MODEL_SECONDS)
        self.responses = ResponseCache()

    def __enter__(self) -> Self:
        """Return the desk; the processes that it started for itself end with the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    @property
    def roots(self) -> tuple[Root, ...]:
        """The roots, in the order given."""
        return self._roots

    @property
    def language_model(self) -> str:
        """The model that writes answers to questions, "" for none."""
        return self._language_model

    def close(self) -> None:
        """End the processes that read files."""
        with self._lock:
            workspaces = list(self._workspaces.values())
        for workspace in workspaces:
            workspace.close()

    def prepare(self) -> None:
        """Open the indexes before the first request, and start to index what has none."""
        self._workspace(None).prepare()

    def workspace(self, request: HTTPConnection) -> Workspace:
        """Return the roots as the caller of a request sees them."""
        return self._workspace(request.scope.get(GROUPS, frozenset()))

    def owner(self, request: HTTPConnection) -> str:
        """Return what tells the caller of a request from others, whose conversations are not shared."""
        return str(request.scope.get(OWNER, ""))

    def view(self, request: HTTPConnection) -> View:
        """Return the index as the caller of a request sees it, with what changed since it was written.

        It may wait some seconds: call it in a thread (`in_thread`, or a handler that is no coroutine). Raises
        IndexMissingError where nothing is indexed yet, RootError for a root that is gone, and CoderagError.
        """
        return self.workspace(request).view()

    def graph_view(self, request: HTTPConnection) -> View:
        """Return the same with a graph that answers at once; raises IndexMissingError also while it is being made."""
        workspace = self.workspace(request)
        return workspace.with_graph(workspace.view())

    def events(self, answer: Callable[[Tell], Event]) -> EventStream:
        """Return the events of an answer that is made in a thread, with a language model where one is named."""

        async def make(tell: Tell) -> Event:
            try:
                return await self.in_thread(lambda: answer(tell), asks_model=bool(self._language_model))
            except (CoderagError, TimeoutError) as error:
                return error_event(*failure_of(error))

        return EventStream(make)

    async def in_thread(self, function: Callable[[], R], *, asks_model: bool = False) -> R:
        """Return what a function returns that is run in a thread, a few at once; raises TimeoutError after a limit.

        What waits for a language model takes no thread from the others.
        """
        return await (self._model_threads if asks_model else self._threads).run(function)

    def _workspace(self, groups: frozenset[str] | None) -> Workspace:
        with self._lock:
            if groups not in self._workspaces:
                callers = self._callers if groups is None else (*self._callers, groups)
                self._workspaces[groups] = Workspace(self._roots, callers=callers, language_model=self._language_model)
            return self._workspaces[groups]
