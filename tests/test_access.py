"""What some groups see of an index: exactly what an index holds that never had the rest."""

from __future__ import annotations

import dataclasses
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coderag import Index, TableFilter
from coderag.catalog.introspect.introspect import inspect_database
from coderag.catalog.introspect.url import parse_url
from coderag.errors import AccessError, CoderagError, QueryError, SettingsError
from coderag.index.reader.status import Status
from coderag.index.storage.database_snapshots import write_snapshot
from coderag.index.storage.folder.index_path import IndexPath
from coderag.search.query.query import make_query
from coderag.search.ranking.settings import make_pipeline

OLD = 1_700_000_000  # seconds: files that were written long before they were listed
FILES = {
    "app/orders.py": '''"""Orders."""


def load_orders(db):
    """Load the orders of a customer."""
    return db.execute("SELECT id, total FROM orders WHERE customer_id = ?")


def order_total(order):
    return sum(line.price for line in order.lines)
''',
    "app/dates.py": '''def parse_date(text):
    """Parse a date."""
    return text.split("-")
''',
    "app/salary/dates.py": '''def parse_date(text):
    """Parse the date of a salary."""
    return text.split(".")


class Salary:
    amount = 0

    def raise_by(self, share):
        return self.amount * share
''',
    "app/salary/paid.py": """from app.dates import parse_date


def pay_salary(person):
    return parse_date(person.date)
""",
    "app/broken.py": "def half(:\n    return (\n",
    "app/blob.py": "x = '\0'\n",
    "tests/test_orders.py": """from app.orders import order_total


def test_order_total():
    assert order_total
""",
    "go/retry.go": """package retry

// Retry calls pay until it succeeds.
func Retry(pay func() error) error { return pay() }
""",
    "docs/orders.md": """# Orders

How orders are paid.

## Glossary

- **Margin**: what is left of an order's total.
""",
    "docs/salary.md": "# Salaries\n\nWho may see a salary.\n",
    "sql/001_orders.sql": """CREATE TABLE customers (id int PRIMARY KEY, email text);
CREATE TABLE orders (id int PRIMARY KEY, customer_id int REFERENCES customers (id), total int);
""",
    "sql/002_margin.sql": """ALTER TABLE orders ADD COLUMN margin int;
ALTER TABLE customers DROP COLUMN email;
""",
    "sql/003_views.sql": "CREATE VIEW big_orders AS SELECT id, margin FROM orders WHERE total > 100;\n",
    "payroll/salaries.sql": """CREATE TABLE salaries (id int PRIMARY KEY, person text, amount int);
COMMENT ON TABLE salaries IS 'who is paid what';
""",
    "payroll/queries.sql": """-- How much is paid in all?
SELECT sum(amount) FROM salaries;

-- Which orders are large?
SELECT id FROM orders WHERE total > 10;
""",
    "payroll/lost.sql": "CREATE TABLE ((( nothing;\n",
}
# Globs with what they are to match, told in another way.
GLOBS: dict[str, Callable[[str], bool]] = {
    "payroll/": lambda path: path.startswith("payroll/"),
    "sql/**": lambda path: path.startswith("sql/"),
    "app/*/*.py": lambda path: path.startswith("app/salary/"),
    "**/salary/**": lambda path: "/salary/" in path,
    "*.sql": lambda path: path.endswith(".sql"),
    "*salar*": lambda path: "salar" in path,
    "*.md": lambda path: path.endswith(".md"),
    "/app/*.py": lambda path: path.startswith("app/") and path.count("/") == 1,
    "tests": lambda path: path.startswith("tests/"),
    "00[12]*": lambda path: path.startswith(("sql/001", "sql/002")),
    "go/retry.go": lambda path: path == "go/retry.go",
}
GROUPS = ("hr", "dev", "audit")
QUESTIONS = (
    *("parse the date of a salary", "order total", "load_orders", "Salary.raise_by", "who is paid what", "retry pay"),
    *("test order total", "margin of an order", "zebra quantum"),
)
NAMES = ("parse_date", "pay_salary", "Salary", "order_totl", "Retry", "salaries", "customers")


def write_files(root: Path, paths: Sequence[str], rules: str = "") -> None:
    """Write some of FILES and the settings; the files are as old as each other."""
    texts = {path: FILES[path] for path in paths} | {"coderag.toml": rules}
    for path, text in texts.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        os.utime(file, (OLD, OLD))


