"""A search as a tuple of stages: the usual ones, another tuple, a stage of one's own, and one in the wrong place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path

import pytest

from coderag import Index, Query
from coderag.encoders.static import shipped_encoder
from coderag.errors import QueryError
from coderag.index.reader.corpus import Corpus, open_members
from coderag.index.storage.manifest import read_manifest
from coderag.search.pipeline import (
    STAGES,
    Stage,
    calibrate,
    cut_off,
    diversify,
    explain,
    extract_features,
    fuse,
    rank,
    relate,
    rerank,
    retrieve,
    run_stages,
    search,
    understand,
)
from coderag.search.query.query import Conditions, make_query
from coderag.search.query.understand import QueryType
from coderag.search.state import SearchState, Sources
from coderag.types import Hit, Pipeline
from tests.workspace import SHOP

QUESTION = "where are failed payments retried?"


@pytest.fixture(scope="module")
def index(shop_index: Path) -> Index:
    return Index.open(SHOP, index=shop_index)


@pytest.fixture(scope="module")
def sources(index: Index) -> Sources:
    """Return what a search of the shop reads, graphs and databases left out."""
    [root] = index.roots
    corpus = Corpus(open_members(root.folder, read_manifest(root.folder)))
    return Sources(corpus, encoder=shipped_encoder, catalogs=dict, graphs=dict)


def without(*left_out: Stage) -> tuple[Stage, ...]:
    return tuple(stage for stage in STAGES if stage not in left_out)


def places(hits: list[Hit]) -> list[tuple[str, int]]:
    return [(hit.chunk.path, hit.chunk.span.start_line) for hit in hits]


def test_the_stages_are_these() -> None:
    assert [getattr(stage, "__name__", "") for stage in STAGES] == [
        *("understand", "filter_chunks", "retrieve", "match", "fuse", "extract_features", "rank", "diversify"),
        *("promote", "calibrate", "rerank", "cut_off", "explain", "relate", "answer_by_graph", "expand"),
    ]


def test_an_index_answers_by_the_same_stages(index: Index, sources: Sources) -> None:
    assert [replace(hit, relations=()) for hit in index.search(QUESTION)] == search(Query(QUESTION), sources)


def test_a_stage_fills_in_its_part_and_changes_no_other(sources: Sources) -> None:
    before = SearchState(Query(QUESTION), sources)
    after = run_stages(before, STAGES[:7])
    assert before.question is None
    assert after.ranking is not None
    names = [field.name for field in fields(SearchState)]
    filled = [name for name in names if getattr(before, name) is not getattr(after, name)]
    assert filled == [
        *("question", "scores", "evidence", "prior", "lists", "verbatim", "candidates", "rows", "ranking", "ranked")
    ]
    with pytest.raises(FrozenInstanceError):
        after.ranked = ()  # type: ignore[misc]


def test_a_tuple_without_diversify_never_diversifies(sources: Sources) -> None:
    diverse, plain = Query(QUESTION, diversity=0.9), Query(QUESTION)
    usual = places(search(plain, sources))
    assert places(search(diverse, sources)) != usual
    assert places(search(diverse, sources, stages=without(diversify))) == usual


def test_an_index_takes_other_stages_too(index: Index) -> None:
    usual = index.search(QUESTION)
    diverse = index.search(QUESTION, diversity=0.9)
    assert places(diverse) != places(usual)
    assert index.search(QUESTION, diversity=0.9, stages=without(diversify)) == usual
    assert places(index.search(QUESTION, groups=["anybody"], stages=without(diversify))) == places(usual)


def test_a_stage_of_ones_own(index: Index) -> None:
    def only_documented(state: SearchState) -> SearchState:
        return replace(state, found=tuple(pair for pair in state.found if pair[1].chunk.doc))

    at = STAGES.index(relate)
    usual = index.search(QUESTION, k=20)
    documented = index.search(QUESTION, k=20, stages=(*STAGES[:at], only_documented, *STAGES[at:]))
    assert places(documented) == places([hit for hit in usual if hit.chunk.doc])
    assert 0 < len(documented) < len(usual)


def test_each_optional_stage_leaves_out_its_part(index: Index) -> None:
    assert {hit.confidence for hit in index.search(QUESTION, stages=without(calibrate))} == {0.0}
    assert index.search(QUESTION, threshold=1.0) == []
    assert len(index.search(QUESTION, threshold=1.0, stages=without(cut_off))) == 10
    assert any(hit.relations for hit in index.search(QUESTION))
    assert not any(hit.relations for hit in index.search(QUESTION, stages=without(relate)))
    reranked = Query(QUESTION, pipeline=Pipeline(reranker="maxsim"))
    assert any("rerank" in hit.parts for hit in index.search(reranked))
    assert index.search(reranked, stages=without(rerank)) == index.search(QUESTION)


def test_a_stage_without_its_input_names_the_stage_that_makes_it(sources: Sources) -> None:
    needs: Mapping[Stage, str] = {
        retrieve: "understand",
        fuse: "understand",
        extract_features: "understand",
        rank: "retrieve",
        calibrate: "understand",
        explain: "understand",
    }
    for stage, maker in needs.items():
        with pytest.raises(ValueError, match=f"what `{maker}` makes; put `{maker}` before it"):
            search(Query(QUESTION), sources, stages=(stage,))
    with pytest.raises(ValueError, match="put `fuse` before it"):
        search(Query(QUESTION), sources, stages=without(fuse))
    assert search(Query(QUESTION), sources, stages=()) == []


def test_a_name_that_nothing_defines_is_searched_as_words(sources: Sources) -> None:
    def query_types(text: str) -> list[QueryType]:
        states = [run_stages(SearchState(Query(text), sources), stages) for stages in (STAGES[:1], STAGES[:3])]
        return [state.question.query_type for state in states if state.question is not None]

    assert understand in STAGES[:1]
    assert query_types("PaymentRetrier") == [QueryType.SYMBOL, QueryType.SYMBOL]
    assert query_types("weather") == [QueryType.SYMBOL, QueryType.TOPIC]


def test_a_query_with_groups_is_not_searched_as_if_it_had_none(sources: Sources) -> None:
    with pytest.raises(QueryError, match="as_seen_by"):
        search(make_query(QUESTION, groups=["sales"]), sources)


def test_the_conditions_are_the_fields_of_a_query(index: Index) -> None:
    assert [*Conditions.__annotations__] == [field.name for field in fields(Query) if field.name != "text"]
    assert make_query(QUESTION) == Query(QUESTION)
    with pytest.raises(TypeError, match="a query has no 'limit'; its conditions are k, kinds, "):
        index.search(QUESTION, limit=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="give a text or a Query"):
        index.search(3)  # type: ignore[arg-type]


def test_without_an_encoder_words_alone_answer(sources: Sources) -> None:
    hits = search(Query(QUESTION), replace(sources, encoder=lambda: None))
    assert hits
    assert not any(hit.parts.keys() & {"cosine_scaled", "file_cosine", "learned"} for hit in hits)
