"""Commands of coderag, each in a process of its own that is a copy of this one: what they import is imported once.

A line of JSON {"name", "arguments", "cwd", "environment", "stdin", "program"} on standard input, a line {"code", "out",
"err"} on standard output; the code is null where the command did not end in time. `name` is what the command is called
by, `program` is Python that is run instead of it. Standard input is a pipe, the other streams are files.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import tempfile
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from types import FrameType
from typing import IO, Any

__all__ = ["HANGS_AFTER"]

HANGS_AFTER = 180  # seconds: a hang, however busy the machine is
CHECKOUT = Path(__file__).resolve().parents[1]
LANGUAGES = ("bash", "go", "javascript", "markdown", "python", "sql", "tsx", "typescript")  # of fixtures/shop
PRELOADED = (
    "coderag.__main__",
    "coderag.api.file_readers",
    "coderag.api.maps",
    "coderag.api.updater",
    "coderag.ask.agentic.stage",
    "coderag.ask.answering",
    "coderag.ask.caching.asking",
    "coderag.ask.pipelines",
    "coderag.ask.settings",
    "coderag.cli.main",
    "coderag.cli.opening",
    "coderag.cli.output.streams",
    "coderag.files.git_scratch",
    "coderag.files.log.log",
    "coderag.graph.build",
    "coderag.graph.queries.answers",
    "coderag.graph.store",
    "coderag.index.build.staleness",
    "coderag.index.catalog.catalog",
    "coderag.index.history.build",
    "coderag.index.history.history",
    "coderag.index.workers.analyze",
    "coderag.index.workers.readers",
    "coderag.relational.database",
    "coderag.search.results.graph_answers",
    "coderag.search.tables.table_filter",
    "coderag.sql.statements.parsing",
    "encodings.ascii",
    "numkong",
)
FOLDERS = ("coderag/cli/commands", "coderag/cli/parser")  # all of whose modules are imported as well


def run(request: dict[str, Any]) -> dict[str, Any]:
    """Run a command and return how it ended and what it printed."""
    with TemporaryFile() as out, TemporaryFile() as err:
        reading, writing = os.pipe()
        if not (pid := os.fork()):
            os.close(writing)
            _become(request, reading, out, err)
        os.close(reading)
        code = _ended(pid, writing, request.get("stdin", "").encode("utf-8", "surrogateescape"))
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode("utf-8", "surrogateescape"))
    return {"code": code, "out": texts[0], "err": texts[1]}


def _become(request: dict[str, Any], stdin: int, out: IO[bytes], err: IO[bytes]) -> None:
    code = 70
    try:
        os.setpgid(0, 0)
        for old, new in ((stdin, 0), (out.fileno(), 1), (err.fileno(), 2)):
            os.dup2(old, new)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        gc.enable()
        os.environ.clear()
        os.environ.update(request["environment"])
        time.tzset()
        os.chdir(request["cwd"])
        sys.argv = [request["name"], *request["arguments"]]
        tempfile.tempdir = None  # it is chosen anew
        if program := request.get("program"):
            exec(compile(program, "<program>", "exec"), {"__name__": "__main__"})
            code = 0
        else:
            import_module("coderag.__main__").program()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:  # noqa: BLE001
        import_module("traceback").print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _ended(pid: int, stdin: int, text: bytes) -> int | None:
    """Write the input of a process, wait for its end, and return its exit code; None after ending one that hangs."""
    is_late = False

    def end(_number: int, _frame: FrameType | None) -> None:
        nonlocal is_late
        is_late = True
        os.killpg(pid, signal.SIGKILL)

    signal.signal(signal.SIGALRM, end)
    signal.alarm(HANGS_AFTER)
    with suppress(BrokenPipeError), open(stdin, "wb") as pipe:  # it need not read
        pipe.write(text)
    _, status = os.waitpid(pid, 0)
    signal.alarm(0)
    return None if is_late else os.waitstatus_to_exitcode(status)


def main() -> None:
    """Serve commands until the input ends."""
    vars(os)["fsync"] = os.fstat  # as in tests/conftest.py
    sys.path.insert(0, str(CHECKOUT))
    found = sorted(f"{folder}/{path.stem}" for folder in FOLDERS for path in (CHECKOUT / folder).glob("[a-z]*.py"))
    for module in (*PRELOADED, *(path.replace("/", ".") for path in found)):
        import_module(module)
    with suppress(ImportError):  # which only some commands need
        import_module("duckdb")
    import_module("coderag.index.workers.readers").warm_up(names=LANGUAGES)
    import_module("coderag.sql.statements.parsing").load_parser()
    gc.disable()
    gc.freeze()  # what there is stays, and is shared as long as nobody looks at it
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
