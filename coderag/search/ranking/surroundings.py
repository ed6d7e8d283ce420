"""Candidates to the features of what they are and where they stand: their kind, their file, their folder.

None of them measures a length: what answers the questions that a ranker learns from has the length that the making of
these questions gave it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from itertools import pairwise
from math import fsum

import numpy as np

from coderag.index.reader.corpus import Corpus, text_keys
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.ranges import run_starts
from coderag.index.storage.columns import CONTINUES, DEFINES, KINDS
from coderag.search.query.understand import QueryType
from coderag.search.ranking.candidate_view import CandidateView
from coderag.search.ranking.name_columns import NameTable
from coderag.search.ranking.numbered import Numbering, Runs
from coderag.search.ranking.spelled import BEGINNING_LETTERS, without_plural
from coderag.text.tokens import stem
from coderag.types import Kind

__all__ = [
    "CALLABLES",
    "CALLABLE_KINDS",
    "FRAMES",
    "SURROUNDINGS",
    "SURROUNDING_MAKERS",
    "TAKEN_FROM",
    "TYPE_KINDS",
    "forms",
]

SURROUNDINGS = (
    "frame",  # a type or module, whose members are chunks of their own
    "callable",  # a function or method
    "first",  # how early in its file, 0..1 whatever the file's length
    "mentions",  # in how many chunks its name is written, on a scale of logarithms
    "file_mentions",  # ... and the name of its file
    "lead",  # its text score over the best among the candidates of its file
    "file_named",  # the best "named" among them
    "file_soft",  # the best "soft_coverage" among them
    "file_coverage",  # share of the question, by rarity, whose words the file holds
    "folder_support",  # how many of the candidates are in the same folder, by their text score, over the most
    "phrase",  # share of the question in the longest run of its words that name, scope or path have in that order
    "subject_file",  # share of the question, by rarity and the earlier a word the more, in the file's name
    "subject_name",  # ... and in the chunk's name
    "filename_prefix",  # share of the file's name that the question names, if only by a beginning: "args", "argument"
    "asks_edit",  # the type of the query, so that trees may judge by it
    "asks_behavior",
    "asks_topic",
    "asked_words",  # how many words the question has, on a scale of logarithms
)
TYPE_KINDS = frozenset({Kind.CLASS, Kind.INTERFACE, Kind.TRAIT, Kind.STRUCT, Kind.ENUM, Kind.TYPE, Kind.MODULE})
CALLABLE_KINDS = frozenset({Kind.FUNCTION, Kind.METHOD})
MANY_WORDS = 20
SUBJECT_DECAY = 0.75  # of a word's weight from one word of the question to the next
BEGINNING = 0.8  # share of a word that is abbreviated
Likes = tuple[tuple[int, float], ...]  # places of words in a question, and how much each is like another word
# Which kinds are such, f32[KINDS + 1]; the last, which -1 finds, is for what is no definition.
FRAMES, CALLABLES = (
    np.array([*(kind in wanted for kind in KINDS), False], dtype=np.float32) for wanted in (TYPE_KINDS, CALLABLE_KINDS)
)


def forms(corpus: Corpus, chunks: Array) -> tuple[Array, Array]:
    """Return each chunk's kind as its position in KINDS, -1 for what is no definition, and how early in its file."""
    kinds = np.full(len(chunks), -1, dtype=np.int64)
    first = np.zeros(len(chunks), dtype=np.float32)
    for member, rows, local in corpus.by_member(chunks):
        segment = member.segment
        defines = (segment.chunk_flags[local] & (DEFINES | CONTINUES)) & DEFINES > 0
        kinds[rows] = np.where(defines, segment.chunk_kind[local].astype(np.int64), -1)
        begin, end = member.chunk_bounds(segment.chunk_file[local])
        first[rows] = 1.0 - (local - begin) / np.maximum(end - begin, 1)
    return kinds, first


def _of_forms(view: CandidateView) -> dict[str, Array]:
    """Return what candidates are, and where in their files."""
    kinds, first = forms(view.corpus, view.chunks)
    return {"frame": FRAMES[kinds], "callable": CALLABLES[kinds], "first": first}


def _name_mentions(view: CandidateView) -> dict[str, Array]:
    return {"mentions": view.name_mentions(lambda keys: _mentions(view.corpus, keys))}


