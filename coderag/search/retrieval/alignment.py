"""A run of words and a text to the words of the run that stand in the text one after the other.

Where the text has a placeholder, the run may have a value of some words.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from coderag.record import record, replaced
from coderag.search.query.pasted import VALUE, tokens

__all__ = ["Alignment", "align"]

NEAR, MIN_NEAR = 3, 2  # words of the run on each side of one, and how many of them stand close to it in a text
CLOSE = 60  # characters on each side
OPENING = frozenset("\"'`>")  # signs with which strings and the text of elements begin
SPACE, WIDTH = 80, 3  # characters on both sides of a word that are compared: so many, and for each of the run's
MAX_VALUE = 8  # words that stand in place of a placeholder: a path, an address
MAX_ANCHORS, MAX_OCCURRENCES = 3, 6  # words from which a text is compared, and where each stands


@record
class Alignment:
    """The positions of a run's words that a text has, and of those that stand for its placeholders."""

    held: frozenset[int]
    values: frozenset[int]
    in_literal: bool = False  # a string, or the text of an element, begins before it in its line


NOTHING = Alignment(frozenset(), frozenset())


def align(run: Sequence[str], text: str, weights: Mapping[str, float]) -> Alignment:
    """Return the alignment of a run with a text that holds the most of it, by the weight of each word."""
    best, most = NOTHING, (0.0, False, 0)
    lowered = text.lower()
    known = [at for at, word in enumerate(run) if weights.get(word, 0.0) > 0]
    window = SPACE + sum(map(len, run)) * WIDTH
    anchors = sorted({run[at] for at in known}, key=lambda word: (-weights[word], word))
    tried = 0
    for anchor in anchors:
        if anchor not in lowered:
            continue
        near = _near(run, known, anchor)
        positions = [at for at in known if run[at] == anchor]
        for start in _occurrences(anchor, near, lowered):
            before = tokens(text[max(0, start - window) : start])
            after = tokens(text[start : start + window])
            in_literal = not OPENING.isdisjoint(text[text.rfind("\n", 0, start) + 1 : start])
            for position in positions:
                found = _around(run, position, before=before, after=after)
                # A comment may say the same above the string.
                worth = sum(weights.get(run[at], 0.0) for at in found.held), in_literal, len(found.values)
                if worth > most:
                    best, most = replaced(found, in_literal=in_literal), worth
        tried += 1
        if tried == MAX_ANCHORS or len(best.held) + len(best.values) == len(run):
            break
    return best


def _near(run: Sequence[str], known: Sequence[int], anchor: str) -> frozenset[str]:
    """Return the words that stand next to a word in a run, those aside that no text has."""
    places = [place for place, at in enumerate(known) if run[at] == anchor]
    near = {run[at] for place in places for at in known[max(0, place - NEAR) : place + NEAR + 1]}
    return frozenset(near - {anchor})


def _occurrences(anchor: str, near: Collection[str], text: str) -> Iterator[int]:
    """Yield where a word stands in a text, close to two of some others; what else holds the word is passed over."""
    count, end, enough = 0, 0, min(MIN_NEAR, len(near))
    while count < MAX_OCCURRENCES and (start := text.find(anchor, end)) >= 0:
        end = start + len(anchor)
        if _is_word(text[start - 1 : start]) or _is_word(text[end : end + 1]):
            continue
        around = text[max(0, start - CLOSE) : end + CLOSE]
        if sum([word in around for word in near]) >= enough:
            count += 1
            yield start


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def _around(run: Sequence[str], position: int, *, before: list[str], after: list[str]) -> Alignment:
    """Return what is held around a word of a run, given the tokens of a text before it, and from it on."""
    held, values = {position}, set[int]()
    ahead = _along(run[position + 1 :], after[1:])
    back = _along(run[:position][::-1], before[::-1])
    for found, sign in ((ahead, 1), (back, -1)):
        held |= {position + sign * (at + 1) for at in found.held}
        values |= {position + sign * (at + 1) for at in found.values}
    return Alignment(frozenset(held), frozenset(values))


def _along(run: Sequence[str], text: Sequence[str]) -> Alignment:
    """Return how far a run goes along with a text, both from their beginning on."""
    held, values = set[int](), set[int]()
    at, place = 0, 0
    while at < len(run) and place < len(text):
        if text[place] == VALUE:
            while place < len(text) and text[place] == VALUE:
                place += 1
            rest = run[at : at + MAX_VALUE + 1]
            size = rest.index(text[place]) if place < len(text) and text[place] in rest else min(len(rest), MAX_VALUE)
            values |= set(range(at, at + size))
            at += size
        elif text[place] == run[at]:
            held.add(at)
            at, place = at + 1, place + 1
        else:
            break
    return Alignment(frozenset(held), frozenset(values))
