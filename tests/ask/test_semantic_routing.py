"""Questions whose wording no rule knows to routes: by examples, and by a language model where two are as likely."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from coderag import Index
from coderag.ask.findings.places import Places
from coderag.ask.known_names import known_in
from coderag.ask.models.http_model import open_model
from coderag.ask.models.spec import parse_model
from coderag.ask.records import Answer, Route
from coderag.ask.routing import KnownNames, routes_of
from coderag.ask.semantic_routing import LONGEST, routing_of
from coderag.ask.stages import route
from coderag.ask.turn import Turn
from coderag.encoders.static import StaticEncoder
from coderag.errors import EncoderError
from coderag.evaluate.answers.counting_model import CountingModel
from tests.ask.models.scripted import Prompt, Script, ScriptedModel, serve_model
from tests.workspace import REPOSITORY

LINES = (REPOSITORY / "fixtures/ask/paraphrased_routes.jsonl").read_text(encoding="utf-8").splitlines()
LEAST = 0.55  # share of the paraphrases that go where they should; by rules alone it is a quarter
TIE = "the place where figures are kept"  # nearly as near to code as to data
PIPELINE = "route,retrieve,correct,answer"


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    choices: dict[str, Script] = {
        "chooses-data": lambda _: json.dumps({"route": "data"}),
        "chooses-graph": lambda _: json.dumps({"route": "graph"}),  # which was not offered
        "chooses-nonsense": lambda _: json.dumps({"route": "the moon"}),
        "chooses-prose": lambda _: "I would look into the database.",
    }
    with serve_model(choices) as served:
        yield served


def offered(prompt: Prompt) -> list[str]:
    """Return the routes that a model may choose from."""
    asked = prompt.text.partition("Choose one route:\n")[2]
    return [line[2:].partition(":")[0] for line in asked.splitlines() if line.startswith("- ")]


def said(answer: Answer) -> str:
    return next(step.said for step in answer.trace if step.stage == "route")


@pytest.mark.slow
@pytest.mark.parametrize("half", ["tuning", "measuring"])
def test_paraphrases_go_where_their_answer_is(shop: Index, half: str) -> None:
    known = known_in(shop)
    asked = [one for one in map(json.loads, LINES) if one["half"] == half]
    right = [one for one in asked if routing_of(one["question"], known).routes[0] == one["route"]]
    by_rules = [one for one in asked if routes_of(one["question"], known)[0] == one["route"]]
    assert len(asked) == 65
    assert len(right) >= LEAST * len(asked)
    assert len(right) > 2 * len(by_rules)


@pytest.mark.parametrize(
    ("question", "routes"),
    [
        ("who calls Cart.lines?", (Route.GRAPH,)),  # a verb and a name
        ("what tables hold orders?", (Route.DATA,)),  # a table
        ("introduce me to the readme", (Route.DOCUMENTS, Route.CODE)),  # a text by its name
        ("how generators are discovered", (Route.CODE,)),  # the description of some code
        ("retry_failed", (Route.CODE,)),  # a name
        ("what is the table login_sessions?", (Route.CODE,)),  # one thing, whose neighbourhood answers
        ("who depends on Kart.lanes?", (Route.CODE,)),  # a name that nobody knows
        ("how is the LDAP directory queried?", (Route.CODE,)),  # a topic, though nothing is known of it
        ("give me the lay of the land" + " indeed" * LONGEST, (Route.CODE,)),  # no question of that length
        ("?!", (Route.CODE,)),  # nothing to compare
    ],
)
def test_what_is_certain_is_not_compared(shop: Index, question: str, routes: tuple[Route, ...]) -> None:
    assert routing_of(question, known_in(shop)).routes == routes


def test_a_search_that_is_sure_keeps_a_question_in_code() -> None:
    question = "give me the lay of the land"
    unsure = KnownNames(is_target=lambda _: False, confidence=lambda _: 0.1)
    assert routing_of(question, unsure).routes == (Route.MAP, Route.DOCUMENTS)
    assert routing_of(question, replace(unsure, confidence=lambda _: 0.9)).routes == (Route.CODE,)


def test_without_the_encoder_a_question_goes_by_the_rules(shop: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> StaticEncoder:
        raise EncoderError("the model is gone")

    monkeypatch.setattr("coderag.ask.semantic_routing.shipped_encoder", missing)
    routing = routing_of("give me the lay of the land", known_in(shop))
    assert routing.said == "code by rules, as there is no encoder: the model is gone"


def test_examples_are_answered_on_their_route(shop: Index) -> None:
    overview = shop.ask("give me the lay of the land")
    assert overview.sources[0].path == "README.md"
    assert "by examples (map" in said(overview)
    users = shop.ask("does anyone still need TTLCache.get_or_compute?")
    assert users.routes == (Route.GRAPH,)
    assert any("calls TTLCache.get_or_compute" in fact.text for fact in users.facts)
    chain = shop.ask("the call chain between place_order and JobQueue.enqueue")
    assert chain.facts[-1].text == "Notifier.notify calls JobQueue.enqueue"


def test_a_model_chooses_between_equal_routes_alone(shop: Index, model: ScriptedModel) -> None:
    model.prompts.clear()
    answer = shop.ask(TIE, pipeline=PIPELINE, model=model.chat("chooses-data"), cache=False)
    first, *_ = model.prompts
    assert offered(first) == ["data", "code"]
    assert "shop/" not in first.text  # it sees no file
    assert said(answer).startswith(f"{TIE}: data by ")
    model.prompts.clear()
    sure = shop.ask("who calls Cart.lines?", pipeline=PIPELINE, model=model.chat("chooses-data"), cache=False)
    assert sure.routes == (Route.GRAPH,)
    assert not any(map(offered, model.prompts))
    model.prompts.clear()
    shop.ask(TIE, model=model.chat("faithful"), cache=False)  # the stages of the default pipeline go by rules
    assert not any(map(offered, model.prompts))


def test_the_choice_is_counted_among_the_calls(shop: Index, model: ScriptedModel) -> None:
    counting = CountingModel(open_model(model.chat("chooses-data")))
    shop.ask(TIE, pipeline="naive", model=counting, cache=False)
    without = counting.take().calls
    shop.ask(TIE, pipeline="route,retrieve,answer", model=counting, cache=False)
    assert counting.take().calls == without + 1


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["chooses-nonsense", "chooses-graph", "chooses-prose", "silent", "500"])
def test_a_choice_that_fails_leaves_the_rules(shop: Index, model: ScriptedModel, mode: str) -> None:
    opened = open_model(replace(parse_model(model.chat(mode)), timeout=0.2))
    turn = replace(Turn(TIE, shop, Places(shop), lambda words: dict.fromkeys(words, 1), text=TIE), model=opened)
    after = route(turn)
    assert after.parts[0].routes == routing_of(TIE, known_in(shop)).routes
    assert "by rules, as " in after.trace[-1].said
    assert " failed: " in after.trace[-1].said
