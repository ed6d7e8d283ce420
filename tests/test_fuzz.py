"""Damaged texts of every language and dialect, read as files of a repository are; scripts/fuzz.py has the long run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coderag.files.walk import walk
from coderag.index.workers.analyze import analyze
from scripts.fuzzing.bases import bases_of, targets
from scripts.fuzzing.campaign import Campaign, input_of, kind_of
from scripts.fuzzing.check import judge
from scripts.fuzzing.mutate import mutated
from scripts.fuzzing.shrink import shrunk
from tests.effort import effort
from tests.workspace import REPOSITORY, write

pytestmark = pytest.mark.slow

EACH = effort(2, thorough=20)  # inputs of each target
EXAMPLES = effort(100, thorough=2000)


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Campaign]:
    with Campaign(tmp_path_factory.mktemp("fuzz"), workers=1) as campaign:
        yield campaign


def test_some_damaged_texts_of_every_target(campaign: Campaign) -> None:
    broken = {}
    for target in targets():
        outcome = campaign.run(target, inputs=EACH, seed=1, watch=lambda _: None)
        assert outcome.inputs == outcome.read + outcome.skipped == EACH
        if outcome.failures:
            broken[target] = [(one.what, one.data) for one in outcome.saved]
    assert broken == {}


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(target=st.sampled_from(targets()), seed=st.integers(0, 10**9), number=st.integers(0, 10**6))
def test_any_seed(campaign: Campaign, target: str, seed: int, number: int) -> None:
    path, data = input_of(target, seed, number)
    verdict = campaign.judge_one(path, data, target)
    assert (verdict.failures, verdict.read + verdict.skipped) == ((), 1)


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(target=st.sampled_from(targets()), data=st.binary(max_size=400), text=st.text(max_size=400))
def test_any_bytes_and_any_text(campaign: Campaign, target: str, data: bytes, text: str) -> None:
    path = bases_of(target)[0].path
    for one in (data, text.encode("utf-8", "surrogatepass")):
        assert campaign.judge_one(path, one, target).failures == ()


def test_the_same_seed_gives_the_same_bytes() -> None:
    assert [input_of("go", 3, number) for number in range(40)] == [input_of("go", 3, number) for number in range(40)]
    assert len({input_of("go", 3, number)[1] for number in range(40)}) > 35
    assert mutated(b"a = 1\n", seed="1", others=[b"x\n"]) == mutated(b"a = 1\n", seed="1", others=[b"x\n"])


def test_every_target_has_texts() -> None:
    assert {"go", "notebook", "sql:tsql"} < set(targets())
    for target in targets():
        assert all(0 < len(base.data) < 8000 for base in bases_of(target)), target


def test_what_is_wrong_is_found(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "def one():\n    return 1\n\n\ndef two():\n    return 2\n"})
    columns, skipped = analyze(str(tmp_path), walk(tmp_path).files)
    inputs = {"a.py": (tmp_path / "a.py").read_bytes()}
    assert judge(inputs, columns, skipped).failures == ()

    def wrong(**changes: object) -> set[str]:
        found = judge(inputs, replace(columns, **changes), skipped)  # type: ignore[arg-type]
        return {kind_of(failure.what) for failure in found.failures}

    assert wrong(parts=columns.parts[[0, 0]]) == {"two chunks hold one of the rows # to #", "no chunk holds row #"}
    moved = columns.parts.copy()
    moved[:, 2] += 1
    assert wrong(parts=moved) == {"the part of the rows # to # has the bytes # to #"}
    rows = columns.chunks.copy()
    rows[:, 3] = 99
    assert wrong(chunks=rows) == {"a chunk has the rows # to # of #"}
    assert wrong(files=[columns.files[0]._replace(problem="reading it failed (ValueError: x)")]) == {
        "reading it failed (ValueError: x)"
    }
    inputs["b.py"] = b"b = 1\n"
    assert wrong() == {"it is neither read nor skipped"}
    inputs = {"a.py": b"def other():\n    return 1\n\n\ndef two():\n    return 2\n"}
    assert wrong() == {"row # is b# in the text, b# in the file"}


def test_an_input_is_made_small() -> None:
    text = b"".join(b"line %d of many\n" % number for number in range(200))
    assert shrunk(text, lambda data: b"7" in data and b"line 1" in data) in (b"7line 1", b"line 17")


def test_the_command_line(tmp_path: Path) -> None:
    script = str(REPOSITORY / "scripts/fuzz.py")
    shown = subprocess.run(
        [sys.executable, script, "--language", "go", "--show", "7", "--seed", "3"], capture_output=True, check=True
    )
    assert shown.stdout == input_of("go", 3, 7)[1]
    done = subprocess.run(
        [sys.executable, script, "--language", "sql:mysql", "--inputs", "5", "--json", tmp_path / "out.json"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("sql:mysql                  5 inputs")
    assert '"target": "sql:mysql"' in (tmp_path / "out.json").read_text()
