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

ROOTS = ("shop", "apps")
GOLDEN = REPOSITORY / "fixtures/frozen.txt"
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


def digests(text: str) -> dict[str, dict[str, str]]:
    """Return the digests of a digest.txt by root and topic."""
    found: dict[str, dict[str, str]] = {}
    for line in text.splitlines():
        digest, _, name = line.partition("  ")
        root, _, topic = name.removesuffix(".jsonl").partition("/")
        found.setdefault(root, {})[topic] = digest
    return found


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("frozen")
    roots = [copied(name, folder / "roots") for name in ROOTS]
    done = run(*roots, "--portable", "--output", folder / "out")
    assert done.returncode == 0, done.stderr
    return folder / "out"


@pytest.mark.parametrize("root", ROOTS)
def test_what_is_known_is_what_was_known(frozen: Path, root: str, request: pytest.FixtureRequest) -> None:
    now = digests((frozen / "digest.txt").read_text())
    if request.config.getoption("--update"):
        lines = [f"{digest}  {one}/{topic}.jsonl\n" for one in sorted(ROOTS) for topic, digest in now[one].items()]
        GOLDEN.write_text("".join(lines))
    before = digests(GOLDEN.read_text())[root]
    changed = sorted(topic for topic in {*before, *now[root]} if before.get(topic) != now[root].get(topic))
    assert not changed, HOW_TO_SEE.format(topics=" and ".join(changed), root=root)


def test_another_folder_and_age_make_no_difference(frozen: Path, tmp_path: Path) -> None:
    root = Path(shutil.copytree(REPOSITORY / "fixtures/apps", tmp_path / "deep" / "er" / "apps"))
    done = run(root, "--portable", "--no-commands", "--output", tmp_path / "out", "--workers", "0")
    assert done.returncode == 0, done.stderr
    first = Path(shutil.copytree(frozen / "apps", tmp_path / "first" / "apps"))
    (first / "commands.jsonl").unlink()
    compared = run("--compare", first.parent, tmp_path / "out")
    assert (compared.returncode, compared.stdout) == (0, "")


def test_a_difference_is_shown_where_it_is(frozen: Path, tmp_path: Path) -> None:
    shutil.copytree(frozen, tmp_path / "other")
    catalog = tmp_path / "other" / "shop" / "catalog.jsonl"
    catalog.write_text(catalog.read_text().replace('"weight_grams"', '"weight"'))
    compared = run("--compare", frozen, tmp_path / "other")
    assert compared.returncode == 1
    assert compared.stdout.startswith("shop/catalog.jsonl: 2 of ")
    assert '    - "weight_grams"\n    + "weight"\n' in compared.stdout
    renamed = run("--compare", frozen, tmp_path / "other", "--renamed", "weight_grams=weight")
    assert (renamed.returncode, renamed.stdout) == (0, "")


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