def _file_mentions(view: CandidateView) -> dict[str, Array]:
    return {"file_mentions": view.file_mentions(lambda keys: _mentions(view.corpus, keys))[view.own_file]}


def _mentions(corpus: Corpus, names: Array) -> Array:
    """Return in how many chunks each of some terms is, f32[terms] in 0..1, by its key: u64[terms]."""
    keys, own = np.unique_inverse(names)
    counts = corpus.rough_frequencies(keys)
    shares = np.log1p(np.maximum(counts, 0)) / np.log1p(max(corpus.live_chunks, 1))
    found: Array = shares.astype(np.float32)[own]
    return found


def _of_file(view: CandidateView) -> dict[str, Array]:
    """Return how candidates stand among those of their file."""
    text = view.columns["text"]
    return {
        "lead": text / np.maximum(view.best_of_file(text), np.float32(1e-6)),
        "file_named": view.best_of_file(view.columns["named"]),
        "file_soft": view.best_of_file(view.columns["soft_coverage"]),
    }


def _of_folder(view: CandidateView) -> dict[str, Array]:
    _, of_file = np.unique_inverse(view.table.folder.values[view.paths])
    own_folder = of_file[view.own_file]
    company = np.bincount(own_folder, weights=view.columns["text"], minlength=1)
    return {"folder_support": (company / max(float(company.max()), 1e-6))[own_folder]}


def _file_coverage(view: CandidateView) -> dict[str, Array]:
    """Return the share of the question's words, by rarity, that the file of each candidate holds."""
    files, words = view.files, view.scores.words
    shares = np.zeros(len(files), dtype=np.float32)
    total = fsum(words.values())
    if total > 0:
        keys = text_keys(map(stem, words))
        weights = [weight / total for weight in words.values()]
        for member, here, own in view.corpus.files_by_member(files):
            postings = member.segment.text_postings
            bounds = np.concatenate(member.chunk_bounds(own))
            held = np.zeros(len(own), dtype=np.float32)
            for position, weight in zip(postings.find(keys).tolist(), weights, strict=True):
                if position >= 0:
                    docs = postings.docs_of(position)
                    first, end = docs.searchsorted(bounds.astype(docs.dtype)).reshape(2, -1)
                    held += np.float32(weight) * (first < end)
            shares[here] = held
    return {"file_coverage": shares[view.own_file]}


def _phrase(view: CandidateView) -> dict[str, Array]:
    """Return the share of the question in the longest run of its words in a name or path."""
    asked = [stem(word) for word in view.scores.words]
    table, following = view.table, set(pairwise(asked))
    paths, names = table.path_stems.of(view.paths), table.name_stems.of(view.names)
    of_files = _longest_runs(paths, table.terms, following)
    longest = np.maximum(of_files[view.own_file], _longest_runs(names, table.terms, following))
    return {"phrase": np.where(longest > 1, longest / np.float32(max(len(asked), 1)), np.float32(0))}


def _longest_runs(found: Runs, terms: Numbering, following: Set[tuple[str, str]]) -> Array:
    """Return how many words the longest run of each row has in which each follows another in the question: f32[rows].

    A row without such a run has 1.
    """
    longest = np.ones(len(found.sizes), dtype=np.float32)
    numbers, row = found.numbers, found.row
    firsts, seconds = (terms.marked(pair[side] for pair in following) for side in (0, 1))
    may_follow = firsts[numbers[:-1]] & seconds[numbers[1:]] & (row[:-1] == row[1:])
    for one in dict.fromkeys(row[:-1][may_follow].tolist()):
        own = numbers[found.starts[one] : found.starts[one] + found.sizes[one]].tolist()
        longest[one] = _run([terms.texts[number] for number in own], following)
    return longest


def _run(found: Sequence[str], following: Set[tuple[str, str]]) -> int:
    """Return how many words the longest run has in which each follows the one before it in the question, too."""
    longest = run = 1
    for pair in pairwise(found):
        run = run + 1 if pair in following else 1
        longest = max(longest, run)
    return longest


def _by_subject(view: CandidateView) -> dict[str, Array]:
    """Return how much of the subject of the question, which comes first, names of files and chunks hold."""
    words = view.scores.words
    weights = [weight * SUBJECT_DECAY**place for place, weight in enumerate(words.values())]
    both = view.file_words.followed_by(view.name_words)
    alike = _Alike(tuple(words), view.table)  # knows the words that are numbered by now
    subject, prefixes = _subject(both, alike, weights)
    files = len(view.files)
    return {
        "subject_file": subject[:files][view.own_file],
        "filename_prefix": prefixes[:files][view.own_file],
        "subject_name": subject[files:],
    }


