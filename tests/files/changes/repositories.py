"""Real git repositories on disk."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.workspace import write

__all__ = ["ENVIRONMENT", "commit", "git", "repository"]

ENVIRONMENT = {
    **os.environ,
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}


def git(root: Path, *arguments: str) -> str:
    """Return what a command of git says in a repository."""
    done = subprocess.run(["git", "-C", str(root), *arguments], env=ENVIRONMENT, capture_output=True, check=True)
    return done.stdout.decode().strip()


def repository(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Return a new repository with some files in its first commit."""
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "-q", "-b", "main")
    commit(root, files, "first")
    return root


def commit(root: Path, files: Mapping[str, str | bytes], message: str = "more") -> str:
    """Write files, commit all that changed, and return the commit."""
    write(root, files)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", message)
    return git(root, "rev-parse", "HEAD")