def rule(paths: Sequence[str], groups: Sequence[str]) -> str:
    """Return a table of access rules as it is written."""
    return f"[[access]]\npaths = {list(paths)}\ngroups = {list(groups)}\n"


def told(ask: Callable[[], Any]) -> Any:
    """Return what is answered, be it an error."""
    try:
        return ask()
    except CoderagError as error:
        return type(error).__name__, str(error)


def comparable(status: Status) -> Status:
    """Return a status without what is different in another folder at another time."""
    return dataclasses.replace(
        status, root="", folder="", updated_ns=0, build_seconds=0.0, segments=0, index_bytes=0, graph=None
    )


def answers(index: Index) -> Iterator[Any]:
    """Yield what an index answers to everything that it can be asked."""
    yield len(index), index.asked, [comparable(one) for one in index.status()]
    for question in QUESTIONS:
        yield question, index.search(question)
        yield question, index.search(question, k=3, diversity=0.4, expand="parent", collapse=False)
        yield question, index.search(question, k=4, related=2, pipeline=make_pipeline(reranker="graph"))
        yield question, index.search(question, tests="exclude", kinds=["function", "method"], languages=["python"])
        yield question, index.search(question, paths=["app/**", "!**/dates.py"], threshold=0.05)
        yield question, told(partial(index.search, question, databases=["salaries"]))
        yield question, told(partial(index.search, question, repositories=["other"]))
        yield question, index.table_ranking(question)
        yield question, index.schema_context(question).as_ddl()
        yield question, index.schema_context(question, budget=40, k=2).as_ddl()
    for name in NAMES:
        yield name, index.symbols(name), index.symbols(name, alike=False), index.table(name)
        yield name, told(partial(index.tables, TableFilter(databases=frozenset({name}))))
    for path in (*FILES, "no/such.py"):
        yield path, told(partial(index.outline, path)), told(partial(index.chunks, path))
    yield index.tables(), list(index.catalog.problems), list(index.catalog.databases), index.catalog.files.paths
    yield told(lambda: index.check_sql("SELECT amont, margin FROM salaries JOIN orders ON person = total"))
    yield told(lambda: index.check_sql("SELECT email FROM custmers"))


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[str], str, list[str], list[str]]:
    """Return files, access rules, a caller's groups, and the files that such a caller may see."""
    paths = draw(st.lists(st.sampled_from(sorted(FILES)), min_size=1, unique=True))
    written = draw(
        st.lists(
            st.tuples(
                st.lists(st.sampled_from(sorted(GLOBS)), min_size=1, max_size=2),
                st.lists(st.sampled_from(GROUPS), max_size=2, unique=True),
                st.lists(st.sampled_from(sorted(GLOBS)), max_size=1),
            ),
            min_size=1,
            max_size=3,
        )
    )
    groups = draw(st.lists(st.sampled_from(GROUPS), max_size=2, unique=True))

    def named(path: str, globs: Sequence[str], but: Sequence[str]) -> bool:
        return any(GLOBS[glob](path) for glob in globs) and not any(GLOBS[glob](path) for glob in but)

    rules = "".join(rule([*globs, *(f"!{glob}" for glob in but)], having) for globs, having, but in written)
    seen = [
        path
        for path in paths
        if all(set(having) & set(groups) for globs, having, but in written if named(path, globs, but))
    ]
    return paths, rules, groups, seen


@pytest.mark.slow
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(case=cases(), first=st.integers(0, len(FILES)))
def test_a_caller_sees_what_an_index_of_the_visible_files_holds(
    case: tuple[list[str], str, list[str], list[str]], first: int
) -> None:
    paths, rules, groups, seen = case
    with tempfile.TemporaryDirectory() as folder:
        whole, only = Path(folder, "whole/shop"), Path(folder, "only/shop")
        write_files(whole, paths[:first], rules)
        index = Index.build(whole, workers=0)
        write_files(whole, paths, rules)
        index.update(workers=0, thorough=True)
        write_files(only, seen, rules)
        told_of, only_those = index.as_seen_by(groups), Index.build(only, workers=0)
        for left, right in zip(answers(told_of), answers(only_those), strict=True):
            assert left == right


