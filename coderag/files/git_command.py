"""What every call of git is given, so that nothing of a repository, and nothing inherited, decides what git runs."""

from __future__ import annotations

import os
from collections.abc import Mapping

__all__ = ["HARMLESS", "git_environment"]

# Hooks, pagers, the file system monitor and maintenance are programs that a configuration may name.
HARMLESS = (
    *("--no-pager", "--no-replace-objects", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}"),
    *("-c", "gc.auto=0", "-c", "maintenance.auto=false"),
)
# These would point git at another repository: a hook that runs coderag inherits them.
MISLEADING = frozenset(
    {
        *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_PREFIX"),
        *("GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_TEMPLATE_DIR"),
    }
)
FORCED: Mapping[str, str] = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


def git_environment(forced: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a git command: that of the user, less what misleads it, and what is forced."""
    inherited = {name: value for name, value in os.environ.items() if name not in MISLEADING}
    return {**inherited, **FORCED, **forced}
