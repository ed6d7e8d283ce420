"""Every command, with each of its flags and choices, tells callers of some groups nothing of what they may not see."""

from __future__ import annotations

import argparse
import io
import os
import re
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from coderag.cli.main import run
from coderag.cli.parser.parser import make_parser
from tests.cli.conftest import Run

pytestmark = pytest.mark.slow

OLD = 1_700_000_000  # seconds: when all files were written
RULES = """
[[schema.files]]
path = "sql/wages.sql"
database = "zyxbase"

[[access]]
paths = ["*zyx*"]
groups = ["hr"]

[[access]]
databases = ["zyxbase"]
groups = ["hr"]
"""
VISIBLE = {
    "src/dates.py": "def parse_date(text):\n    return text\n\n\ndef use_date(text):\n    return parse_date(text)\n",
    "src/orders.py": "def load_orders(db):\n    return db.execute('SELECT id, total FROM orders')\n",
    "tests/test_dates.py": "from src.dates import parse_date\n\n\ndef test_parse():\n    assert parse_date('x')\n",
    "sql/orders.sql": "CREATE TABLE orders (id int PRIMARY KEY, total int);\n-- Which?\nSELECT id FROM orders;\n",
    "queries/dear.sql": "SELECT totl FROM orders;\n",
    "docs/dates.md": "# Dates\n\nHow dates are parsed.\n",
}
# By path, by the database that they declare, and by the database that they query.
HIDDEN = {
    "zyxvault/pay.py": "from src.dates import parse_date\n\n\ndef zyx_pay(text):\n    return parse_date(text)\n",
    "tests/test_zyx.py": "from src.dates import use_date\n\n\ndef test_zyx():\n    assert use_date('x')\n",
    "zyxvault/broken.py": "def zyx_half(:\n    return (\n",
    "zyxvault/key.py": "zyx_key = 'ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5'\n",
    "zyxvault/empty.py": "",
    "zyxvault/lost.sql": "CREATE TABLE ((( zyx;\n",
    "sql/wages.sql": "CREATE TABLE zyx_wages (id int PRIMARY KEY, zyx_amount int, order_id int REFERENCES orders);\n",
    "src/wages.py": "def load(db):\n    return db.execute('SELECT zyx_amount FROM zyx_wages')\n",
}
NAMES = ("zyx", "wages")
ROWS = '{"query": "parse zy pay"}\n{"query": "date", "groups": ["hr"]}\n{"query": "date", "databases": ["zy"]}\n{}\n'
QUESTIONS = '{"question": "zy amount", "budget": 500}\n{"question": "orders", "groups": ["hr"]}\n{"question": 1}\n'
# What each command is asked; each of these is asked with every flag and every choice of the command as well.
ASKED: dict[str, list[list[str]]] = {
    "index": [[], ["."], [".", "sqlite:///db/zy.db"]],
    "search": [
        ["parse", "zy", "pay"],
        ["zy_pay"],
        ["date", "--related", "3", "--explain"],
        ["date", "--database", "zy"],
    ],
    "ask": [
        ["who", "calls", "parse_date?"],
        ["how much is zy pay?"],
        ["which tables hold totals?"],
        ["zy_pay", "--session", "talk", "--pin", "z*/**"],
    ],
    "sessions": [[], ["show", "talk"], ["delete", "talk"]],
    "at": [["src/dates.py:2"], ["src/dates.py:6:12"], ["nosuch/pay.py:1"], ["src/link.py:1"], ["queries/dear.sql:1"]],
    "outline": [["src/dates.py"], ["nosuch/pay.py"], ["src/link.py"]],
    "symbols": [["zy_pay"], ["parse_date"]],
    "log": [["zy_pay"], ["parse_date"], ["src/dates.py:2"], ["nosuch/pay.py"]],
    "refs": [["parse_date"], ["zy_pay"], ["orders"], ["zy_wage"]],
    "impact": [["parse_date"], ["orders.total"], ["zy_wage"]],
    "path": [["load_orders", "orders"], ["use_date", "zy_wage"], ["use_date", "orders"]],
    "graph": [["parse_date"], ["orders"], ["who", "pays"]],
    "map": [[], ["how are dates parsed?"]],
    "schema": [["how much is paid?"], ["orders", "--explain"]],
    "tables": [[], ["z*"]],
    "table": [["orders"], ["zy_wage"]],
    "erd": [[], ["orders"], ["who is paid?"]],
    "check-sql": [["queries/dear.sql"], ["nosuch.sql"], ["-"], ["-", "--url", "sqlite:///db/zy.db"]],
    "check-answer": [["-"], ["queries/dear.sql"], ["nosuch.md"]],
    "sql": [["FROM symbols"], ["FROM tables"], ["FROM edges"], ["--file", "queries/dear.sql"], ["FROM commits"]],
    "eval": [["questions.jsonl"], ["--from-git"], ["--from-docstrings"]],
    "status": [[]],
    "watch": [[]],
    "clean": [[], ["."]],
    "merge": [["parts/1"]],
    "push": [["file:///nosuch/store"]],
    "pull": [["file:///nosuch/store"]],
    "export": [["--to", "postgresql://nosuch.invalid/store"]],
    "languages": [[]],
    "install": [["--agent", "cursor"]],
    "uninstall": [["--project"]],
    "doctor": [[]],
    "helper": [[], ["stop"]],
    "completion": [["bash"]],
}
STDIN = {
    "search --batch": ROWS,
    "schema --batch": QUESTIONS,
    "check-sql": "SELECT zy_amount, totl FROM zy_wage JOIN orders ON 1 = 1",
    "check-answer": "`zy_wage` joins `orders`, and `zy_wag` is nowhere (zy/wage.py:1). It has 3 rows (orders.sql:1).",
}
REFUSED = {
    "index",
    "merge",
    "push",
    "pull",
    "export",
    "eval",
    "watch",
    "clean",
    "install",
    "uninstall",
    "doctor",
    "helper",
}
SERVERS = {"mcp", "serve", "lsp"}  # which need a process of their own: tests/cli/test_mcp.py, tests/serve


