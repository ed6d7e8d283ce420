"""A workspace that is made while the server already answers what it is and which tools it has."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, TimeoutError
from typing import TYPE_CHECKING

from coderag.errors import RootError

if TYPE_CHECKING:
    from coderag.serve.workspace import Workspace

__all__ = ["Opening"]

WAIT_SECONDS = 4.0  # that a call waits for a workspace; a repository that is cloned may take longer


class Opening:
    """What makes a workspace, in a thread of its own; after a failure the next call tries again."""

    def __init__(self, make: Callable[[], Workspace]) -> None:
        """Take a function that makes the workspace."""
        self._make = make
        self._lock = threading.Lock()
        self._made: Future[Workspace] | None = None

    def workspace(self) -> Workspace:
        """Return the workspace; raises what making it raises, and RootError while that takes long."""
        with self._lock:
            if self._made is None:
                self._made = Future()
                threading.Thread(target=self._fill, args=(self._made,), name="opening", daemon=True).start()
            made = self._made
        try:
            return made.result(WAIT_SECONDS)
        except TimeoutError:
            raise RootError("the repository is being fetched; ask again in some seconds") from None

    def close(self) -> None:
        """Close the workspace, if there is one."""
        made = self._made
        if made is not None and made.done() and made.exception() is None:
            made.result().close()

    def _fill(self, made: Future[Workspace]) -> None:
        try:
            made.set_result(self._make())
        except BaseException as error:  # noqa: BLE001 - whoever asks for the workspace raises it
            with self._lock:
                self._made = None
            made.set_exception(error)
