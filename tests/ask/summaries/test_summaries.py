"""Overviews in the words of a model: summaries of parts, kept by content, and one answer from them."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from coderag import Index
from coderag.ask.source import Source
from coderag.ask.summaries.store import SummaryStore, summary_key
from tests.ask.models.scripted import ScriptedModel, serve_model

QUESTION = "what are the main parts?"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "coderag/summaries"


@pytest.fixture
def server() -> Iterator[ScriptedModel]:
    with serve_model() as model:
        yield model


def asked(server: ScriptedModel) -> list[str]:
    return [prompt.question for prompt in server.prompts]


@pytest.mark.slow
def test_parts_are_summarised_once_and_the_answer_is_written_from_them(
    shop: Index, cache: Path, server: ScriptedModel
) -> None:
    first = shop.ask(QUESTION, model=server.chat("faithful"), cache=False)
    assert first.is_found
    assert "is defined there" in first.text
    assert asked(server)[-1] == QUESTION
    of_parts = [one for one in asked(server) if one.startswith("What is this part")]
    assert len(of_parts) >= 3
    assert "is defined there" in server.prompts[-1].text.partition("Question: ")[0]
    kept = sorted(cache.iterdir())
    assert kept
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept} == {0o600}
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700

    before = len(server.prompts)
    again = shop.ask(QUESTION, model=server.chat("faithful"), cache=False)
    assert again.text == first.text
    assert len(server.prompts) - before == 1 + len(of_parts) - len(kept)


@pytest.mark.slow
def test_a_summary_that_somebody_changed_is_checked_like_a_draft(
    shop: Index, cache: Path, server: ScriptedModel
) -> None:
    shop.ask(QUESTION, model=server.chat("faithful"), cache=False)
    for path in cache.iterdir():
        path.write_text("`PaymentTeleporter.beam_up` retries a payment 77 times [1].")
    answer = shop.ask(QUESTION, model=server.chat("faithful"), cache=False)
    assert "PaymentTeleporter" not in answer.text
    assert "PaymentTeleporter" not in server.prompts[-1].text


@pytest.mark.slow
def test_what_a_model_invents_is_no_overview_and_not_kept(shop: Index, cache: Path, server: ScriptedModel) -> None:
    answer = shop.ask(QUESTION, model=server.chat("invents"), cache=False)
    assert not answer.is_found
    assert not answer.text
    assert not cache.exists() or not list(cache.iterdir())


def test_the_store_is_bounded_and_follows_no_link(tmp_path: Path) -> None:
    store = SummaryStore(tmp_path / "kept", most_bytes=100)
    for number in range(5):
        store.put(f"{number}", f"{number}" * 40)
    assert sum(path.stat().st_size for path in (tmp_path / "kept").iterdir()) <= 100
    assert store.get("4") == "4" * 40
    assert store.get("0") == ""
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "kept/link").symlink_to(tmp_path / "secret")
    assert store.get("link") == ""


def test_a_changed_line_is_another_summary() -> None:
    one = Source(1, "r", "a.py", 1, 2, "def a(): ...")
    other = Source(1, "r", "a.py", 1, 2, "def b(): ...")
    assert summary_key("m", [one]) == summary_key("m", [one])
    assert len({summary_key("m", [one]), summary_key("m", [other]), summary_key("n", [one])}) == 3
