"""The questions, their repositories, and the lines that answer each."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

from coderag import Chunk

__all__ = ["HALVES", "Place", "Question", "is_answer", "read_questions", "repositories"]

FOLDER = Path(__file__).parent
HALVES = ("dev", "test")
MOST_AROUND = 3  # times the lines of the answer that a class or module around it may have


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file, 1-based and inclusive."""

    path: str
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and each place that answers it by itself."""

    repository: str
    text: str
    places: tuple[Place, ...]


def repositories(half: str = "") -> dict[str, str]:
    """Return the repositories of a half, or of both, with their revisions, OWNER/NAME@COMMIT by name."""
    known = tomllib.loads((FOLDER / "repositories.toml").read_text(encoding="utf-8"))
    return {
        name: f"{held['source']}@{held['revision']}" for name, held in known.items() if not half or held["half"] == half
    }


def read_questions(repository: str) -> list[Question]:
    """Return the questions about a repository."""
    lines = (FOLDER / "judged" / f"{repository}.jsonl").read_text(encoding="utf-8").splitlines()
    return [
        Question(repository, held["question"], tuple(Place(*place) for place in held["places"]))
        for held in map(json.loads, lines)
    ]


def is_answer(chunk: Chunk, question: Question) -> bool:
    """Tell whether a chunk is an answer: it has lines of a place, and is not much more than that."""
    return any(
        chunk.path == place.path
        and chunk.span.start_line <= place.last_line
        and place.first_line <= chunk.span.end_line
        and len(chunk.span) <= MOST_AROUND * (place.last_line - place.first_line + 1)
        for place in question.places
    )
