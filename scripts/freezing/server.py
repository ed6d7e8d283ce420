"""A process that imports all of coderag once, and forks for each command line that it reads: `python -m` this module.

A line of JSON holds the arguments, the folder of the files that the command's streams are, and the folder that it runs
in; its exit code is a line of the answer. To import coderag anew would take longer than most commands do.
"""

from __future__ import annotations

import json
import os
import pkgutil
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path

__all__ = ["STDERR", "STDIN", "STDOUT"]

PACKAGE = "coderag"
STDIN, STDOUT, STDERR = "stdin", "stdout", "stderr"
FAILED = 70  # EX_SOFTWARE of sysexits.h: the command raised


def main() -> None:
    """Run what comes, until there is no more."""
    _import_all()
    for line in sys.stdin:
        arguments, folder, root = json.loads(line)
        child = os.fork()
        if not child:
            _become(arguments, Path(folder), root)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _import_all() -> None:
    """Import every module of coderag that can be imported here, whatever their names are."""
    package = import_module(PACKAGE)
    for module in pkgutil.walk_packages(package.__path__, f"{PACKAGE}."):
        with suppress(ImportError):  # what is an extra need not be installed
            import_module(module.name)


def _become(arguments: Sequence[str], folder: Path, root: str) -> None:
    """Turn this process into the program, and end with it."""
    try:
        new = os.O_WRONLY | os.O_CREAT
        for number, name, flags in ((0, STDIN, os.O_RDONLY), (1, STDOUT, new), (2, STDERR, new)):
            opened = os.open(folder / name, flags, 0o600)
            os.dup2(opened, number)
            os.close(opened)
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
        os.chdir(root)
        sys.argv = [PACKAGE, *arguments]
        import_module(f"{PACKAGE}.__main__").program()
    except BaseException:  # noqa: BLE001  # whatever it is, this process is a copy of the server and must end
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(FAILED)


if __name__ == "__main__":
    main()
