"""git, run without running or fetching anything that a repository names.

Hooks, pagers, filters, textconv, external diffs, signature checks and the file system monitor are programs that a
repository's configuration may name. Whoever uses this calls only commands that run none of them; transports are
forbidden, so a partial clone does not fetch what it lacks.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from threading import Timer

from coderag.errors import GitError
from coderag.files.git_command import HARMLESS, git_environment

__all__ = ["Blobs", "Git", "is_in_repository", "repository_of_worktree"]

SAFE = (*HARMLESS, "-c", "protocol.allow=never", "-c", "log.showSignature=false")
FORCED: Mapping[str, str] = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",  # since git 2.44; before it the forbidden transports have the same effect
}
LONGEST_POINTER = 8_192  # bytes of a .git file
SECONDS = 120  # that a single git command may take; listing all of the Linux kernel's commits takes 20


class Git:
    """The repository that a folder is in, or that a folder of git's own state is."""

    def __init__(self, root: Path, *, purpose: str, bare: bool = False) -> None:
        """Run commands in a folder; messages say that git cannot do the `purpose`."""
        self.root = root
        self._purpose = purpose
        self._place = ["--git-dir", str(root)] if bare else ["-C", str(root)]

    def line(self, *arguments: str, accept: Sequence[int] = (0,)) -> str:
        """Return the output of a command without the line end; raises GitError."""
        return os.fsdecode(self.run(*arguments, accept=accept)).rstrip("\n")

    def run(self, *arguments: str, input: bytes = b"", accept: Sequence[int] = (0,)) -> bytes:
        """Return the output of a command.

        Raises GitError when git is missing, takes too long, or ends with a code that is not accepted.
        """
        try:
            done = subprocess.run(
                self.command(*arguments),
                input=input,
                capture_output=True,
                env=self.environment(),
                timeout=SECONDS,
                check=False,
            )
        except FileNotFoundError:
            raise GitError(f"git is not installed; it is needed to {self._purpose}") from None
        except subprocess.TimeoutExpired:
            raise GitError(f"git {arguments[0]} took more than {SECONDS} s in {self.root}") from None
        if done.returncode not in accept:
            raise GitError(f"git cannot {self._purpose} of {self.root}: {_reason(done.stderr)}")
        return done.stdout

    def limited(self, *arguments: str, most: int) -> bytes | None:
        """Return the output of a command, None if it has more than `most` bytes; raises GitError."""
        with subprocess.Popen(
            self.command(*arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self.environment(),
        ) as process:
            limit = Timer(SECONDS, process.kill)
            limit.start()
            try:
                assert process.stdout is not None
                output: bytes = process.stdout.read(most + 1)
            finally:
                limit.cancel()
            if len(output) > most:
                process.kill()
                return None
        if process.returncode:
            raise GitError(f"git {arguments[0]} failed in {self.root}")
        return output

    def command(self, *arguments: str) -> list[str]:
        """Return the whole command line of a command."""
        return ["git", *SAFE, *self._place, *arguments]

    def environment(self) -> dict[str, str]:
        """Return the environment of a command."""
        return git_environment(FORCED)

    def blobs(self) -> Blobs:
        """Return a reader of blobs; use it in a `with` block."""
        return Blobs(self.command("cat-file", "--batch"), self.environment())


def is_in_repository(root: Path) -> bool:
    """Tell whether a folder is in what looks like a work tree, without git, which may still refuse it."""
    return any((folder / ".git").exists() for folder in (root, *root.parents))


def repository_of_worktree(root: Path) -> str:
    """Return what the folder of a repository is called, of which `git worktree add` made this work tree; else "".

    /opt/app/.git/worktrees/fix in its .git file gives "app", and so does /srv/app.git/worktrees/fix. git is not asked.
    """
    try:
        with (root / ".git").open("rb") if (root / ".git").is_file() else BytesIO() as file:
            pointer = file.read(LONGEST_POINTER).decode()
    except (OSError, UnicodeDecodeError):
        return ""
    place = Path(pointer.removeprefix("gitdir:").strip())
    if not pointer.startswith("gitdir:") or place.parent.name != "worktrees":
        return ""
    common = place.parent.parent
    return common.parent.name if common.name == ".git" else common.name.removesuffix(".git")


class Blobs:
    """A process that gives the bytes of blobs, one after the other."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._command = command
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Blobs:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def read(self, blob: str, *, most: int) -> bytes | None:
        """Return the bytes of a blob; None when the clone lacks it, b"" when it has more than `most`."""
        process = self._started()
        limit = Timer(SECONDS, process.kill)
        limit.start()
        try:
            return self._read(process, blob, most=most)
        finally:
            limit.cancel()

    def _read(self, process: subprocess.Popen[bytes], blob: str, *, most: int) -> bytes | None:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(os.fsencode(f"{blob}\n"))
            process.stdin.flush()
        except BrokenPipeError:
            self._stop()
            return None
        head = process.stdout.readline().split()
        if len(head) != 3 or head[1] != b"blob":  # "... missing", or the process died asking for it
            self._stop()
            return None
        size = int(head[2])
        if size > most:
            self._stop()
            return b""
        data = process.stdout.read(size + 1)
        return data[:size]

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=dict(self._environment),
            )
        return self._process

    def _stop(self) -> None:
        if self._process is None:
            return
        self._process.kill()
        self._process.communicate()
        self._process = None


def _reason(said: bytes) -> str:
    """Return the line in which git says what is wrong."""
    lines = said.decode("utf-8", "replace").strip().split("\n")
    return next((line for line in lines if line.startswith("fatal:")), lines[0]) or "it failed without a word"
