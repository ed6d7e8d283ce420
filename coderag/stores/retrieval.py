"""A question to the files of a store among which its best hits are, whatever else there is.

The legs of a search bound what a file can score, and the files path of a search makes the scores. So the best files by
a leg are fetched, the lists of the search made of them, and more fetched while a file that is not there could still be
on a list: a threshold algorithm (Fagin, Lotem and Naor, "Optimal aggregation algorithms for middleware", 2003).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from coderag.index.reader.corpus import path_keys, text_keys
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.keys import symbol_hash
from coderag.record import record
from coderag.search.pipeline import filter_chunks, retrieve, run_stages
from coderag.search.query.embed import question_vector
from coderag.search.query.pasted import pasted
from coderag.search.query.understand import Question
from coderag.search.query.vocabulary import STOP_WORDS
from coderag.search.retrieval.fuse import DEPTH, Listed
from coderag.search.retrieval.lexical import rarity_of, scored_terms
from coderag.search.state import SearchState, Sources, made_by
from coderag.stores.gathering import Gathering
from coderag.stores.partial_corpus import PartialCorpus
from coderag.stores.store import Conditions, FileKey, Found, Reach, Store
from coderag.text.tokens import plain_name, terms, words

__all__ = ["Legs", "files_by_path", "gather"]

GROWTH = 2
ROUNDING = 1e-3  # of scores that a store computes


@record
class Legs:
    """What is asked of a store for a question."""

    store: Store
    where: Conditions

    def terms(self, weights: Mapping[int, float], k: int, *, presence: bool = False) -> list[Found]:
        """Return the best files by keys with weights above 0."""
        used = {key: weight for key, weight in weights.items() if weight > 0}
        if not used:
            return []
        keys, factors = np.array(list(used), dtype=np.uint64), np.array(list(used.values()), dtype=np.float32)
        return self.store.by_terms(keys, factors, self.where, k=k, presence=presence)


def gather(state: SearchState, legs: Legs, files: Gathering, sources: Sources) -> PartialCorpus:
    """Fetch the files that the hits of a query come from, and return them as a corpus.

    `state` is one that understood its question; `sources` are those of a search but for the corpus. Raises
    RemoteStoreError.
    """
    question = made_by("understand", state.question)
    corpus = files.corpus()  # of no file: it knows how rare words are
    corpus.text_frequencies(_all_keys(question))  # at once, so that a store is not asked once for each leg
    keys = text_keys(scored_terms(question))
    rarity = rarity_of(corpus, keys) * np.array([question.terms[term] for term in scored_terms(question)], np.float32)
    by_text = dict(zip(keys.tolist(), rarity.tolist(), strict=True))
    reach = legs.store.reach(corpus.live_chunks)
    first = legs.terms(by_text, reach.files)
    first += legs.terms(dict.fromkeys(_symbol_keys(question), 1.0), reach.defining)
    for weights in _verbatim_weights(corpus, question):
        first += legs.terms(weights, reach.holders, presence=True)
    vector = question_vector(sources.encoder(), question.text)
    k, chunks = reach.files, reach.chunks
    by_vector: list[Found] = [] if vector is None else legs.store.by_vector(vector, legs.where, k=chunks)
    files.add([*first, *by_vector])
    while True:
        state = _retrieved(state, files, sources)
        lists = made_by("retrieve", state.lists)
        by_bound = legs.terms(_bounds(state, question, by_text), k)
        least = _least(lists.lexical)
        if files.add(one for one in by_bound if one.score * (1 + ROUNDING) > least):
            state = _retrieved(state, files, sources)
            lists = made_by("retrieve", state.lists)
        needs_files = (
            len(by_bound) == k
            and _least(lists.lexical) < by_bound[-1].score * (1 + ROUNDING)
            and k * GROWTH <= reach.most_files
        )
        needs_chunks = (
            len(by_vector) == chunks
            and _least(lists.dense) < by_vector[-1].score + ROUNDING
            and chunks * GROWTH <= reach.most_chunks
        )
        if not (needs_files or needs_chunks):
            return files.corpus()
        if needs_files:
            k *= GROWTH
        if needs_chunks and vector is not None:
            chunks *= GROWTH
            by_vector = legs.store.by_vector(vector, legs.where, k=chunks)
            files.add(by_vector)


def files_by_path(store: Store, keys: Array, where: Conditions) -> Iterator[FileKey]:
    """Yield files whose paths hold the terms of a path, u64[n] keys; `where` has it as a beginning of theirs."""
    if not len(keys):
        return
    reach = Reach()  # a path is found whatever the store: of one that holds all terms there are few
    k, seen = reach.holders, 0
    while True:
        found = store.by_terms(keys, np.ones(len(keys), dtype=np.float32), where, k=k, presence=True)
        whole = [one.file for one in found if one.score > len(keys) - 1 + ROUNDING]
        yield from whole[seen:]
        if len(whole) < k or k >= reach.most_files:
            return
        k, seen = k * GROWTH, len(whole)


def _retrieved(state: SearchState, files: Gathering, sources: Sources) -> SearchState:
    """Return a state with the lists that the files at hand give."""
    fresh = replace(state, sources=replace(sources, corpus=files.corpus()))
    return run_stages(fresh, (filter_chunks, retrieve))


def _least(listed: Listed) -> float:
    """Return the score that a chunk must exceed to be on a list, 0 for one that has room."""
    return listed.least if len(listed.best) == DEPTH else 0.0


def _bounds(state: SearchState, question: Question, by_text: Mapping[int, float]) -> dict[int, float]:
    """Return weights by which no file's inner product is less than the lexical score of one of its chunks."""
    scores, weights = made_by("retrieve", state.scores), state.tuning.weights
    share = weights["text"] / scores.best_text + weights["file"] / scores.best_file
    bounds = {key: share * rarity for key, rarity in by_text.items()}
    total = sum(by_text.values()) or 1.0
    for term, key in zip(scored_terms(question), path_keys(scored_terms(question)).tolist(), strict=True):
        bounds[key] = weights["path"] * by_text[int(text_keys([term])[0])] / total
    for names, weight in ((question.symbols, weights["symbol"]), (question.capitals, weights["capital"])):
        for key in _keys_of_symbols(names):
            bounds[key] = bounds.get(key, 0.0) + weight
    return bounds


