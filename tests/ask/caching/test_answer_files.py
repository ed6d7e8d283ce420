"""Answers of a model on disk: given again for the same state of the index, to this user and to no group."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from coderag import Answer, Index
from coderag.ask.caching import answer_files as store
from coderag.ask.caching.answer_files import answers_folder, answers_size, keep, kept, trim_answers
from coderag.ask.caching.answers import ANSWERS
from coderag.ask.caching.key import AnswerKey
from coderag.ask.records import Verdict
from coderag.ask.turn import Options, SourceFilter
from tests.ask.models.scripted import ScriptedModel, serve_model
from tests.workspace import let_clock_tick, write

FILES = {"app.py": 'def greet():\n    """Say hello to somebody."""\n', "coderag.toml": ""}
KEY = AnswerKey(1, "who?", ("answer",), Options(within=SourceFilter(databases=tuple("abcdefgh"))), model="ollama:m")
ANSWER = Answer("who?", Verdict.FOUND, text="Nobody [1].")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    ANSWERS.clear()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return answers_folder()


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedModel]:
    with serve_model() as model:
        yield model


def test_the_model_is_asked_once_for_each_state_of_the_index(tmp_path: Path, server: ScriptedModel) -> None:
    root = write(tmp_path / "small", FILES)
    index = Index.build(root, workers=0)

    def ask(index: Index, **options: bool) -> tuple[int, Answer]:
        ANSWERS.clear()  # as another process has none
        server.prompts.clear()
        answer = index.ask("who says hello?", model=server.chat("faithful"), **options)  # type: ignore[arg-type]
        return len(server.prompts), answer

    asked, first = ask(index)
    assert asked == 1
    asked, again = ask(Index.open(root))
    assert asked == 0
    assert again.trace[0].stage == "cache"
    assert again == replace(first, trace=again.trace)
    assert ask(index, cache=False)[0] == 1
    assert ask(index.as_seen_by(["web"]))[0] == 1
    assert ask(index.as_seen_by(["web"]))[0] == 1
    let_clock_tick()
    write(root, {"b.py": "def other():\n    pass\n"})
    index.update(workers=0)
    assert ask(index)[0] == 1


def test_files_are_private_and_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(ANSWER, KEY, ["state"])
    [file] = folder.iterdir()
    assert (file.stat().st_mode & 0o777, folder.stat().st_mode & 0o777) == (0o600, 0o700)
    assert kept(KEY, ["state"]) == ANSWER
    assert kept(replace(KEY, generation=7), ["state"]) == ANSWER
    size = answers_size()
    monkeypatch.setattr(store, "MOST_BYTES", 3 * size)
    for number in range(6):
        keep(ANSWER, replace(KEY, question=str(number)), ["state"])
    assert answers_size() <= 3 * size
    assert trim_answers(0) > 0
    assert list(folder.iterdir()) == []


def test_what_differs_is_another_file(folder: Path) -> None:
    keep(ANSWER, KEY, ["state"])
    for other in (
        replace(KEY, question="Who?"),
        replace(KEY, model="ollama:n"),
        replace(KEY, options=Options()),
        replace(KEY, stored_graph=True),
    ):
        assert kept(other, ["state"]) is None
    assert kept(KEY, ["another"]) is None
    assert kept(KEY, ["state", "state"]) is None
    assert len(list(folder.iterdir())) == 1


def test_links_damage_and_files_of_others_are_no_answers(folder: Path, tmp_path: Path) -> None:
    keep(ANSWER, KEY, ["state"])
    [file] = folder.iterdir()
    data = file.read_bytes()
    for damage in (b"", b"{}", b"\xff", data[:-9], b"[" * 10_000):
        file.write_bytes(damage)
        assert kept(KEY, ["state"]) is None
    file.write_bytes(data)
    file.chmod(0o644)
    assert kept(KEY, ["state"]) is None
    file.unlink()
    target = write(tmp_path, {"target": data}) / "target"
    target.chmod(0o600)
    file.symlink_to(target)
    assert kept(KEY, ["state"]) is None
    keep(replace(ANSWER, text="other"), KEY, ["state"])
    assert target.read_bytes() == data
    assert not file.is_symlink()
    file.unlink()
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    keep(ANSWER, KEY, ["state"])
    assert kept(KEY, ["state"]) is None
    assert list((tmp_path / "elsewhere").iterdir()) == []
