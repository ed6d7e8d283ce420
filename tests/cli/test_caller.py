"""What the command line answers to callers of some groups."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from tests.cli.conftest import Run

pytestmark = pytest.mark.slow

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
    assert [[table["name"] for table in answer["tables"]] for answer in answers] == [[], ["salaries"]]


@pytest.fixture
def nested(tmp_path: Path) -> Path:
    """A repository with another one inside, of which the rules of the outer one hide a part."""
    root = tmp_path / "work/shop"
    texts = {
        "coderag.toml": '[[access]]\npaths = ["/lib/vault/", "*.db", "/lost/"]\ngroups = ["hr"]\n',
        "app.py": "def main():\n    return 0\n",
        "lib/dates.py": "def parse_date(text):\n    return text\n",
        "lib/vault/pay.py": "def parse_pay(text):\n    return text\n",
        "lost/pay.py": "def parse_pay(text):\n    return text\n",
    }
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    for folder in ("", "lib", "lost"):
        (root / folder / ".git").mkdir()
    return root


def test_the_rules_above_a_root_hold_whatever_is_given_as_root_or_index(
    nested: Path, coderag: Run, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(nested / "lib")
    lib = nested / "lib"
    asked: list[tuple[Path, list[str | Path]]] = [
        (nested, ["--root", "lib"]),
        (nested, ["--root", "lib", "--index", tmp_path / "one"]),
        (nested, ["--root", "lib/../lib", "--root", "lib"]),
        (nested, ["--root", "lib/vault"]),
        (nested, ["--root", ".", "--root", "lib"]),
        (nested, ["--root", "..", "--index", tmp_path / "two"]),
        (nested, ["--root", tmp_path / "link"]),
        (nested, ["--root", tmp_path / "link/vault", "--index", tmp_path / "three"]),
        (nested / "lib/vault", []),
        (lib, []),
        (lib, ["--index", tmp_path / "four"]),
        (lib, ["--index", nested / ".coderag"]),
        (tmp_path, ["--index", tmp_path / "one"]),
    ]
    for folder, options in asked:
        done = coderag("search", "parse pay", *options, cwd=folder, CODERAG_GROUPS="dev")
        assert "pay.py" not in done.stdout + done.stderr, (folder, options)
    assert "vault/pay.py" in coderag("search", "parse pay", cwd=lib, CODERAG_GROUPS="hr").stdout
    assert "dates.py" in coderag("search", "parse date", cwd=lib, CODERAG_GROUPS="dev").stdout


def test_a_rule_that_is_new_holds_without_an_update(nested: Path, coderag: Run) -> None:
    lib, dev = nested / "lib", {"CODERAG_GROUPS": "dev"}
    assert "dates.py" in coderag("search", "parse date", cwd=lib, **dev).stdout
    for rules in (nested / "coderag.toml", lib / "coderag.toml", nested.parent / "coderag.toml"):
        before = rules.read_text() if rules.exists() else ""
        rules.write_text(before + '[[access]]\npaths = ["dates.py"]\ngroups = ["hr"]\n')
        assert coderag("search", "parse date", "--no-refresh", cwd=lib, **dev).returncode == 1
        assert coderag("search", "parse date", cwd=lib, **dev).returncode == 1
        rules.write_text(before)
        assert "dates.py" in coderag("search", "parse date", cwd=lib, **dev).stdout


def test_what_is_hidden_as_a_whole_is_no_root(nested: Path, coderag: Run) -> None:
    for given in ("lost", "lost/pay.py", "lib/vault"):
        hidden = coderag("search", "pay", "--root", given, cwd=nested, CODERAG_GROUPS="dev")
        missing = coderag("search", "pay", "--root", "nosuch", cwd=nested, CODERAG_GROUPS="dev")
        assert hidden.returncode == missing.returncode == 2
        assert hidden.stderr.replace(given, "nosuch") == missing.stderr
    assert not (nested / "lost/.coderag").exists()
    assert "pay.py" in coderag("search", "pay", "--root", "lost", cwd=nested, CODERAG_GROUPS="hr").stdout


@pytest.mark.parametrize("folder", ["lib/vault", "lost"])
def test_an_outline_is_no_way_around(nested: Path, coderag: Run, folder: str) -> None:
    (nested / "link.py").symlink_to(nested / folder / "pay.py")
    (nested / folder / "link.py").symlink_to(nested / "app.py")
    hidden = f"{folder}/pay.py"
    missing = coderag("outline", f"{folder}/nosuch.py", cwd=nested, CODERAG_GROUPS="dev")
    for file in (hidden, f"./lib/../{hidden}", str(nested / hidden), "link.py", f"{folder}/link.py"):
        done = coderag("outline", file, cwd=nested, CODERAG_GROUPS="dev")
        assert (done.returncode, done.stdout) == (missing.returncode, missing.stdout) == (2, "")
        assert done.stderr.replace(file, "") == missing.stderr.replace(f"{folder}/nosuch.py", "")
    assert "parse_pay" in coderag("outline", hidden, cwd=nested, CODERAG_GROUPS="hr").stdout
    assert "main" in coderag("outline", "app.py", cwd=nested, CODERAG_GROUPS="dev").stdout


def test_sql_is_checked_of_visible_files_and_of_stdin(office: Path, coderag: Run) -> None:
    dev = {"CODERAG_GROUPS": "dev"}
    for file in ("payroll/salaries.sql", "payroll/nosuch.sql", "/etc/passwd"):
        done = coderag("check-sql", file, cwd=office, **dev)
        assert done.stderr == f'coderag: {file} is not in the index; give its SQL to "coderag check-sql -"\n'
        assert (done.returncode, done.stdout) == (2, "")
    assert coderag("check-sql", "sql/orders.sql", "--allow-writes", cwd=office, **dev).returncode == 0
    done = coderag("check-sql", "-", "--url", "sqlite:///x.db", cwd=office, stdin="SELECT 1", **dev)
    assert done.stderr == "coderag: --url asks a whole database, which is for who may see all\n"


def test_a_database_stays_hidden_when_its_root_is_renamed(nested: Path, coderag: Run) -> None:
    database = sqlite3.connect(nested / "crm.db")
    database.execute("CREATE TABLE people (id int PRIMARY KEY)")
    database.commit()
    database.close()
    assert coderag("index", ".", "sqlite:///crm.db", cwd=nested).returncode == 0
    renamed = nested.rename(nested.with_name("renamed"))
    assert "people" in coderag("tables", cwd=renamed).stdout
    done = coderag("tables", cwd=renamed, CODERAG_GROUPS="dev")
    assert (done.returncode, done.stdout) == (1, "")


def test_rules_above_that_are_broken_are_said_and_bind_only_callers_of_groups(nested: Path, coderag: Run) -> None:
    (nested / "coderag.toml").write_text("[[access]\n")
    lib = nested / "lib"
    assert "pay.py" in coderag("search", "parse pay", cwd=lib).stdout
    done = coderag("search", "parse pay", cwd=lib, CODERAG_GROUPS="hr")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"coderag: {nested / 'coderag.toml'}: no valid TOML")
    (nested / "coderag.toml").unlink()
    (lib / "vault/coderag.toml").write_text("access = 1\n")
    said = coderag("index", cwd=nested).stderr
    assert f"{lib / 'vault/coderag.toml'}: 'access' must be tables, written [[access]]" in said
    assert "callers of groups see nothing" in said
    assert "lib/vault" not in coderag("search", "parse pay", cwd=nested, CODERAG_GROUPS="hr").stdout


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