def _subject(found: Runs, alike: _Alike, weights: Sequence[float]) -> tuple[Array, Array]:
    """Return the share of a question's words that the words of each row are like, by weight, and the share of these
    that are like one of the question's: f64[rows] both.
    """
    rows = len(found.sizes)
    here = np.flatnonzero(alike.marked[found.numbers])
    if not len(here):
        return np.zeros(rows), np.zeros(rows)
    some, own = np.unique_inverse(found.numbers[here])
    likes = [alike.of(number) for number in some.tolist()]
    shares = np.zeros((len(weights), len(some)))
    for at, places in enumerate(likes):
        for place, share in places:
            shares[place, at] = share
    row = found.row[here]
    begins = run_starts(row)
    best = np.maximum.reduceat(shares[:, own], begins, axis=1)
    total = max(fsum(weights), 1e-6)
    subject, likeness = np.zeros(rows), np.zeros(rows)
    held = np.zeros(len(begins))
    for place in np.flatnonzero(shares.any(axis=1)).tolist():  # one after the other, so that the sums are the same
        held += weights[place] * best[place]
    subject[row[begins]] = held / total
    likeness[row[begins]] = np.add.reduceat(shares.max(axis=0)[own], begins)
    return subject, likeness / np.maximum(found.sizes, 1)


def _of_question(view: CandidateView) -> dict[str, Array]:
    """Return what is the same of all candidates."""
    query_type = view.question.query_type
    told = {
        "asks_edit": query_type is QueryType.EDIT,
        "asks_behavior": query_type is QueryType.BEHAVIOR,
        "asks_topic": query_type is QueryType.TOPIC,
        "asked_words": np.float32(min(1.0, np.log1p(len(view.scores.words)) / np.log1p(MANY_WORDS))),
    }
    return {name: np.full(len(view), value, dtype=np.float32) for name, value in told.items()}


class _Alike:
    """Which words of names are like words of the question, and how much."""

    def __init__(self, asked: Sequence[str], table: NameTable) -> None:
        self._words = table.words
        self._by_stem: dict[str, list[int]] = {}
        self._by_beginning: dict[str, list[tuple[int, str]]] = {}
        for place, word in enumerate(asked):
            self._by_stem.setdefault(stem(word), []).append(place)
            if len(word) >= BEGINNING_LETTERS:
                self._by_beginning.setdefault(word[:BEGINNING_LETTERS], []).append((place, word))
        # The words that share a stem or a beginning with one of these, bool[words]: no other is like one.
        stem_of, beginning_of = table.word_stem.values, table.word_beginning.values  # another thread may add to them
        stems, beginnings = table.terms.marked(self._by_stem), table.terms.marked(self._by_beginning)
        self.marked: Array = stems[stem_of] | beginnings[beginning_of]

    def of(self, number: int) -> Likes:
        """Return the words of the question that a word is like: the place of each, and how much, most first."""
        own = self._words.texts[number]
        plain = without_plural(own)
        same = self._by_stem.get(stem(own), ())
        begun = self._by_beginning.get(plain[:BEGINNING_LETTERS], ())
        near = [
            place for place, word in begun if place not in same and (word.startswith(plain) or plain.startswith(word))
        ]
        return (*[(place, 1.0) for place in same], *[(place, BEGINNING) for place in near])


# Features that others are computed from.
TAKEN_FROM: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(("lead", "file_named", "file_soft"), ("text", "named", "soft_coverage")),
    "folder_support": ("text",),
    "lines": ("callable",),
}
# The features that are computed together, by name.
SURROUNDING_MAKERS: Mapping[str, Callable[[CandidateView], dict[str, Array]]] = {
    **dict.fromkeys(("frame", "callable", "first"), _of_forms),
    "mentions": _name_mentions,
    "file_mentions": _file_mentions,
    **dict.fromkeys(("lead", "file_named", "file_soft"), _of_file),
    "file_coverage": _file_coverage,
    "folder_support": _of_folder,
    "phrase": _phrase,
    **dict.fromkeys(("subject_file", "subject_name", "filename_prefix"), _by_subject),
    **dict.fromkeys(("asks_edit", "asks_behavior", "asks_topic", "asked_words"), _of_question),
}
