"""Several databases in one scope: one leads, the others are named, and no text exceeds the budget."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coderag import Index, TableFilter
from coderag.errors import QueryError
from coderag.search.context.bounded import shown_tokens
from coderag.search.context.schema_context import SchemaContext
from tests.workspace import write

CLINIC = """CREATE TABLE patients (id int PRIMARY KEY, name text, born date);
CREATE TABLE doctors (id int PRIMARY KEY, name text, ward_id int REFERENCES wards (id));
CREATE TABLE wards (id int PRIMARY KEY, floor int);
CREATE TABLE visits (id int PRIMARY KEY, patient_id int REFERENCES patients (id),
  doctor_id int REFERENCES doctors (id), diagnosis text);
CREATE TABLE prescriptions (id int PRIMARY KEY, patient_id int REFERENCES patients (id), drug text);
CREATE TABLE audits (id int, message text);
"""
ZOO = """CREATE TABLE animals (id int PRIMARY KEY, name text, cage_id int REFERENCES cages (id));
CREATE TABLE cages (id int PRIMARY KEY, width int);
CREATE TABLE feedings (id int, animal_id int REFERENCES animals (id), food text);
CREATE TABLE keepers (id int, salary int);
"""
BANK = "CREATE TABLE accounts (id int PRIMARY KEY, balance int);\nCREATE TABLE transfers (id int, amount int);\n"
QUESTION = "which drug was prescribed to a patient after which diagnosis"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    files = {"clinic.sql": CLINIC, "zoo.sql": ZOO, "bank.sql": BANK}
    return Index.build(write(tmp_path_factory.mktemp("databases") / "app", files), workers=0, encoder="none")


def names(context: SchemaContext) -> list[str]:
    return [table.table.name.name for table in context.tables]


def test_the_leading_database_is_whole_and_the_others_are_named(index: Index) -> None:
    context = index.schema_context(QUESTION, budget=2000)
    assert context.leading == "clinic"
    assert context.whole
    assert not context.complete
    assert {table.table.name.database for table in context.tables} == {"clinic"}
    assert sorted(names(context)) == ["audits", "doctors", "patients", "prescriptions", "visits", "wards"]
    assert names(context)[0] == "prescriptions"
    assert [(one.name, one.size) for one in context.others] == [("bank", 2), ("zoo", 4)]
    text = context.as_ddl()
    assert "-- Other databases (--database NAME shows one):" in text
    assert "--   zoo (4 tables): animals, cages, ..." in text


def test_a_database_that_the_question_may_be_about_comes_with_its_tables(index: Index) -> None:
    context = index.schema_context("name of animals and patients", budget=2000)
    assert {"patients", "animals"} <= set(names(context))
    assert [one.name for one in context.others] == ["bank"]


def test_others_in_detail(index: Index) -> None:
    context = index.schema_context("name of a patient", budget=2000, other_databases="detail")
    assert {table.table.name.database for table in context.tables} == {"clinic", "zoo"}
    assert [one.name for one in context.others] == ["bank"]  # no word of the question is there
    with pytest.raises(QueryError, match="other_databases is 'some'; give name or detail"):
        index.schema_context("patient", other_databases="some")


def test_one_database_alone_names_no_others(index: Index) -> None:
    context = index.schema_context(QUESTION, conditions=TableFilter(databases=frozenset({"clinic"})))
    assert context.complete
    assert context.others == ()


def test_every_join_between_shown_tables_is_listed_siblings_too(index: Index) -> None:
    context = index.schema_context(QUESTION, budget=2000)
    joins = {
        (join.left.name, join.left_columns, join.right.name, join.right_columns, join.shared) for join in context.joins
    }
    assert joins == {
        ("visits", ("patient_id",), "patients", ("id",), ""),
        ("visits", ("doctor_id",), "doctors", ("id",), ""),
        ("prescriptions", ("patient_id",), "patients", ("id",), ""),
        ("doctors", ("ward_id",), "wards", ("id",), ""),
        ("prescriptions", ("patient_id",), "visits", ("patient_id",), "patients.id"),
    }
    assert "prescriptions.patient_id = visits.patient_id  (both refer to patients.id, declared)" in context.as_ddl()


def test_where_no_word_fits_the_tables_are_listed(index: Index) -> None:
    context = index.schema_context("zyzzyva", budget=400)
    assert not context.matched
    assert context.tables == ()
    text = context.as_ddl()
    assert "no table holds a word of the question" in text
    assert "--   zoo: animals, cages, feedings, keepers" in text
    assert "--   clinic: patients, doctors, wards, visits, prescriptions, audits" in text


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    budget=st.integers(0, 900),
    question=st.sampled_from((QUESTION, "zyzzyva", "name of animals and patients", "amount")),
    detail=st.sampled_from(("name", "detail")),
    k=st.integers(1, 8),
)
def test_no_text_exceeds_its_budget(index: Index, budget: int, question: str, detail: str, k: int) -> None:
    context = index.schema_context(question, budget=budget, k=k, other_databases=detail)
    for explain in (False, True):
        for text in (context.as_ddl(explain=explain), context.as_markdown(explain=explain)):
            assert shown_tokens(text) <= budget
    text = context.as_ddl()
    assert all(f"CREATE TABLE {name} (" in text for name in names(context))
    assert len(context.tables) + len(context.named) + context.left_out == len(index.tables())


def test_comments_are_cut_before_tables_are_left_out(tmp_path: Path) -> None:
    said = "what is kept here and why it is kept for as long as it is kept, " * 4
    columns = ",\n".join(f"  field{number} int COMMENT '{number} {said}'" for number in range(9))
    other = columns.replace("field", "other")
    sql = f"CREATE TABLE visits (\n{columns}\n);\nCREATE TABLE wards (\n{other}\n);\n"
    index = Index.build(write(tmp_path / "app", {"mysql.sql": sql}), workers=0, encoder="none")
    brief = index.schema_context("field3 of visits", budget=900)
    assert brief.complete
    text = brief.as_ddl()
    assert "  field3 int,  -- 3 what is kept here" in text
    assert max(len(line) for line in text.splitlines() if "other" in line) < 160
    assert len(index.schema_context("field3 of visits", budget=8000).as_ddl()) > 4 * 900


def test_many_that_refer_to_one_table_stand_on_one_line(tmp_path: Path) -> None:
    users = "CREATE TABLE users (id int PRIMARY KEY, name text);\n"
    others = "".join(
        f"CREATE TABLE {name} (id int PRIMARY KEY, user_id int REFERENCES users (id));\n"
        for name in ("posts", "likes", "flags", "drafts", "badges", "alerts", "logins", "photos")
    )
    index = Index.build(write(tmp_path / "app", {"app.sql": users + others}), workers=0, encoder="none")
    context = index.schema_context("name of users")
    pairs = {frozenset((join.left.name, join.right.name)) for join in context.joins}
    assert len(pairs) == 8 + 8 * 7 // 2
    (line,) = (line for line in context.as_ddl().splitlines() if line.endswith("(all refer to the first, declared)"))
    assert line.startswith("--   users.id = ")
    assert line.count(" = ") == 8
