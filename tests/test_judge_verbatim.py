"""scripts/judge_verbatim.py draws strings from code, asks for them as people paste them, and counts what is found."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from scripts.verbatim.command import run
from scripts.verbatim.drawing import draw
from scripts.verbatim.forms import asked
from scripts.verbatim.literals import literals
from scripts.verbatim.records import Form, Kind, Place, Written
from tests.workspace import write

LOADER = '''\
"""Load stores from the folder of the program."""
import os


def load(path):
    """Load a store from its path on this disk."""
    if not path:
        raise ValueError("no path to any store of pages was given: "
                         f"{path} is empty")
    log.info("reading pages of the store %s", path)
    return os.environ["STORE_LIMIT"], Flags("--dry-run"), "E1042", "store.pages", "x"
'''


def test_strings_have_kinds_and_documentation_is_none() -> None:
    found = {written.text: written for written in literals("load.py", LOADER.encode())}
    assert {text: str(written.kind) for text, written in found.items()} == {
        "no path to any store of pages was given: {path} is empty": "message",
        "reading pages of the store %s": "message",
        "STORE_LIMIT": "setting",
        "--dry-run": "flag",
        "E1042": "code",
        "store.pages": "key",
    }
    assert found["no path to any store of pages was given: {path} is empty"].place == Place("load.py", 8, 9)


def test_a_message_is_asked_for_with_values_and_a_name_in_a_sentence() -> None:
    place = Place("load.py", 1, 1)
    message = Written("reading pages of the store %s", "", Kind.MESSAGE, place)
    forms = {asked(message, Random(seed))[1] for seed in range(40)}
    assert forms == {Form.FILLED, Form.PREFIXED}
    assert all("%s" not in asked(message, Random(seed))[0] for seed in range(40))
    names = {asked(Written("E1042", "E1042", Kind.CODE, place), Random(seed))[1] for seed in range(40)}
    assert names == {Form.VERBATIM, Form.SENTENCE}


def test_what_stands_in_many_places_is_no_question() -> None:
    texts = {f"part{number}.py": 'raise ValueError("the store has no pages")\n' for number in range(6)}
    assert draw("many", texts, 5, seed=1) == []
    del texts["part5.py"]
    [question] = draw("few", texts, 5, seed=1)
    assert len(question.places) == 5


@pytest.mark.slow
def test_a_repository_is_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = write(tmp_path / "stores", {"load.py": LOADER, "other.py": "def other():\n    return 1\n"})
    arguments = [f"stores={root}", "--indexes", str(tmp_path / "indexes"), "--count", "6"]
    assert run([*arguments, "--json"]) == 0
    answers = json.loads(capsys.readouterr().out)
    assert len(answers) == 6
    assert all(answer["rank"] == 1 for answer in answers)
    assert run(arguments) == 0
    assert "repository stores" in capsys.readouterr().out
