"""What a question for a change names is done by a function, and the one that uses it comes forward."""

from __future__ import annotations

from pathlib import Path

from coderag import Index
from tests.workspace import write

BACKOFF = """def backoff_delay(attempt):
    \"\"\"Return the delay of the backoff before an attempt, which doubles.\"\"\"
    delay = 2**attempt
    return delay
"""
CALLER = """def deliver(message, transport):
    for number in range(5):
        if transport.push(message):
            return True
        transport.sleep(backoff_delay(number))
    return False
"""
OTHER = CALLER.replace("deliver", "collect").replace("push", "pull").replace("backoff_delay", "fixed_pause")
CHANGE = "fix: cap the backoff delay"


def _scores(root: Path, question: str, **files: str) -> dict[str, float]:
    found = write(root, {f"app/{name}.py": text for name, text in files.items()})
    hits = Index.build(found, workers=0, graph=False).search(question, k=20)
    return {hit.chunk.name: hit.score for hit in hits}


def test_what_uses_the_function_of_a_change_gains(tmp_path: Path) -> None:
    scores = _scores(tmp_path / "root", CHANGE, backoff=BACKOFF, deliver=CALLER, collect=OTHER)
    assert scores["backoff_delay"] > scores["deliver"] > scores.get("collect", 0.0) + 0.1 * scores["backoff_delay"]


def test_a_tool_of_many_says_nothing_of_them(tmp_path: Path) -> None:
    few = _scores(tmp_path / "few", CHANGE, backoff=BACKOFF, deliver=CALLER)
    users = {f"user{number}": CALLER.replace("deliver", f"deliver_{number}") for number in range(3)}
    many = _scores(tmp_path / "many", CHANGE, backoff=BACKOFF, **users)
    assert few["deliver"] / few["backoff_delay"] > 0.1 + many["deliver_1"] / many["backoff_delay"]


def test_an_updated_index_gives_the_same_scores(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"app/backoff.py": BACKOFF, "app/deliver.py": OTHER})
    index = Index.build(root, workers=0, graph=False)
    write(root, {"app/deliver.py": CALLER})
    index.update(workers=0)
    updated = [(hit.chunk.name, hit.score) for hit in index.search(CHANGE)]
    fresh = Index.build(root, index=tmp_path / "fresh", workers=0, graph=False)
    assert updated == [(hit.chunk.name, hit.score) for hit in fresh.search(CHANGE)]
