"""Things that are done to an index, in this process or in one that is forked for it."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any
from unittest.mock import patch

from coderag import Index
from coderag.errors import CoderagError
from coderag.index.build.merging import merge_index
from coderag.index.storage.folder.index_path import IndexPath

__all__ = ["EXPECTED_ERROR", "STEPS", "Operations", "Step", "forked", "merging_later"]

Step = Callable[[Path, Path, int], None]  # a root, the folder of its index, and how many workers

EXPECTED_ERROR, FAILED = 3, 4  # exit codes of a process that met one of coderag's errors, or another
CHANGING = frozenset({"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link"})
WRITES = os.O_WRONLY | os.O_RDWR


def build(root: Path, folder: Path, workers: int) -> None:
    """Build anew."""
    Index.build(root, index=folder, workers=workers).close()


def update(root: Path, folder: Path, workers: int) -> None:
    """Read what changed."""
    with Index.open(root, index=folder) as index:
        index.update(workers=workers)


def repair(root: Path, folder: Path, workers: int) -> None:
    """Read what changed and what is damaged."""
    Index.ensure(root, index=folder, workers=workers).close()


def merge(_root: Path, folder: Path, _workers: int) -> None:
    """Merge what should be merged."""
    merge_index(IndexPath(folder))


def words_alone(root: Path, folder: Path, workers: int) -> None:
    """Leave the vectors away."""
    Index.ensure(root, index=folder, encoder="none", workers=workers).close()


def vectors(root: Path, folder: Path, workers: int) -> None:
    """Have vectors."""
    Index.ensure(root, index=folder, encoder="static", workers=workers).close()


STEPS = MappingProxyType(
    {
        "build": build,
        "update": update,
        "repair": repair,
        "merge": merge,
        "words alone": words_alone,
        "vectors": vectors,
    }
)


@contextmanager
def merging_later() -> Iterator[None]:
    """Let updates leave merging to a merge, as they do where it takes longer."""
    with patch("coderag.index.build.build.quick_to_merge", lambda _: []):
        yield


@dataclass(slots=True)
class Operations:
    """Counts the changes that this process makes to the files of a folder, and can end it at one of them."""

    folder: str = ""
    count: int = 0
    at: int = 0  # the change before which `then` is called; 0: never
    then: Callable[[], None] = field(default=os.abort)
    _installed: bool = False

    def watch(self, folder: Path, *, at: int = 0, then: Callable[[], None] = os.abort) -> None:
        """Begin to count, from nothing."""
        self.folder, self.count, self.at, self.then = f"{folder}{os.sep}", 0, at, then
        if not self._installed:  # an audit hook stays for good
            sys.addaudithook(self._heard)
            self._installed = True

    def stop(self) -> int:
        """Count no longer, and return how many there were."""
        self.folder = ""
        return self.count

    def _heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.folder or not self._changes(event, arguments):
            return
        self.count += 1
        if self.count == self.at:
            self.then()

    def _changes(self, event: str, arguments: tuple[Any, ...]) -> bool:
        if event == "open":
            path, _, flags = arguments
            return isinstance(path, str) and bool(flags & WRITES) and self._is_below(path)
        return event in CHANGING and self._is_below(str(arguments[0]))

    def _is_below(self, path: str) -> bool:
        # The files of an index are opened by their names in an open folder, of which the event tells nothing.
        return path.startswith(self.folder) or os.sep not in path


def forked(work: Callable[[], None], *, said: Path) -> int:
    """Do something in a process of its own, and of a group of its own; return its id. What fails is written down."""
    pid = os.fork()
    if pid:
        return pid
    code = FAILED
    try:
        os.setpgid(0, 0)
        work()
        code = 0
    except CoderagError as error:
        said.write_text(f"{type(error).__name__}: {error}", encoding="utf-8")
        code = EXPECTED_ERROR
    except BaseException:  # noqa: BLE001  # whatever it is, it is told, and the process ends here
        said.write_text(traceback.format_exc(), encoding="utf-8")
    finally:
        os._exit(code)
