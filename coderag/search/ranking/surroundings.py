"""Candidates to the features of what they are and where they stand: their kind, their file, their folder.

None of them measures a length: what answers the questions that a ranker learns from has the length that the making of
these questions gave it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, pairwise
from math import fsum

import numpy as np

from coderag.index.reader.corpus import Corpus, text_keys
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.columns import CONTINUES, DEFINES, KINDS
from coderag.search.query.understand import QueryType, Question
from coderag.search.ranking.spelled import BEGINNING_LETTERS, Spelled, SpelledPath, without_plural
from coderag.search.retrieval.lexical import Scores
from coderag.text.tokens import stem
from coderag.types import Kind

__all__ = ["CALLABLES", "CALLABLE_KINDS", "FRAMES", "SURROUNDINGS", "TYPE_KINDS", "Candidate", "forms", "surroundings"]

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
NOT_NAMED = 0.0, 0.0
Likes = tuple[tuple[int, float], ...]  # places of words in a question, and how much each is like another word
# Which kinds are such, f32[KINDS + 1]; the last, which -1 finds, is for what is no definition.
FRAMES, CALLABLES = (
    np.array([*(kind in wanted for kind in KINDS), False], dtype=np.float32) for wanted in (TYPE_KINDS, CALLABLE_KINDS)
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """Candidates as the features of their words know them."""

    chunks: Array  # i64[n]
    own_file: Array  # i64[n]: position among the files
    paths: Sequence[SpelledPath]  # of the files
    names: Sequence[Spelled]  # of the chunks
    text: Array  # f32[n]
    named: Array  # f32[n]
    soft: Array  # f32[n]


def surroundings(
    corpus: Corpus, question: Question, scores: Scores, files: Array, candidates: Candidate
) -> dict[str, Array]:
    """Return the features of SURROUNDINGS of some candidates, f32[n] each; `files` (i64[files]) are theirs."""
    own_file = candidates.own_file
    folders: dict[str, int] = {}
    of_file = [folders.setdefault(path.folder, len(folders)) for path in candidates.paths]
    own_folder = np.array(of_file, dtype=np.int64)[own_file]
    company = np.bincount(own_folder, weights=candidates.text, minlength=1)
    best_text = _best_of_file(candidates.text, own_file)
    kinds, first = forms(corpus, candidates.chunks)
    mentions = _mentions(
        corpus, [*(name.key for name in candidates.names), *(path.name_key for path in candidates.paths)]
    )
    ones = np.ones(len(own_file), dtype=np.float32)
    return {
        "frame": FRAMES[kinds],
        "callable": CALLABLES[kinds],
        "first": first,
        "mentions": mentions[: len(own_file)],
        "file_mentions": mentions[len(own_file) :][own_file],
        "lead": candidates.text / np.maximum(best_text, np.float32(1e-6)),
        "file_named": _best_of_file(candidates.named, own_file),
        "file_soft": _best_of_file(candidates.soft, own_file),
        "file_coverage": _file_coverage(corpus, scores, files)[own_file],
        "folder_support": (company / max(float(company.max()), 1e-6))[own_folder],
        "phrase": _phrase(scores, candidates),
        **_by_subject(scores, candidates),
        "asks_edit": ones * (question.query_type is QueryType.EDIT),
        "asks_behavior": ones * (question.query_type is QueryType.BEHAVIOR),
        "asks_topic": ones * (question.query_type is QueryType.TOPIC),
        "asked_words": ones * np.float32(min(1.0, np.log1p(len(scores.words)) / np.log1p(MANY_WORDS))),
    }


def _best_of_file(values: Array, own_file: Array) -> Array:
    """Return of each candidate the best value among the candidates of its file."""
    best = np.zeros(int(own_file.max(initial=0)) + 1, dtype=np.float32)
    np.maximum.at(best, own_file, values)
    of_candidate: Array = best[own_file]
    return of_candidate


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


def _mentions(corpus: Corpus, names: Sequence[int]) -> Array:
    """Return in how many chunks each of some terms is, f32[terms] in 0..1, by its key."""
    keys, own = np.unique_inverse(np.array(names, dtype=np.uint64))
    counts = corpus.rough_frequencies(keys)
    shares = np.log1p(np.maximum(counts, 0)) / np.log1p(max(corpus.live_chunks, 1))
    found: Array = shares.astype(np.float32)[own]
    return found


def _file_coverage(corpus: Corpus, scores: Scores, files: Array) -> Array:
    """Return the share of the question's words, by rarity, that each of some files holds: f32[files]."""
    shares = np.zeros(len(files), dtype=np.float32)
    total = fsum(scores.words.values())
    if total <= 0:
        return shares
    stems = {word: stem(word) for word in scores.words}
    keys = text_keys(stems.values())
    weights = [weight / total for weight in scores.words.values()]
    for member in corpus.members:
        here = np.flatnonzero((files >= member.first_file) & (files < member.first_file + len(member.segment.paths)))
        if not len(here):
            continue
        postings = member.segment.text_postings
        bounds = np.concatenate(member.chunk_bounds(files[here] - member.first_file))
        held = np.zeros(len(here), dtype=np.float32)
        for position, weight in zip(postings.find(keys).tolist(), weights, strict=True):
            if position >= 0:
                docs = postings.docs_of(position)
                first, end = docs.searchsorted(bounds.astype(docs.dtype)).reshape(2, -1)
                held += np.float32(weight) * (first < end)
        shares[here] = held
    return shares


