"""Whether the code of this process is that which is installed now."""

from __future__ import annotations

import os
import sys

__all__ = ["LoadedCode"]

PACKAGE = "coderag"
INSTALLED = ("site-packages", "dist-packages")  # folders whose time changes with each package that comes or goes


class LoadedCode:
    """The files of coderag's modules as they were when they were loaded."""

    def __init__(self) -> None:
        self._stamps: dict[str, tuple[int, int]] = {}
        self.note_modules()

    def note_modules(self) -> None:
        """Note the files of modules that were loaded since."""
        for name, module in list(sys.modules.items()):
            path = getattr(module, "__file__", None)
            if path and name.partition(".")[0] == PACKAGE and path not in self._stamps:
                self._stamps[path] = _stamp(path)
        for path in sys.path:
            if path.endswith(INSTALLED) and path not in self._stamps:
                self._stamps[path] = _stamp(path)

    def is_current(self) -> bool:
        """Tell whether none of these files was changed or removed since."""
        return all(_stamp(path) == stamp for path, stamp in self._stamps.items())


def _stamp(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_ino
