"""Rankings of a question and its variants become one, in which the question keeps at least half the weight."""

from __future__ import annotations

import pytest

from coderag import Hit, Index
from coderag.ask.searching import fuse


@pytest.fixture(scope="module")
def own(shop: Index) -> list[Hit]:
    return shop.search("where are failed payments retried?", k=6)


@pytest.fixture(scope="module")
def other(shop: Index, own: list[Hit]) -> list[Hit]:
    known = {hit.chunk.id for hit in own}
    return [hit for hit in shop.search("send a mail to a customer", k=12) if hit.chunk.id not in known][:6]


def ids(hits: list[Hit]) -> list[str]:
    return [hit.chunk.id for hit in hits]


def test_a_ranking_alone_stays_as_it_is(own: list[Hit]) -> None:
    assert fuse(own, []) == own
    assert ids(fuse(own, [(1.0, list(own))])) == ids(own)


def test_variants_of_any_weight_have_half_of_it(own: list[Hit], other: list[Hit]) -> None:
    fused = ids(fuse(own, [(40.0, other), (60.0, [])]))
    alone = ids(fuse(own, [(0.4, other), (0.6, [])]))
    assert fused == alone
    assert fused[:6] == ids(own)
    even = ids(fuse(own, [(100.0, other)]))
    assert even == [one for pair in zip(ids(own), ids(other), strict=True) for one in pair]


def test_what_both_find_rises(own: list[Hit]) -> None:
    fused = ids(fuse(own, [(0.5, [own[3]])]))
    assert fused == ids([own[3], own[0], own[1], own[2], own[4], own[5]])


def test_a_variant_alone_is_less_sure(own: list[Hit], other: list[Hit]) -> None:
    fused = {hit.chunk.id: hit.confidence for hit in fuse(own, [(0.25, other)])}
    assert fused[own[0].chunk.id] == own[0].confidence
    assert fused[other[0].chunk.id] == pytest.approx(other[0].confidence / 4)
