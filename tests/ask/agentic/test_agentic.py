"""Tools called for what the first results lack: by a plan, and by models that behave or do not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from coderag import Answer, Index
from coderag.api.records import json_line
from coderag.ask.agentic.records import Limits
from coderag.ask.agentic.stage import agentic
from coderag.ask.checking import check_answer
from coderag.ask.findings.places import Places
from coderag.ask.models.http_model import open_model
from coderag.ask.records import Verdict
from coderag.ask.turn import Options, Turn
from coderag.errors import LanguageModelError, QueryError
from tests.ask.agentic.scripts import GOOD, HOSTILE, ORDER, SCRIPTS
from tests.ask.models.scripted import ScriptedModel, serve_model
from tests.commands import Done, run_here
from tests.workspace import SHOP

QUESTION = "how does redeemable check a coupon?"
PLANNED = 4
CALLED = 8


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedModel]:
    with serve_model(SCRIPTS) as model:
        yield model


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Return the index of a repository whose sources give orders."""
    root = tmp_path_factory.mktemp("agentic") / "shop"
    shutil.copytree(SHOP / "shop/payments", root / "payments")
    shutil.copy(SHOP / "shop/discounts.py", root)
    file = root / "discounts.py"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("class CouponBook", f"# {ORDER}\nclass CouponBook"), encoding="utf-8")
    return Index.build(root, workers=0)


def trace(answer: Answer) -> list[str]:
    return [step.said for step in answer.trace if step.stage == "agentic"]


def made(answer: Answer) -> list[str]:
    return [said for said in trace(answer) if " found " in said]


def ending(answer: Answer) -> str:
    return trace(answer)[-1]


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("where are failed payments retried?", "no tool"),
        ("what does SELECT nothing FROM orders give?", "check_sql(sql='SELECT nothing FROM orders give')"),
        ("how is a Payment settled in shop/payments/retry.py?", "outline(path='shop/payments/retry.py')"),
        (
            "which invoice columns does the exporter write with Worker.run_once?",
            "symbol(name='Worker.run_once')",
        ),
        (
            "path from check_out to nothing_there",
            "symbol(name='nothing_there'), path(start='check_out', to='nothing_there'), "
            "search(query='path nothing_there check_out')",
        ),
    ],
)
def test_the_plan_follows_what_is_lacking(shop: Index, question: str, plan: str) -> None:
    answer = shop.ask(question, pipeline="agentic")
    assert trace(answer)[0] == f"{question}: plan: {plan}"
    assert len(made(answer)) == (0 if plan == "no tool" else plan.count("=" + "'") - plan.count(", to="))
    assert ending(answer).startswith("stopped: the ")


def test_a_plan_finds_what_the_first_results_lack(shop: Index) -> None:
    question = "which invoice columns does the exporter write with Worker.run_once?"
    assert "Worker.run_once" not in {source.name for source in shop.ask(question).sources}
    assert "Worker.run_once" in {source.name for source in shop.ask(question, pipeline="agentic").sources}


TRIPLES = (
    ("CouponBook.redeemable", "JobQueue.fail", "HttpGateway.refund"),
    ("Inventory.reserve", "Worker.run_once", "PaymentRetrier._settle"),
    ("SandboxGateway", "MigrationRunner", "CouponBook"),
)


def test_names_get_their_definitions(shop: Index) -> None:
    held = {"modular": 0, "agentic": 0}
    for names in TRIPLES:
        for pipeline in held:
            answer = shop.ask(f"what do {', '.join(names[:2])} and {names[2]} have in common?", pipeline=pipeline)
            held[pipeline] += len({source.name for source in answer.sources} & set(names))
    assert held["modular"] < held["agentic"] >= 7


def test_all_parts_share_four_calls(shop: Index) -> None:
    parts = [f"what does `nothing_{number}` do with `nowhere_{number}`" for number in range(4)]
    answer = shop.ask(" and ".join(parts), pipeline="agentic")
    assert len(answer.parts) == 4
    assert len(made(answer)) == PLANNED
    assert "the limit of steps is reached" in ending(answer)


