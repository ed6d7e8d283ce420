"""A plugin of pytest that writes the frames of each failure to the file that FRAMES names, a line of JSON each."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest


def pytest_exception_interact(node: pytest.Item, call: pytest.CallInfo[object]) -> None:
    """Write where the test stands and the frames of what was raised, the innermost first.

    Of an error that the application raises itself there are none: what it stumbled over did not surface there.
    """
    if call.excinfo is None:
        return
    frames = [(str(entry.path), entry.lineno + 1) for entry in reversed(call.excinfo.traceback)]
    own = "site-packages" not in frames[0][0] and call.excinfo.type.__module__ != "builtins"
    title = node.nodeid.partition("::")[2].partition("[")[0].replace("::", ".")
    record = {"path": str(node.path), "title": title, "stacks": [] if own else [frames]}
    with Path(os.environ["FRAMES"]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
