"""Conversations in files: kept for their roots and groups alone, and never where somebody else would have them."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from coderag import Answer, Index
from coderag.ask.memory.conversation import Conversation
from coderag.ask.memory.session import MOST_BYTES, Scope, Session, sessions_of
from coderag.errors import ConversationError, QueryError
from tests.workspace import write

FILES = {
    "app.py": 'def greet():\n    """Say hello."""\n    return wave()\n\n\ndef wave():\n    """Wave a hand."""\n',
    "pay/salary.py": 'def raise_salary():\n    """Raise the salary of the director."""\n',
    "coderag.toml": '[[access]]\npaths = ["pay/"]\ngroups = ["hr"]\n',
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return Index.build(write(tmp_path_factory.mktemp("talk") / "small", FILES), workers=0)


@pytest.fixture(scope="module")
def answer(index: Index) -> Answer:
    return index.ask("who calls wave()?")


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def test_what_is_added_is_read_again(index: Index, answer: Answer, state: Path) -> None:
    session = index.session("debug")
    assert session.read() == Conversation()
    assert not state.exists()  # to read makes nothing
    session.add(answer, index)
    session.pin(["app.py"], index)
    again = index.session("debug").read()
    assert [exchange.question for exchange in again.exchanges] == ["who calls wave()?"]
    assert again.exchanges[0].names == ("wave",)
    assert again.exchanges[0].shown[0].path == "app.py"
    assert again.pinned == ("app.py",)
    lines = session.path.read_text().splitlines()
    assert json.loads(lines[0])["session"] == "debug"
    assert (session.path.stat().st_mode & 0o777, session.path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    session.unpin(["app.py"])
    assert session.read().pinned == ()
    assert [one.name for one in sessions_of(session.scope)] == ["debug"]
    assert session.delete()
    assert not session.delete()


@pytest.mark.parametrize(
    "name", ["../x", "..", ".", "", "a/b", "a\0b", "/etc/passwd", "-x", ".hidden", "x" * 65, "a\n", "é"]
)
def test_a_name_is_no_path(index: Index, name: str) -> None:
    with pytest.raises(QueryError, match="is no name of a session"):
        index.session(name)


def test_groups_and_roots_have_conversations_of_their_own(index: Index, tmp_path: Path) -> None:
    staff = index.as_seen_by(["hr"])
    staff.session("debug").add(staff.ask("where is the salary of the director raised?"), staff)
    others = index.as_seen_by(["web"])
    other_root = Index.build(write(tmp_path / "other", FILES), workers=0)
    for reader in (index, others, index.as_seen_by([]), staff.as_seen_by(["web"]), other_root):
        assert reader.session("debug").read() == Conversation()
        assert sessions_of(reader.session("debug").scope) == []
    assert index.as_seen_by(["hr"]).session("debug").read().exchanges


def test_a_file_of_another_group_is_refused(index: Index) -> None:
    staff, others = index.as_seen_by(["hr"]), index.as_seen_by(["web"])
    staff.session("debug").add(staff.ask("where is the salary raised?"), staff)
    others.session("debug").add(others.ask("who greets?"), others)
    stolen = others.session("debug").path
    stolen.write_bytes(staff.session("debug").path.read_bytes())
    with pytest.raises(ConversationError, match="of another session, other folders or other groups") as raised:
        others.session("debug").read()
    assert "salary" not in str(raised.value)


def test_what_a_group_may_not_see_any_more_is_not_put_into_a_question(index: Index) -> None:
    staff, others = index.as_seen_by(["hr"]), index.as_seen_by(["web"])
    conversation = Conversation().after(staff.ask("what does raise_salary do?"), staff)
    assert staff.ask("who calls it?", conversation=conversation).read_as == "who calls raise_salary?"
    assert "raise_salary" not in others.ask("who calls it?", conversation=conversation).read_as


def test_links_are_not_followed(index: Index, answer: Answer, tmp_path: Path) -> None:
    session = index.session("debug")
    session.add(answer, index)
    target = write(tmp_path, {"target": "mine"}) / "target"
    session.path.unlink()
    session.path.symlink_to(target)
    for use in (session.read, lambda: session.add(answer, index)):
        with pytest.raises(ConversationError, match="is a link"):
            use()
    assert target.read_text() == "mine"
    assert session.delete()
    assert target.exists()
    session.path.parent.rmdir()
    session.path.parent.symlink_to(tmp_path)
    with pytest.raises(ConversationError, match="is a link"):
        session.add(answer, index)
    assert not (tmp_path / "debug.jsonl").exists()


def test_a_fifo_and_a_huge_file_are_refused_at_once(index: Index, answer: Answer) -> None:
    session = index.session("debug")
    session.add(answer, index)
    session.path.unlink()
    os.mkfifo(session.path, 0o600)
    with pytest.raises(ConversationError, match="no regular file"):
        session.read()
    session.path.unlink()
    with session.path.open("wb") as file:
        file.truncate(1 << 40)
    session.path.chmod(0o600)
    with pytest.raises(ConversationError, match=f"more than {MOST_BYTES:,}"):
        session.read()


def test_a_file_that_others_may_read_is_refused(index: Index, answer: Answer) -> None:
    session = index.session("debug")
    session.add(answer, index)
    session.path.chmod(0o644)
    with pytest.raises(ConversationError, match="chmod 600"):
        session.read()
    session.path.chmod(0o600)
    session.path.parent.chmod(0o755)
    with pytest.raises(ConversationError, match="chmod 700"):
        session.read()


@pytest.mark.parametrize(
    "damage",
    [b"{\n", b"[]\n", b'{"question": 1}\n', b'{"pinned": "x"}\n', b"\xff\n", b"[" * 100_000 + b"\n", b"{}\n"],
)
def test_a_damaged_file_is_told_and_left_as_it_is(index: Index, answer: Answer, damage: bytes) -> None:
    session = index.session("debug")
    session.add(answer, index)
    data = session.path.read_bytes() + damage
    session.path.write_bytes(data)
    for use in (session.read, lambda: session.add(answer, index), lambda: session.pin(["app.py"], index)):
        with pytest.raises(ConversationError, match=r'line 4: .*"coderag sessions delete debug"'):
            use()
    assert session.path.read_bytes() == data
    assert session.delete()


def test_nothing_is_kept_inside_the_root(index: Index, answer: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    root = index.roots[0].root
    monkeypatch.setenv("XDG_STATE_HOME", str(root / "state"))
    with pytest.raises(ConversationError, match="inside the indexed folder"):
        index.session("debug").add(answer, index)
    assert not (root / "state").exists()


def test_writers_at_once_lose_nothing(index: Index, answer: Answer) -> None:
    def add() -> None:
        for _ in range(3):
            index.session("debug").add(answer, index)

    threads = [threading.Thread(target=add) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(index.session("debug").read().exchanges) == 15
    assert os.listdir(index.session("debug").path.parent) == ["debug.jsonl"]  # noqa: PTH208


def test_a_file_stays_small(index: Index, answer: Answer) -> None:
    session = index.session("debug")
    long = "wave " * 6000
    for _ in range(25):
        session.add(Answer(long, answer.verdict, sources=answer.sources * 100), index)
    assert session.path.stat().st_size <= MOST_BYTES
    assert len(session.read().exchanges) == 20


def test_only_what_is_indexed_is_pinned(index: Index) -> None:
    session = index.as_seen_by(["web"]).session("debug")
    for path in ("nowhere/**", "pay/salary.py"):
        with pytest.raises(QueryError, match="no indexed file matches"):
            session.pin([path], index.as_seen_by(["web"]))
    with pytest.raises(QueryError, match="is not pinned in the session 'debug'; nothing is"):
        session.unpin(["app.py"])


def test_the_order_of_roots_and_groups_does_not_matter(tmp_path: Path) -> None:
    one, other = tmp_path / "a", tmp_path / "b"
    assert Scope.of([one, other], [frozenset("xy")]) == Scope.of([other, one], [frozenset("yx"), frozenset("xy")])
    assert Session.named("n", Scope.of([one])).path != Session.named("n", Scope.of([one], [frozenset()])).path
