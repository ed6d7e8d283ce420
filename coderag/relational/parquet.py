"""The rows of a query to a Parquet file."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from coderag.relational.contents import Contents
from coderag.relational.database import RelationalDatabase

__all__ = ["write_parquet"]

MODE = 0o666  # of a new file, less what the umask takes


def write_parquet(contents: Contents, sql: str, path: str, *, k: int, seconds: float) -> int:
    """Write at most k rows of a query to a file, which has all of them in the end or is as it was.

    A database of its own does that, which may write a file beside it and nothing else. Raises QueryError and OSError.
    """
    target = Path(os.path.realpath(path))
    with tempfile.TemporaryDirectory(prefix=".coderag-", dir=target.parent) as folder:
        beside = Path(folder) / "rows.parquet"
        database = RelationalDatabase(contents, written=str(beside))
        count = database.write_parquet(sql, str(beside), k=k, seconds=seconds)
        beside.chmod(_mode(target))
        beside.replace(target)
    return count


def _mode(target: Path) -> int:
    """Return the permissions of a file, or those that a new one gets."""
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0o077)  # which can only be read by setting it
        os.umask(mask)
        return MODE & ~mask