def test_what_the_index_lacks_stays_not_found(shop: Index) -> None:
    assert shop.ask("where is the Redis connection opened?", pipeline="agentic").verdict is Verdict.NOT_FOUND


def test_paths_hold_for_tools_too(shop: Index, server: ScriptedModel) -> None:
    answer = shop.ask(
        QUESTION, pipeline="agentic", model=server.chat("two-at-once"), paths=["shop/payments/**"], cache=False
    )
    assert all(source.path.startswith("shop/payments/") for source in (*answer.sources, *answer.nearest))


@pytest.mark.parametrize("mode", sorted(GOOD))
@pytest.mark.parametrize("wire", ["chat", "anthropic"])
def test_a_model_calls_tools(shop: Index, server: ScriptedModel, wire: str, mode: str) -> None:
    begin = len(server.prompts)
    answer = shop.ask(QUESTION, pipeline="agentic", model=getattr(server, wire)(mode), cache=False)
    assert made(answer)[0].startswith("1. search(query='redeem a coupon') found shop/discounts.py")
    assert "the model needs no more" in ending(answer)
    assert answer.is_found
    assert "redeemable` is defined there" in answer.text
    asked = server.prompts[begin:]
    assert [prompt.offers_tools for prompt in asked] == [True] * (len(asked) - 1) + [False]
    assert "CouponBook" in asked[-2].messages[-1][1]  # the output of the last call


def test_the_model_is_shown_what_was_found_first(shop: Index, server: ScriptedModel) -> None:
    begin = len(server.prompts)
    shop.ask(QUESTION, pipeline="agentic", model=server.chat("searches"), cache=False)
    assert any("def redeemable" in text for _, text in server.prompts[begin].sources)
    tools = [tool["function"]["name"] for tool in server.prompts[begin].body["tools"]]
    assert tools == ["search", "symbol", "outline", "schema", "refs", "path", "check_sql"]


@pytest.mark.parametrize("mode", sorted(HOSTILE))
def test_nothing_unsupported_passes(hostile: Index, server: ScriptedModel, mode: str) -> None:
    begin = len(server.prompts)
    answer = hostile.ask(QUESTION, pipeline="agentic", model=server.chat(mode), cache=False)
    assert "beam_up" not in answer.text
    assert "root:" not in "".join(prompt.text for prompt in server.prompts[begin:])
    assert "Ignore all previous" not in "".join(prompt.text for prompt in server.prompts[begin:])
    assert len(made(answer)) <= CALLED
    assert len(server.prompts) - begin <= CALLED + 3
    checked = check_answer(answer.text, answer.sources, hostile)
    assert [sentence for sentence in checked.sentences if sentence.verdict not in ("supported", "no claim")] == []


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        ("endless", "the limit of steps is reached"),
        ("flooding", "the limit of steps is reached"),
        ("repeats", "the model repeats a call (search(query='redeem a coupon'))"),
        ("unknown-tool", "the model's calls are not valid (there is no tool 'run_shell'; there are search, "),
        ("broken-json", "the model's calls are not valid (its arguments are no JSON: "),
        ("broken-text", "the model's calls are not valid"),
        ("deep-json", "the model's calls are not valid"),
        ("long-argument", "the model's calls are not valid (search: Expected `str` of length <= 1000"),
        ("further-argument", "the model's calls are not valid (search: Object contains unknown field `groups`"),
        ("list-for-text", "the model's calls are not valid"),
        ("no-object", "the model's calls are not valid"),
        ("words-alone", "the model's calls are not valid (there is no call in it)"),
        ("says-nothing", "the model's calls are not valid (there is no call in it)"),
        ("leaves-the-root", "the model needs no more"),
        ("writes-to-the-database", "the model needs no more"),
    ],
)
def test_a_run_ends_for_a_reason(hostile: Index, server: ScriptedModel, mode: str, why: str) -> None:
    answer = hostile.ask(QUESTION, pipeline="agentic", model=server.chat(mode), cache=False)
    assert ending(answer).startswith(f"stopped: {why}")


