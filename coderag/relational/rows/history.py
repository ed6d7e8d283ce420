"""Histories to the rows of `commits` and `changes`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from coderag.index.history.history import History
from coderag.relational.rows.arrays import Columns, nullable, texts
from coderag.relational.rows.files import FileNumbers

__all__ = ["change_columns", "commit_columns"]

NOTHING_LEFT = ((0, 0),)  # the lines of a change of which nothing is left


def commit_columns(histories: Mapping[str, History]) -> Columns:
    """Return the columns of `commits`."""
    found = [
        (repository, history.commit(number))
        for repository, history in histories.items()
        for number in range(len(history))
    ]
    commits = [commit for _, commit in found]
    return {
        "repository": texts([repository for repository, _ in found]),
        "commit_id": texts([commit.id for commit in commits]),
        "time": np.array([commit.time for commit in commits], "datetime64[s]").astype("datetime64[us]"),
        "author": texts([commit.author for commit in commits]),
        "subject": texts([commit.subject for commit in commits]),
        "changed_files": np.array([commit.files for commit in commits], np.int32),
        "changed_lines": np.array([commit.lines for commit in commits], np.int64),
    }


def change_columns(histories: Mapping[str, History], files: FileNumbers) -> Columns:
    """Return the columns of `changes`."""
    changes = [row for repository, history in histories.items() for row in _changes(repository, history)]
    file_id = np.array([files.by_place.get((repository, path), 0) for repository, _, path, *_ in changes], np.int32)
    first = np.array([row[3] for row in changes], np.int32)
    last = np.array([row[4] for row in changes], np.int32)
    return {
        "repository": texts([row[0] for row in changes]),
        "commit_id": texts([row[1] for row in changes]),
        "file_id": nullable(file_id, file_id == 0),
        "path": texts([row[2] for row in changes]),
        "start_line": nullable(first, first < 1),
        "end_line": nullable(last, first < 1),
    }


def _changes(repository: str, history: History) -> Iterator[tuple[str, str, str, int, int]]:
    """Yield each run of lines that is left of a commit's change of a file."""
    ids = [bytes(array).hex() for array in history.arrays["commit_id"]]
    for path in history.paths.all():
        for change in history.of_file(path):
            for first, last in change.spans or NOTHING_LEFT:
                yield repository, ids[change.commit], path, first, last
