"""An index that answers: opened, made on first use, brought up to date."""

from __future__ import annotations

import argparse
import sys

from coderag.api import Index, Root
from coderag.cli.place import given_roots
from coderag.cli.progress import Bar
from coderag.cli.text import counted, visible
from coderag.errors import (
    CoderagError,
    IndexDamagedError,
    IndexFormatError,
    IndexLockedError,
    IndexMissingError,
    IndexWriteError,
)

__all__ = ["note", "open_index"]


def open_index(options: argparse.Namespace) -> Index:
    """Return the index of the roots that a command was given.

    Where there is none, or one that this version cannot read, it is built; unless told otherwise, what changed is read.
    """
    placed = given_roots(options, options.root)
    try:
        index = Index(placed)
    except (IndexMissingError, IndexFormatError, IndexDamagedError):
        if options.no_refresh:
            raise
        for one in placed:
            _make_sure(one)
        index = Index(placed)
    if not options.no_refresh and not index.is_fresh():
        _refresh(index)
    return index


def note(text: str) -> None:
    """Say something on stderr, beside the results."""
    print(f"coderag: {visible(text)}", file=sys.stderr)


def _make_sure(one: Root) -> None:
    """Build the index of a root that has none, or none that can be read."""
    try:
        Index([one])
    except IndexMissingError:
        pass
    except (IndexFormatError, IndexDamagedError) as error:
        _note_again(error)
    else:
        return
    with Bar(f"Indexing {visible(one.repository)}", at_once=True) as bar:
        report = Index.build(one.root, index=one.folder, watch=bar).reports[0]
    what = f"{counted(report.read, 'file')}, {counted(report.chunks, 'chunk')}"
    note(f"indexed {one.root}: {what} in {report.seconds:.1f} s")


def _refresh(index: Index) -> None:
    """Read what changed; where the index cannot be written, answer from what there is."""
    try:
        with Bar("Reading changes") as bar:
            index.update(watch=bar)
    except (IndexWriteError, IndexLockedError) as error:
        note(f"answers come from the index as it was: {error}")


def _note_again(error: CoderagError) -> None:
    note(f"{str(error).partition(';')[0]}; it is made anew")
