"""`coderag` with tools that do, for some queries, what no tool should: for tests of the server around them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from typing import Any

from coderag.__main__ import program
from coderag.serve import tools
from coderag.serve.answer import Answer
from coderag.serve.workspace import Workspace


def call(workspace: Workspace, name: str, arguments: Mapping[str, Any], **more: Any) -> Answer:
    """Answer as the tools do, but for some queries."""
    match arguments.get("query"):
        case "crash":
            raise ZeroDivisionError("some secret")
        case "hang":
            threading.Event().wait()
        case "print":
            print("printed", flush=True)
            os.write(1, b"written\n")
            subprocess.run(["echo", "echoed"], check=True)
            subprocess.run(["cat"], check=True)  # ends at once where standard input is empty
        case "half a pair":
            return Answer("name \udcff", {"name": ["\udcff"]})
    return real_call(workspace, name, arguments, **more)


real_call, tools.call = tools.call, call
from coderag.serve.mcp import calls  # noqa: E402 - it imports the function that is now in its place

calls.LONGEST_SECONDS = float(os.environ.get("LONGEST_SECONDS", calls.LONGEST_SECONDS))
if "NO_PIDFD" in os.environ:
    del os.pidfd_open
if __name__ == "__main__":
    sys.argv[0] = "coderag"
    program()
