"""`coderag ask --model` and `--sql`, with a scripted model behind real HTTP and a real database."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ask.models.scripted import ScriptedModel, serve_model
from tests.cli.conftest import Run
from tests.workspace import write

pytestmark = pytest.mark.slow

QUESTION = "what greets a person?"
FILES = {
    "app.py": 'def greet(name):\n    """Greet a person by name."""\n    return f"hello {name}"\n',
    "schema.sql": "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT);\n",
    "queries.sql": "-- How many people live in each city?\n"
    "SELECT city, COUNT(*) AS people FROM people GROUP BY city;\n",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, coderag: Run) -> Path:
    root = write(tmp_path_factory.mktemp("asked") / "small", FILES)
    with sqlite3.connect(root.parent / "people.db") as database:
        database.executescript(FILES["schema.sql"])
        database.executemany("INSERT INTO people (name, city) VALUES (?, ?)", [("Ada", "Rome"), ("Bo", "Rome")])
    database.close()
    assert coderag("index", "--wait", cwd=root).returncode == 0
    return root


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedModel]:
    with serve_model() as model:
        yield model


def test_what_a_model_says_is_shown_as_far_as_the_sources_carry_it(
    coderag: Run, root: Path, server: ScriptedModel
) -> None:
    done = coderag("ask", QUESTION, "--model", server.chat("faithful"), cwd=root)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "`def greet` is defined there [1].")
    assert "[1] app.py:1-3  greet" in done.stdout
    record = json.loads(coderag("ask", QUESTION, "--json", "--model", server.chat("faithful"), cwd=root).stdout)
    assert (record["verdict"], record["text"]) == ("found", "`def greet` is defined there [1].")


def test_what_a_model_invents_is_not_found(coderag: Run, root: Path, server: ScriptedModel) -> None:
    done = coderag("ask", QUESTION, "--model", server.chat("invents"), cwd=root)
    assert (done.returncode, done.stdout.splitlines()[0]) == (1, "not found")
    assert "PaymentTeleporter" not in done.stdout
    assert "the sources do not carry what the model says" in done.stderr


def test_a_model_that_fails_is_an_error_and_no_answer(coderag: Run, root: Path, server: ScriptedModel) -> None:
    done = coderag("ask", QUESTION, "--model", server.chat("refuses"), cwd=root)
    assert (done.returncode, done.stdout) == (2, "")
    done = coderag("ask", QUESTION, "--model", "nobody:knows", cwd=root)
    assert (done.returncode, done.stdout) == (2, "")


def test_sql_for_a_question_is_run_read_only(coderag: Run, root: Path) -> None:
    asked = ("ask", "--sql", "how many people live in each city?")
    done = coderag(*asked, cwd=root)
    assert done.returncode == 0
    assert "SELECT city, COUNT(*) AS people FROM people GROUP BY city" in done.stdout
    done = coderag(*asked, "--run", "--url", f"sqlite:///{root.parent / 'people.db'}", "--json", cwd=root)
    assert json.loads(done.stdout)["result"]["rows"] == [["Rome", 2]]
    done = coderag(*asked, "--run", cwd=root)
    assert (done.returncode, "--run needs --url URL" in done.stderr) == (2, True)
