"""What a model replied to stages: not asked for twice, on this user's disk alone, and only where it could be read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from coderag import Index
from coderag.ask.caching.answers import ANSWERS
from coderag.ask.caching.replies import replies_folder, replies_size, trim_replies
from tests.ask.models.scripted import Prompt, ScriptedModel, serve_model
from tests.workspace import let_clock_tick, write

FILES = {"app.py": 'def greet():\n    """Say hello to somebody."""\n'}
QUESTION = "how do we welcome late visitors"
PIPELINE = "multi_query,retrieve,answer"
WORDED = "other words"


def worded(prompt: Prompt) -> str:
    return json.dumps({"texts": ["greet somebody"]}) if WORDED in prompt.text else "The sources do not say."


def broken_first(prompt: Prompt) -> str:
    return worded(prompt) if prompt.is_repair or WORDED not in prompt.text else "no JSON"


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedModel]:
    with serve_model({"worded": worded, "repaired": broken_first, "broken": lambda _: "no JSON"}) as model:
        yield model


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return replies_folder()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write(tmp_path_factory.mktemp("replies") / "small", FILES)
    Index.build(root, workers=0)
    return root


def asked(server: ScriptedModel, index: Index, mode: str = "worded", *, cache: bool = True, k: int = 5) -> int:
    """Return how often the model was asked for other words; with another `k`, the whole answer is made anew."""
    ANSWERS.clear()
    server.prompts.clear()
    answer = index.ask(QUESTION, pipeline=PIPELINE, model=server.chat(mode), cache=cache, k=k)
    assert mode == "broken" or "greet somebody" in answer.trace[0].said
    return sum(WORDED in prompt.text for prompt in server.prompts)


def test_a_prompt_is_paid_for_once(server: ScriptedModel, root: Path, folder: Path) -> None:
    assert asked(server, Index.open(root)) == 1
    assert asked(server, Index.open(root), k=6) == 0
    assert asked(server, Index.open(root), cache=False) == 1
    [file] = folder.iterdir()
    assert (file.stat().st_mode & 0o777, folder.stat().st_mode & 0o777) == (0o600, 0o700)
    assert 0 < replies_size() == trim_replies(0)
    assert asked(server, Index.open(root), k=7) == 1


def test_a_prompt_that_an_update_leaves_alone_stays_paid(tmp_path: Path, server: ScriptedModel) -> None:
    root = write(tmp_path / "small", FILES)
    index = Index.build(root, workers=0)
    assert asked(server, index) == 1
    let_clock_tick()
    write(root, {"b.py": "def other():\n    pass\n"})
    index.update(workers=0)
    assert asked(server, index) == 0


def test_another_model_and_groups_pay_for_themselves(server: ScriptedModel, root: Path) -> None:
    index = Index.open(root)
    assert asked(server, index) == 1
    server.prompts.clear()
    index.ask(QUESTION, pipeline=PIPELINE, model=server.anthropic("worded"))
    assert any(WORDED in prompt.text for prompt in server.prompts)
    size = replies_size()
    for _ in range(2):
        assert asked(server, index.as_seen_by(["web"]), k=8) == 1
    assert replies_size() == size


def test_what_cannot_be_read_is_not_kept(server: ScriptedModel, root: Path, folder: Path) -> None:
    index = Index.open(root)
    assert asked(server, index, "broken") == 2
    assert not folder.exists()
    assert asked(server, index, "repaired") == 2
    assert asked(server, index, "repaired", k=6) == 0
    [file] = folder.iterdir()
    file.write_bytes(b"{")
    assert asked(server, index, "repaired", k=7) == 2
    file.chmod(0o644)
    assert asked(server, index, "repaired", k=9) == 2
