"""Answers that are worse than they could be: the RetrievalWarning that says so, and who is told of it.

Python prints a warning once and filters are of the whole process, so a server would not learn which of its answers a
warning is about. A context variable is of one thread or task.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from coderag.errors import RetrievalWarning

__all__ = ["retrieval_warnings", "warn_degraded"]

_heard: ContextVar[tuple[list[str], ...]] = ContextVar("retrieval_warnings", default=())


def warn_degraded(why: str, *, stacklevel: int) -> None:
    """Issue a RetrievalWarning as if the caller did, and tell whoever listens."""
    for listener in _heard.get():
        listener.append(why)
    warnings.warn(why, RetrievalWarning, stacklevel=stacklevel + 1)


@contextmanager
def retrieval_warnings() -> Iterator[list[str]]:
    """Give the list that fills with what this thread or task is warned of within the block."""
    found: list[str] = []
    token = _heard.set((*_heard.get(), found))
    try:
        yield found
    finally:
        _heard.reset(token)
