"""`coderag refs`, `impact`, `path`, `graph` and `map`, and the relations of hits."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import COLOUR, Run
from tests.commands import run_here
from tests.workspace import write

pytestmark = pytest.mark.slow

FILES = {
    "schema.sql": "CREATE TABLE orders (id INTEGER PRIMARY KEY, total INTEGER);\n"
    "CREATE VIEW revenue AS SELECT sum(total) AS cents FROM orders;\n",
    "app/__init__.py": "",
    "app/orders.py": 'def total_of(db, number):\n    """Return what an order costs."""\n'
    '    return db.execute("SELECT total FROM orders WHERE id = ?", (number,)).fetchone()\n\n\n'
    "def charge(db, number):\n    return total_of(db, number)\n\n\n"
    'def wipe(db):\n    db.execute("DELETE FROM orders")\n',
    "app/report.py": "from app.orders import charge\n\n\ndef run(db):\n    return charge(db, 1)\n",
    "tests/test_orders.py": "from app.orders import charge\n\n\ndef test_charge(db):\n    assert charge(db, 1)\n",
}


@pytest.fixture(scope="module")
def coderag() -> Run:
    """Run commands in this process."""
    return run_here


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, coderag: Run) -> Path:
    root = write(tmp_path_factory.mktemp("graph") / "small", FILES)
    (root / ".git").mkdir()
    assert coderag("index", cwd=root).returncode == 0
    return root


def test_refs_of_a_table(coderag: Run, root: Path) -> None:
    done = coderag("refs", "orders", cwd=root)
    assert done.returncode == 0
    assert done.stdout.startswith("schema.sql:1  table orders")
    assert "  read by 1\n    app/orders.py:3  total_of  id, total\n" in done.stdout
    assert "  deleted by 1\n    app/orders.py:11  wipe\n" in done.stdout
    assert "revenue" in done.stdout


def test_refs_of_a_function_and_where_it_stands(coderag: Run, root: Path) -> None:
    done = coderag("refs", "charge", cwd=root)
    assert done.stdout == (
        "app/orders.py:6  function charge\n"
        "  called by 1\n    app/report.py:5  run\n"
        "  imported by 2\n    app/report.py:1         the file\n    tests/test_orders.py:1  the file\n"
        "  tests 1\n    tests/test_orders.py:5  test_charge\n"
    )
    assert coderag("refs", "app/orders.py:7", cwd=root).stdout == done.stdout


def test_refs_as_json(coderag: Run, root: Path) -> None:
    [found] = json.loads(coderag("refs", "orders.total", "--json", cwd=root).stdout)
    assert found["target"]["name"] == "orders.total"
    assert [one["spot"]["name"] for one in found["groups"][0]["references"]] == ["total_of"]
    assert found["groups"][0]["references"][0]["certainty"] == "resolved"


def test_a_name_that_is_misspelled(coderag: Run, root: Path) -> None:
    for command in (("refs", "total_off"), ("impact", "total_off"), ("path", "total_off", "orders")):
        done = coderag(*command, cwd=root)
        assert (done.returncode, done.stdout) == (1, "")
        assert "nothing is named 'total_off'; did you mean total_of" in done.stderr


def test_wrong_calls(coderag: Run, root: Path) -> None:
    assert "kinds are" in coderag("refs", "orders", "--kind", "tables", cwd=root).stderr
    assert "--depth: 0 is less than 1" in coderag("impact", "orders", "--depth", "0", cwd=root).stderr
    assert "argument TARGET: it is empty" in coderag("refs", " ", cwd=root).stderr
    assert "-k: 0 is less than 1" in coderag("path", "run", "orders", "-k", "0", cwd=root).stderr
    assert "--budget: 0 is less than 1" in coderag("map", "--budget", "0", cwd=root).stderr


def test_impact_of_a_column(coderag: Run, root: Path) -> None:
    done = coderag("impact", "orders.total", cwd=root)
    assert done.returncode == 0
    assert "    app/orders.py:3  total_of  reads orders.total\n" in done.stdout
    assert "    app/orders.py:7  charge  calls total_of\n" in done.stdout
    assert "  3 steps away 1\n    app/report.py:5  run  calls charge\n" in done.stdout
    assert "  tests to run first 1\n    tests/test_orders.py:5  test_charge  calls charge\n" in done.stdout
    assert "wipe" not in done.stdout


def test_impact_as_json_has_the_way(coderag: Run, root: Path) -> None:
    found = json.loads(coderag("impact", "orders.total", "--json", "--change", "type", cwd=root).stdout)
    ways = {one["spot"]["name"]: one["way"] for one in found["affected"]}
    assert ways["run"] == ["orders.total", "total_of", "charge", "run"]
    assert found["change"] == "type"


def test_path(coderag: Run, root: Path) -> None:
    done = coderag("path", "run", "orders", cwd=root)
    assert done.stdout == (
        "app/report.py:4  function run\n"
        "  app/report.py:5  calls charge\n"
        "  app/orders.py:7  calls total_of\n"
        "  app/orders.py:3  reads table orders\n"
    )
    back = coderag("path", "orders", "run", cwd=root)
    assert (back.stdout, "this is the way back" in back.stderr) == (done.stdout, True)
    none = coderag("path", "wipe", "revenue", cwd=root)
    assert (none.returncode, none.stdout) == (1, "")
    assert "nothing leads from 'wipe' to 'revenue', or back" in none.stderr


def test_graph_in_every_format(coderag: Run, root: Path, tmp_path: Path) -> None:
    assert coderag("graph", "orders", cwd=root).stdout.startswith("flowchart LR\n")
    for name, start in (("a.svg", "<svg"), ("a.graphml", "<?xml"), ("a.dot", "digraph {"), ("a.json", '{"spots"')):
        done = coderag("graph", "orders", "-o", tmp_path / name, cwd=root)
        assert "drawn in" in done.stderr
        assert (tmp_path / name).read_text().startswith(start)
    ElementTree.parse(tmp_path / "a.svg")
    ElementTree.parse(tmp_path / "a.graphml")
    assert len(json.loads(coderag("graph", "orders", "--json", cwd=root).stdout)["spots"]) > 3


def test_graph_of_a_question(coderag: Run, root: Path) -> None:
    done = coderag("graph", "what does an order cost?", cwd=root)
    assert "total_of" in done.stdout
    assert coderag("graph", "zzzz qqqq", cwd=root).returncode == 1


def test_map(coderag: Run, root: Path) -> None:
    done = coderag("map", cwd=root)
    assert done.stdout.startswith("small  ")
    assert "    def total_of(db, number)  Return what an order costs.\n" in done.stdout
    assert "table orders" in done.stdout
    assert "test_charge" not in done.stdout
    [found] = json.loads(coderag("map", "--json", "--path", "app/**", cwd=root).stdout)
    assert {one["path"] for part in found["parts"] for one in part["entries"]} == {"app/orders.py", "app/report.py"}


def test_a_question_about_the_whole_is_answered_by_the_map(coderag: Run, root: Path) -> None:
    question = "what are the main parts of this repository?"
    assert f"coderag map '{question}'" in coderag("search", question, cwd=root).stderr
    assert coderag("map", question, cwd=root).stdout == coderag("map", cwd=root).stdout


def test_hits_carry_their_relations(coderag: Run, root: Path) -> None:
    done = coderag("search", "total_of", "-k", "1", "--context", "none", cwd=root)
    assert "    called by charge · reads orders\n" in done.stdout
    [hit] = json.loads(coderag("search", "total_of", "-k", "1", "--json", cwd=root).stdout)
    assert [(one["kind"], one["name"], one["path"], one["line"]) for one in hit["relations"]] == [
        ("called by", "charge", "app/orders.py", 6),
        ("reads", "orders", "schema.sql", 1),
    ]


def test_a_table_shows_who_uses_it(coderag: Run, root: Path) -> None:
    done = coderag("search", "orders table", "--kind", "table", "--context", "none", cwd=root)
    assert "    read by total_of · deleted by wipe\n" in done.stdout


def test_related_adds_neighbours(coderag: Run, root: Path) -> None:
    done = coderag("search", "total_of", "-k", "1", "--related", "2", "--context", "none", cwd=root)
    assert "function charge" in done.stdout
    assert "    related: calls total_of\n" in done.stdout
    hits = json.loads(coderag("search", "total_of", "-k", "1", "--related", "2", "--json", cwd=root).stdout)
    assert [hit["related"] for hit in hits] == [False, True, True]
    of_table = coderag("search", "orders", "-k", "1", "--related", "9", "--language", "python", cwd=root).stdout
    assert "related: uses orders" in of_table


def test_a_file_that_changed_since_has_no_relations(coderag: Run, tmp_path: Path) -> None:
    root = write(tmp_path / "changing", FILES)
    (root / ".git").mkdir()
    coderag("index", cwd=root)
    (root / "app/orders.py").write_text(FILES["app/orders.py"].replace("total_of", "cost_of"))
    done = coderag("search", "cost_of", "-k", "1", "--context", "none", cwd=root)
    assert "cost_of" in done.stdout
    assert "called by" not in done.stdout


def test_colours_only_frame_the_text(coderag: Run, root: Path) -> None:
    for command in (("refs", "orders"), ("impact", "orders.total"), ("path", "run", "orders"), ("map",)):
        plain = coderag(*command, cwd=root).stdout
        coloured = coderag(*command, "--color", "always", cwd=root).stdout
        assert "\x1b" not in plain
        assert COLOUR.sub("", coloured) == plain


def test_an_older_graph_says_so(coderag: Run, project: Path) -> None:
    coderag("index", "--wait", "-q", cwd=project)
    fresh = coderag("refs", "Cart.total", "--no-refresh", cwd=project)
    assert (fresh.returncode, fresh.stderr) == (0, "")
    with (project / "src/cart.py").open("a") as file:
        file.write("\n\ndef late():\n    return Cart().total()\n")
    for command in (["refs", "Cart.total"], ["impact", "Cart.total"], ["graph", "Cart.total"]):
        done = coderag(*command, "--no-refresh", cwd=project)
        assert done.returncode == 0
        assert "late" not in done.stdout
        assert "the graph is older than the files: 1 path changed since" in done.stderr
        assert coderag(*command, "--no-refresh", cwd=project, CODERAG_GROUPS="dev").stderr == ""
    assert "late" in coderag("refs", "Cart.total", cwd=project).stdout