def commands() -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each command."""
    [found] = [action for action in make_parser()._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(found.choices)


def variants(parser: argparse.ArgumentParser) -> Iterator[list[str]]:
    """Yield no options, every flag, and every choice that a command has; how it looks on a terminal apart."""
    yield []
    for action in parser._actions:
        names = [name for name in action.option_strings if name.startswith("--")]
        if not names or names[0] in {"--help", "--color"}:
            continue
        if action.nargs == 0:
            yield names[:1]
        yield from ([names[0], str(choice)] for choice in action.choices or ())


def write(root: Path, *, hidden: bool) -> None:
    """Write the files of an office, with the hidden ones or without."""
    for path, text in (VISIBLE | (HIDDEN if hidden else {}) | {"coderag.toml": RULES}).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
        os.utime(root / path, (OLD, OLD))
    (root / ".git").mkdir()
    (root / "src/link.py").symlink_to("../zyxvault/pay.py")


@pytest.fixture(scope="module")
def offices(tmp_path_factory: pytest.TempPathFactory, coderag: Run) -> tuple[Path, Path]:
    """Two indexed repositories: one of which some files and databases are hidden, and one that never had these."""
    work = tmp_path_factory.mktemp("bound")
    roots = work / "some/office", work / "only/office"
    for root, hidden in zip(roots, (True, False), strict=True):
        write(root, hidden=hidden)
        assert coderag("index", cwd=root).returncode == 0
    database = sqlite3.connect(roots[0] / "zyx.db")
    database.execute("CREATE TABLE zyx_people (id int PRIMARY KEY, zyx_name text)")
    database.commit()
    database.close()
    assert coderag("index", ".", "sqlite:///zyx.db", cwd=roots[0]).returncode == 0
    return roots


def test_every_command_is_asked() -> None:
    assert ASKED.keys() | SERVERS == commands().keys()
    assert not ASKED.keys() & SERVERS


@pytest.mark.parametrize("name", sorted(ASKED))
def test_nothing_hidden_is_told(
    name: str, offices: tuple[Path, Path], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODERAG_GROUPS", "dev")
    for asked in ASKED[name]:
        for options in variants(commands()[name]):
            arguments = [name, *([] if "--batch" in options else asked), *options]
            said = []
            for root in offices:
                monkeypatch.chdir(root)
                stdin = STDIN.get(f"{name} {options[0]}" if options else name, STDIN.get(name, ""))
                monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
                code = run(arguments)
                out, err = (text.replace(str(root.parent), "") for text in capfd.readouterr())
                if "not allowed with argument" in err:  # these options exclude each other
                    break
                assert not any(hidden in (out + err).casefold() for hidden in NAMES), f"{arguments}: {out}{err}"
                said.append((code, untimed(out), err))
                if name in REFUSED:
                    assert (code, out) == (2, ""), arguments
                    assert err == f'coderag: "coderag {name}" is for who may see all; CODERAG_GROUPS is set\n'
            assert said[:1] == said[1:], arguments


def untimed(text: str) -> str:
    """Return what was printed without the times that it took."""
    return re.sub(r"[\d.]+ ms|milliseconds\": [\d.]+", "", text)


def test_who_is_in_the_group_sees_all(offices: tuple[Path, Path], coderag: Run) -> None:
    done = coderag("search", "zyx_pay", cwd=offices[0], CODERAG_GROUPS="hr")
    assert "zyxvault/pay.py" in done.stdout
    assert "zyx_people" in coderag("tables", cwd=offices[0], CODERAG_GROUPS="hr").stdout
