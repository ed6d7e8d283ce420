"""Answers that a language model wrote, in the user's cache folder: the same question is not paid for twice.

A file is named by a hash of all that the answer depends on, the state of each index among it, so that after an update
nothing finds it. Of what some groups see nothing is kept on disk. What cannot be read is no answer, and is replaced.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import msgspec

from coderag._version import __version__
from coderag.ask.cached_files import read_cached, sizes_of, trim_cached, write_cached
from coderag.ask.caching.key import AnswerKey
from coderag.ask.private_files import UnfitFileError
from coderag.ask.records import Answer
from coderag.decoding import json_decoder
from coderag.resources import user_folder

__all__ = ["MOST_BYTES", "answers_folder", "answers_size", "keep", "kept", "trim_answers"]

FORMAT = 1
MOST_BYTES = 20 << 20
MOST_ANSWER_BYTES = 1_000_000
NAME = re.compile(r"[0-9a-f]{64}\.json")


def answers_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of answers: under $XDG_CACHE_HOME, or ~/.cache."""
    return user_folder("XDG_CACHE_HOME", ".cache", environment) / "answers"


def kept(key: AnswerKey, states: Sequence[str]) -> Answer | None:
    """Return the answer that was kept for a key and the states of the indexes, None if there is none."""
    try:
        data = read_cached(answers_folder() / _name(key, states), most_bytes=MOST_ANSWER_BYTES)
        return None if data is None else json_decoder(Answer).decode(data)
    except (OSError, msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def keep(answer: Answer, key: AnswerKey, states: Sequence[str]) -> None:
    """Keep an answer, and remove the oldest ones beyond the limit; where that is not possible it is done without."""
    with suppress(OSError, UnfitFileError, UnicodeError):
        data = msgspec.json.encode(answer)
        if len(data) > MOST_ANSWER_BYTES:
            return
        write_cached(answers_folder() / _name(key, states), data)
        trim_answers(MOST_BYTES)


def answers_size() -> int:
    """Return how many bytes are kept."""
    return sum(size for _, size, _ in sizes_of(answers_folder(), NAME))


def trim_answers(most_bytes: int) -> int:
    """Remove the oldest answers until no more than so many bytes are left; return the bytes removed."""
    return trim_cached(answers_folder(), NAME, most_bytes)


def _name(key: AnswerKey, states: Sequence[str]) -> str:
    parts = repr((FORMAT, __version__, replace(key, generation=0), *states))
    return f"{sha256(parts.encode('utf-8', 'backslashreplace')).hexdigest()}.json"
