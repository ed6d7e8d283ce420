"""A repository to an empty one that borrows its objects, and knows nothing of its configuration and attributes.

What git computes there runs no filter, no driver and no program that the real one names.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from coderag.files.git import Git

__all__ = ["scratch_repository"]


@contextmanager
def scratch_repository(git: Git, *, purpose: str) -> Iterator[Git]:
    """Give an empty repository that borrows the objects of another one; raises GitError."""
    objects = os.path.realpath(git.root / git.line("rev-parse", "--git-path", "objects"))
    form = git.line("rev-parse", "--show-object-format")
    with tempfile.TemporaryDirectory(prefix="coderag-") as folder:
        made = Git(Path(folder), purpose=purpose, bare=True)
        made.run("init", "--quiet", "--bare", "--template=", f"--object-format={form}")
        info = Path(folder) / "objects/info"
        info.mkdir(exist_ok=True)
        (info / "alternates").write_bytes(os.fsencode(objects) + b"\n")
        yield made
