"""A query reads the index and nothing else, ends in time, and says in one line what is wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from coderag import Index
from coderag.errors import QueryError
from coderag.relational.relations import Relation, relations
from tests.workspace import write

CROSS_JOIN = "SELECT count(*) FROM range(100000000) a, range(1000000) b WHERE a.range % 7 = b.range % 5"


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT * FROM fils", "there is no table fils; did you mean files?"),
        ("SELECT langage FROM files", "there is no column langage; did you mean language?"),
        ("SELECT f.langage FROM files f", "there is no column langage; did you mean language?"),
        ("SELECT zzzzqqq FROM files", 'there is no column zzzzqqq; "coderag sql --tables" lists the columns'),
        ("SELEC 1", 'syntax error at or near "SELEC"'),
        ("", "the SQL holds 0 statements; give one SELECT"),
        ("SELECT 1; SELECT 2", "the SQL holds 2 statements; give one SELECT"),
        ("DROP TABLE files", "the SQL is DROP, and only SELECT is allowed"),
        ("COPY files TO 'files.csv'", "the SQL is COPY, and only SELECT is allowed"),
        ("ATTACH 'other.db'", "the SQL is ATTACH, and only SELECT is allowed"),
        ("INSTALL httpfs", "the SQL is LOAD, and only SELECT is allowed"),
        ("SET memory_limit = '9GB'", "the SQL is SET, and only SELECT is allowed"),
        ("PRAGMA database_list", "the SQL is PRAGMA, and only SELECT is allowed"),
        ("CALL pragma_version()", "the SQL is CALL, and only SELECT is allowed"),
        ("SELECT * FROM read_text('/etc/hostname')", "cannot read files or the network"),
        ("SELECT * FROM glob('/*')", "cannot read files or the network"),
        ("SELECT * FROM enable_logging('QueryLog')", "cannot read files or the network"),
        ("SELECT * FROM '/etc/hostname'", "there is no table /etc/hostname"),
        ("PIVOT files ON language USING count(*)", "a PIVOT needs its values"),
    ],
)
def test_refused(sql: str, said: str, index: Index) -> None:
    with pytest.raises(QueryError) as refused:
        index.sql(sql)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_nothing_is_written(index: Index) -> None:
    before = index.sql("SELECT count(*) FROM commits").rows
    statement = "INSERT INTO commits SELECT * FROM commits RETURNING *"
    with pytest.raises(QueryError, match="read-only"):
        index.sql(f"WITH added AS ({statement}) SELECT * FROM added")
    assert index.sql("SELECT count(*) FROM commits").rows == before


def test_a_query_without_end_is_stopped(index: Index) -> None:
    with pytest.raises(QueryError, match=r"took more than 0\.2 s and was stopped"):
        index.sql(CROSS_JOIN, seconds=0.2)
    assert index.sql("SELECT 1").rows == ((1,),)


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> None:
    """A view that is computed once, which takes for ever."""
    view = replace(relations()["functions"], name="endless", sql=CROSS_JOIN)
    monkeypatch.setitem(cast(dict[str, Relation], relations()), "endless", view)


@pytest.mark.usefixtures("endless")
def test_a_view_that_is_computed_for_a_query_ends_with_it(index: Index) -> None:
    for _ in range(2):
        with pytest.raises(QueryError, match=r"took more than 0\.2 s and was stopped"):
            index.sql("SELECT * FROM endless", seconds=0.2)
    assert index.sql("SELECT 1").rows == ((1,),)


@pytest.mark.usefixtures("endless")
@pytest.mark.parametrize(
    "sql",
    [
        "SHOW TABLES",
        "/* all */ SHOW TABLES",
        "SELECT table_name FROM information_schema.tables WHERE table_schema = 'main'",
        "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main' UNION SELECT view_name FROM duckdb_views()",
    ],
)
def test_to_list_tables_computes_none(sql: str, roots: tuple[Path, Path]) -> None:
    names = {name for (name,) in Index.open(roots[0]).sql(sql).rows}
    assert names >= relations().keys()


@pytest.mark.slow
def test_a_table_is_described_as_it_is(roots: tuple[Path, Path]) -> None:
    index = Index.open(*roots)
    described = {name: index.sql(f"DESCRIBE FROM {name}").rows for name in relations()}
    for name in relations():
        found = index.sql(f"FROM {name}", k=1)
        assert [(column, of) for column, of, *_ in described[name]] == list(
            zip(found.columns, found.types, strict=True)
        )
        assert index.sql(f"DESCRIBE FROM {name}").rows == described[name]
    assert index.sql("SELECT count(*) FROM files").rows == Index.open(*roots).sql("SELECT count(*) FROM files").rows


@pytest.mark.slow
def test_memory_is_bounded(index: Index) -> None:
    with pytest.raises(QueryError, match="more than 2GB of memory"):
        index.sql("SELECT list(range) FROM range(2000000000)")


def test_rows_are_cut_and_say_so(index: Index) -> None:
    found = index.sql("SELECT path FROM files ORDER BY path", k=2)
    assert (len(found), found.is_cut) == (2, True)
    assert not index.sql("SELECT path FROM files LIMIT 2", k=2).is_cut


@pytest.mark.slow
def test_an_update_is_seen(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.py": "def one():\n    return 1\n"})
    with Index.build(root, workers=0, cache=False) as index:
        names = "SELECT name FROM functions ORDER BY name"
        assert index.sql(names).rows == (("one",),)
        write(root, {"b.py": "def two():\n    return one()\n"})
        index.update(workers=0)
        assert index.sql(names).rows == (("one",), ("two",))
        (root / "a.py").unlink()
        index.update(workers=0)
        assert index.sql(names).rows == (("two",),)
        assert index.sql("SELECT path FROM chunks").rows == (("b.py",),)


@pytest.mark.slow
def test_hidden_files_are_in_no_table(tmp_path: Path) -> None:
    files = {
        "coderag.toml": '[[access]]\npaths = ["secret/**"]\ngroups = ["staff"]\n',
        "open.py": "def visible():\n    return 1\n",
        "secret/plan.py": "def hidden():\n    return visible()\n",
        "secret/schema.sql": "CREATE TABLE salaries (id INTEGER PRIMARY KEY);\n",
    }
    index = Index.build(write(tmp_path / "root", files), workers=0, cache=False)
    everything = "SELECT name FROM symbols WHERE name IN ('hidden', 'visible', 'salaries') ORDER BY name"
    assert [row[0] for row in index.sql(everything).rows] == ["hidden", "salaries", "visible"]
    seen = index.as_seen_by(["guests"])
    assert seen.sql(everything).rows == (("visible",),)
    for table in ("files", "chunks", "symbols", "edges", "tables", "columns", "queries", "commits", "changes"):
        rows = str(seen.sql(f"FROM {table}").rows)
        assert "secret" not in rows
        assert "salaries" not in rows
    assert index.sql("SELECT name FROM tables").rows == (("salaries",),)


def test_names_that_are_no_utf8_are_shown(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.py": "def one():\n    return 1\n"})
    (root / "b\udcff.py").write_text("def two():\n    return 2\n")
    index = Index.build(root, workers=0, cache=False)
    assert index.sql("SELECT path FROM files ORDER BY path").rows == (("a.py",), ("b\ufffd.py",))


def test_parquet_holds_the_rows(index: Index, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    target = tmp_path / "files.parquet"
    assert index.sql_to_parquet("SELECT path, origins FROM tables ORDER BY ALL;", target) == len(
        index.sql("FROM tables")
    )
    with duckdb.connect() as connection:
        rows = connection.execute(f"SELECT * FROM read_parquet('{target}')").fetchall()
    assert tuple(rows) == index.sql("SELECT path, origins FROM tables ORDER BY ALL").rows
    before = target.read_bytes()
    with pytest.raises(QueryError, match="cannot read files"):
        index.sql_to_parquet("SELECT * FROM read_text('/etc/hostname')", target)
    assert target.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == [target]
