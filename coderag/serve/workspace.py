"""The roots that a server answers from: opened, kept fresh, indexed in the background where there is no index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self

from coderag.api.index import Index
from coderag.api.roots import Root

__all__ = ["Workspace"]


class Workspace:
    """Several roots of one caller; its methods may be called from several threads."""

    def __init__(self, roots: Sequence[Root], *, callers: Iterable[frozenset[str]] = ()) -> None:
        """Answer from roots as callers of some groups see them; () sees all."""
        self._roots = tuple(roots)
        self._callers = tuple(callers)
        self._index: Index | None = None

    def __enter__(self) -> Self:
        """Return the workspace; what it started ends with the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """End the processes that read files."""
        if self._index is not None:
            self._index.close()

    def prepare(self) -> None:
        """Open the indexes before the first call, and start to index what has none."""
        self.index()

    def index(self) -> Index:
        """Return the index."""
        if self._index is None:
            self._index = Index.ensure(*[root.root for root in self._roots])
        return self._index
