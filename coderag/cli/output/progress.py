"""How far a build is, as a bar on stderr where that is a terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from coderag.cli.output.text import bytes_text

if TYPE_CHECKING:
    from rich.progress import Progress as Display
    from rich.progress import TaskID

    from coderag.index.build.job import Progress

__all__ = ["Bar"]

SHOW_AFTER = 0.3  # seconds; what is done sooner needs no bar


class Bar:
    """A bar while a root is read; use it in a `with` block and hand it over as the watch."""

    def __init__(self, title: str, *, wanted: bool = True, at_once: bool = False) -> None:
        self._title = title
        self._wanted = wanted and sys.stderr.isatty()
        self._at_once = at_once
        self._started = time.monotonic()
        self._display: Display | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Bar:
        if self._at_once:
            self._show()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._display is not None:
            self._display.stop()

    def __call__(self, progress: Progress) -> None:
        """Show how far it is."""
        if self._display is None and time.monotonic() - self._started > SHOW_AFTER:
            self._show()
        if self._display is None or self._task is None:
            return
        if progress.linking:
            self._display.update(self._task, total=None, completed=0, facts="making the graph")
            return
        seconds = time.monotonic() - self._started
        if progress.all_embedded:
            facts = f"{progress.embedded:,}/{progress.all_embedded:,} chunks embedded"
            self._display.update(self._task, total=progress.all_embedded, completed=progress.embedded, facts=facts)
            return
        parts = (
            f"{progress.files:,}/{progress.all_files:,} files",
            f"{bytes_text(progress.bytes)}/{bytes_text(progress.all_bytes)}",
            f"{bytes_text(progress.bytes / seconds)}/s",
            f"{progress.chunks:,} chunks",
        )
        self._display.update(self._task, total=progress.all_bytes, completed=progress.bytes, facts="  ".join(parts))

    def transferred(self, files: int, all_files: int) -> None:
        """Show how many files of how many went to a store, or came from it."""
        if time.monotonic() - self._started > SHOW_AFTER:
            self._show()
        if self._display is not None and self._task is not None:
            facts = f"{files:,}/{all_files:,} files"
            self._display.update(self._task, total=all_files, completed=files, facts=facts)

    def linking(self) -> None:
        """Show that a graph is made."""
        self._show()
        if self._display is not None and self._task is not None:
            self._display.update(self._task, facts="")

    def _show(self) -> None:
        if not self._wanted or self._display is not None:
            return
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Display

        self._display = Display(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[facts]}", markup=False),
            TimeRemainingColumn(compact=True),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._display.add_task(self._title, total=None, facts="listing files")
        self._display.start()
