"""Chunks, best first, to groups of duplicates: copies, and versions of a definition that hardly differ.

Two chunks are near duplicates when they share language, kind and own name, are no shorter than MIN_WORDS, and have
most runs of three words in common (Broder, "On the resemblance and containment of documents", 1997). The name decides
before the text does: `decNumberOr` and `decNumberXor` differ in 3 words of 329 and answer different questions. It also
leaves so few pairs that comparing them exactly takes less time than sketches of all of them would.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from itertools import islice

from coderag.text.tokens import words
from coderag.types import Chunk

__all__ = ["MIN_RESEMBLANCE", "groups_of_copies", "resemblance", "runs_of_words"]

MIN_COPIED_LINES = 3  # line ends in a text; shorter ones are often alike and still answers of their own: getters
MIN_WORDS = 40  # of a near duplicate; overloads of three lines and constructors have fewer
# Versions and vendored copies have .8 and more, what was written after one pattern (the `setup` of every plugin) .75
# and less; over 921 questions to 42 repositories rankings are as good with it as without.
MIN_RESEMBLANCE = 0.8
RUN = 3  # words


def groups_of_copies(chunks: Iterable[Chunk], *, k: int, near: bool = True) -> list[list[int]]:
    """Return the positions of the first k different chunks, each followed by those that repeat it, in order.

    Only equal texts are copies where `near` is false. No more chunks are taken from the iterable than are needed.
    """
    groups: list[list[int]] = []
    texts: list[str] = []  # of the first of each group
    same_text: dict[str, int] = {}
    same_name: dict[tuple[str, str, str], list[int]] = {}
    runs = _Runs()
    for position, chunk in enumerate(chunks):
        text = chunk.text.strip()
        rivals = same_name.setdefault((chunk.language, chunk.kind, chunk.name), [])
        group = same_text.get(text) if chunk.text.count("\n") >= MIN_COPIED_LINES else None
        if group is None and near:
            group = next((at for at in rivals if resemblance(runs[text], runs[texts[at]]) >= MIN_RESEMBLANCE), None)
        if group is not None:
            groups[group].append(position)
            continue
        same_text.setdefault(text, len(groups))
        rivals.append(len(groups))
        texts.append(text)
        groups.append([position])
        if len(groups) == k:
            break
    return groups


class _Runs(dict[str, frozenset[tuple[str, ...]]]):
    """The runs of words of each text, computed on first use; most texts are never compared."""

    def __missing__(self, text: str) -> frozenset[tuple[str, ...]]:
        found = self[text] = runs_of_words(text)
        return found


def runs_of_words(text: str) -> frozenset[tuple[str, ...]]:
    """Return every RUN words of a text that follow each other; none where it has fewer than MIN_WORDS."""
    found = words(text)
    if len(found) < MIN_WORDS:
        return frozenset()
    return frozenset(zip(*(islice(found, start, None) for start in range(RUN)), strict=False))


def resemblance(left: Set[tuple[str, ...]], right: Set[tuple[str, ...]]) -> float:
    """Return the Jaccard index of two sets of runs, 0..1; 0 where one is empty."""
    shared = len(left & right)
    return shared / (len(left) + len(right) - shared) if shared else 0.0
