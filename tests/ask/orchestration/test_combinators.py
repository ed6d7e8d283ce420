"""Stages that are chosen, told apart and repeated, over real answers about fixtures/shop."""

from __future__ import annotations

from dataclasses import replace

import pytest

from coderag import Answer, Index
from coderag.ask import Evidence, Finding, Stage, Step, Turn, branch, repeat, sequence, stage, when
from coderag.ask.caching.answers import ANSWERS
from coderag.ask.records import Grade, Verdict
from coderag.errors import QueryError

QUESTION = "where are failed payments retried?"
COMPOUND = "who calls backoff_delay, and how are GraphQL subscriptions handled?"
UNKNOWN = "where is the Redis connection opened?"


def steps(answer: Answer, name: str) -> list[str]:
    return [step.said for step in answer.trace if step.stage == name]


def noted(turn: Turn) -> Turn:
    return replace(turn, trace=(*turn.trace, Step("noted", f"{len(turn.parts)} parts")))


def test_a_condition_chooses(shop: Index) -> None:
    pipeline = (when("compound", "decompose"), "route", "retrieve", "correct", "answer")
    plain, compound = (shop.ask(question, pipeline=pipeline) for question in (QUESTION, COMPOUND))
    assert [len(answer.parts) for answer in (plain, compound)] == [1, 2]
    assert steps(plain, "when") == ["compound: no, nothing to do"]
    assert steps(compound, "when") == ["compound: yes, decompose"]
    assert compound.pipeline == ("when compound (decompose)", "route", "retrieve", "correct", "answer")
    usual = shop.ask(COMPOUND, pipeline=("decompose", "route", "retrieve", "correct", "answer"))
    assert (compound.statements, compound.facts, compound.sources) == (usual.statements, usual.facts, usual.sources)


@pytest.mark.parametrize(
    ("condition", "is_met"),
    [
        ("found", True),
        ("not found", False),
        ("sufficient", True),
        ("weak", False),
        ("ambiguous", False),
        ("has_model", False),
        ("has_conversation", False),
        ("route:code", True),
        ("route:data", False),
        ("not route:data", True),
    ],
)
def test_conditions_have_names(shop: Index, condition: str, *, is_met: bool) -> None:
    answer = shop.ask(QUESTION, pipeline=("route", "retrieve", when(condition, "correct"), "answer"))
    assert bool(steps(answer, "correct")) is is_met


def test_what_the_index_lacks_is_not_sufficient(shop: Index) -> None:
    pipeline = ("retrieve", "correct", when("sufficient", noted, when("not found", "compress")), "answer")
    answer = shop.ask(UNKNOWN, pipeline=pipeline)
    assert answer.verdict is Verdict.NOT_FOUND
    assert not steps(answer, "noted")
    assert steps(answer, "compress")


def test_parts_go_their_own_ways(shop: Index) -> None:
    question = "who calls backoff_delay, and how is a coupon checked?"
    cases = branch("route", {"graph": noted}, otherwise=("expand", noted))
    answer = shop.ask(question, pipeline=("decompose", "route", cases, "retrieve", "correct", "answer"))
    usual = shop.ask(question, pipeline=("decompose", "route", "retrieve", "correct", "answer"))
    assert steps(answer, "branch") == [
        "who calls backoff_delay: graph, noted",
        "how is a coupon checked: code, expand, noted",
    ]
    assert steps(answer, "noted") == ["1 parts", "1 parts"]
    assert [part.text for part in answer.parts] == [part.text for part in usual.parts]
    assert answer.sources == usual.sources


def test_parts_that_a_branch_cuts_stay_in_order(shop: Index) -> None:
    def cut(turn: Turn) -> Turn:
        return replace(turn, evidence=tuple(Evidence(word) for part in turn.parts for word in part.text.split()))

    def kind(part: Evidence) -> str:
        return "long" if " " in part.text else "short"

    def three(turn: Turn) -> Turn:
        return replace(turn, evidence=(Evidence("one"), Evidence("two three"), Evidence("four")))

    answer = shop.ask("x", pipeline=(three, branch(kind, {"long": cut}), "retrieve", "answer"))
    assert [part.text for part in answer.parts] == ["one", "two", "three", "four"]


def test_parts_that_a_branch_parts_still_need_each_other(shop: Index) -> None:
    seen: list[list[int]] = []

    def five(turn: Turn) -> Turn:
        return replace(
            turn,
            evidence=(
                Evidence("cut this"),
                Evidence("plain"),
                Evidence("other", needs=1),
                Evidence("plain", needs=2),
                Evidence("plain", needs=1),
            ),
        )

    def cut(turn: Turn) -> Turn:
        return replace(turn, evidence=(Evidence("cut"), Evidence("this", needs=0)))

    def needs(turn: Turn) -> Turn:
        seen.append([part.needs for part in turn.parts])
        return turn

    cases = branch(lambda part: part.text, {"cut this": cut, "plain": needs})
    shop.ask("x", pipeline=(five, cases, needs, "retrieve", "answer"))
    assert seen == [[-1, -1, 0], [-1, 0, -1, 2, 3, 2]]


