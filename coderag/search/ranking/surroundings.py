"""Candidates to the features of what they are and where they stand: their kind, their file, their folder.

None of them measures a length: what answers the questions that a ranker learns from has the length that the making of
these questions gave it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, pairwise
from math import fsum

import numpy as np

from coderag.index.reader.corpus import Corpus, text_keys
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.columns import CONTINUES, DEFINES, KINDS
from coderag.search.query.understand import QueryType, Question
from coderag.search.retrieval.lexical import Scores
from coderag.search.retrieval.maxsim import name_words
from coderag.text.tokens import stem, terms
from coderag.types import Kind

__all__ = ["SURROUNDINGS", "TYPE_KINDS", "Candidate", "surroundings"]

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
NAMELESS_STEMS = frozenset({"__init__", "index", "mod", "lib", "main", "init"})  # of files called after their folder
MANY_WORDS = 20
SUBJECT_DECAY = 0.75  # of a word's weight from one word of the question to the next
BEGINNING, MIN_BEGINNING = 0.8, 3  # share of a word that is abbreviated, and least letters of it


@dataclass(frozen=True, slots=True)
class Candidate:
    """Candidates as the features of their words know them."""

    chunks: Array  # i64[n]
    own_file: Array  # i64[n]: position among the files
    paths: Sequence[str]  # of the files
    names: Sequence[tuple[str, str]]  # each chunk's name and what encloses it
    text: Array  # f32[n]
    named: Array  # f32[n]
    soft: Array  # f32[n]


def surroundings(
    corpus: Corpus, question: Question, scores: Scores, files: Array, candidates: Candidate
) -> dict[str, Array]:
    """Return the features of SURROUNDINGS of some candidates, f32[n] each; `files` (i64[files]) are theirs."""
    own_file = candidates.own_file
    _, own_folder = np.unique_inverse([path.rpartition("/")[0] for path in candidates.paths])
    company = np.bincount(own_folder[own_file], weights=candidates.text, minlength=1)
    best_text = _best_of_file(candidates.text, own_file)
    kinds, first = _forms(corpus, candidates.chunks)
    ones = np.ones(len(own_file), dtype=np.float32)
    return {
        "frame": _among(kinds, TYPE_KINDS),
        "callable": _among(kinds, CALLABLE_KINDS),
        "first": first,
        "mentions": _mentions(corpus, [_whole(name) for name, _ in candidates.names]),
        "file_mentions": _mentions(corpus, [_whole(_stem(path)) for path in candidates.paths])[own_file],
        "lead": candidates.text / np.maximum(best_text, np.float32(1e-6)),
        "file_named": _best_of_file(candidates.named, own_file),
        "file_soft": _best_of_file(candidates.soft, own_file),
        "file_coverage": _file_coverage(corpus, scores, files)[own_file],
        "folder_support": (company / max(float(company.max()), 1e-6))[own_folder[own_file]],
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


def _forms(corpus: Corpus, chunks: Array) -> tuple[Array, Array]:
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


def _among(kinds: Array, wanted: frozenset[Kind]) -> Array:
    return np.isin(kinds, [number for number, kind in enumerate(KINDS) if kind in wanted]).astype(np.float32)


def _mentions(corpus: Corpus, wholes: Sequence[str]) -> Array:
    """Return in how many chunks each of some terms is, f32[terms] in 0..1; 0 for "" and where no chunk has it."""
    distinct = sorted(set(wholes))
    keys = text_keys(distinct)
    counts = np.zeros(len(distinct), dtype=np.int64)
    for member, dead in zip(corpus.members, corpus.dead_chunks, strict=True):
        postings = member.segment.text_postings
        positions = postings.find(keys)
        here = positions >= 0
        counts[here] += postings.frequencies(positions[here], without=dead)
    place = {term: number for number, term in enumerate(distinct)}
    shares = np.log1p(np.maximum(counts, 0)) / np.log1p(max(corpus.live_chunks, 1))
    shares[[number for number, term in enumerate(distinct) if not term]] = 0.0
    found: Array = shares[[place[term] for term in wholes]].astype(np.float32)
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
        first, end = member.chunk_bounds(files[here] - member.first_file)
        for position, weight in zip(postings.find(keys).tolist(), weights, strict=True):
            if position >= 0:
                docs = postings.docs_of(position)
                bounds = docs.searchsorted(first.astype(docs.dtype)), docs.searchsorted(end.astype(docs.dtype))
                shares[here] += np.float32(weight) * (bounds[0] < bounds[1])
    return shares


def _phrase(scores: Scores, candidates: Candidate) -> Array:
    """Return the share of the question in the longest run of its words in a name or path, f32[n]."""
    asked = [stem(word) for word in scores.words]
    following = set(pairwise(asked))

    @cache
    def run(text: str) -> int:
        stems = _stems_of(text)
        return _run(stems, following) if len(stems) > 1 else 1

    in_path = [run(path) for path in candidates.paths]
    longest = np.array(
        [
            max(in_path[file], run(f"{scope} {name}"))
            for (name, scope), file in zip(candidates.names, candidates.own_file.tolist(), strict=True)
        ],
        dtype=np.float32,
    )
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

    @cache
    def named(found: tuple[str, ...]) -> tuple[float, float]:
        matches = [pairs for word in found if (pairs := alike[word])]
        if not matches:
            return 0.0, 0.0
        held: dict[int, float] = {}
        for place, share in chain.from_iterable(matches):
            held[place] = max(held.get(place, 0.0), share)
        subject = fsum(weights[place] * share for place, share in held.items()) / total
        return subject, fsum(max(share for _, share in pairs) for pairs in matches) / len(found)

    files = np.array([named(name_words(_stem(path))) for path in candidates.paths], dtype=np.float32).reshape(-1, 2)
    names = np.array([named(name_words(name)) for name, _ in candidates.names], dtype=np.float32).reshape(-1, 2)
    return {
        "subject_file": files[candidates.own_file, 0],
        "filename_prefix": files[candidates.own_file, 1],
        "subject_name": names[:, 0],
    }


class _Alike(dict[str, tuple[tuple[int, float], ...]]):
    """Of a word of a name, the words of the question that are like it: the place of each, and how much."""

    def __init__(self, asked: Sequence[str]) -> None:
        super().__init__()
        self._by_stem: dict[str, list[int]] = {}
        self._by_beginning: dict[str, list[tuple[int, str]]] = {}
        for place, word in enumerate(asked):
            self._by_stem.setdefault(stem(word), []).append(place)
            if len(word) >= MIN_BEGINNING:
                self._by_beginning.setdefault(word[:MIN_BEGINNING], []).append((place, word))

    def __missing__(self, own: str) -> tuple[tuple[int, float], ...]:
        same = self._by_stem.get(stem(own), [])
        plain = own.removesuffix("s")
        near = self._by_beginning.get(plain[:MIN_BEGINNING], ())
        found = self[own] = (
            *((place, 1.0) for place in same),
            *(
                (place, BEGINNING)
                for place, word in near
                if place not in same and (word.startswith(plain) or plain.startswith(word))
            ),
        )
        return found


@lru_cache(maxsize=100_000)
def _stems_of(text: str) -> tuple[str, ...]:
    return tuple(map(stem, name_words(text)))


def _stem(path: str) -> str:
    """Return a file's name without its endings; that of its folder where it says nothing."""
    folder, _, filename = path.rpartition("/")
    own = filename.split(".", 1)[0]
    return folder.rpartition("/")[2] if own in NAMELESS_STEMS and folder else own


@lru_cache(maxsize=100_000)
def _whole(name: str) -> str:
    """Return the term of a whole name, "" where it has none."""
    return (terms(name.rpartition(" ")[2].rpartition(".")[2] or "_") or ("",))[-1]
