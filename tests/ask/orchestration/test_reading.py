"""Orchestrations in coderag.toml: what is understood, what is refused, and what they may cost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from coderag import Index
from coderag.ask.memory.conversation import Conversation, Exchange
from coderag.ask.settings import pipeline_of, stated_or_set
from coderag.errors import SettingsError
from tests.ask.models.scripted import ScriptedModel, serve_model
from tests.workspace import write

GOOD = """[ask]
pipeline = [
    "reframe",
    { when = "compound", then = ["decompose"] },
    "route",
    "retrieve",
    { repeat = ["expand", "retrieve", "correct"], until = "sufficient", at_most = 2 },
    { branch = "route", cases = { code = ["small_to_big"] }, otherwise = ["compress"] },
    "answer",
]
"""
FILES = {"app.py": 'def greet():\n    """Say hello to somebody."""\n', "coderag.toml": GOOD}
DEEP = '["correct"]'
for _ in range(40):
    DEEP = f'[{{ when = "found", then = {DEEP} }}]'


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return Index.build(write(tmp_path_factory.mktemp("settings") / "small", FILES), workers=0)


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedModel]:
    with serve_model() as model:
        yield model


def test_tables_are_stages(index: Index) -> None:
    answer = index.ask("who says hello?")
    assert answer.is_found
    assert answer.pipeline == (
        "reframe",
        "when compound (decompose)",
        "route",
        "retrieve",
        "repeat (expand, retrieve, correct) until sufficient, at most 2",
        "branch by route: code (small_to_big), otherwise (compress)",
        "answer",
    )
    assert [step.stage for step in answer.trace if step.stage in ("when", "repeat", "branch")]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("3", "pipeline must be a name or a list of stages"),
        ('["retrieve", 3, "answer"]', "pipeline, entry 2 must be the name of a stage, or a table with one of"),
        ('["retrieve", [], "answer"]', "pipeline, entry 2 must be the name"),
        ('["retrieve", {}, "answer"]', "pipeline, entry 2 must be the name"),
        ('["fetch", "answer"]', "pipeline, entry 1: there is no pipeline or stage 'fetch'"),
        ('[{ when = "found", repeat = ["expand"] }]', "entry 1 must be the name of a stage, or a table with one of"),
        ('[{ when = "found" }]', "entry 1: when needs the field 'then'"),
        ('[{ when = "found", then = "expand" }]', "entry 1, then must be a list of stages"),
        ("[{ when = 3, then = [] }]", "entry 1: 'when' must be a name"),
        ('[{ when = "lucky", then = [] }]', "entry 1: there is no condition 'lucky'"),
        ('[{ when = "found", then = ["clever"] }]', "entry 1, then, entry 1: there is no pipeline or stage 'clever'"),
        ('[{ when = "found", then = [], run = "rm" }]', "entry 1: when has no field 'run'; it has then, otherwise"),
        ('[{ repeat = ["expand"], until = "found" }]', "entry 1: repeat needs the field 'at_most'"),
        ('[{ repeat = ["expand"], until = "found", at_most = 1000000 }]', "entry 1: at_most is 1000000"),
        ('[{ repeat = ["expand"], until = "found", at_most = "2" }]', "entry 1: at_most is '2'"),
        ('[{ branch = "route", cases = ["expand"] }]', "entry 1, cases must be a table"),
        ('[{ branch = "route", cases = { sea = ["expand"] } }]', "entry 1: there is no route 'sea'"),
        ('["retrieve"]', "pipeline: the stages retrieve make no pipeline"),
        ('["retrieve", { when = "found", then = ["answer"] }, "answer"]', "stands once, in the outermost row"),
        (f'["retrieve", {DEEP[1:-1]}, "answer"]', "rows of stages are nested more than 3 deep"),
        ('["expand"' + ', "expand"' * 1_999 + "]", "pipeline has 2,000 stages; give at most 32"),
        (
            '["retrieve", { repeat = [{ repeat = [{ repeat = ["expand"], until = "found", at_most = 5 }], '
            'until = "found", at_most = 5 }], until = "found", at_most = 5 }, "answer"]',
            "these stages may run 127 times in all",
        ),
    ],
)
def test_a_wrong_form_is_told_with_its_place(tmp_path: Path, value: str, said: str) -> None:
    write(tmp_path, {"coderag.toml": f"[ask]\npipeline = {value}\n"})
    with pytest.raises(SettingsError) as error:
        pipeline_of([tmp_path])
    assert str(error.value).startswith("coderag.toml: [ask]: pipeline")
    assert said in str(error.value)


@pytest.mark.parametrize("stages", ['"agentic"', '["expand", "multi_query", "hyde", "retrieve", "reflect", "answer"]'])
def test_a_repository_chooses_no_requests_to_a_model(tmp_path: Path, server: ScriptedModel, stages: str) -> None:
    root = write(tmp_path / "small", {**FILES, "coderag.toml": f"[ask]\npipeline = {stages}\n"})
    index = Index.build(root, workers=0)

    def requests(pipeline: str) -> int:
        before = len(server.prompts)
        index.ask("who says hello?", pipeline=pipeline, model=server.chat("faithful"), cache=False)
        return len(server.prompts) - before

    assert requests("") == requests("modular") == 1
    assert requests("settings") > 1
    assert index.ask("who says hello?", pipeline="settings").pipeline == index.ask("who says hello?").pipeline


def test_a_loop_of_a_repository_asks_for_one_rewriting(tmp_path: Path, server: ScriptedModel) -> None:
    loop = '{ repeat = ["reframe", "retrieve"], until = "has_model", at_most = 5 }'
    setting = f'[ask]\npipeline = [{loop}, "reframe", "retrieve", "answer"]\n'
    index = Index.build(write(tmp_path / "small", {**FILES, "coderag.toml": setting}), workers=0)
    conversation = Conversation((Exchange("who says hello?", names=("greet",)),))
    server.prompts.clear()
    answer = index.ask("who calls it?", conversation=conversation, model=server.chat("invents"), cache=False)
    assert [step.stage for step in answer.trace].count("retrieve") > 1
    assert sum("You rewrite" in prompt.text for prompt in server.prompts) in (1, 2)  # with the repair of its JSON


def test_an_answer_by_rules_is_none_with_the_model(tmp_path: Path, server: ScriptedModel) -> None:
    root = write(tmp_path / "small", {**FILES, "coderag.toml": '[ask]\npipeline = "agentic"\n'})
    index = Index.build(root, workers=0)
    index.ask("who says hello?", model=server.chat("faithful"))
    stated = index.ask("who says hello?", pipeline="agentic", model=server.chat("faithful"))
    assert stated.trace[0].stage != "cache"
    assert any("tools are called by" in step.said for step in stated.trace)


def test_what_somebody_states_comes_before_settings(tmp_path: Path) -> None:
    write(tmp_path, {"coderag.toml": '[ask]\npipeline = "agentic"\n'})
    assert not stated_or_set("", [tmp_path]).asks_model
    assert stated_or_set("settings", [tmp_path]).asks_model
    assert stated_or_set("agentic", [tmp_path]).asks_model
    assert not stated_or_set("modular", [tmp_path]).asks_model
    assert stated_or_set("naive", [tmp_path]).labels == ("retrieve", "answer")
