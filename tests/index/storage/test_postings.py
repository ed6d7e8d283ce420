"""Postings, against bm25s as the oracle, and the parts they are made of."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.postings import (
    SHORT_DOCS,
    WEIGHT_STEPS,
    Postings,
    build_postings,
    idf,
    merge_terms,
    saturate,
    top_k,
)
from coderag.text.tokens import term_hash

K1, B = 1.2, 0.75


def postings_of(documents: list[list[str]]) -> Postings:
    """Return the postings of documents as BM25 has them: one field, its length over the mean length."""
    mean = sum(map(len, documents)) / len(documents)
    hashes, docs, frequencies = [], [], []
    for number, document in enumerate(documents):
        for term, count in sorted(Counter(document).items()):
            hashes.append(term_hash(term))
            docs.append(number)
            frequencies.append(count / (1 - B + B * len(document) / mean))
    weights = saturate(np.array(frequencies), K1)
    return build_postings(np.array(hashes, dtype=np.uint64), np.array(docs, dtype=np.uint32), weights)


def scores_of(postings: Postings, question: list[str], *, documents: int) -> Array:
    scores = np.zeros(documents, dtype=np.float32)
    for position in postings.find(np.array([term_hash(term) for term in question], dtype=np.uint64)).tolist():
        if position >= 0:
            docs, shares = postings.of(position)
            scores[docs] += np.float32(idf(documents, postings.frequency(position))) * shares
    return scores


@pytest.mark.dev("bm25s")
@pytest.mark.parametrize("seed", range(5))
def test_scores_are_those_of_bm25s(seed: int) -> None:
    import bm25s

    random = np.random.default_rng(seed)
    vocabulary = [f"word{number}" for number in range(60)]
    documents = [
        [vocabulary[min(number, 59)] for number in random.geometric(0.08, size=random.integers(1, 60))]
        for _ in range(300)
    ]
    oracle = bm25s.BM25(method="lucene", k1=K1, b=B)
    oracle.index(documents, show_progress=False)
    postings = postings_of(documents)
    for size in (1, 2, 5):
        question = [
            str(one) for one in random.choice(sorted({word for document in documents for word in document}), size=size)
        ]
        question = list(dict.fromkeys(question))
        expected = oracle.get_scores(question)
        found = scores_of(postings, question, documents=len(documents))
        # Half a step of the stored weights, for each term.
        step = 0.5 / WEIGHT_STEPS * sum(idf(300, sum(word in document for document in documents)) for word in question)
        np.testing.assert_allclose(found, expected, atol=step + 1e-5)


SCORES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.5, 1.0, 1.5]), max_size=400)


@given(SCORES, st.integers(1, 50), st.integers(1, 12))
def test_top_k_is_exact_and_ties_go_to_the_lower_number(some: list[float], k: int, times: int) -> None:
    scores = np.array(some * times, dtype=np.float32)
    expected = sorted(
        (position for position, score in enumerate(scores) if score > 0), key=lambda at: (-scores[at], at)
    )
    assert top_k(scores, k).tolist() == expected[:k]


@pytest.mark.parametrize("size", [10, 2_000, 30_000])
@pytest.mark.parametrize("k", [1, 10, 200])
def test_top_k_of_many_different_scores(size: int, k: int) -> None:
    random = np.random.default_rng(size)
    scores = (random.random(size) * (random.random(size) < 0.3)).astype(np.float32)
    expected = np.lexsort((np.arange(size), -scores))
    assert top_k(scores, k).tolist() == [at for at in expected[:k].tolist() if scores[at] > 0]


HASHES = st.lists(st.integers(0, 2**64 - 1), unique=True, max_size=30)


@given(st.lists(HASHES, max_size=5))
def test_merged_vocabularies_keep_every_term(vocabularies: list[list[int]]) -> None:
    arrays = [np.array(sorted(one), dtype=np.uint64) for one in vocabularies]
    union, positions = merge_terms(arrays)
    assert union.tolist() == sorted({one for vocabulary in vocabularies for one in vocabulary})
    for array, where in zip(arrays, positions, strict=True):
        assert union[where].tolist() == array.tolist()


@given(st.sets(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 100_000)), max_size=60))
def test_postings_hold_what_they_were_built_from(pairs: set[tuple[int, int]]) -> None:
    rows = sorted(pairs, key=lambda pair: (pair[1], pair[0]))
    weights = [1 + (term + doc) % WEIGHT_STEPS for term, doc in rows]
    postings = build_postings(
        np.array([term for term, _ in rows], dtype=np.uint64),
        np.array([doc for _, doc in rows], dtype=np.uint32),
        np.array(weights, dtype=np.uint8),
    )
    found = []
    for position, term in enumerate(postings.hashes.tolist()):
        docs, shares = postings.of(position)
        assert docs.tolist() == sorted(docs.tolist())
        assert postings.frequency(position) == len(docs)
        found += [
            (term, doc, round(share * WEIGHT_STEPS)) for doc, share in zip(docs.tolist(), shares.tolist(), strict=True)
        ]
    expected = {(term, doc, weight) for (term, doc), weight in zip(rows, weights, strict=True)}
    assert set(found) == expected
    assert len(found) == len(expected)
    assert Postings.from_arrays(postings.arrays("x"), "x") is not None


def test_documents_beyond_two_bytes() -> None:
    docs = np.array([0, SHORT_DOCS - 1, SHORT_DOCS, 10 * SHORT_DOCS], dtype=np.uint32)
    postings = build_postings(np.full(4, 7, dtype=np.uint64), docs, np.full(4, 9, dtype=np.uint8))
    assert postings.every_doc().dtype == np.uint32
    assert postings.of(0)[0].tolist() == docs.tolist()
    narrow = build_postings(np.full(2, 7, dtype=np.uint64), docs[:2], np.full(2, 9, dtype=np.uint8))
    assert narrow.every_doc().dtype == np.uint16
    assert narrow.of(0)[0].tolist() == docs[:2].tolist()


def test_no_postings() -> None:
    nothing = build_postings(np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.uint8))
    assert nothing.find(np.array([1, 2], dtype=np.uint64)).tolist() == [-1, -1]
    assert top_k(np.zeros(0, dtype=np.float32), 3).tolist() == []
    assert merge_terms([])[1] == []


def test_saturation_grows_and_is_never_nothing() -> None:
    found = saturate(np.array([1e-9, 0.5, 1.0, 2.0, 1e9]), K1).tolist()
    assert found == sorted(found)
    assert (found[0], found[-1]) == (1, WEIGHT_STEPS)


@pytest.mark.parametrize("seed", range(3))
def test_some_documents_have_the_weights_that_the_terms_list(seed: int) -> None:
    random = np.random.default_rng(seed)
    postings = postings_of([[f"word{integer}" for integer in random.integers(30, size=12)] for _ in range(80)])
    positions, docs = random.permutation(len(postings.hashes))[:9], random.permutation(80)[:20]
    expected = np.zeros((9, 80), dtype=np.float32)
    for row, position in enumerate(positions.tolist()):
        held, weights = postings.of(position)
        expected[row, held] = weights
    assert postings.weights_of(positions, docs).tolist() == expected[:, docs].tolist()
    without = np.sort(random.permutation(80)[:25])
    left = np.setdiff1d(np.arange(80), without)
    counted = postings.frequencies(positions, without=without)
    assert counted.tolist() == np.count_nonzero(expected[:, left], axis=1).tolist()


def test_postings_of_several_terms_follow_each_other() -> None:
    postings = postings_of([["a", "b"], ["b", "b"], ["a"]])
    positions = postings.find(np.array([term_hash("b"), term_hash("a")], dtype=np.uint64))
    docs, weights, first = postings.joined(positions, np.array([2, 1], dtype=np.float32))
    assert docs.tolist() == [0, 1, 0, 2]
    assert first.tolist() == [0, 2]
    assert weights[:2].tolist() == pytest.approx((2 * postings.of(int(positions[0]))[1]).tolist())
    docs, weights, first = postings.joined(positions[:0], np.zeros(0, dtype=np.float32))
    assert len(docs) == len(weights) == len(first) == 0
