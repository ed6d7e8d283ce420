"""What is asked of a root: given questions, and a sample of its own names that is the same each time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

__all__ = ["Questions", "Sample", "pick", "read_questions", "spoken"]

WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Questions:
    """Questions about code and about data."""

    code: tuple[str, ...] = ()
    data: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """Names of a root, and the questions that are asked of it."""

    questions: Questions
    symbols: tuple[str, ...]  # qualified names
    files: tuple[str, ...]
    tables: tuple[str, ...]
    columns: tuple[str, ...]  # table.column
    routes: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]  # of which one leads to the other
    queries: tuple[str, ...]  # SQL, right and wrong
    judged: tuple[tuple[str, str], ...]  # questions, each with the path that answers it


def read_questions(files: Iterable[Path]) -> Questions:
    """Return the questions of JSON lines: a "query" is one about code, a "question" one about data."""
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    records = [json.loads(line) for line in lines]
    return Questions(
        tuple(record["query"] for record in records if "query" in record),
        tuple(record["question"] for record in records if "question" in record),
    )


def pick(items: Sequence[Item], count: int, *, salt: str = "") -> tuple[Item, ...]:
    """Return some of the items: those whose hashes are least, so that few change where an item comes or goes."""
    known = dict.fromkeys(items)
    return tuple(sorted(known, key=lambda item: sha256(f"{salt}{item}".encode("utf-8", "replace")).digest())[:count])


def spoken(name: str) -> str:
    """Return a name in words: `PaymentRetrier.retry_failed` is "payment retrier retry failed"."""
    return " ".join(WORD.findall(name)).lower()
