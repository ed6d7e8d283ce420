"""What coderag knows of the fixtures is what it knew before, wherever they lie and however hashes fall."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workspace import REPOSITORY

pytestmark = pytest.mark.slow

ROOTS = ("shop", "apps")
GOLDEN = REPOSITORY / "fixtures/frozen"
# Vectors and scores are left out: their last digits differ between processors.
HOW_TO_SEE = (
    "{topics} of {root} changed. In the commit before and in this one, run\n"
    "    scripts/freeze.py --portable fixtures/{root} --output DIR\n"
    "and then scripts/freeze.py --compare DIR1 DIR2; pytest --update takes it for right."
)
MODIFIED = 1_700_000_000  # seconds: files of one age, as which of two is newer may decide


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, REPOSITORY / "scripts/freeze.py", *arguments]
    environment = os.environ | {"PYTHONHASHSEED": "random"}  # so each run is one in another order of hashes
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def copied(name: str, folder: Path) -> Path:
    """Return a copy of a fixture in a folder, all of whose files are as old as each other."""
    copy = Path(shutil.copytree(REPOSITORY / "fixtures" / name, folder / name))
    for path in (copy, *copy.rglob("*")):
        os.utime(path, (MODIFIED, MODIFIED))
    return copy


def digests(text: str) -> dict[str, str]:
    """Return the digests of a digest.txt by topic."""
    pairs = (line.split("  ") for line in text.splitlines())
    return {Path(name).stem: digest for digest, name in pairs}


def frozen(root: Path, output: Path, *options: str) -> str:
    """Return the digest.txt of a root."""
    done = run(root, "--portable", "--output", output, *options)
    assert done.returncode == 0, done.stderr
    return (output / "digest.txt").read_text()


@pytest.mark.parametrize("root", ROOTS)
def test_what_is_known_is_what_was_known(root: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    # What commands print depends on what is installed, so it is left to a comparison of two checkouts.
    text = frozen(copied(root, tmp_path), tmp_path / "out", "--no-commands")
    golden = GOLDEN / f"{root}.txt"
    if request.config.getoption("--update"):
        golden.write_text(text)
    before, now = digests(golden.read_text()), digests(text)
    changed = sorted(topic for topic in {*before, *now} if before.get(topic) != now.get(topic))
    assert not changed, HOW_TO_SEE.format(topics=" and ".join(changed), root=root)


def test_another_folder_and_age_make_no_difference(tmp_path: Path) -> None:
    root = Path(shutil.copytree(REPOSITORY / "fixtures/apps", tmp_path / "deep" / "er" / "apps"))
    now = digests(frozen(root, tmp_path / "out", "--no-commands", "--workers", "0"))
    before = digests((GOLDEN / "apps.txt").read_text())
    assert now == before


def test_a_difference_is_shown_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "schema.sql").write_text("CREATE TABLE parcels (id INTEGER PRIMARY KEY, grams INTEGER);\n")
    frozen(tmp_path / "root", tmp_path / "first", "--no-commands", "--workers", "0")
    shutil.copytree(tmp_path / "first", tmp_path / "second")
    catalog = tmp_path / "second" / "root" / "catalog.jsonl"
    catalog.write_text(catalog.read_text().replace('"grams"', '"weight"'))
    folders = tmp_path / "first", tmp_path / "second"
    compared = run("--compare", *folders)
    assert compared.returncode == 1
    assert compared.stdout.startswith("root/catalog.jsonl: 1 of ")
    assert '\n    - "grams"\n    + "weight"\n' in compared.stdout
    renamed = run("--compare", *folders, "--renamed", "grams=weight")
    assert (renamed.returncode, renamed.stdout) == (0, "")
    (tmp_path / "second" / "root" / "graph.jsonl").unlink()
    renamed = run("--compare", *folders, "--renamed", "grams=weight")
    assert (renamed.returncode, renamed.stdout) == (1, f"root/graph.jsonl: only in {tmp_path / 'first'}\n")


def test_given_questions_are_asked_instead(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "cart.py").write_text('def total(cart):\n    """Add up the prices."""\n    return sum(cart)\n')
    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"query": "add up prices"}\n')
    done = run(
        tmp_path / "root", "--no-commands", "--output", tmp_path / "out", "--questions", questions, "--workers", "0"
    )
    assert done.returncode == 0, done.stderr
    hits = [json.loads(line) for line in (tmp_path / "out/root/hits.jsonl").read_text().splitlines()]
    assert {hit[0].partition(" | ")[0] for hit in hits} == {"add up prices"}
    assert hits[0][:2] == ["add up prices |  | 00", "cart.py:1-3 function total"]


@pytest.mark.parametrize("arguments", [(), ("missing", "--output", "out"), ("a/shop", "b/shop", "--output", "out")])
def test_wrong_usage_is_refused(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "freeze.py: error:" in done.stderr