def _phrase(scores: Scores, candidates: Candidate) -> Array:
    """Return the share of the question in the longest run of its words in a name or path, f32[n]."""
    asked = [stem(word) for word in scores.words]
    following = set(pairwise(asked))
    in_paths, in_names = (
        [1 if following.isdisjoint(one.pairs) else _run(one.stems, following) for one in spellings]
        for spellings in (candidates.paths, candidates.names)
    )
    of_files = np.array(in_paths, dtype=np.float32)
    longest = np.maximum(of_files[candidates.own_file], np.array(in_names, dtype=np.float32))
    return np.where(longest > 1, longest / np.float32(max(len(asked), 1)), np.float32(0))


def _run(found: Sequence[str], following: set[tuple[str, str]]) -> int:
    """Return how many words the longest run has in which each follows the one before it in the question, too."""
    longest = run = 1
    for pair in pairwise(found):
        run = run + 1 if pair in following else 1
        longest = max(longest, run)
    return longest


def _by_subject(scores: Scores, candidates: Candidate) -> dict[str, Array]:
    """Return how much of the subject of the question, which comes first, names of files and chunks hold."""
    weights = [weight * SUBJECT_DECAY**place for place, weight in enumerate(scores.words.values())]
    total = max(fsum(weights), 1e-6)
    alike = _Alike(tuple(scores.words))

    @cache  # of the words in a name few are alike, so that many names have the same matches
    def worth(matches: tuple[Likes, ...]) -> tuple[float, float]:
        held: dict[int, float] = {}
        for place, share in chain.from_iterable(matches):
            if share > held.get(place, 0.0):
                held[place] = share
        subject = fsum([weights[place] * share for place, share in held.items()]) / total
        return subject, fsum([likes[0][1] for likes in matches])

    def named(found: tuple[str, ...]) -> tuple[float, float]:
        matches = tuple([likes for word in found if (likes := alike[word])])
        if not matches:
            return NOT_NAMED
        subject, likeness = worth(matches)
        return subject, likeness / len(found)

    of_paths = [NOT_NAMED if alike.lacks(one.name_hints) else named(one.name_words) for one in candidates.paths]
    of_names = [NOT_NAMED if alike.lacks(one.hints) else named(one.words) for one in candidates.names]
    files = np.array(of_paths, dtype=np.float32).reshape(-1, 2)
    names = np.array(of_names, dtype=np.float32).reshape(-1, 2)
    return {
        "subject_file": files[candidates.own_file, 0],
        "filename_prefix": files[candidates.own_file, 1],
        "subject_name": names[:, 0],
    }


class _Alike(dict[str, Likes]):
    """Of a word of a name, the words of the question that are like it: the place of each, and how much, most first."""

    def __init__(self, asked: Sequence[str]) -> None:
        super().__init__()
        self._by_stem: dict[str, list[int]] = {}
        self._by_beginning: dict[str, list[tuple[int, str]]] = {}
        for place, word in enumerate(asked):
            self._by_stem.setdefault(stem(word), []).append(place)
            if len(word) >= BEGINNING_LETTERS:
                self._by_beginning.setdefault(word[:BEGINNING_LETTERS], []).append((place, word))
        self.lacks = (self._by_stem.keys() | self._by_beginning.keys()).isdisjoint  # hints of words that none is like

    def __missing__(self, own: str) -> Likes:
        plain = without_plural(own)
        same = self._by_stem.get(stem(own), ())
        begun = self._by_beginning.get(plain[:BEGINNING_LETTERS], ())
        if not (same or begun):  # as for most words
            self[own] = ()
            return ()
        near = [
            place for place, word in begun if place not in same and (word.startswith(plain) or plain.startswith(word))
        ]
        found = self[own] = (*[(place, 1.0) for place in same], *[(place, BEGINNING) for place in near])
        return found
