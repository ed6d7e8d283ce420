"""Conversations over HTTP: gone on with by whoever began them, bounded, and never shared between tokens."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from coderag import Index
from coderag.ask.memory import session as sessions
from coderag.ask.memory.session import Scope, sessions_of
from coderag.errors import CoderagError
from tests.serve.http.served import Served

FIRST = "where are coupons redeemed?"
COMPLETED = "who calls CouponBook.redeemable?"
RPC = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


def ask(served: Served, question: str, session: str, *, token: str | None = None, **more: str) -> Any:
    reply = served.get(f"/api/ask?{urlencode({'q': question, 'session': session, **more})}", token=token)
    assert reply.status == 200, reply.body
    return reply.json if "stream" not in more else reply.body.decode()


def test_a_question_goes_on_with_the_last_one(served: Served) -> None:
    ask(served, FIRST, "one")
    assert ask(served, "who calls it?", "one")["read_as"] == COMPLETED
    assert ask(served, "who calls it?", "two")["read_as"] == ""
    assert "read_as" in ask(served, "and the tests?", "one", stream="1")
    assert served.get(f"/api/ask?{urlencode({'q': FIRST, 'session': '../x'})}").status == 400


def test_tokens_share_no_conversation(served: Served) -> None:
    ask(served, FIRST, "shared", token="of-finance")
    assert ask(served, "who calls it?", "shared", token="of-finance")["read_as"] == COMPLETED
    for token in (None, "of-nobody"):
        assert ask(served, "who calls it?", "shared", token=token)["read_as"] == ""


def test_the_page_has_a_conversation(served: Served) -> None:
    def page(question: str, session: str) -> str:
        query = urlencode({"q": question, "part": "events", "session": session})
        return served.get(f"/ask?{query}").body.decode()

    page(FIRST, "page-1-2")
    assert f"is read as '{COMPLETED}'" in page("who calls it?", "page-1-2")
    assert "is read as" not in page("who calls it?", "page-3-4")
    assert 'sessionStorage.getItem("conversation")' in served.get("/static/ask.js").body.decode()


def test_the_files_are_private_and_not_among_the_users_own(served: Served, shop: Path) -> None:
    ask(served, FIRST, "private")
    index = Index.open(shop)
    assert "private" not in [one.name for one in sessions_of(Scope.of([index.roots[0].root]))]
    folder = index.session("private").path.parent.parent
    [file] = folder.glob("*/private.jsonl")
    head = json.loads(file.read_text().splitlines()[0])
    assert served.token not in file.read_text()
    assert len(head["owner"]) == 24
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_they_are_few_and_end(shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(sessions, "MOST_OF_OWNER", 3)
    index = Index.open(shop)
    answer = index.ask(FIRST)
    for number in range(5):
        kept = index.session(f"s{number}", owner="somebody")
        kept.add(answer, index)
        os.utime(kept.path, (time.time() - 100 + number,) * 2)
    assert len(list(kept.path.parent.iterdir())) == 3
    assert kept.read().exchanges
    os.utime(kept.path, (time.time() - sessions.LASTING_SECONDS - 1,) * 2)
    assert not kept.read().exchanges
    mine = index.session("mine")
    mine.add(answer, index)
    os.utime(mine.path, (0, 0))
    assert mine.read().exchanges
    assert index.session("mine", owner="somebody").read().exchanges == ()
    with pytest.raises(CoderagError, match="first line is of another"):
        _moved(mine.path, index).read()


def _moved(path: Path, index: Index) -> sessions.Session:
    """Return the session of another owner, with somebody else's file in its place."""
    other = index.session("mine", owner="another")
    other.path.parent.mkdir(mode=0o700)
    other.path.write_bytes(path.read_bytes())
    other.path.chmod(0o600)
    return other
