"""What changes of real repositories touch, through the public API."""

from __future__ import annotations

from pathlib import Path

import pytest

import coderag
from coderag.errors import AccessError, GitError, QueryError
from coderag.files.changes.records import WhyLeftOut
from coderag.graph.changes.records import Changed
from tests.files.changes.repositories import commit, git, repository
from tests.workspace import write

pytestmark = pytest.mark.slow

FILES = {
    "schema.sql": "CREATE TABLE orders (\n    id INTEGER PRIMARY KEY,\n    total INTEGER,\n    note TEXT\n);\n"
    "CREATE VIEW revenue AS SELECT sum(total) AS cents FROM orders;\n",
    "shop/__init__.py": "",
    "shop/orders.py": '"""Orders."""\n\nimport json\n\nRATE = 3\n\n\ndef total_of(db, number):\n'
    '    row = db.execute("SELECT total, note FROM orders WHERE id = ?", (number,)).fetchone()\n'
    "    return row\n\n\ndef charge(db, number):\n    return total_of(db, number)\n\n\n"
    "class Cart:\n    def add(self, item):\n        self.items.append(item)\n\n"
    "    def clear(self):\n        self.items = []\n",
    "shop/report.py": "from shop.orders import Cart, charge\n\n\ndef run(db):\n    cart = Cart()\n    cart.clear()\n"
    "    return charge(db, 1)\n",
    "tests/test_orders.py": "from shop.orders import charge\n\n\ndef test_charge(db):\n    assert charge(db, 1)\n",
}


def changed(root: Path, files: dict[str, str | None]) -> coderag.DiffImpact:
    """Return what a change of an index's files touches."""
    repository(root, FILES)
    coderag.Index.build(root, workers=0)
    for path, text in files.items():
        if text is None:
            (root / path).unlink()
        else:
            write(root, {path: text})
    index = coderag.Index.open(root)
    index.update(workers=0)
    return index.impact_of_diff()


def told(changes: tuple[Changed, ...]) -> list[tuple[str, str]]:
    return [(change.spot.name, str(change.how)) for change in changes]


def test_a_changed_body_reaches_its_callers_and_tests(tmp_path: Path) -> None:
    found = changed(tmp_path, {"shop/orders.py": FILES["shop/orders.py"].replace("return row", "return row[0]")})
    assert told(found.changed) == [("total_of", "changed")]
    assert [(one.spot.name, one.distance, one.way[0]) for one in found.affected] == [
        ("charge", 1, "total_of"),
        ("run", 2, "total_of"),
    ]
    assert [test.id for test in found.tests] == ["tests/test_orders.py::test_charge"]
    assert [(table.spot.name, str(table.how), table.by) for table in found.tables] == [("orders", "reads", "total_of")]
    assert {len(found.broken), len(found.data), len(found.possibly)} == {0}


def test_lines_outside_of_definitions_count_unless_they_say_nothing(tmp_path: Path) -> None:
    text = FILES["shop/orders.py"]
    found = changed(
        tmp_path / "a", {"shop/orders.py": text.replace("import json\n", "import json\nimport os\n\n# x\n")}
    )
    assert found.is_empty
    found = changed(tmp_path / "b", {"shop/orders.py": text + '\nprint("loaded")\n'})
    assert told(found.changed) == [("shop/orders.py", "changed")]


def test_what_was_removed_and_is_still_named(tmp_path: Path) -> None:
    text = FILES["shop/orders.py"].replace("def charge(db, number):\n    return total_of(db, number)\n\n\n", "")
    text = text.replace("    def clear(self):\n        self.items = []\n", "")
    found = changed(tmp_path, {"shop/orders.py": text})
    assert told(found.changed) == [("charge", "removed"), ("Cart.clear", "removed")]
    places = [(one.name, one.path, one.line, one.within, one.certain) for one in found.broken]
    assert ("charge", "shop/report.py", 1, "", True) in places
    assert ("charge", "shop/report.py", 7, "run", True) in places
    assert ("Cart.clear", "shop/report.py", 6, "run", False) in places
    assert ("charge", "tests/test_orders.py", 5, "test_charge", True) in places


