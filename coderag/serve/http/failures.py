"""What is raised for an answer to its status and the words of the refusal."""

from __future__ import annotations

from coderag.errors import AccessError, CoderagError, LanguageModelError, QueryError, RootError, StoredIndexError

__all__ = ["NotIndexedError", "failure_of"]

TOO_LONG = "this took too long and was given up; ask for less, or again"


class NotIndexedError(QueryError):
    """A file that is not in the index, or not for the caller to see."""


# The first that fits.
STATUS: tuple[tuple[type[Exception], int], ...] = (
    (NotIndexedError, 404),
    (QueryError, 400),
    (AccessError, 403),
    (LanguageModelError, 502),
    (RootError, 503),
    (StoredIndexError, 503),
    (CoderagError, 503),
    (TimeoutError, 503),
)


def failure_of(error: CoderagError | TimeoutError) -> tuple[int, str]:
    """Return the status of a failure, and why it happened."""
    status = next(status for kind, status in STATUS if isinstance(error, kind))
    return status, TOO_LONG if isinstance(error, TimeoutError) else str(error)
