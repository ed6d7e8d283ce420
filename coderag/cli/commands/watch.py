"""`coderag watch`: indexes that follow their files, and a line for each update."""

from __future__ import annotations

import argparse
import os
import signal
import time
from contextlib import suppress
from datetime import datetime
from types import FrameType
from typing import Any

from coderag.api.records import json_line, plain
from coderag.cli.exit_codes import FOUND
from coderag.cli.groups import for_owners
from coderag.cli.opening import note, open_index
from coderag.cli.output.text import Screen, Style, screen, visible
from coderag.index.build.job import Report
from coderag.index.build.watch.watch_loop import NICENESS, Update
from coderag.text.counted import counted

__all__ = ["run"]

BRIEF = 1.0  # seconds; a shorter time is told in milliseconds


def run(options: argparse.Namespace) -> int:
    """Follow the roots until SIGINT or SIGTERM ends it, which is no failure."""
    for_owners("watch")
    interrupt = _Interrupt()
    # The same for both, so that what is under way is left as an interrupted update leaves it.
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    with suppress(KeyboardInterrupt):
        _follow(options, interrupt)
    return FOUND


class _Interrupt:
    """A signal handler that raises KeyboardInterrupt, but never within a `with` block of its own."""

    def __init__(self) -> None:
        self._is_deferred = False
        self._is_pending = False

    def __call__(self, _signal: int, _frame: FrameType | None) -> None:
        """Raise KeyboardInterrupt, now or at the end of the block."""
        if not self._is_deferred:
            raise KeyboardInterrupt
        self._is_pending = True

    def __enter__(self) -> None:
        self._is_deferred = True

    def __exit__(self, *_: object) -> None:
        self._is_deferred = False
        if self._is_pending:
            raise KeyboardInterrupt


def _follow(options: argparse.Namespace, interrupt: _Interrupt) -> None:
    with open_index(options) as index:
        shown = screen(options.color)
        several = len(index.roots) > 1
        if not options.quiet:
            names = ", ".join(visible(str(root.root)) for root in index.roots)
            note(f"following {names}; Ctrl-C ends it")
        os.nice(NICENESS)
        for update in index.watch(poll=options.poll, workers=options.workers):
            with interrupt:  # a flush that a signal ends early leaves its line in the buffer, to be printed twice
                _tell(update, options, shown, name=_name(update, several))


def _tell(update: Update, options: argparse.Namespace, shown: Screen, *, name: str) -> None:
    if options.json:
        print(json_line(_record(update)), flush=True)
    elif update.error is not None:
        note(f"{time.strftime('%H:%M:%S')}  {name}not up to date yet: {update.error}")
    elif update.report is not None and not options.quiet:
        print(f"{_clock(shown)}  {visible(name)}{_did(update.report)}", flush=True)


def _clock(shown: Screen) -> str:
    return shown.paint(time.strftime("%H:%M:%S"), Style.DIM)


def _name(update: Update, several: bool) -> str:
    return f"{update.repository}: " if several else ""


def _did(report: Report) -> str:
    """Return what an update did, in words."""
    counts = ((report.reused, "reused"), (report.removed, "gone"), (report.repaired, "damaged segments rebuilt"))
    others = [f"{count:,} {what}" for count, what in counts if count]
    read = [f"{counted(report.read, 'file')} read"] if report.read or not others else []
    seconds = report.seconds
    took = f"{seconds:.1f} s" if seconds > BRIEF else f"{seconds * 1000:.0f} ms"
    again = f"; all files, because {visible(report.rebuilt)}" if report.rebuilt else ""
    return f"{', '.join([*read, *others])}, {took}; now {counted(report.chunks, 'chunk')}{again}"


def _record(update: Update) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "time": datetime.now().astimezone().isoformat(timespec="milliseconds"),
        "root": update.root,
        "repository": update.repository,
        "error": str(update.error) if update.error is not None else "",
    }
    if update.report is None:
        return fields
    report: dict[str, Any] = plain(update.report)
    return fields | report | {"skipped": len(update.report.skipped)}
