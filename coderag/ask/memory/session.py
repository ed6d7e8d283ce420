"""A conversation that is kept in a file of the user, line by line JSON: to read, to go on with, to delete.

Format 2 (1 had no summary, and is written where there is none):
  {"format": 1, "session": NAME, "roots": [PATH, ...], "groups": [[GROUP, ...], ...]}     the first line; of those who
                                                            ask a server, also "owner": a hash of their token
  {"pinned": [GLOB, ...]}
  {"summary": TEXT}                                         where there is one, in format 2
  {"question": ..., "read_as": ..., "names": [...], "topic": ..., "shown": [{"repository": ..., "path": ...}, ...]}

The files lie under $XDG_STATE_HOME/coderag/sessions or ~/.local/state/coderag/sessions, in a folder for each set of
roots and of callers' groups, and of each token of a server, so that a conversation of one never answers for another;
the first line says which, and is compared. They are for the user alone to read. They are written whole beside the old
one, under a lock of the folder.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from coderag.ask.memory.conversation import Conversation, Exchange
from coderag.ask.private_files import UnfitFileError, make_folder, open_folder, read_file, write_file
from coderag.ask.records import Answer
from coderag.decoding import converted, json_decoder
from coderag.errors import ConversationError, QueryError
from coderag.limits import GLOB, GLOBS, checked_list
from coderag.record import record
from coderag.resources import user_folder
from coderag.search.query.query import make_query

if TYPE_CHECKING:
    from coderag.api.index import Index
    from coderag.ask.models.model import LanguageModel

__all__ = ["Scope", "Session", "check_session_name", "sessions_of"]

FORMATS = (1, 2)
LONGEST_SUMMARY = 2_000  # characters that are read of one
ENDING = ".jsonl"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
MOST_BYTES = 256_000  # of a file; twenty exchanges take a twentieth of it
LONGEST_QUESTION = 2_000  # characters that are kept of one
MOST_OF_OWNER = 100  # conversations of one who asks a server; the user's own are the user's to delete
LASTING_SECONDS = 7 * 86_400  # that such a one is kept after the last question
DIGEST = 24  # characters of the folder's name


@record
class Scope:
    """Whose conversation it is: the folders that it is about, and the groups of those whom it answers."""

    roots: tuple[str, ...]  # real paths
    groups: tuple[tuple[str, ...], ...] = ()  # of callers, all of whom may see what is answered; (): who sees all
    owner: str = ""  # which of those who ask a server; "": the user

    @classmethod
    def of(cls, roots: Iterable[Path], callers: Iterable[frozenset[str]] = (), *, owner: str = "") -> Scope:
        """Return the scope of some roots and callers, in whatever order they are given."""
        groups = sorted({tuple(sorted(caller)) for caller in callers})
        return cls(tuple(sorted(os.path.realpath(root) for root in roots)), tuple(groups), owner)

    @property
    def folder(self) -> Path:
        """The folder of its conversations; raises ConversationError where that is in one of the roots."""
        try:
            base = user_folder("XDG_STATE_HOME", ".local/state") / "sessions"
        except FileNotFoundError as error:
            raise ConversationError("there is no place for conversations; set HOME or XDG_STATE_HOME") from error
        for root in self.roots:
            if Path(os.path.realpath(base)).is_relative_to(root):
                raise ConversationError(
                    f"conversations would lie in {base}, inside the indexed folder {root}; set XDG_STATE_HOME to a "
                    "folder outside"
                )
        whose = [self.roots, self.groups, *([self.owner] if self.owner else [])]
        data = json.dumps(whose).encode("utf-8", "surrogatepass")
        return base / sha256(data).hexdigest()[:DIGEST]


@record
class Session:
    """A conversation by its name, in the folder of its scope; nothing is read or written before it is asked for."""

    name: str
    scope: Scope

    @classmethod
    def named(cls, name: str, scope: Scope) -> Session:
        """Return the session of a name; raises QueryError for anything else."""
        check_session_name(name)
        return cls(name, scope)

    @property
    def path(self) -> Path:
        """The file, which need not exist; raises ConversationError."""
        return self.scope.folder / f"{self.name}{ENDING}"

    def read(self) -> Conversation:
        """Return the conversation, an empty one where there is no file; raises ConversationError."""
        try:
            folder = _opened(self.scope.folder)
        except FileNotFoundError:
            return Conversation()
        try:
            return self._read(folder)
        finally:
            os.close(folder)

    def add(self, answer: Answer, index: Index, *, model: str | LanguageModel = "") -> None:
        """Add a question and what its answer showed; raises ConversationError.

        Where there are too many, `model` sums the oldest up before they are forgotten; where it fails, they just are.
        """
        before = self.read()
        summary = _summary(before, model) if model and before.is_full else ""

        def changed(now: Conversation) -> Conversation:
            condensed = now.condensed(summary) if summary and now == before else now
            return condensed.after(answer, index)

        self._change(changed)

    def pin(self, paths: Sequence[str], index: Index) -> None:
        """Let every question look into the files that match globs, the newest last.

        Raises QueryError for one that no indexed file matches, and ConversationError.
        """
        globs = checked_list(GLOBS, paths, name="paths", item=GLOB)
        for glob in globs:
            if not index.files(make_query("-", paths=[glob])):
                raise QueryError(f"no indexed file matches {glob!r}, which is to be pinned")
        if globs:
            self._change(lambda one: replace(one, pinned=tuple(dict.fromkeys((*one.pinned, *globs)))))

    def unpin(self, paths: Sequence[str]) -> None:
        """Undo `pin` for globs as they were given; raises QueryError for one that is not pinned, ConversationError."""
        if not paths:
            return
        pinned = self.read().pinned
        if missing := [path for path in paths if path not in pinned]:
            known = f"pinned are {', '.join(pinned)}" if pinned else "nothing is"
            raise QueryError(f"{missing[0]!r} is not pinned in the session {self.name!r}; {known}")
        self._change(lambda one: replace(one, pinned=tuple(path for path in one.pinned if path not in paths)))

    def delete(self) -> bool:
        """Remove the file, damaged or not, and tell whether there was one; raises ConversationError."""
        try:
            with self._locked() as folder:
                os.unlink(self.path.name, dir_fd=folder)
        except FileNotFoundError:
            return False
        return True

    def _change(self, changed: Callable[[Conversation], Conversation]) -> None:
        self._make_folder()
        with self._locked() as folder:
            self._write(changed(self._read(folder)), folder)
            if self.scope.owner:
                _remove_old(folder)

    def _make_folder(self) -> None:
        folder = self.scope.folder
        try:
            make_folder(folder)
        except OSError as error:
            raise ConversationError(f"{folder} cannot be made: {error.strerror}; set XDG_STATE_HOME") from error

    @contextmanager
    def _locked(self) -> Iterator[int]:
        """Open the folder and keep other processes from writing into it."""
        folder = _opened(self.scope.folder)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield folder
        finally:
            os.close(folder)

    def _read(self, folder: int) -> Conversation:
        data = self._bytes(folder)
        if data is None:
            return Conversation()
        lines = [line for line in data.split(b"\n") if line.strip()]
        self._check_head(self._table(lines[0], 1) if lines else {})
        conversation = Conversation()
        for number, line in enumerate(lines[1:], 2):
            table = self._table(line, number)
            try:
                if "summary" in table:
                    summary = converted(table["summary"], str)[:LONGEST_SUMMARY]
                    conversation = replace(conversation, summary=summary)
                elif "pinned" in table:
                    conversation = replace(conversation, pinned=converted(table["pinned"], tuple[str, ...]))
                else:
                    exchange = converted(table, Exchange)
                    conversation = replace(conversation, exchanges=(*conversation.exchanges, exchange))
            except (msgspec.ValidationError, TypeError) as error:
                raise self._damaged(f"line {number}: {error}") from error
        return conversation

    def _bytes(self, folder: int) -> bytes | None:
        if self.scope.owner and self.path.name not in _living(folder):
            return None
        try:
            return read_file(folder, self.path.name, most_bytes=MOST_BYTES)
        except UnfitFileError as error:
            raise self._damaged(str(error)) from error

    def _table(self, line: bytes, number: int) -> Mapping[str, Any]:
        try:
            table = json_decoder(dict[str, Any]).decode(line)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise self._damaged(f"line {number}: {error}") from error
        return table

    def _check_head(self, head: Mapping[str, Any]) -> None:
        if (number := head.get("format")) not in FORMATS:
            raise self._damaged(f"its format is {number}, this version reads up to {FORMATS[-1]}")
        if head != self._head(FORMATS[-1]) | {"format": number}:
            raise self._damaged("its first line is of another session, other folders or other groups")

    def _head(self, number: int) -> dict[str, Any]:
        scope = self.scope
        groups = [list(group) for group in scope.groups]
        owner = {"owner": scope.owner} if scope.owner else {}
        return {"format": number, "session": self.name, "roots": list(scope.roots), "groups": groups, **owner}

    def _damaged(self, why: str) -> ConversationError:
        return ConversationError(
            f"the session {self.name!r} in {self.path} cannot be read: {why}; correct the file, or run "
            f'"coderag sessions delete {self.name}"'
        )

    def _write(self, conversation: Conversation, folder: int) -> None:
        """Replace the file; of two that write at once, the other one waits for the lock."""
        summary = [{"summary": conversation.summary}] if conversation.summary else []
        lines: list[object] = [self._head(FORMATS[bool(summary)]), {"pinned": conversation.pinned}, *summary]
        first = len(lines)
        lines += [_bounded(exchange) for exchange in conversation.exchanges]
        while sum(len(msgspec.json.encode(line)) + 1 for line in lines) > MOST_BYTES and len(lines) > first:
            del lines[first]
        data = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
        try:
            write_file(folder, self.path.name, data)
        except OSError as error:
            raise ConversationError(f"{self.path} cannot be written: {error.strerror}") from error


def _summary(conversation: Conversation, model: str | LanguageModel) -> str:
    """Return what a model says of the oldest exchanges, "" if it cannot."""
    from coderag.ask.memory.summarising import summarised
    from coderag.ask.models.http_model import open_model

    return summarised(conversation, open_model(model) if isinstance(model, str) else model)


def check_session_name(name: str) -> None:
    """Raise QueryError for what may not name a session."""
    if not NAME.fullmatch(name):
        raise QueryError(
            f"{name[:100]!r} is no name of a session; use up to 64 letters, digits, '.', '_' and '-', and begin with a "
            "letter or digit"
        )


def sessions_of(scope: Scope) -> list[Session]:
    """Return the sessions of some roots and callers by name; raises ConversationError."""
    try:
        folder = _opened(scope.folder)
    except FileNotFoundError:
        return []
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208 - of an open folder
    finally:
        os.close(folder)
    stems = (name.removesuffix(ENDING) for name in names if name.endswith(ENDING))
    return [Session(name, scope) for name in stems if NAME.fullmatch(name)]


def _living(folder: int) -> list[str]:
    """Return the files of conversations that may be gone on with, the newest first."""
    now = time.time()
    found: list[tuple[float, str]] = []
    for name in os.listdir(folder):
        with suppress(FileNotFoundError):  # another process removed it
            changed = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime
            if name.endswith(ENDING) and now - changed < LASTING_SECONDS:
                found.append((changed, name))
    return [name for _, name in sorted(found, reverse=True)[:MOST_OF_OWNER]]


def _remove_old(folder: int) -> None:
    """Remove the conversations of a server's caller that are too many or too old."""
    living = set(_living(folder))
    for name in os.listdir(folder):
        if name.endswith(ENDING) and name not in living:
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)


def _opened(path: Path) -> int:
    """Return a handle of a folder; raises ConversationError, and FileNotFoundError where there is none."""
    try:
        return open_folder(path)
    except UnfitFileError as error:
        raise ConversationError(f"conversations cannot be kept: {error}") from error


def _bounded(exchange: Exchange) -> Exchange:
    """Return an exchange whose texts are no longer than anybody needs to recall it."""
    return replace(
        exchange,
        question=exchange.question[:LONGEST_QUESTION],
        read_as=exchange.read_as[:LONGEST_QUESTION],
        topic=exchange.topic[:LONGEST_QUESTION],
    )