def test_tests_that_name_what_is_gone_come_first(tmp_path: Path) -> None:
    later = "from shop.report import run\n\n\ndef test_run(db):\n    assert run(db)\n"
    repository(tmp_path, FILES | {"tests/test_also.py": later})
    coderag.Index.build(tmp_path, workers=0)
    renamed = FILES["shop/orders.py"].replace("def charge(", "def settle(")
    write(tmp_path, {"shop/orders.py": renamed, "shop/report.py": FILES["shop/report.py"].replace("charge", "settle")})
    index = coderag.Index.open(tmp_path)
    index.update(workers=0)
    tests = index.impact_of_diff().tests
    # The import fails, and with it all of the file; then the test that calls it.
    assert [test.id for test in tests[:2]] == ["tests/test_orders.py", "tests/test_orders.py::test_charge"]
    assert {test.found.why for test in tests[:2]} == {"names charge, which is gone"}
    assert "tests/test_also.py::test_run" in {test.id for test in tests}


def test_a_definition_that_moved_leaves_imports_behind(tmp_path: Path) -> None:
    body = "def charge(db, number):\n    return total_of(db, number)\n"
    text = FILES["shop/orders.py"].replace(f"{body}\n\n", "")
    found = changed(tmp_path, {"shop/orders.py": text, "shop/pay.py": f"from shop.orders import total_of\n\n\n{body}"})
    assert [(one.spot.name, one.spot.path, str(one.how), one.before) for one in found.changed] == [
        ("charge", "shop/pay.py", "moved", "shop/orders.py")
    ]
    assert ("shop/report.py", 1) in {(one.path, one.line) for one in found.broken}


def test_a_changed_declaration_an_added_definition_and_a_changed_test(tmp_path: Path) -> None:
    text = FILES["shop/orders.py"].replace("def add(self, item):", "def add(self, item, count=1):")
    tests = FILES["tests/test_orders.py"] + "\n\ndef test_more(db):\n    assert True\n"
    found = changed(
        tmp_path,
        {"shop/orders.py": f"{text}\n    def more(self):\n        return self\n", "tests/test_orders.py": tests},
    )
    assert told(found.changed) == [
        ("Cart.add", "declaration changed"),
        ("Cart.more", "added"),
        ("test_more", "added"),
    ]
    assert [(test.id, test.found.distance) for test in found.tests] == [("tests/test_orders.py::test_more", 0)]


def test_columns_of_ddl(tmp_path: Path) -> None:
    schema = FILES["schema.sql"].replace(
        "    total INTEGER,\n    note TEXT", "    total BIGINT NOT NULL,\n    tax INTEGER"
    )
    found = changed(tmp_path, {"schema.sql": schema})
    assert [(one.spot.name, str(one.how), one.detail) for one in found.data] == [
        ("orders.note", "removed", ""),
        ("orders.tax", "added", ""),
        ("orders.total", "changed", "type INTEGER to BIGINT, not null"),
    ]
    assert [(one.name, one.path, one.within) for one in found.broken] == [("orders.note", "shop/orders.py", "total_of")]
    assert {"total_of", "revenue", "charge"} <= {one.spot.name for one in found.affected}
    assert [test.id for test in found.tests] == ["tests/test_orders.py::test_charge"]


def test_a_migration_renames_drops_and_adds(tmp_path: Path) -> None:
    migration = (
        "ALTER TABLE orders RENAME COLUMN total TO amount;\nALTER TABLE orders DROP COLUMN note;\n"
        "ALTER TABLE orders ADD COLUMN paid INTEGER;\nCREATE TABLE refunds (id INTEGER);\n"
    )
    root = repository(tmp_path, {"db/migrations/0001_first.sql": FILES["schema.sql"].split("CREATE VIEW")[0]})
    write(root, {path: text for path, text in FILES.items() if path.startswith("shop")})
    commit(root, {"db/migrations/0002_more.sql": migration})
    index = coderag.Index.build(root, workers=0)
    found = index.impact_of_diff("HEAD~1..HEAD")
    assert [(one.spot.name, str(one.how), one.before) for one in found.data] == [
        ("orders.amount", "renamed", "orders.total"),
        ("orders.note", "removed", ""),
        ("orders.paid", "added", ""),
        ("refunds", "added", ""),
    ]
    assert {one.name for one in found.broken} == {"orders.total", "orders.note"}


def test_a_renamed_table_and_a_dropped_one(tmp_path: Path) -> None:
    root = repository(tmp_path, {**FILES, "more.sql": "CREATE TABLE logs (line TEXT);\n"})
    commit(root, {"schema.sql": FILES["schema.sql"].replace("orders", "sales"), "more.sql": ""})
    found = coderag.Index.build(root, workers=0).impact_of_diff("HEAD~1..HEAD")
    assert {("orders", "removed"), ("sales", "added"), ("logs", "removed")} <= set(told(found.data))
    assert ("orders", "shop/orders.py") in {(one.name, one.path) for one in found.broken}
    assert "total_of" in {one.spot.name for one in found.affected}