def test_a_model_that_fails_leaves_it_to_the_plan(hostile: Index, server: ScriptedModel) -> None:
    answer = hostile.ask(QUESTION, pipeline="agentic", model=server.chat("cut-call"), cache=False)
    assert "broke off its answer" in trace(answer)[1]
    assert "plan:" in trace(answer)[2]
    assert answer.is_found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "message"), [("refuses", "refused"), ("silent", "did not answer within 1 s"), ("401", "answered 401")]
)
def test_a_model_that_gives_nothing_is_an_error(hostile: Index, server: ScriptedModel, mode: str, message: str) -> None:
    with pytest.raises(LanguageModelError, match=message):
        hostile.ask(QUESTION, pipeline="agentic", model=f"{server.chat(mode)}?timeout=1", cache=False)


def test_time_and_tokens_are_limited(hostile: Index, server: ScriptedModel) -> None:
    turn = Turn(QUESTION, hostile, Places(hostile), lambda words: dict.fromkeys(words, 1), text=QUESTION)
    turn = replace(turn, model=open_model(server.chat("endless")))
    slow = agentic(replace(turn, options=Options(limits=Limits(seconds=0))))
    assert slow.trace[-1].said.startswith("stopped: the limit of time is reached")
    short = agentic(replace(turn, options=Options(limits=Limits(tokens=100))))
    assert short.trace[-1].said.startswith("stopped: the limit of tokens is reached")
    assert len(short.trace) == 3


def test_limits_are_options(hostile: Index, server: ScriptedModel) -> None:
    def ask(limits: Limits) -> Answer:
        return hostile.ask(QUESTION, pipeline="agentic", model=server.chat("endless"), cache=False, limits=limits)

    two = ask(Limits(steps=2))
    assert len(made(two)) == 2
    assert ending(two).startswith("stopped: the limit of steps is reached (2);")
    assert made(ask(Limits(steps=0))) == []
    assert "the limit of tokens is reached (150)" in ending(ask(Limits(tokens=150)))
    by_plan = hostile.ask(
        "what do SandboxGateway and HttpGateway have in common?", pipeline="agentic", limits=Limits(steps=1)
    )
    assert len(made(by_plan)) == 1
    assert "the limit of steps is reached (1 by a plan)" in ending(by_plan)
    with pytest.raises(QueryError, match="steps is 51; give a whole number from 0 to 50"):
        ask(Limits(steps=51))


@pytest.mark.slow
def test_the_command_takes_limits(shop_root: Path, server: ScriptedModel) -> None:
    def run(*options: str) -> Done:
        return run_here("ask", QUESTION, "--no-refresh", "--no-cache", *options, cwd=shop_root)

    model = ("--pipeline", "agentic", "--model", server.chat("endless"), "--trace")
    shown = run(*model, "--limits", "steps=1,seconds=20").stdout
    assert "stopped: the limit of steps is reached (1)" in shown
    refused = run(*model, "--limits", "steps=1,turns=2")
    assert refused.returncode == 2
    assert "'turns=2' is none of steps=N, tokens=N, seconds=N" in refused.stderr
    assert "is more than 50" in run("--limits", "steps=51").stderr
    assert "no stage called tools" in run("--limits", "steps=2").stderr


@pytest.mark.slow
def test_the_command_shows_plan_evidence_and_end(shop_root: Path, server: ScriptedModel) -> None:
    options = ("--pipeline", "agentic", "--model", server.chat("searches"), "--trace", "--no-refresh")
    shown = run_here("ask", QUESTION, *options, cwd=shop_root).stdout
    assert "agentic: 1. search(query='redeem a coupon') found shop/discounts.py:28-41" in shown
    assert "agentic: stopped: the model needs no more" in shown


def test_the_record_has_the_trace(shop: Index, server: ScriptedModel) -> None:
    answer = shop.ask(QUESTION, pipeline="agentic", model=server.chat("searches"), cache=False)
    record = json.loads(json_line(answer))
    assert [step["stage"] for step in record["trace"]].count("agentic") == 3
