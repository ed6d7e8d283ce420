"""Indexes over the base that the user's remote has, with what people see of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from coderag.api.index import Index
from coderag.api.remote_base import over_remote_base
from coderag.api.roots import Root
from coderag.cli.output.notes import note
from coderag.cli.output.progress import Bar
from coderag.cli.output.text import visible
from coderag.index.storage.folder.lock import Holder

__all__ = ["ensured"]


def ensured(
    root: Root,
    ensure: Callable[[Sequence[Path], Bar], Index],
    *,
    waiting: Callable[[Holder | None], None],
    wanted: bool = True,
) -> Index:
    """Return the index that `ensure` makes of the parts that need not be read; `wanted` says whether bars are shown."""
    with ExitStack() as shown:
        pulling = shown.enter_context(Bar(f"Pulling {visible(root.repository)}", wanted=wanted))

        def make(parts: Sequence[Path]) -> Index:
            shown.close()
            with Bar(f"Indexing {visible(root.repository)}", wanted=wanted, at_once=True) as bar:
                return ensure(parts, bar)

        return over_remote_base(root, make, said=note, told=pulling.transferred, waiting=waiting)
