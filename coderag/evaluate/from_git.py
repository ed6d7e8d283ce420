"""A repository's commits to questions: the subject asks, the functions that the commit changed answer.

What changed is found by reading both states of every changed file with coderag's own reader and comparing the text of
its functions, layout aside; the same path and qualified name are then looked up in the index. Such questions are as
noisy as commit messages are, and the index holds what the commits brought: they compare two ways of searching, and
say little of one alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from coderag.api.index import Index
from coderag.errors import EvaluationError, QueryError
from coderag.evaluate.changed import Functions, functions_of
from coderag.evaluate.git import Change, Commit, History
from coderag.evaluate.question import JudgedQuestion, Wanted
from coderag.files.git import Blobs
from coderag.text.subjects import question_of
from coderag.types import Chunk, Kind, Symbol

__all__ = ["GitQuestions", "git_questions"]

MAX_COMMITS = 20_000  # to look at
BATCH = 200  # commits whose files are listed by one git process
MAX_FUNCTIONS = 3  # a commit that changes more is about more than its subject says
MAX_FILES = 30  # code files of a commit; it changes more functions than that anyway
MAX_BLOB_BYTES = 400_000
MAX_STATES = 300  # of files that are remembered
CALLABLE = frozenset({Kind.FUNCTION, Kind.METHOD})
NOTHING = Functions({})


@dataclass(frozen=True, slots=True)
class GitQuestions:
    """Questions from commits, newest first, and how noisy they are."""

    questions: tuple[JudgedQuestion, ...]
    commits: int  # looked at, merges aside
    skipped: Mapping[str, int]  # commits that make no question, by the reason
    targets: int  # functions that the commits with a question or none left changed
    found: int  # of those, how many the index still has at the same path under the same name
    is_shallow: bool = False

    @property
    def used(self) -> float:
        """The share of commits that make a question."""
        return len(self.questions) / self.commits if self.commits else 0.0

    @property
    def survived(self) -> float:
        """The share of changed functions that are still there."""
        return self.found / self.targets if self.targets else 0.0


def git_questions(
    root: Path, index: Index, limit: int, *, since: str = "", max_functions: int = MAX_FUNCTIONS
) -> GitQuestions:
    """Return at most `limit` questions made of the commits of the repository around `root`, newest first.

    `root` is one of the index's roots. With `since`, only commits that this revision does not hold are used.
    Raises EvaluationError when there is no history to read: no repository, a shallow clone of one commit, no git.
    """
    history = History(root)
    commits = history.commits(since=since, most=MAX_COMMITS)
    if not any(commit.parent for commit in commits):
        raise EvaluationError(_no_history(root, history, len(commits), since))
    maker = _Maker(history, index)
    with history.blobs() as blobs:
        states = _States(blobs)
        for with_change in _with_changes(history, commits):
            maker.add(with_change, states, max_functions=max_functions)
            if len(maker.questions) >= limit:
                break
    if history.is_partial and not maker.questions:
        raise EvaluationError(
            f"the clone at {root} lacks the file contents of its commits, and nothing is fetched here; "
            'run "git fetch --refetch --no-filter" first'
        )
    return GitQuestions(
        tuple(maker.questions), maker.seen, dict(maker.skipped), maker.targets, maker.found, history.is_shallow
    )


def _no_history(root: Path, history: History, commits: int, since: str) -> str:
    if history.is_shallow:
        return f'{root} is a shallow clone without earlier commits; run "git fetch --unshallow" first'
    if since:
        return f"{root} has no commit since {since!r} that changes something"
    return f"{root} has {commits} commits, none with one before it; there is nothing to make questions of"


@dataclass(frozen=True, slots=True)
class _Changed:
    commit: Commit
    changes: Sequence[Change]


def _with_changes(history: History, commits: Sequence[Commit]) -> Iterator[_Changed]:
    for start in range(0, len(commits), BATCH):
        batch = commits[start : start + BATCH]
        # Only what may become a question is worth a look at its files.
        asked = [commit for commit in batch if commit.parent and not question_of(commit.subject)[1]]
        changes = history.changes(asked)
        for commit in batch:
            yield _Changed(commit, changes.get(commit.id, ()))


class _Maker:
    """Questions while they are made, and what is counted beside them."""

    def __init__(self, history: History, index: Index) -> None:
        self._prefix = history.prefix
        self._files = _Files(index)
        self._texts: set[str] = set()
        self.questions: list[JudgedQuestion] = []
        self.skipped: Counter[str] = Counter()
        self.seen = self.targets = self.found = 0

    def add(self, one: _Changed, states: _States, *, max_functions: int) -> None:
        """Add the question of a commit, or count why there is none."""
        self.seen += 1
        made = self._question(one, states, max_functions=max_functions)
        if isinstance(made, str):
            self.skipped[made] += 1
            return
        self._texts.add(made.text)
        self.questions.append(made)

    def _question(self, one: _Changed, states: _States, *, max_functions: int) -> JudgedQuestion | str:
        """Return the question that a commit answers, or why it makes none.

        "Fix rounding of totals (#12)", total() changed  -> its text, with the places of total()
        "Merge branch main", or only a README changed    -> the reason
        """
        text, reason = question_of(one.commit.subject)
        if not one.commit.parent:
            return "no commit before it"
        if reason:
            return reason
        if text in self._texts:
            return "same subject as another"
        changes = self._inside(one.changes)
        if not changes:
            return "no code changed"
        if len(changes) > MAX_FILES:
            return "too many files"
        functions = _changed_functions(changes, states)
        if functions is None:
            return "contents not in this clone"
        if not functions:
            return "no function changed"
        functions = [(path, name) for path, name in functions if not self._files.is_test(path)]
        if not functions:
            return "only tests changed"
        if len(functions) > max_functions:
            return f"more than {max_functions} functions"
        targets = [self._files.places(path, name) for path, name in functions]
        present = [places for places in targets if places]
        self.targets += len(targets)
        self.found += len(present)
        if not present:
            return "its functions are gone"
        named = any(re.search(rf"\b{re.escape(_last(name))}\b", text) for _, name in functions)
        kind = "commit that names it" if named else "commit"
        return JudgedQuestion(text, tuple(present), kind=kind, source=one.commit.id[:12])

    def _inside(self, changes: Iterable[Change]) -> list[Change]:
        """Return the changes below the root, with paths relative to it."""
        prefix = self._prefix
        inside = [
            Change(change.path.removeprefix(prefix), change.old, change.new)
            for change in changes
            if change.path.startswith(prefix)
        ]
        return [change for change in inside if self._files.is_code(change.path)]


def _last(name: str) -> str:
    return re.split(r"[.:#/]", name)[-1] or name


def _changed_functions(changes: Sequence[Change], states: _States) -> list[tuple[str, str]] | None:
    """Return path and qualified name of each function that a commit changed or brought; None when contents lack.

    What only moved, from one file or class to another, did not change.
    """
    changed: list[tuple[str, str, bytes]] = []
    gone: set[bytes] = set()
    for change in changes:
        old, new = states.functions(change.old, change.path), states.functions(change.new, change.path)
        if old is None or new is None:
            return None
        changed += [(change.path, name, new.texts[name]) for name in new.changed_since(old)]
        gone |= {text for name, text in old.texts.items() if name not in new.texts}
    return [(path, name) for path, name, text in changed if text not in gone]


class _States:
    """The functions of blobs; what a commit left behind is what the next one found, so the last ones are kept."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._known: dict[tuple[str, str], Functions] = {}

    def functions(self, blob: str, path: str) -> Functions | None:
        """Return the functions of a blob, none of "" or of what is no text; None when the clone lacks it."""
        if not blob:
            return NOTHING
        known = self._known.pop((blob, path), None)
        if known is None:
            data = self._blobs.read(blob, most=MAX_BLOB_BYTES)
            if data is None:
                return None
            known = functions_of(data, path) or NOTHING
        self._known[blob, path] = known
        if len(self._known) > MAX_STATES:
            del self._known[next(iter(self._known))]
        return known


class _Files:
    """What the index holds of files, looked up once for each."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._symbols: dict[str, list[Symbol]] = {}
        self._chunks: dict[str, list[Chunk]] = {}

    def is_code(self, path: str) -> bool:
        """Tell whether functions are read of files that are named like this."""
        from coderag.syntax.language import detect

        language = detect(path)
        return language is not None and language.reader == "outline"

    def is_test(self, path: str) -> bool:
        """Tell whether an indexed file is a test, an example or not written by hand here."""
        chunks = self._of(path)[1]
        return bool(chunks and chunks[0].labels)

    def places(self, path: str, name: str) -> tuple[Wanted, ...]:
        """Return where an indexed file defines a function of a qualified name; overloads are several places."""
        return tuple(
            Wanted(path, symbol.span, name)
            for symbol in self._of(path)[0]
            if symbol.qualified_name == name and symbol.kind in CALLABLE
        )

    def _of(self, path: str) -> tuple[list[Symbol], list[Chunk]]:
        if path not in self._symbols:
            try:
                self._symbols[path], self._chunks[path] = self._index.outline(path), self._index.chunks(path)
            except QueryError:  # not in the index
                self._symbols[path], self._chunks[path] = [], []
        return self._symbols[path], self._chunks[path]
