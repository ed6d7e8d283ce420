"""A folder in a git repository to the commits that made its files what they are.

Commits are listed in the repository, by commands that run nothing; what they changed is computed in a scratch
repository (coderag.files.git_scratch), and nothing is fetched. What that takes is bounded in commits, bytes and time.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Timer

from coderag.errors import GitError
from coderag.files.git import Git
from coderag.files.git_scratch import scratch_repository
from coderag.files.log.patches import LINE_BYTES, read_patches
from coderag.files.log.records import Commit, Patch

__all__ = ["MAX_COMMITS", "GitLog"]

PURPOSE = "read the history"
MAX_COMMITS = 2_000
MAX_STARTS = 50  # of git, which ends at what a clone lacks
MAX_FILES = 500  # of a commit; one that changes more says nothing of any
LIST_BYTES = 64 << 20  # of the commits, the files of a tree, the files of all commits
PATCH_BYTES = 512 << 20  # of all patches; what is beyond has no lines
PATCH_SECONDS = 120.0
BLOCK_BYTES = 1 << 16
SUBJECT_COLUMNS = 300
FIELD = "\x1f"
LAYOUT = FIELD.join(("%H", "%P", "%ct", f"%<({SUBJECT_COLUMNS},trunc)%an", f"%<({SUBJECT_COLUMNS},trunc)%s"))
MERGED = 2  # parents of a merge
DIFF = ("diff-tree", "--stdin", "--raw", "-r", "-z", "-c", "--root", "--no-ext-diff", "--no-textconv", "--no-abbrev")
LINES = ("-p", "-U0", "-M", "-l400", "--full-index", "--no-color", "--src-prefix=a/", "--dst-prefix=b/")
ENTRY_FIELDS = 3


class GitLog:
    """The history of the repository that a folder is in, as its HEAD has it, or another revision."""

    def __init__(self, root: Path, *, revision: str = "HEAD") -> None:
        """Find the repository and the commit; raises GitError where there is none, or git is missing or refuses it."""
        self._git = Git(root, purpose=PURPOSE)
        self.prefix = self._git.line("rev-parse", "--show-prefix")  # of the folder in the repository, "" or "a/b/"
        self.head = self._git.line("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        self.is_shallow = self._git.line("rev-parse", "--is-shallow-repository") == "true"

    def files(self) -> dict[str, str]:
        """Return the blob of each file below the folder; raises GitError."""
        below = [f"{self.head}:{self.prefix.rstrip('/')}"] if self.prefix else [self.head]
        listing = self._limited("ls-tree", "-r", "-z", "--full-tree", *below)
        blobs = {}
        for record in listing.split(b"\0"):
            fields, _, path = record.partition(b"\t")
            modes = fields.decode("ascii", "replace").split(" ")
            if len(modes) == ENTRY_FIELDS and modes[1] == "blob":
                blobs[os.fsdecode(path)] = modes[2]
        return blobs

    def contains(self, commit: str) -> bool:
        """Tell whether a commit is the one of this history, or before it."""
        try:
            self._git.run("merge-base", "--is-ancestor", commit, self.head)
        except GitError:
            return False
        return True

    def commits(self, *, since: str = "", most: int = MAX_COMMITS) -> list[Commit]:
        """Return at most `most` commits that touch the folder, and the merges between, newest first; raises GitError.

        With `since`, only those that this commit does not contain. Where a shallow clone ends, there is none.
        """
        revisions = [f"{since}..{self.head}"] if since else [self.head]
        below = (
            ["--full-history", "--end-of-options", *revisions, "--", f":(top,literal){self.prefix}"]
            if self.prefix
            else [*revisions, "--"]
        )
        listing = self._limited(
            *("rev-list", f"--max-count={2 * most}", "--encoding=UTF-8", f"--format=tformat:{LAYOUT}"),
            *below,
        )
        lines = listing.decode("utf-8", "replace").split("\n")
        commits = [_commit(line) for line in lines if FIELD in line]
        plain = [number for number, commit in enumerate(commits) if commit.parents < MERGED]
        last = plain[most] if len(plain) > most else len(commits)
        return [commit for commit in commits[:last] if commit.parents or not self.is_shallow]

    def patches(self, commits: Sequence[Commit]) -> Iterator[Patch]:
        """Yield what some commits changed, in their order, as far as time and bytes go.

        Of a commit that git cannot read, as the clone lacks a file of it, there is a part or nothing. Raises GitError.
        """
        with scratch_repository(self._git, purpose=PURPOSE) as scratch:
            sizes = _sizes(scratch, commits)
            small = [commit for commit in commits if 0 < sizes[commit.id] <= MAX_FILES]
            below = [f"--relative={self.prefix}"] if self.prefix else []
            arguments = [*DIFF, *LINES, *below]
            at, deadline = 0, time.monotonic() + PATCH_SECONDS
            numbers = {commit.id: number for number, commit in enumerate(small)}
            for _ in range(MAX_STARTS):
                begun = at
                with _output(scratch, arguments, small[at:], deadline=deadline) as read:
                    for patch in read_patches(partial(read, LINE_BYTES)):
                        at = numbers.get(patch.commit, at) + 1
                        yield patch
                if at >= len(small) or time.monotonic() > deadline:
                    return
                at += at == begun  # git ended at this commit, as the clone lacks a file of it

    def _limited(self, *arguments: str) -> bytes:
        output = self._git.limited(*arguments, most=LIST_BYTES)
        if output is None:
            raise GitError(f"git {arguments[0]} prints more than {LIST_BYTES:,} bytes in {self._git.root}")
        return output


def _commit(line: str) -> Commit:
    identity, parents, seconds, author, subject = line.split(FIELD, 4)
    return Commit(identity, int(seconds), author.strip(), subject.strip(), len(parents.split()))


def _sizes(scratch: Git, commits: Sequence[Commit]) -> Counter[str]:
    """Return how many files each commit changed, which takes a look at trees only; what lacks counts as none."""
    sizes: Counter[str] = Counter()
    with _output(scratch, [*DIFF, "--no-renames"], commits, deadline=time.monotonic() + PATCH_SECONDS) as read:
        current, is_path = "", False
        for field in _fields(read):
            if is_path:
                is_path = False
            elif field.startswith(b":"):
                sizes[current] += 1
                is_path = True
            else:
                current = field.decode("ascii", "replace")
    return sizes


def _fields(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """Yield what stands before each NUL; the rest of an endless one is dropped."""
    rest = b""
    while (block := read(BLOCK_BYTES)) and len(rest) < LIST_BYTES:
        *whole, rest = (rest + block).split(b"\0")
        yield from whole


@contextmanager
def _output(
    scratch: Git, arguments: Sequence[str], commits: Sequence[Commit], *, deadline: float
) -> Iterator[Callable[[int], bytes]]:
    """Give what reads the next line, or piece of it, that a command prints of some commits.

    It reads b"" when the command ended, or has taken all the time or bytes that it may.
    """
    with tempfile.TemporaryFile() as asked:
        asked.write("".join(f"{commit.id}\n" for commit in commits).encode())
        asked.seek(0)
        process = subprocess.Popen(
            scratch.command(*arguments),
            stdin=asked,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=scratch.environment(),
        )
    limit = Timer(deadline - time.monotonic(), process.kill)
    limit.start()
    try:
        assert process.stdout is not None
        stdout, left = process.stdout, PATCH_BYTES

        def read(most: int) -> bytes:
            nonlocal left
            line: bytes = stdout.readline(most) if left > 0 else b""
            left -= len(line)
            return line

        yield read
    finally:
        limit.cancel()
        process.kill()
        process.communicate()
