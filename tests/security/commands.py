"""Commands of coderag, each in a process of its own that is a copy of this one: what they import is imported once.

A line of JSON {"arguments", "cwd", "environment"} on standard input, a line {"code", "out", "err"} on standard output;
the code is null where the command did not end in time.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

HANGS_AFTER = 180.0  # seconds: a hang, however busy the machine is
PRELOADED = (
    *(
        "coderag.cli.main",
        "coderag.cli.opening",
        "coderag.cli.commands.index",
        "coderag.cli.commands.search",
        "coderag.cli.commands.status",
    ),
    *(
        "coderag.cli.commands.clean",
        "coderag.cli.commands.outline",
        "coderag.cli.commands.symbols",
        "coderag.cli.commands.refs",
        "coderag.cli.commands.graph",
    ),
    *(
        "coderag.cli.commands.map",
        "coderag.cli.commands.schema",
        "coderag.cli.commands.tables",
        "coderag.graph.store",
        "coderag.graph.build",
    ),
    *(
        "coderag.api.updater",
        "coderag.index.workers.analyze",
        "coderag.index.workers.readers",
        "coderag.index.catalog.catalog",
    ),
)


def run(asked: dict[str, Any]) -> dict[str, Any]:
    """Run a command and return how it ended and what it printed."""
    with TemporaryFile() as out, TemporaryFile() as err:
        if not (pid := os.fork()):
            _become(asked, out, err)
        code = _ended(pid)
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode("utf-8", "surrogateescape"))
    return {"code": code, "out": texts[0], "err": texts[1]}


def _become(asked: dict[str, Any], out: IO[bytes], err: IO[bytes]) -> None:
    code = 70
    try:
        os.setpgid(0, 0)
        for old, new in ((os.open(os.devnull, os.O_RDONLY), 0), (out.fileno(), 1), (err.fileno(), 2)):
            os.dup2(old, new)
        os.environ.clear()
        os.environ.update(asked["environment"])
        os.chdir(asked["cwd"])
        sys.argv = ["coderag", *asked["arguments"]]
        tempfile.tempdir = None  # it is chosen anew
        if asked.get("program"):
            exec(compile(asked["program"], "<program>", "exec"), {"__name__": "__main__"})
            code = 0
        else:
            code = import_module("coderag.cli.main").run(asked["arguments"])
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:  # noqa: BLE001
        import_module("traceback").print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _ended(pid: int) -> int | None:
    deadline = time.monotonic() + HANGS_AFTER
    while time.monotonic() < deadline:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None


def main() -> None:
    """Serve commands until the input ends."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    for module in PRELOADED:
        import_module(module)
    import_module("coderag.index.workers.readers").warm_up(["a.py", "a.sql", "a.md"])
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