def test_a_field_of_a_model(tmp_path: Path) -> None:
    models = "from django.db import models\n\n\nclass Order(models.Model):\n    total = models.IntegerField()\n"
    root = repository(tmp_path, {"manage.py": "", "sales/__init__.py": "", "sales/models.py": models})
    commit(root, {"sales/models.py": f"{models}    paid = models.BooleanField()\n"})
    found = coderag.Index.build(root, workers=0).impact_of_diff("HEAD~1..HEAD")
    assert ("sales_order.paid", "added") in told(found.data)


@pytest.mark.parametrize("is_applied", [True, False])
def test_a_patch_is_read_whether_it_is_applied_or_not(tmp_path: Path, *, is_applied: bool) -> None:
    root = repository(tmp_path, FILES)
    write(root, {"shop/orders.py": FILES["shop/orders.py"].replace("return row", "return row[0]"), "x.bin": b"\0"})
    patch = git(root, "diff", "HEAD")
    if not is_applied:
        git(root, "checkout", "-q", "--", ".")
    index = coderag.Index.build(root, workers=0)
    found = index.impact_of_diff("my.patch", patch=f"{patch}\n")
    assert (found.title, told(found.changed)) == ("my.patch", [("total_of", "changed")])
    assert [test.id for test in found.tests] == ["tests/test_orders.py::test_charge"]
    other = index.impact_of_diff(patch=patch.replace("return row", "return column") + "\n")
    assert [(one.path, one.reason) for one in other.left_out] == [("shop/orders.py", WhyLeftOut.DOES_NOT_FIT)]
    assert other.is_empty


def test_a_renamed_file_and_one_that_went(tmp_path: Path) -> None:
    root = repository(tmp_path, FILES)
    git(root, "mv", "shop/report.py", "shop/reports.py")
    commit(root, {})
    git(root, "rm", "-q", "shop/orders.py")
    index = coderag.Index.build(root, workers=0)
    found = index.impact_of_diff("HEAD~1..HEAD")
    assert [(one.spot.name, str(one.how), one.before) for one in found.changed] == [
        ("shop/reports.py", "renamed", "shop/report.py")
    ]
    found = index.impact_of_diff(staged=True)
    assert ("shop/orders.py", "removed") in told(found.changed)
    assert ("charge", "removed") in told(found.changed)
    assert ("shop/reports.py", 1) in {(one.path, one.line) for one in found.broken}


def test_an_old_range_is_told_by_the_index_of_today(tmp_path: Path) -> None:
    root = repository(tmp_path, FILES)
    commit(root, {"shop/orders.py": FILES["shop/orders.py"].replace("return row", "return row[0]")})
    commit(root, {"shop/orders.py": "# a new line in front\n" * 5 + (root / "shop/orders.py").read_text()})
    found = coderag.Index.build(root, workers=0).impact_of_diff("HEAD~2..HEAD~1")
    assert told(found.changed) == [("total_of", "changed")]
    assert [one.spot.name for one in found.affected] == ["charge", "run"]


def test_nothing_changed_and_what_is_refused(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", FILES)
    index = coderag.Index.build(root, workers=0)
    assert index.impact_of_diff().is_empty
    with pytest.raises(GitError, match="no revision"):
        index.impact_of_diff("nowhere")
    with pytest.raises(QueryError, match="is a range"):
        index.impact_of_diff("HEAD..HEAD", staged=True)
    with pytest.raises(AccessError):
        index.as_seen_by(["hr"]).impact_of_diff()
    other = repository(tmp_path / "s", FILES)
    with pytest.raises(QueryError, match="one root"):
        coderag.Index.build(root, other, workers=0).impact_of_diff()


def test_only_changed_files_are_searched(tmp_path: Path) -> None:
    root = repository(tmp_path, FILES)
    write(root, {"shop/extra.py": "def charge_twice(db):\n    return 2\n"})
    index = coderag.Index.build(root, workers=0)
    assert index.changed_files() == {(index.roots[0].repository, "shop/extra.py")}
    assert {hit.chunk.path for hit in index.search("charge an order", files=index.changed_files())} == {"shop/extra.py"}
    assert index.search("charge an order", files=[]) == []
    with pytest.raises(TypeError, match="pairs"):
        index.search("charge", files=["shop/extra.py"])  # type: ignore[list-item]
