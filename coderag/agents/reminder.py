"""What an agent's hook is told about a tool call to a reminder, after three searches by grep without one by coderag.

A hook runs after each call, so nothing here is slow to import, and the counter is the size of a file.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from coderag.resources import user_folder

__all__ = ["reminder"]

SEARCHES = 3  # until there is a reminder
OLD = 86_400  # seconds after which the counter of a session is removed
MOST_SWEPT = 1_000  # counters
SEARCH_TOOLS = frozenset("grep glob grep_search search_file_content file_search find_files list_files".split())
SEARCH_PROGRAMS = frozenset("grep egrep fgrep rg ag ack find fd".split())
SHELLS = frozenset("bash sh zsh".split())
STEPS = re.compile(r"&&|\|\||;|\n")  # between pipelines
ASSIGNMENT = re.compile(r"[A-Za-z_]\w{0,100}=")
REMINDER = (
    f"{SEARCHES} searches by grep in a row. coderag answers from an index of this repository, functions and tables "
    'first: the MCP tool `search`, or `coderag search "what the code does"`; `coderag refs TARGET` for callers; '
    '`coderag schema "question"` for tables. Grep is for each occurrence of a literal text.'
)


def reminder(data: bytes, environment: Mapping[str, str] = os.environ) -> str:
    """Return what to print for a call that an agent describes in JSON, "" for nothing.

    Raises ValueError, OSError and their like for a description or a counter that cannot be read.
    """
    call = json.loads(data)
    session = str(_first(call, "session_id", "sessionId", "conversation_id") or "")
    tool = str(_first(call, "tool_name", "toolName") or "").lower()
    commands = _commands(_first(call, "tool_input", "toolInput", "toolArgs"))
    counter = user_folder("XDG_CACHE_HOME", ".cache", environment) / "reminders" / sha256(session.encode()).hexdigest()
    if "coderag" in tool or "coderag" in commands:
        counter.unlink(missing_ok=True)
        return ""
    if not (tool in SEARCH_TOOLS or SEARCH_PROGRAMS.intersection(commands)):
        return ""
    if _counted(counter) < SEARCHES:
        return ""
    counter.unlink(missing_ok=True)
    event = str(_first(call, "hook_event_name", "hookEventName") or "PostToolUse")
    answer: dict[str, Any] = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": REMINDER}}
    if "toolName" in call:  # GitHub Copilot
        answer["additionalContext"] = REMINDER
    return json.dumps(answer)


def _first(table: Any, *names: str) -> Any:
    return next((table[name] for name in names if name in table), None) if isinstance(table, dict) else None


def _commands(given: Any) -> set[str]:
    """Return the programs that a shell command begins with; what filters another's output is not one."""
    if isinstance(given, str):
        with suppress(ValueError):
            given = json.loads(given)
    line = _first(given, "command", "cmd")
    if isinstance(line, list):
        words = [str(word) for word in line]
        line = words[-1] if words and Path(words[0]).name in SHELLS else " ".join(words)
    names = set()
    for step in STEPS.split(line if isinstance(line, str) else ""):
        words = step.split()
        while words and (ASSIGNMENT.match(words[0]) or words[0] in {"sudo", "time", "command"}):
            words.pop(0)
        if words[:2] == ["git", "grep"]:
            words = words[1:]
        if words:
            names.add(Path(words[0]).name)
    return names


def _counted(counter: Path) -> int:
    """Count one search more and return how many there are; several hooks may run at once."""
    counter.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(counter, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        os.write(handle, b".")
        count = os.fstat(handle).st_size
    finally:
        os.close(handle)
    if count == 1:
        _sweep(counter.parent)
    return count


def _sweep(folder: Path) -> None:
    with os.scandir(folder) as entries:
        for entry, _ in zip(entries, range(MOST_SWEPT), strict=False):
            with suppress(OSError):
                if entry.stat(follow_symlinks=False).st_mtime < time.time() - OLD:
                    Path(entry.path).unlink()
