"""A branch that differs in 500 files, and back: what is read, and how long it takes. And a worktree and a clone."""

from __future__ import annotations

import os
import random
import subprocess
import time
from pathlib import Path

from coderag import Index
from coderag.index.build.build import SHARED_FILES
from scripts.torturing.outcome import Options, Outcome
from scripts.torturing.world import copy_slice

__all__ = ["switch"]

CHANGED = 500
SHARE = 10  # of fewer files, a tenth changes: segments are not yet written anew for what is dead in them
LARGEST_BYTES = 8_000  # of a file: the figures are about how many there are
BESIDES = 0.1  # of the changed files: how many come, and how many go, on the branch
IDENTITY = {"GIT_AUTHOR_NAME": "x", "GIT_AUTHOR_EMAIL": "x@x", "GIT_COMMITTER_NAME": "x", "GIT_COMMITTER_EMAIL": "x@x"}


def switch(options: Options) -> Outcome:
    """Make a repository of two branches, index it, and switch."""
    outcome = Outcome()
    root = options.work / "root"
    paths = copy_slice(options.source, root, files=options.files, seed=options.seed, largest=LARGEST_BYTES)
    changed = min(CHANGED, len(paths) // SHARE)
    _git(root, "init", "--quiet", "--initial-branch=main")
    _commit(root, "all")
    _git(root, "switch", "--quiet", "--create", "other")
    chosen = random.Random(options.seed)
    touched = chosen.sample(paths, changed)
    besides = int(BESIDES * changed)
    for number, path in enumerate(touched):
        if number < besides:
            (root / path).unlink()
        elif number < 2 * besides:
            (root / f"new_{number}.c").write_bytes((root / path).read_bytes() + b"\nint new_one(void);\n")
        else:
            with (root / path).open("ab") as file:
                file.write(b"\nint added_%d(void)\n{\n\treturn %d;\n}\n" % (number, number))
    _commit(root, "other")
    _git(root, "switch", "--quiet", "main")
    index = Index.build(root, index=options.work / "index")
    _tell(outcome, "0 build", index)
    for number, branch in enumerate(("other", "main", "other"), 1):
        time.sleep(1.1)  # git is sure of files only that are older than its index
        started = time.monotonic()
        _git(root, "switch", "--quiet", branch)
        outcome.counts[f"{number} to {branch}: git's seconds"] = round(time.monotonic() - started, 2)
        index.update()
        _tell(outcome, f"{number} to {branch}", index)
        report = index.reports[0]
        # What a branch has of its own leaves the index with it, and comes back from the cache where that is worth it.
        most = changed if number == 1 or (number == 3 and changed < SHARED_FILES) else 0
        outcome.check(report.read <= most, f"switch {number}: {report.read} files read, {most} at most expected")
    index.close()
    _git(root, "worktree", "add", "--quiet", str(options.work / "tree"), "main")
    _git(options.work, "clone", "--quiet", str(root), "clone")
    for name in ("tree", "clone"):
        with Index.ensure(options.work / name) as other:
            _tell(outcome, f"4 {name}", other)
    return outcome


def _tell(outcome: Outcome, what: str, index: Index) -> None:
    report = index.reports[0]
    outcome.counts[f"{what}: files read"] = report.read
    outcome.counts[f"{what}: files reused"] = report.reused
    outcome.counts[f"{what}: files unchanged"] = report.unchanged
    outcome.counts[f"{what}: chunks"] = report.chunks
    outcome.counts[f"{what}: seconds"] = round(report.seconds, 2)


def _commit(root: Path, text: str) -> None:
    _git(root, "add", "--all")
    _git(root, "commit", "--quiet", f"--message={text}")


def _git(folder: Path, *arguments: str) -> None:
    command = ["git", "-c", "core.fsmonitor=false", "-c", "gc.auto=0", *arguments]
    subprocess.run(command, cwd=folder, check=True, env=os.environ | IDENTITY, capture_output=True)
