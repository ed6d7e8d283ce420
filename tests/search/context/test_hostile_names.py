"""Whatever the names of a schema are, every command answers it or says what is wrong."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from coderag import Index
from coderag.cli.main import run
from coderag.errors import CoderagError
from coderag.index.catalog.catalog import made_catalog
from coderag.search.context.about import about_table
from coderag.search.context.erd import as_mermaid
from coderag.search.context.erd_svg import as_svg
from coderag.search.context.schema_context import schema_context
from coderag.sql.check import check_sql
from coderag.sql.records import Column, Database, ForeignKey, Name, Schema, Table
from tests.workspace import write

HOSTILE = (
    *("id", "ID", "Id", "name", "order_id", "a b", "a.b", 'a"b', "a'b", "a`b", "[a]", "a;b", "--", "/*", "*/", "$$"),
    *(
        "select",
        "TABLE",
        "from",
        "1st",
        "_",
        "*",
        "%",
        "{{x}}",
        "naïve",
        "\u017f",
        "ß",
        "İ",
        "\u0131",
        "表",
        "🙂",
        "a\u200bb",
    ),
    *("\u2400", "\u202eabc", "e\u0301", "x" * 300, "::", "a::b", "a:3", "/", "GET /x", "a/b.py", "CONSTRAINT", "NULL"),
)
NAMES = st.sampled_from(HOSTILE) | st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=12
)
ANY_NAME = NAMES | st.text(max_size=6) | st.sampled_from(("", " ", "\0", "\n", "a\nb", "\x1b[31m"))
FEW = settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])


@st.composite
def tables(draw: st.DrawFn, names: st.SearchStrategy[str]) -> list[Table]:
    """Draw some tables that refer to each other; names may come twice, and in several cases."""
    owners = draw(st.lists(names, min_size=1, max_size=4))
    columns = [draw(st.lists(names, max_size=5)) for _ in owners]
    found = []
    for owner, own in zip(owners, columns, strict=True):
        other = draw(st.integers(0, len(owners) - 1))
        pair = [(own[0], columns[other][-1])] if own and columns[other] else []
        keys = tuple(ForeignKey((one,), Name(owners[other]), (two,)) for one, two in pair)
        schema, database = draw(st.sampled_from(("", "s"))), draw(st.sampled_from(("", "d", "D")))
        columns_of = tuple(Column(one, "int") for one in own)
        found.append(
            Table(Name(owner, schema, database), columns=columns_of, primary_key=tuple(own[:1]), foreign_keys=keys)
        )
    return found


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def ddl(found: list[Table]) -> str:
    statements = []
    for table in found:
        parts = [f"{quoted(column.name)} int" for column in table.columns]
        parts += [f"PRIMARY KEY ({', '.join(map(quoted, table.primary_key))})"] if table.primary_key else []
        for key in table.foreign_keys:
            end = f"{quoted(key.table.name)} ({quoted(key.referenced[0])})"
            parts.append(f"FOREIGN KEY ({quoted(key.columns[0])}) REFERENCES {end}")
        statements.append(f"CREATE TABLE {quoted(table.name.name)} ({', '.join(parts)});\n")
        listed = ", ".join(quoted(column.name) for column in table.columns) or "1"
        statements.append(f"-- what is in it\nSELECT {listed} FROM {quoted(table.name.name)};\n")
    return "".join(statements)


def answered(ask: Callable[[], object]) -> None:
    """Ask, and take a clear refusal for an answer."""
    with contextlib.suppress(CoderagError):
        ask()


TWO_CASES = [Table(Name("T"), columns=(Column("id"), Column("ID"), Column("iD")), primary_key=("ID",))]


@pytest.mark.slow
@FEW
@example(TWO_CASES)
@given(tables(NAMES))
def test_every_command_answers_whatever_the_names(capsys: pytest.CaptureFixture[str], found: list[Table]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = write(Path(folder) / "app", {"postgres.sql": ddl(found), "app.py": "def pay():\n    return 1\n"})
        index = Index.build(root, workers=0, encoder="none")
        for name in {found[0].name.name, *(column.name for column in found[0].columns[:1])}:
            for ask in (index.table, index.refs, index.impact, index.graph, index.check_sql, index.schema_context):
                answered(lambda ask=ask, name=name: ask(name))  # type: ignore[misc]
            answered(lambda name=name: index.path_between(name, "pay"))  # type: ignore[misc]
        for arguments in (["schema", "rows"], ["tables"], ["erd"], ["table", "--", found[0].name.name]):
            command, *rest = arguments
            code = run([command, "--root", str(root), "--no-refresh", *rest])
            assert code in (0, 1, 2)
        capsys.readouterr()


@pytest.mark.slow
@settings(FEW, max_examples=60)
@example(TWO_CASES)
@given(tables(ANY_NAME))
def test_every_answer_of_a_catalog_whatever_the_names(found: list[Table]) -> None:
    names = dict.fromkeys(table.name.database for table in found)
    catalog = made_catalog(Schema(tuple(map(Database, names)), tuple(found)))
    for question in ("rows", found[0].name.name or "x"):
        for budget in (0, 30, 8000):
            context = schema_context(catalog, question, budget=budget)
            assert context.as_ddl(explain=True) is not None
            assert context.as_markdown() is not None
    for number in range(len(catalog)):
        assert about_table(catalog, number).table.name == catalog.tables[number].name
    ElementTree.fromstring(as_svg(found))
    assert as_mermaid(found).startswith("erDiagram")
    answered(lambda: check_sql(f"SELECT * FROM {quoted(found[0].name.name)}", found))
