"""Language models behind HTTP: both formats, and every way in which they fail."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import msgspec
import pytest

from coderag.ask.models.http_model import open_model
from coderag.ask.models.model import Message, Role
from coderag.ask.models.prompt import answer_messages
from coderag.ask.models.spec import Format, ModelSpec, parse_model
from coderag.ask.models.structured import ask_for, schema_of
from coderag.ask.models.thoughts import final_text
from coderag.ask.source import Source
from coderag.errors import LanguageModelError
from tests.ask.models.scripted import Prompt, ScriptedModel, serve_model

KEY = "sk-secret-of-the-test"
SOURCES = [Source(1, "shop", "shop/retry.py", 1, 2, "def retry_failed():\n    return 3", "retry_failed")]
MESSAGES = answer_messages("what retries payments?", SOURCES)
ANSWER = "`def retry_failed` is defined there [1]."
FORMATS = pytest.mark.parametrize("form", Format)


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedModel]:
    with serve_model() as model:
        yield model


def spec_of(server: ScriptedModel, mode: str, form: Format) -> ModelSpec:
    return parse_model(server.anthropic(mode) if form is Format.MESSAGES else server.chat(mode))


@FORMATS
@pytest.mark.parametrize("mode", ["faithful", "thinks", "plain"])
def test_an_answer_comes_from_the_sources_and_without_thoughts(server: ScriptedModel, form: Format, mode: str) -> None:
    pieces = list(open_model(spec_of(server, mode, form)).complete(MESSAGES))
    assert "".join(pieces) == ANSWER
    assert (len(pieces) > 3) == (mode != "plain")


def test_a_thought_that_the_prompt_began_is_left_out(server: ScriptedModel) -> None:
    model = open_model(server.chat("thinks-unopened"))
    assert final_text(model.complete(MESSAGES)) == ANSWER


@FORMATS
@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("empty", "gave an empty answer"),
        ("thinks-forever", "gave an empty answer"),
        ("too-long", "came to its limit of tokens"),
        ("cut", "broke off its answer after"),
        ("cut-early", "broke off its answer"),
        ("refuses", "refused to answer"),
        ("error-event", "broke off with an error: Overloaded"),
        ("broken-event", "an event that is no JSON: '{not json'"),
        ("no-json", "answered with what is no JSON: '<html>Welcome</html>'"),
        ("401", "answered 401.*is the key right in CODERAG_API_KEY"),
        ("400", "answered 400.*prompt too long"),
        ("302", "answered 302"),
        ("429-late", "it asks to come back in 3600 s"),
        ("429", "answered 429.*; tried 2 times"),
        ("500", "answered 500.*; tried 2 times"),
    ],
)
def test_failures_are_told_apart_and_show_no_key(server: ScriptedModel, form: Format, mode: str, message: str) -> None:
    model = open_model(spec_of(server, mode, form), environment={"CODERAG_API_KEY": KEY})
    with pytest.raises(LanguageModelError, match=message) as failed:
        list(model.complete(MESSAGES))
    assert KEY not in str(failed.value)
    assert KEY not in repr(model)
    assert KEY in str(server.prompts[-1].headers)


@pytest.mark.slow
@FORMATS
def test_a_model_that_says_nothing_is_given_up(server: ScriptedModel, form: Format) -> None:
    spec = replace(spec_of(server, "silent", form), timeout=0.05)
    with pytest.raises(LanguageModelError, match=r"did not answer within 0.05 s; tried 2 times"):
        list(open_model(spec).complete(MESSAGES))


def test_a_model_that_is_busy_is_asked_again() -> None:
    with serve_model() as server:
        assert "".join(open_model(server.chat("429-once")).complete(MESSAGES)) == ANSWER
        assert len(server.prompts) == 2


def test_keys_come_from_the_environment_and_go_where_they_belong(server: ScriptedModel) -> None:
    environment = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}
    list(open_model(server.chat("faithful"), environment=environment).complete(MESSAGES))
    assert KEY not in str(server.prompts[-1].headers)  # another host's
    environment = {"CODERAG_API_KEY": KEY}
    list(open_model(server.chat("faithful"), environment=environment).complete(MESSAGES))
    assert server.prompts[-1].headers["authorization"] == f"Bearer {KEY}"
    list(open_model(server.anthropic("faithful"), environment=environment).complete(MESSAGES))
    assert server.prompts[-1].headers["x-api-key"] == KEY
    assert server.prompts[-1].headers["anthropic-version"]
    assert "authorization" not in server.prompts[-1].headers


@pytest.mark.parametrize(
    ("line", "spec"),
    [
        ("openai:gpt", ModelSpec("gpt", "https://api.openai.com/v1/chat/completions")),
        ("anthropic:opus", ModelSpec("opus", "https://api.anthropic.com/v1/messages", Format.MESSAGES)),
        ("ollama:qwen3:8b", ModelSpec("qwen3:8b", "http://127.0.0.1:11434/v1/chat/completions")),
        ("http://h:1/v1/chat/completions#m?timeout=7", ModelSpec("m", "http://h:1/v1/chat/completions", timeout=7)),
        ("https://h/anthropic/v1/messages#m", ModelSpec("m", "https://h/anthropic/v1/messages", Format.MESSAGES)),
    ],
)
def test_lines_name_models(line: str, spec: ModelSpec) -> None:
    assert parse_model(line) == spec


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("gpt-9", "no language model is called 'gpt-9'; name one as openai:MODEL"),
        ("jina:reader", "no language model is called"),
        ("openai:", "no language model is called"),
        ("http://h/v1/chat/completions", "the name of the model is missing"),
        ("http://u:p@h/v1/chat/completions#m", "holds a user or a password"),
        ("http://h/v1/chat/completions?api_key=x#m", "seems to hold a key"),
        ("openai:m?temperature=1", "unknown option 'temperature'"),
    ],
)
def test_lines_that_name_none_say_why(line: str, message: str) -> None:
    with pytest.raises(LanguageModelError, match=message):
        parse_model(line)


def test_an_endpoint_of_a_repository_is_not_asked() -> None:
    spec = parse_model("http://evil.example/v1/chat/completions#m", trusted=False)
    with pytest.raises(LanguageModelError, match="which text would be sent to"):
        open_model(spec, environment={})
    assert open_model(spec, environment={"CODERAG_TRUST": "evil.example"})


class Verdict(msgspec.Struct, frozen=True):
    """What a model is asked for."""

    found: bool
    lines: list[int]


VERDICT = '{"found": true, "lines": [3]}'
JSON: dict[str, list[str]] = {
    "json": [VERDICT],
    "fenced": [f"Here it is:\n```json\n{VERDICT}\n```\n"],
    "broken-once": ['{"found": true, "lines": [', VERDICT],
    "broken": ["I found it in line 3."],
    "wrong-type": ['{"found": "yes", "lines": 3}'],
}


def scripted(texts: list[str], prompt: Prompt) -> str:
    return texts[min(int(prompt.is_repair), len(texts) - 1)]


@FORMATS
@pytest.mark.parametrize("mode", JSON)
def test_records_are_read_from_json(form: Format, mode: str) -> None:
    with serve_model({mode: lambda prompt: scripted(JSON[mode], prompt)}) as server:
        model = open_model(spec_of(server, mode, form))
        messages = [Message(Role.USER, "where?")]
        if mode in {"broken", "wrong-type"}:
            with pytest.raises(LanguageModelError, match="is no JSON of the form asked for"):
                ask_for(Verdict, messages, model)
        else:
            assert ask_for(Verdict, messages, model) == Verdict(found=True, lines=[3])
        assert len(server.prompts) == (1 if mode in {"json", "fenced"} else 2)
        wanted = server.prompts[0].body["tools"][0]["input_schema"] if form is Format.MESSAGES else None
        wanted = wanted or server.prompts[0].body["response_format"]["json_schema"]["schema"]
        assert wanted == schema_of(Verdict)
        assert wanted["required"] == ["found", "lines"]
