"""What the system and wrong numbers in stored tables make code raise, to errors of the index."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from coderag.errors import CoderagError, IndexWriteError
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.misread import DATA_ERRORS, misread

__all__ = ["may_come_of_damage", "reading_tables", "writing"]

OURS = "coderag"
UNWRITABLE = frozenset(  # no bug, but what the system, the disk or a limit does not let happen
    {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.EIO, errno.EFBIG}
)
# Libraries whose frames lie between a reader of tables and what it raises; whoever called them is to blame.
BETWEEN = sys.stdlib_module_names | {"numpy", "msgspec", "numkong"}


@contextmanager
def reading_tables(where: Callable[[], object]) -> Iterator[None]:
    """Raise IndexDamagedError, with the place of the index, for what wrong numbers in its tables make code raise.

    What a number of a table refers to shows wherever it is used: in a ranking, in a graph. So this stands around what
    is asked of an index, and not in the readers alone. Nothing is read to find out more.
    """
    try:
        yield
    except CoderagError:
        raise
    except Exception as error:
        if not may_come_of_damage(error):
            raise  # a bug, or the caller's own
        raise misread(where(), error) from error


def may_come_of_damage(error: BaseException) -> bool:
    """Tell whether an exception is of a kind that damaged tables cause, and was raised by what reads them.

    What a caller's own code raises, such as a generator that is an argument, is the caller's.
    """
    if not isinstance(error, DATA_ERRORS) and not _is_of_msgspec(error):
        return False
    return next((package for package in _packages(error) if package not in BETWEEN), "") == OURS


def _is_of_msgspec(error: BaseException) -> bool:
    """Tell whether an exception is one of msgspec's, which a search does not import."""
    msgspec = sys.modules.get("msgspec")
    return msgspec is not None and isinstance(error, msgspec.MsgspecError)


def _packages(error: BaseException) -> Iterator[str]:
    """Yield the packages whose code an exception came through, the innermost first."""
    frames = []
    trace = error.__traceback__
    while trace is not None:
        frames.append(trace.tb_frame)
        trace = trace.tb_next
    for frame in reversed(frames):
        yield str(frame.f_globals.get("__name__", "")).partition(".")[0]


@contextmanager
def writing(folder: IndexPath) -> Iterator[None]:
    """Turn what the system says while an index is written into IndexWriteError."""
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise IndexWriteError(
                f"no space left to write the index at {folder}; the old index is unchanged"
            ) from error
        if error.errno in UNWRITABLE:
            raise IndexWriteError(
                f'the index at {folder} cannot be written: {error.strerror}; choose another place with "--index DIR"'
            ) from error
        raise
