"""What a process may read and write, watched by an audit hook (PEP 578): a process that has one keeps it to its end."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

__all__ = ["Forbidden", "Guard", "readable_folders"]

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# The event of an open file says nothing of the folder that its name is relative to. The caller's variable does: of the
# modules that open by folder, what it is called.
HANDLES: Mapping[str, Sequence[str]] = {"index_path.py": ("above", "handle"), "shutil.py": ("topfd", "dir_fd")}
SYSTEM = ("/proc", "/dev", "/usr", "/lib", "/lib64", "/etc/localtime", "/etc/ld.so.cache", "/etc/mime.types")


class Forbidden(BaseException):
    """What may not be done was prevented; no `except Exception` passes over it."""


def readable_folders() -> tuple[Path, ...]:
    """Return what any Python program reads: the interpreter, its packages, and the system's libraries."""
    found = (sys.prefix, sys.base_prefix, *filter(None, (*sys.path, sys.pycache_prefix)), *SYSTEM)
    return tuple(dict.fromkeys(Path(one).resolve() for one in found))


@dataclass(slots=True)
class Guard:
    """The folders below which a process may read and write; what it tried elsewhere is listed, and fails."""

    readable: tuple[Path, ...]
    writable: tuple[Path, ...]
    violations: list[str]
    _is_looking: bool = False

    def install(self) -> None:
        """Watch this process from now on."""
        sys.addaudithook(self._hook)

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        check = CHECKS.get(event)
        if check is None or self._is_looking:
            return
        self._is_looking = True
        try:
            problem = check(self, args, sys._getframe(1))
        finally:
            self._is_looking = False
        if problem:
            self.violations.append(f"{event}: {problem}")
            raise Forbidden(problem)

    def check_open(self, args: tuple[Any, ...], frame: FrameType) -> str:
        """Tell what is wrong with opening a file."""
        path, mode, flags = args
        if isinstance(path, int):
            return ""
        writes = bool(flags & WRITING) or bool(set(mode or "") & set("wax+"))
        found = _place(os.fsdecode(path), _handle_of(frame))
        # A link at the end is followed unless that was refused, which then fails.
        target = found if flags & os.O_NOFOLLOW else Path(os.path.realpath(found))
        return self.check_place(target, writes=writes)

    def check_place(self, path: Path, *, writes: bool) -> str:
        """Tell what is wrong with a place; its folder has no links."""
        allowed = self.writable if writes else (*self.readable, *self.writable)
        if any(path == one or path.is_relative_to(one) for one in allowed):
            return ""
        return f"{'written' if writes else 'read'} {path}"


def _place(path: str, handle: int | None) -> Path:
    """Return where a path leads, links at its end not followed; relative ones are of the folder that is open."""
    if not Path(path).is_absolute() and handle is not None:
        path = os.path.join(Path(f"/proc/self/fd/{handle}").readlink(), path)
    folder, name = os.path.split(
        os.path.normpath(Path(path).absolute()) if name_is_special(path) else Path(path).absolute()
    )
    return Path(os.path.realpath(folder), name)


def name_is_special(path: str) -> bool:
    """Tell whether the last name of a path is none."""
    return path.rpartition("/")[2] in ("", ".", "..")


def _handle_of(frame: FrameType) -> int | None:
    names = HANDLES.get(Path(frame.f_code.co_filename).name, ())
    found = [frame.f_locals[name] for name in names if isinstance(frame.f_locals.get(name), int)]
    return found[-1] if found else None


Check = Callable[[Guard, tuple[Any, ...], FrameType], str]


def _changes(*places: tuple[int, int]) -> Check:
    """Return the check of an event that changes files; of each the positions of its path and of its folder's handle."""

    def check(guard: Guard, args: tuple[Any, ...], _: FrameType) -> str:
        for path, handle in places:
            if isinstance(args[path], int):  # an open file, which was checked when it was opened
                continue
            folder = args[handle] if handle >= 0 else -1
            found = _place(os.fsdecode(args[path]), folder if folder >= 0 else None)
            if problem := guard.check_place(found, writes=True):
                return problem
        return ""

    return check


def _makes_folder(guard: Guard, args: tuple[Any, ...], frame: FrameType) -> str:
    there = _place(os.fsdecode(args[0]), args[2] if args[2] >= 0 else None).is_dir()
    return "" if there else _changes((0, 2))(guard, args, frame)  # what is there stays as it is


def _reads(guard: Guard, args: tuple[Any, ...], _: FrameType) -> str:
    path = args[0]
    if isinstance(path, int):
        return ""
    return guard.check_place(Path(os.path.realpath(os.fsdecode(path or "."))), writes=False)


def _forbidden(_: Guard, args: tuple[Any, ...], __: FrameType) -> str:
    return str(args)[:200]


CHECKS: Mapping[str, Check] = {
    "open": Guard.check_open,
    **dict.fromkeys(("os.listdir", "os.scandir"), _reads),
    **dict.fromkeys(("os.remove", "os.rmdir"), _changes((0, 1))),
    "os.mkdir": _makes_folder,
    "os.rename": _changes((0, 2), (1, 3)),
    "os.link": _changes((0, 2), (1, 3)),
    "os.symlink": _changes((1, 2)),
    **dict.fromkeys(("os.truncate", "sqlite3.connect"), _changes((0, -1))),
    "os.chmod": _changes((0, 2)),
    "os.chown": _changes((0, 3)),
    "os.utime": _changes((0, 3)),
    "shutil.rmtree": _changes((0, 1)),
    **dict.fromkeys(
        (
            *(
                "subprocess.Popen",
                "os.system",
                "os.exec",
                "os.fork",
                "os.forkpty",
                "os.posix_spawn",
                "os.spawn",
                "pty.spawn",
            ),
            *("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"),
            *(
                "os.kill",
                "os.killpg",
                "os.putenv",
                "os.mkfifo",
                "os.mknod",
                "shutil.move",
                "shutil.chown",
            ),
            *("ctypes.dlopen", "webbrowser.open", "urllib.Request"),
        ),
        _forbidden,
    ),
}
