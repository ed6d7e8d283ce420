"""A repository's history, read by git without running or fetching anything that the repository names."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from coderag.errors import EvaluationError, GitError
from coderag.files.git import Blobs, Git
from coderag.search.query.query import DATE

__all__ = ["Change", "Commit", "History"]

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
        self._git = Git(root, purpose="read the history")
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
        return self._git.blobs()

    def _line(self, *arguments: str, accept: Sequence[int] = (0,)) -> str:
        return os.fsdecode(self._run(*arguments, accept=accept)).rstrip("\n")

    def _run(self, *arguments: str, input: bytes = b"", accept: Sequence[int] = (0,)) -> bytes:
        try:
            return self._git.run(*arguments, input=input, accept=accept)
        except GitError as error:
            raise EvaluationError(str(error)) from None


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


def _whole_date(date: str) -> str:
    """Return a date such as 2025-06 with day and time: git would take those of now."""
    return date if len(date) > len("2025-06-30") else f"{date}{'-01-01'[len(date) - 4 :]}T00:00:00Z"
