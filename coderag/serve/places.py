"""Paths as an answer shows them, and what it says of what was searched."""

from __future__ import annotations

from coderag.serve.workspace import View
from coderag.text.visible import visible

__all__ = ["Places", "freshness"]


class Places:
    """Paths relative to the root; behind the name of the repository where there are several."""

    def __init__(self, view: View) -> None:
        self._several = len(view.index.roots) > 1

    def path(self, path: str, repository: str) -> str:
        """Return the path of a file."""
        return visible(f"{repository}/{path}" if self._several and repository else path)

    def line(self, path: str, line: int, repository: str) -> str:
        """Return path:line; the path alone for a file as a whole, "" for what no file defines."""
        if not path:
            return ""
        return f"{self.path(path, repository)}:{line}" if line else self.path(path, repository)


def freshness(view: View) -> str:
    """Return what was searched and how fresh it is, in brackets."""
    roots = view.index.roots
    names = ", ".join(f"{root.repository} = {root.root}" if len(roots) > 1 else str(root.root) for root in roots)
    state = "; ".join(view.notes) or "all files as they are now"
    return f"[searched {visible(names)}: {state}]"
