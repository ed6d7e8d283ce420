"""Segments that other work trees of a repository may use, kept under the user's cache folder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from coderag.resources import user_folder

__all__ = ["MOST_BYTES", "cache_folder", "cache_size", "trim_cache"]

MOST_BYTES = 2 << 30


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of the user's cache: under $XDG_CACHE_HOME, or ~/.cache."""
    return user_folder("XDG_CACHE_HOME", ".cache", environment) / "segments"


def cache_size() -> int:
    """Return how many bytes the cache takes."""
    return sum(_size(entry) for entry in _entries())


def trim_cache(max_bytes: int) -> int:
    """Remove the least recently used segments until no more than `max_bytes` are left; return the bytes removed."""
    entries = [(entry, _size(entry)) for entry in _entries()]
    left = sum(size for _, size in entries)
    removed = 0
    for entry, size in entries:
        if left - removed <= max_bytes:
            break
        shutil.rmtree(entry, ignore_errors=True)  # another process may remove it as well
        removed += size
    return removed


def _entries() -> list[Path]:
    """Return the entries, the least recently used first."""
    folder = cache_folder()
    paths = [path for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []
    return sorted(paths, key=lambda path: (_used_ns(path), path.name))


def _used_ns(entry: Path) -> int:
    with suppress(OSError):  # another process removed it
        return entry.stat().st_mtime_ns
    return 0


def _size(entry: Path) -> int:
    size = 0
    for path in entry.rglob("*"):
        with suppress(OSError):
            size += path.stat().st_size if path.is_file() else 0
    return size
