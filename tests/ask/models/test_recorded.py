"""Answers that a strong model gave to the prompts of coderag on one day, sent again over HTTP: what the checker keeps.

fixtures/ask/recorded holds them with the day, the model and a hash of the prompt. They are examples of real prose, few
and of one model: no figure of quality. `--update` writes what is kept now; a prompt that changed since is told, and the
answer is checked against the sources that it was written from all the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from coderag import Index
from coderag.ask.models.defused import defused
from coderag.ask.models.http_model import open_model
from coderag.ask.models.writing import checked_answer
from coderag.ask.source import Source
from tests.ask.models.scripted import Prompt, ScriptedModel, serve_model
from tests.workspace import REPOSITORY

FOLDER = REPOSITORY / "fixtures/ask/recorded"
FILES = sorted(FOLDER.glob("*.json"))
RECORDS = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in FILES}
ANSWERS = {record["question"]: "\n".join(record["answer"]) for record in RECORDS.values()}


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedModel]:
    with serve_model({"recorded": lambda prompt: ANSWERS[prompt.question]}) as model:
        yield model


def hash_of(prompt: Prompt) -> str:
    """Return the hash of the prompt as it was sent."""
    text = "\0".join(f"{role}:{text}" for role, text in prompt.messages)
    return blake2b(text.encode(), digest_size=16).hexdigest()


def test_every_record_says_where_it_comes_from() -> None:
    assert len(RECORDS) == 12
    for record in RECORDS.values():
        assert {"question", "date", "model", "prompt_hash", "sources", "facts", "answer", "kept", "left_out"} == set(
            record
        )


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_the_checker_keeps(shop: Index, server: ScriptedModel, file: Path, request: pytest.FixtureRequest) -> None:
    record: dict[str, Any] = RECORDS[file.stem]
    sources = [Source(**source) for source in record["sources"]]
    model = open_model(server.chat("recorded"))
    answer = checked_answer(record["question"], sources, record["facts"], model=model, check=shop.check_answer)
    kept = {"kept": answer.text.split("\n"), "left_out": list(answer.faults)}
    if request.config.getoption("--update"):
        file.write_text(json.dumps(record | kept, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        return
    assert {name: record[name] for name in kept} == kept


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_whole_path_passes_nothing_unsupported(
    shop: Index, server: ScriptedModel, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record: dict[str, Any] = RECORDS[file.stem]
    begin = len(server.prompts)
    answer = shop.ask(record["question"], model=server.chat("recorded"))
    if len(server.prompts) > begin and hash_of(server.prompts[begin]) == record["prompt_hash"]:
        assert answer.text.split("\n") == record["kept"]
        return
    with capsys.disabled():
        print(f"\n{file.name}: the prompt is another one than on {record['date']}; the answer is replayed all the same")
    checked = shop.check_answer(answer.text, defused(answer.sources))
    assert [sentence.text for sentence in checked.sentences if sentence.verdict not in ("supported", "no claim")] == []