def _symbol_keys(question: Question) -> list[int]:
    """Return the keys of the definitions that a question may name."""
    names = (plain_name(name) for name in pasted(question.text).names)
    return _keys_of_symbols([*question.symbols, *question.members, *question.capitals, *names])


def _keys_of_symbols(names: Iterable[str]) -> list[int]:
    keys: dict[int, None] = {}
    for name in names:
        *scope, last = name.split(".")
        keys[symbol_hash(f"{scope[-1]}.{last}" if scope else last)] = None
        keys[symbol_hash(last)] = None
    return list(keys)


def _all_keys(question: Question) -> Array:
    """Return the keys of all terms that the legs of a question have, u64[n]."""
    spelled, run = _spelled(question)
    known = {term for name in spelled for term in name} | set(run) | set(scored_terms(question))
    in_order = sorted(known)
    own = [text_keys(in_order), path_keys(in_order), np.array(_symbol_keys(question), dtype=np.uint64)]
    return np.concatenate(own)


def _spelled(question: Question) -> tuple[list[list[str]], list[str]]:
    """Return the terms of each name in a question, and those of the words of a message."""
    text = pasted(question.text)
    names = [[split[-1] for word in words(name) if (split := terms(word))] for name in text.names]
    content = (word for word in dict.fromkeys(text.run) if word not in STOP_WORDS)
    return names, [split[-1] for word in content if (split := terms(word))]


def _verbatim_weights(corpus: PartialCorpus, question: Question) -> list[dict[int, float]]:
    """Return the weights of the words of a message, and of each name, that may stand in code as they are written."""
    spelled, run = _spelled(question)
    legs = [dict.fromkeys(text_keys(found).tolist(), 1.0) for found in spelled]
    legs += [dict.fromkeys(path_keys(found).tolist(), 1.0) for found in spelled]  # a file may be called so
    if run:
        keys = text_keys(run)
        legs.append(dict(zip(keys.tolist(), rarity_of(corpus, keys).tolist(), strict=True)))
    return legs