def test_a_loop_ends_when_it_suffices_or_changes_nothing_or_may_go_on_no_longer(shop: Index) -> None:
    loop = repeat("retrieve", "correct", until="sufficient", at_most=3)
    found = shop.ask(QUESTION, pipeline=("retrieve", "correct", loop, "answer"))
    assert steps(found, "repeat") == ["stopped: sufficient"]
    missing = shop.ask(UNKNOWN, pipeline=("retrieve", "correct", loop, "answer"))
    assert steps(missing, "repeat")[0] == "not sufficient: round 1 of at most 3"
    assert steps(missing, "repeat")[-1] == "stopped: the round changed nothing"
    assert len(steps(missing, "correct")) < 8

    def longer(turn: Turn) -> Turn:
        return replace(turn, text=f"{turn.text} more", evidence=())

    endless = repeat(longer, until=lambda _: False, at_most=4)
    answer = shop.ask(UNKNOWN, pipeline=(endless, "retrieve", "answer"))
    assert steps(answer, "repeat")[-1] == "stopped: 4 rounds, the most there may be"
    assert answer.parts[0].text == UNKNOWN + " more" * 4


def test_steps_are_told_once_as_they_are_done(shop: Index) -> None:
    told: list[Step] = []
    pipeline = (when("compound", sequence("decompose", noted)), "route", repeat("retrieve", until="found", at_most=2))
    answer = shop.ask(COMPOUND, pipeline=(*pipeline, "answer"), on_step=told.append)
    assert tuple(told) == answer.trace
    assert [step.stage for step in told].count("noted") == 1


def test_stages_of_ones_own_read_and_change_the_turn(shop: Index) -> None:
    def only_code(turn: Turn) -> Turn:
        kept = [
            replace(part, findings=tuple(finding for finding in part.findings if finding.source.path.endswith(".py")))
            for part in turn.parts
        ]
        return turn.after("only_code", "documents are left out", evidence=kept)

    question = "how do I rotate the webhook secret?"
    assert any(not one.path.endswith(".py") for one in shop.ask(question).sources)
    answer = shop.ask(question, pipeline=("route", "retrieve", only_code, "answer"))
    assert {source.path.rpartition(".")[2] for source in answer.sources} <= {"py"}
    assert answer.pipeline == ("route", "retrieve", "only_code", "answer")
    assert steps(answer, "only_code") == ["documents are left out"]


def test_answers_of_stages_without_a_version_are_not_kept(shop: Index) -> None:
    ANSWERS.clear()
    calls = []

    def counting(turn: Turn) -> Turn:
        calls.append(turn.question)
        return turn

    def ask(one: Stage) -> Answer:
        return shop.ask(QUESTION, pipeline=("retrieve", one, "answer"))

    ask(counting)
    ask(counting)
    assert len(calls) == 2
    named = stage(counting, name="counting", version="1")
    assert ask(named).pipeline == ("retrieve", "counting@1", "answer")
    assert ask(named).trace[0].stage == "cache"
    assert len(calls) == 3
    ask(stage(counting, name="counting", version="2"))
    assert len(calls) == 4
    shop.ask(QUESTION, pipeline=("retrieve", when(lambda _: True, "correct"), "answer"))
    again = shop.ask(QUESTION, pipeline=("retrieve", when(lambda _: False, "correct"), "answer"))
    assert not steps(again, "correct")


def test_what_makes_no_pipeline_is_refused(shop: Index) -> None:
    def refused(*pipeline: str | Stage) -> str:
        with pytest.raises(QueryError) as error:
            shop.ask("?x", pipeline=pipeline)
        return str(error.value)

    assert "keep the order" in refused("retrieve", when("found", ("correct", "expand")), "answer")
    assert "outermost row" in refused("retrieve", when("found", "answer"), "answer")
    assert "retrieve among them" in refused(when("found", "correct"), "answer")
    often = repeat(*[noted] * 20, until="found", at_most=5)
    assert "may run 102 times" in refused("retrieve", often, "answer")
    assert "nested" in refused("retrieve", sequence(sequence(sequence(sequence("correct")))), "answer")
    assert "33 stages" in refused("retrieve", *[noted] * 31, "answer")
    assert "gave no answer" in refused("retrieve", noted)
    with pytest.raises(TypeError, match="the stage broken returned NoneType"):
        shop.ask("?x", pipeline=("retrieve", broken, "answer"))


def broken(_: Turn) -> Turn:
    return None  # type: ignore[return-value]


@pytest.mark.parametrize("at_most", [0, 6, True, 1.5])
def test_a_loop_says_how_often_it_may_run(at_most: int) -> None:
    with pytest.raises(QueryError, match="give a whole number from 1 to 5"):
        repeat("retrieve", until="found", at_most=at_most)


def test_unknown_names_are_refused_at_once() -> None:
    with pytest.raises(QueryError, match="no condition 'clever'; there are ambiguous, compound"):
        when("clever", "retrieve")
    with pytest.raises(QueryError, match="no route 'sea'"):
        branch("route", {"sea": "retrieve"})
    with pytest.raises(QueryError, match="no branch by 'mood'"):
        branch("mood", {})
    for name, version in (("retrieve", "1"), ("", "1"), ("mine", ""), ("a b", "1")):
        with pytest.raises(QueryError, match="names no stage of one's own"):
            stage(noted, name=name, version=version)


def test_public_records_are_those_of_answers(shop: Index) -> None:
    seen: list[Finding] = []

    def look(turn: Turn) -> Turn:
        seen.extend(finding for part in turn.parts for finding in part.findings)
        assert all(part.grade is Grade.CORRECT for part in turn.parts)
        return turn

    shop.ask(QUESTION, pipeline=("retrieve", "correct", look, "answer"))
    assert seen
    assert all(isinstance(one, Finding) for one in seen)
