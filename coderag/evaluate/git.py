"""A repository's history, read by git without running or fetching anything that the repository names.

Hooks, pagers, filters, textconv, external diffs, signature checks and the file system monitor are programs that a
repository's configuration may name; none of the commands here calls one. Transports are forbidden, so a partial clone
does not fetch what it lacks.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Timer

from coderag.errors import EvaluationError
from coderag.files.git_command import HARMLESS, git_environment
from coderag.search.query.query import DATE

__all__ = ["Blobs", "Change", "Commit", "History"]

SAFE = (*HARMLESS, "-c", "protocol.allow=never", "-c", "log.showSignature=false")
FORCED: Mapping[str, str] = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",  # since git 2.44; before it the forbidden transports have the same effect
}
SECONDS = 120  # that a single git command may take; listing all of the Linux kernel's commits takes 20
REGULAR_FILES = frozenset({"100644", "100755"})  # not links, not submodules
FIELD = "\x1f"
MIN_RAW_FIELDS = 5


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit that is no merge."""

    id: str
    parent: str  # "" for the first one, and where a shallow clone ends
    subject: str
    time: int  # seconds since 1970, when it was committed


@dataclass(frozen=True, slots=True)
class Change:
    """A file that a commit changed, as blobs; a rename is one that went and one that came."""

    path: str  # relative to the root of the repository
    old: str  # "" for a file that came
    new: str  # "" for a file that went


class History:
    """The commits of the repository that a folder is in."""

    def __init__(self, root: Path) -> None:
        """Find the repository; raises EvaluationError when there is none, or git is missing or refuses it."""
        self._root = root
        self.prefix = self._line("rev-parse", "--show-prefix")  # of the folder inside the repository, "" or "a/b/"
        self.is_shallow = self._line("rev-parse", "--is-shallow-repository") == "true"
        self.is_partial = bool(self._line("config", "--get-regexp", r"^remote\..*\.promisor$", accept=(0, 1)))

    def commits(self, *, since: str = "", most: int) -> list[Commit]:
        """Return at most `most` commits that are no merges, newest first.

        `since` is a date (ISO 8601), or a revision: then those that it does not contain.
        """
        if since.startswith("-"):
            raise EvaluationError(f"{since!r} is no revision")
        is_date = DATE.match(since) is not None
        head = [f"{since}..HEAD"] if since and not is_date else ["HEAD"]
        layout = FIELD.join(("%H", "%P", "%ct", "%s"))
        arguments = ("rev-list", "--no-merges", f"--max-count={most}", "--encoding=UTF-8", f"--format=tformat:{layout}")
        after = [f"--since={_whole_date(since)}"] if is_date else []
        text = self._run(*arguments, *after, "--end-of-options", *head, "--").decode("utf-8", "replace")
        return [_commit(line) for line in text.split("\n") if FIELD in line]

    def date_of(self, revision: str) -> str:
        """Return when a revision was committed (ISO 8601, UTC), "" for what is no revision."""
        if revision.startswith("-"):
            return ""
        arguments = ("rev-list", "--max-count=1", "--no-commit-header", "--format=%ct", "--end-of-options")
        seconds = self._line(*arguments, revision, "--", accept=(0, 128))
        return datetime.fromtimestamp(int(seconds), UTC).isoformat() if seconds.isdecimal() else ""

    def changes(self, commits: Sequence[Commit]) -> dict[str, list[Change]]:
        """Return the files that some commits changed, by commit; links and submodules are no files."""
        asked = "".join(f"{commit.id}\n" for commit in commits).encode()
        arguments = ("diff-tree", "--stdin", "--raw", "-r", "-z", "--root", "--no-renames", "--no-abbrev")
        found: dict[str, list[Change]] = {}
        fields = iter(self._run(*arguments, "--no-ext-diff", "--no-textconv", input=asked).split(b"\0"))
        current: list[Change] = []
        for field in fields:
            if not field.startswith(b":"):
                current = found.setdefault(field.decode("ascii", "replace"), [])
                continue
            current += _changes(field.decode("ascii", "replace"), os.fsdecode(next(fields, b"")))
        return found

    def blobs(self) -> Blobs:
        """Return a reader of blobs; use it in a `with` block."""
        return Blobs(self._command("cat-file", "--batch"), git_environment(FORCED))

    def _line(self, *arguments: str, accept: Sequence[int] = (0,)) -> str:
        return os.fsdecode(self._run(*arguments, accept=accept)).rstrip("\n")

    def _run(self, *arguments: str, input: bytes = b"", accept: Sequence[int] = (0,)) -> bytes:
        try:
            done = subprocess.run(
                self._command(*arguments),
                input=input,
                capture_output=True,
                env=git_environment(FORCED),
                timeout=SECONDS,
                check=False,
            )
        except FileNotFoundError:
            raise EvaluationError("git is not installed; it is needed to read a repository's history") from None
        except subprocess.TimeoutExpired:
            raise EvaluationError(f"git {arguments[0]} took more than {SECONDS} s in {self._root}") from None
        if done.returncode not in accept:
            raise EvaluationError(f"git cannot read the history of {self._root}: {self._reason(done.stderr)}")
        return done.stdout

    def _command(self, *arguments: str) -> list[str]:
        return ["git", *SAFE, "-C", str(self._root), *arguments]

    def _reason(self, said: bytes) -> str:
        lines = said.decode("utf-8", "replace").strip().split("\n")
        return next((line for line in lines if line.startswith("fatal:")), lines[0]) or "it failed without a word"


def _commit(line: str) -> Commit:
    identity, parents, seconds, subject = line.split(FIELD, 3)
    return Commit(identity, parents.partition(" ")[0], subject.strip(), int(seconds))


def _changes(raw: str, path: str) -> Iterator[Change]:
    """Yield the change of a record such as `:100644 100644 1a2b 3c4d M` where it is about a regular file."""
    fields = raw[1:].split(" ")
    if len(fields) < MIN_RAW_FIELDS:
        return
    old = fields[2] if fields[0] in REGULAR_FILES else ""
    new = fields[3] if fields[1] in REGULAR_FILES else ""
    if old or new:
        yield Change(path, old, new)


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
            process.stdin.write(f"{blob}\n".encode())
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


def _whole_date(date: str) -> str:
    """Return a date such as 2025-06 with day and time: git would take those of now."""
    return date if len(date) > len("2025-06-30") else f"{date}{'-01-01'[len(date) - 4 :]}T00:00:00Z"