RULES = rule(["payroll/", "app/salary/"], ["hr"]) + rule(["*.sql"], ["dba", "hr"])
PRIVATE = ("payroll/salaries.sql", "app/salary/paid.py")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A folder with all files, of which some are for some groups."""
    write_files(tmp_path / "shop", sorted(FILES), RULES)
    return tmp_path / "shop"


def paths_of(index: Index) -> set[str]:
    """Return the files that an index tells of."""
    return {path for path in FILES if not isinstance(told(partial(index.chunks, path)), tuple)}


def test_a_file_is_for_who_is_in_a_group_of_every_rule_that_names_it(shop: Path) -> None:
    index = Index.build(shop, workers=0)
    everything = paths_of(index)
    sql = {path for path in everything if path.endswith(".sql")}
    private = {path for path in everything if path.startswith(("payroll/", "app/salary/"))}
    assert paths_of(index.as_seen_by([])) == everything - sql - private
    assert paths_of(index.as_seen_by(["dba"])) == everything - private
    assert paths_of(index.as_seen_by(["hr"])) == everything
    assert paths_of(index.as_seen_by(["hr"]).as_seen_by(["dba"])) == everything - private


def test_a_hidden_file_is_not_there_in_the_words_for_one_that_is_not(shop: Path) -> None:
    seen = Index.build(shop, workers=0).as_seen_by(["dba"])
    for path in PRIVATE:
        with pytest.raises(QueryError) as hidden:
            seen.outline(path)
        with pytest.raises(QueryError) as missing:
            seen.outline("no/such.py")
        assert str(hidden.value).replace(path, "no/such.py") == str(missing.value)


def test_a_query_brings_the_groups_of_its_caller(shop: Path) -> None:
    index = Index.build(shop, workers=0)
    asked = make_query("the date of a salary", groups=["dba"])
    assert index.search(asked) == index.as_seen_by(["dba"]).search("the date of a salary")
    assert index.search("the date of a salary", groups=[]) == index.as_seen_by([]).search("the date of a salary")
    assert index.search("the date of a salary", groups=["hr"]) == index.search("the date of a salary")
    assert index.as_seen_by(["dba"]).search("salary", groups=["hr"]) == index.search("salary", groups=["dba"])


def test_other_rules_cost_no_reading_and_hold_at_once(shop: Path) -> None:
    index = Index.build(shop, workers=0)
    before = index.as_seen_by(["dba"])
    (shop / "coderag.toml").write_text(rule(["docs/"], ["hr"]))
    index.update(workers=0)
    assert index.reports[0].read == 0
    assert "docs/orders.md" not in paths_of(index.as_seen_by(["dba"]))
    assert "docs/orders.md" in paths_of(before)
    assert paths_of(index.as_seen_by([])) == {path for path in paths_of(index) if not path.startswith("docs/")}
    (shop / "coderag.toml").unlink()
    index.update(workers=0)
    assert paths_of(index.as_seen_by([])) == paths_of(index)


def test_a_copied_index_keeps_its_rules(shop: Path, tmp_path: Path) -> None:
    Index.build(shop, workers=0)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copytree(shop / ".coderag", elsewhere / ".coderag")
    copied = Index.open(elsewhere)
    assert paths_of(copied.as_seen_by(["dba"])) == paths_of(Index.open(shop).as_seen_by(["dba"]))
    names = {table.name.name for table in copied.as_seen_by(["dba"]).tables()}
    assert names == {"big_orders", "customers", "orders"}


def test_a_table_is_what_the_visible_files_make_of_it(shop: Path) -> None:
    (shop / "coderag.toml").write_text(rule(["sql/002*"], ["dba"]))
    index = Index.build(shop, workers=0)

    def columns(seen: Index) -> set[str]:
        return {column.name for one in seen.table("customers") + seen.table("orders") for column in one.table.columns}

    assert columns(index) == {"id", "customer_id", "total", "margin"}
    assert columns(index.as_seen_by(["hr"])) == {"id", "customer_id", "total", "email"}
    found = index.as_seen_by(["hr"]).check_sql("SELECT margin FROM orders")
    assert [str(one.code) for one in found] == ["unknown-column"]


def test_a_database_takes_its_files_with_it(shop: Path) -> None:
    database = Index.build(shop, workers=0).table("salaries")[0].table.name.database
    (shop / "coderag.toml").write_text(f"[[access]]\ndatabases = ['{database.upper()}']\ngroups = ['hr']\n")
    index = Index.open(shop)
    index.update(workers=0)
    seen = index.as_seen_by(["dev"])
    assert paths_of(index) - paths_of(seen) == {"payroll/salaries.sql", "payroll/queries.sql"}
    assert {table.name.name for table in seen.tables()} == {"big_orders", "customers", "orders"}


@pytest.mark.parametrize("name", ["shop", "SHOP"])
def test_a_repository_is_hidden_as_a_whole_whatever_it_is_called_when_it_is_opened(
    shop: Path, tmp_path: Path, name: str
) -> None:
    (shop / "coderag.toml").write_text(f"[[access]]\nrepositories = ['{name}']\ngroups = []\n")
    Index.build(shop, workers=0)
    lib = tmp_path / "other/shop"
    write_files(lib, ["app/dates.py"])
    Index.build(lib, workers=0)
    seen = Index.open(shop, lib).as_seen_by(["hr"])  # each of which is called by more of its path then
    assert {hit.chunk.repository for hit in seen.search("parse date")} == {"other/shop"}
    assert [one.files for one in seen.status()] == [0, 1]
    assert len(Index.open(shop).as_seen_by(["hr"])) == 0


@pytest.mark.parametrize("named", ["databases = ['crm']", "paths = ['*.db']"])
def test_a_database_that_was_asked_is_hidden_by_its_name_or_as_a_file(shop: Path, named: str) -> None:
    database = sqlite3.connect(shop / "crm.db")
    database.execute("CREATE TABLE people (id int PRIMARY KEY, secret text)")
    database.commit()
    database.close()
    (shop / "coderag.toml").write_text(f"[[access]]\n{named}\ngroups = ['hr']\n")
    index = Index.build(shop, workers=0)
    url = parse_url(f"sqlite:///{shop / 'crm.db'}")
    write_snapshot(IndexPath(shop / ".coderag"), url.name, inspect_database(url))
    index.update(workers=0)
    seen = index.as_seen_by(["dba"])
    assert index.asked == [url.name]
    assert index.table("people")
    assert not seen.asked
    assert not seen.table("people")
    assert url.name not in str(seen.status())


def test_what_is_seen_is_not_written(shop: Path) -> None:
    seen = Index.build(shop, workers=0).as_seen_by(["dba"])
    calls: tuple[Callable[[], object], ...] = (
        *(seen.update, seen.merge, seen.is_fresh, seen.stale_paths, seen.damage),
        lambda: next(seen.watch()),
    )
    for call in calls:
        with pytest.raises(AccessError, match="only the whole index can"):
            call()
    assert seen.reports == ()


def test_a_new_file_is_told_of_to_who_may_see_it(shop: Path) -> None:
    index = Index.build(shop, workers=0)
    for name in ("payroll/new.py", "app/new.py"):
        (shop / name).write_text("x = 1\n")
    changes = [one.status()[0].changes for one in (index, index.as_seen_by(["dba"]))]
    assert [change.new for change in changes if change] == [("app/new.py", "payroll/new.py"), ("app/new.py",)]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("access = 1", "'access' must be tables, written"),
        ("[[access]]\ngroups = ['hr']", "number 1: it names nothing; give databases, paths, repositories"),
        ("[[access]]\npaths = ['a']", "'groups' is missing"),
        ("[[access]]\npaths = 'a'\ngroups = []", "'paths' must be a list of texts"),
        ("[[access]]\npath = ['a']\ngroups = []", "unknown key 'path'"),
        ("[[access]]\npaths = ['/']\ngroups = []", "names nothing"),
    ],
)
def test_rules_that_make_no_sense_are_refused(tmp_path: Path, written: str, message: str) -> None:
    (tmp_path / "coderag.toml").write_text(written)
    with pytest.raises(SettingsError, match=message):
        Index.build(tmp_path, workers=0)


def test_rules_stand_where_a_broken_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[[tool.coderag.access]]\npaths = ['a']\ngroups = []\n")
    with pytest.raises(SettingsError, match=r"'access' belongs in coderag\.toml"):
        Index.build(tmp_path, workers=0)
