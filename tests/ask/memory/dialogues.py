"""Two-turn dialogues, half of which must not change, and how many of them are read as they are meant."""

from __future__ import annotations

import json
from dataclasses import dataclass

from coderag import Index
from coderag.ask.memory.conversation import Conversation
from tests.workspace import REPOSITORY

__all__ = ["Score", "readings", "score"]

DIALOGUES = REPOSITORY / "fixtures/ask/dialogues.jsonl"


@dataclass(frozen=True)
class Score:
    """Of questions that were read anew, and of those that had to be: the share that is right."""

    precision: float
    recall: float
    unchanged: float  # of the questions that stand alone: the share that is left as it is


@dataclass(frozen=True)
class Read:
    """A second question, what it must hold once it is read, and how it was read."""

    first: str
    second: str
    reads: tuple[str, ...] | None
    half: str
    read_as: str

    @property
    def is_right(self) -> bool:
        """Whether it holds what it must, or stands as it was."""
        if self.reads is None:
            return not self.read_as
        return bool(self.read_as) and all(word.lower() in self.read_as.lower() for word in self.reads)


def readings(index: Index) -> list[Read]:
    """Return the second question of every dialogue as it is read after the answer to the first."""
    found = []
    for line in DIALOGUES.read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        conversation = Conversation().after(index.ask(one["first"]), index)
        answer = index.ask(one["second"], conversation=conversation)
        reads = None if one["reads"] is None else tuple(one["reads"])
        found.append(Read(one["first"], one["second"], reads, one["half"], answer.read_as))
    return found


def score(some: list[Read]) -> Score:
    """Return how many of some dialogues are read right."""
    changed = [one for one in some if one.read_as]
    leaning = [one for one in some if one.reads is not None]
    alone = [one for one in some if one.reads is None]
    right = sum(one.is_right for one in leaning)
    return Score(
        right / max(len(changed), 1), right / len(leaning), sum(one.is_right for one in alone) / max(len(alone), 1)
    )
