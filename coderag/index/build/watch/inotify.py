"""Folders to whether anything happened in them until now, asked of Linux without waiting (inotify(7)).

The kernel queues an event before the call that caused it returns, so an empty queue means that nothing changed. A
library that collects events in a thread could only say so some time later.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
import threading
import weakref
from collections.abc import Iterable

__all__ = ["FolderWatch"]

IN_MODIFY, IN_ATTRIB, IN_CLOSE_WRITE = 0x2, 0x4, 0x8
IN_MOVED_FROM, IN_MOVED_TO, IN_CREATE, IN_DELETE = 0x40, 0x80, 0x100, 0x200
IN_DELETE_SELF, IN_MOVE_SELF = 0x400, 0x800
IN_UNMOUNT, IN_Q_OVERFLOW, IN_IGNORED = 0x2000, 0x4000, 0x8000
IN_ONLYDIR = 0x1000000
WATCHED = (
    *(IN_MODIFY, IN_ATTRIB, IN_CLOSE_WRITE, IN_MOVED_FROM, IN_MOVED_TO, IN_CREATE, IN_DELETE),
    *(IN_DELETE_SELF, IN_MOVE_SELF, IN_ONLYDIR),
)
LOST = IN_UNMOUNT | IN_Q_OVERFLOW | IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF  # then some folder is watched no more
EVENT = struct.Struct("iIII")  # the watch, what happened, a cookie, and how long the name is that follows
BUFFER = 65_536
# File systems whose changes all pass through this kernel (statfs(2)); those of a network or a host do not.
LOCAL = frozenset(
    {
        *(0xEF53, 0x58465342, 0x9123683E, 0xF2F52010, 0x2FC12FC1, 0xCA451A4E),  # ext, XFS, Btrfs, F2FS, ZFS, bcachefs
        *(0x01021994, 0x858458F6, 0x794C7630),  # tmpfs, ramfs, overlayfs
    }
)
STATFS_BYTES = 512  # more than any system's struct statfs, whose first field is the type


class FolderWatch:
    """Folders that are watched, each without those in it; may be used by several threads."""

    def __init__(self, descriptor: int) -> None:
        """Take over a descriptor of inotify; `open` is the way to call this."""
        self.is_lost = False  # whether some folder is no longer watched: then open another
        self._descriptor = descriptor
        self._lock = threading.Lock()
        self._reads = 0
        weakref.finalize(self, os.close, descriptor)

    @classmethod
    def open(cls, folders: Iterable[str]) -> FolderWatch | None:
        """Watch folders; None where the system does not report every change."""
        if not sys.platform.startswith("linux"):
            return None
        libc = ctypes.CDLL(None, use_errno=True)
        if not all(hasattr(libc, name) for name in ("inotify_init1", "inotify_add_watch", "statfs")):
            return None
        descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if descriptor < 0:
            return None
        watch = cls(descriptor)
        encoded = map(os.fsencode, folders)
        return watch if all(_is_local(libc, one) and _is_added(libc, descriptor, one) for one in encoded) else None

    def count(self) -> int:
        """Return a number that is the same as before where nothing happened since."""
        with self._lock:
            while events := self._read():
                self._reads += 1
                self.is_lost = self.is_lost or any(mask & LOST for mask in _masks(events))
            return self._reads

    def _read(self) -> bytes:
        try:
            return os.read(self._descriptor, BUFFER)
        except BlockingIOError:
            return b""


def _is_local(libc: ctypes.CDLL, folder: bytes) -> bool:
    found = ctypes.create_string_buffer(STATFS_BYTES)
    return libc.statfs(folder, found) == 0 and ctypes.c_ulong.from_buffer(found).value & 0xFFFFFFFF in LOCAL


def _is_added(libc: ctypes.CDLL, descriptor: int, folder: bytes) -> bool:
    return bool(libc.inotify_add_watch(descriptor, folder, sum(WATCHED)) >= 0)


def _masks(events: bytes) -> Iterable[int]:
    """Yield what each event says that happened."""
    at = 0
    while at < len(events):
        _, mask, _, length = EVENT.unpack_from(events, at)
        yield mask
        at += EVENT.size + length
