"""What the command line answers to callers of some groups."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

RULES = """
[[access]]
paths = ["payroll/"]
groups = ["hr", "audit"]
"""


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory, coderag: Run) -> Path:
    """An indexed repository of which a folder is for some groups; tests only read it."""
    root = tmp_path_factory.mktemp("work") / "office"
    texts = {
        "coderag.toml": RULES,
        "src/dates.py": "def parse_date(text):\n    return text\n",
        "payroll/salary.py": "def parse_salary(text):\n    return text\n",
        "payroll/salaries.sql": "CREATE TABLE salaries (id int PRIMARY KEY, amount int);\n",
        "sql/orders.sql": "CREATE TABLE orders (id int PRIMARY KEY, total int);\n",
    }
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / ".git").mkdir()
    assert coderag("index", cwd=root).returncode == 0
    return root


@pytest.mark.parametrize(
    ("groups", "variable", "found"),
    [
        (None, None, True),
        ("hr", None, True),
        ("dev,audit", None, True),
        ("dev", None, False),
        ("", None, False),
        (None, "hr", True),
        (None, "dev", False),
        (None, "", False),
        ("hr", "dev", False),  # who writes the arguments can only narrow what who starts the command allows
        ("dev", "hr", False),
    ],
)
def test_groups_come_from_an_option_or_a_variable(
    office: Path, coderag: Run, groups: str | None, variable: str | None, *, found: bool
) -> None:
    options = [] if groups is None else ["--groups", groups]
    environment = {} if variable is None else {"CODERAG_GROUPS": variable}
    done = coderag("search", "parse salary", "--json", *options, cwd=office, **environment)
    assert ("payroll/salary.py" in done.stdout) is found
    assert "src/dates.py" in done.stdout


def test_every_reading_command_answers_so(office: Path, coderag: Run) -> None:
    dev = ("--groups", "dev")
    assert coderag("symbols", "parse_salary", *dev, cwd=office).returncode == 1
    assert coderag("table", "salaries", *dev, cwd=office).returncode == 1
    assert json.loads(coderag("tables", "--json", *dev, cwd=office).stdout)[0]["name"] == "orders"
    assert "salaries" not in coderag("schema", "salaries", *dev, cwd=office).stdout
    assert "salaries" not in coderag("erd", *dev, cwd=office).stdout
    query = "SELECT amount FROM salaries"
    assert "unknown-table" in coderag("check-sql", "-", *dev, cwd=office, stdin=query).stdout
    assert coderag("check-sql", "-", "--groups", "hr", cwd=office, stdin=query).returncode == 0
    status = coderag("status", "--verbose", *dev, cwd=office).stdout
    assert "payroll" not in status
    assert "salaries" not in status
    hidden = coderag("outline", "payroll/salary.py", *dev, cwd=office)
    missing = coderag("outline", "payroll/celery.py", *dev, cwd=office)
    assert hidden.returncode == missing.returncode == 2
    assert hidden.stderr.replace("salary", "celery") == missing.stderr
    assert "parse_salary" in coderag("outline", "payroll/salary.py", "--groups", "hr", cwd=office).stdout


def test_what_an_update_says_is_not_for_everybody(office: Path, coderag: Run, tmp_path: Path) -> None:
    done = coderag("search", "date", "--index", tmp_path / "new", "--groups", "dev", cwd=office)
    assert done.returncode == 0
    assert not done.stderr


def test_each_line_of_a_batch_may_bring_groups(office: Path, coderag: Run) -> None:
    asked = [{"query": "parse salary"}, {"query": "parse salary", "groups": ["dev"]}, {"query": "x", "groups": "hr"}]
    lines = "\n".join(map(json.dumps, asked))
    whole, narrow, wrong = map(json.loads, coderag("search", "--batch", cwd=office, stdin=lines).stdout.splitlines())
    assert whole[0]["path"] == "payroll/salary.py"
    assert {hit["path"] for hit in narrow} == {"src/dates.py", "sql/orders.sql"}
    assert wrong == {"error": "\"groups\" is 'hr'; give a list of texts"}
    bound = coderag("search", "--batch", "--groups", "dev", cwd=office, stdin='{"query": "salary", "groups": ["hr"]}')
    assert "payroll" not in bound.stdout
    tables = '{"question": "salaries", "groups": ["dev"]}\n{"question": "salaries", "groups": ["hr"]}\n'
    answers = map(json.loads, coderag("schema", "--batch", cwd=office, stdin=tables).stdout.splitlines())
    assert [[table["name"] for table in one["tables"]] for one in answers] == [[], ["salaries"]]


def test_what_shows_everything_is_refused(office: Path, coderag: Run) -> None:
    (office.parent / "questions.jsonl").write_text('{"query": "x", "relevant": ["src/dates.py"]}\n')
    done = coderag("eval", "../questions.jsonl", cwd=office, CODERAG_GROUPS="dev")
    assert done.returncode == 2
    assert done.stderr == 'coderag: "coderag eval" is for who may see all; CODERAG_GROUPS is set\n'
    done = coderag("status", "--check", "--groups", "dev", cwd=office)
    assert done.returncode == 2


def test_filters_are_options_and_fields(office: Path, coderag: Run) -> None:
    options = ("--repository", "office", "--database", "orders")
    found = json.loads(coderag("search", "table", "--json", *options, cwd=office).stdout)
    assert [hit["path"] for hit in found] == ["sql/orders.sql"]
    line = json.dumps({"query": "table", "repositories": ["office"], "databases": ["orders"]})
    assert json.loads(coderag("search", "--batch", cwd=office, stdin=line).stdout) == found
    done = coderag("search", "table", "--environment", "prod", cwd=office)
    assert done.stderr == "coderag: no file tells of the environment 'prod'; known are none\n"
