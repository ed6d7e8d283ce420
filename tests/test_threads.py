"""Threads that ask an index while another one updates it: each answer is of one moment."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from coderag import Index
from tests.workspace import write

FILES = tuple(f"part_{number}.py" for number in range(6))
UPDATES = 8
READERS = 3
GENERATION = re.compile(r"generation_(\d+)")


def write_generation(root: Path, number: int) -> None:
    """Write files that all name the same number."""
    body = f"    return 'invoice ledger', generation_{number}()\n"
    write(root, {path: f"def invoice_ledger_{path[:-3]}():\n{body}" for path in FILES})


def generations(index: Index) -> set[str]:
    """Return the numbers that the hits of a search name, and fail unless there is a hit in each file."""
    hits = index.search("invoice ledger", k=20, collapse=False)
    assert {hit.chunk.path for hit in hits} == set(FILES)
    return {found for hit in hits for found in GENERATION.findall(hit.chunk.text)}


@pytest.mark.slow
def test_a_search_sees_the_index_before_an_update_or_after_it(tmp_path: Path) -> None:
    write_generation(tmp_path, 0)
    index = Index.build(tmp_path, workers=0)
    done = threading.Event()

    def ask() -> list[set[str]]:
        found = [generations(index)]
        while not done.is_set():
            found.append(generations(index))
        return found

    with ThreadPoolExecutor(READERS) as threads:
        readers = [threads.submit(ask) for _ in range(READERS)]
        try:
            for number in range(1, UPDATES + 1):
                write_generation(tmp_path, number)
                index.update(workers=0)
        finally:
            done.set()
        answers = [one for reader in readers for one in reader.result()]
    assert all(len(answer) == 1 for answer in answers)
    assert generations(index) == {str(UPDATES)}


@pytest.mark.parametrize("method", ["search", "graph"])
def test_a_call_answers_from_the_snapshot_that_it_began_with(tmp_path: Path, method: str) -> None:
    write(tmp_path, {"a.py": "def open_ledger():\n    return close_ledger()\n\n\ndef close_ledger(): ...\n"})
    index = Index.build(tmp_path, workers=0)

    def while_another_updates() -> Iterator[str]:
        (tmp_path / "a.py").write_text(
            "def open_journal():\n    return close_journal()\n\n\ndef close_journal(): ...\n"
        )
        other = threading.Thread(target=index.update, kwargs={"workers": 0})
        other.start()
        other.join()
        yield "function"

    if method == "search":
        hits = index.search("open_ledger", kinds=while_another_updates())
        assert any("open_ledger" in hit.chunk.text for hit in hits)
    else:
        assert index.graph("open_ledger", kinds=while_another_updates()) is not None
    assert index.symbols("open_ledger", alike=False) == []
    assert [symbol.name for symbol in index.symbols("open_journal")] == ["open_journal"]


def test_what_some_groups_see_stays_as_it_was(tmp_path: Path) -> None:
    write_generation(tmp_path, 0)
    index = Index.build(tmp_path, workers=0)
    seen = index.as_seen_by([])
    write_generation(tmp_path, 1)
    index.update(workers=0)
    assert (generations(seen), generations(seen.as_seen_by([])), generations(index)) == ({"0"}, {"0"}, {"1"})
    assert generations(index.as_seen_by([])) == {"1"}
