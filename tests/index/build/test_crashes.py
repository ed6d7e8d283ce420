"""Short versions of `scripts/torture.py`: processes killed, disks that fail, bits flipped, readers beside writers."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from scripts.torturing.disk import disk
from scripts.torturing.drift import drift
from scripts.torturing.flip import flip
from scripts.torturing.generations import generations
from scripts.torturing.kill import kill
from scripts.torturing.outcome import Options, Outcome
from scripts.torturing.parts import parts
from scripts.torturing.readers import readers
from scripts.torturing.stores import stores
from scripts.torturing.switch import switch
from tests.workspace import REPOSITORY, SHOP

pytestmark = pytest.mark.slow


def options(work: Path, *, rounds: int, files: int = 12, source: Path = SHOP) -> Options:
    return Options(work=work, source=source, rounds=rounds, files=files, seconds=2.0, seed=7)


def total(outcome: Outcome, end: str) -> int:
    return sum(int(number) for name, number in outcome.counts.items() if name.endswith(end))


def test_killed_processes(tmp_path: Path) -> None:
    outcome = kill(options(tmp_path, rounds=10))
    assert outcome.failures == []
    assert total(outcome, "killed before a change") + total(outcome, "killed at a random time") >= 5


def test_killed_parts_merges_pushes_and_pulls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fsspec", reason="fsspec is not installed")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    outcome = parts(options(tmp_path, rounds=12))
    assert outcome.failures == []
    assert total(outcome, ": killed") >= 4


def test_exports_and_engines_that_break_off(tmp_path: Path) -> None:
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    outcome = stores(options(tmp_path, rounds=5))
    assert outcome.failures == []
    assert int(outcome.counts["answers beside it"]) > 0
    assert int(outcome.counts["connections cut"]) > 0


def test_exporters_of_two_states_and_readers_in_groups(tmp_path: Path) -> None:
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    outcome = generations(options(tmp_path, rounds=0))
    assert outcome.failures == []
    assert total(outcome, ": states exported") >= 3
    assert total(outcome, ": answers") > 0


def test_disks_that_fail(tmp_path: Path) -> None:
    outcome = disk(options(tmp_path, rounds=8))
    assert outcome.failures == []
    assert total(outcome, "an error") >= 2


def test_flipped_bits(tmp_path: Path) -> None:
    outcome = flip(options(tmp_path, rounds=20))
    assert outcome.failures == []
    assert total(outcome, ": flipped") == 20


def test_readers_beside_writers(tmp_path: Path) -> None:
    outcome = readers(options(tmp_path, rounds=0))
    assert outcome.failures == []
    assert int(outcome.counts["reads"]) > 0


def test_many_edits(tmp_path: Path) -> None:
    outcome = drift(options(tmp_path, rounds=40, files=40, source=REPOSITORY / "coderag"))
    assert [failure for failure in outcome.failures if "times as large" not in failure] == []  # a small index varies
    assert outcome.counts["in the end: the same top 10"].startswith("100.00%")  # type: ignore[union-attr]


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_branches(tmp_path: Path) -> None:
    outcome = switch(options(tmp_path, rounds=1, files=60, source=REPOSITORY / "coderag"))
    assert outcome.failures == []
