"""Near copies of a table: they stand behind it, unless a question asks for one of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderag.index.catalog.catalog import Catalog, made_catalog
from coderag.index.catalog.near_copies import copy_families, mark_of
from coderag.search.tables.copies import BEHIND, copy_priors
from coderag.search.tables.tables import rank_tables
from coderag.sql.records import Column, Name, Schema, Table
from coderag.text.asking import asked_words
from tests.catalogs import catalog_of, names_of

PERSON = "id int, first_name text, last_name text, hired_on date"
STAFF = f"""
CREATE TABLE employees_hist ({PERSON}, changed_by text);
CREATE TABLE shadow_employees ({PERSON});
CREATE TABLE employees ({PERSON});
CREATE TABLE employees_load_2 ({PERSON}, batch int);
CREATE TABLE audit_log (id int, actor text, happened_at timestamp);
CREATE TABLE audit (id int, planned_on date, auditor text);
"""


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("last name of employees", "employees"),
        ("all employees by last name", "employees"),
        ("the history of employees by last name", "employees_hist"),
        ("archived or historical employees", "employees_hist"),
        ("what was loaded of employees", "employees_load_2"),
        ("the 2 employees hired first", "employees"),  # a number of rows is no release
    ],
)
def test_a_near_copy_stands_behind_its_original_unless_it_is_asked_for(
    tmp_path: Path, question: str, first: str
) -> None:
    catalog = catalog_of(tmp_path, {"staff.sql": STAFF})
    ranking = rank_tables(catalog, question)
    assert names_of(catalog, [table.table for table in ranking.tables])[0] == first


def columns_of(*names: str) -> tuple[Column, ...]:
    return tuple(map(Column, names))


def sales(*names: str) -> Catalog:
    columns = columns_of("id", "customer", "amount", "paid_on")
    return made_catalog(Schema(tables=tuple(Table(Name(name), columns=columns) for name in names)))


@pytest.mark.parametrize(
    ("question", "names", "meant"),
    [
        ("amount of sales in 2019", ("sales_2018", "sales_2019"), ["sales_2019"]),
        ("amount of sales in 2019", ("sales_20181231", "sales_20190131"), ["sales_20190131"]),
        ("amount of sales in 2018", ("sales", "sales_2018_archive"), ["sales_2018_archive"]),
        ("amount of sales", ("sales_2018", "sales_2019"), ["sales_2018", "sales_2019"]),  # neither is the original
        ("amount of sales", ("sales", "sales_v2"), ["sales"]),
        ("amount of sales in version 2", ("sales_v1", "sales_v2"), ["sales_v2"]),
    ],
)
def test_the_year_or_release_of_a_question_chooses(question: str, names: tuple[str, ...], meant: list[str]) -> None:
    catalog = sales(*names)
    priors = copy_priors(catalog, asked_words(question)).tolist()
    assert [name for name, prior in zip(catalog.names, priors, strict=True) if prior == 1] == meant
    others = [prior for prior in priors if prior != 1]
    assert others == pytest.approx([BEHIND] * len(others))


def test_tables_of_other_columns_or_schemas_are_no_copies() -> None:
    tables = (
        Table(Name("audit"), columns=columns_of("id", "planned_on", "auditor")),
        Table(Name("audit_log"), columns=columns_of("id", "actor", "happened_at")),
        Table(Name("sales", "shop"), columns=columns_of("id", "amount")),
        Table(Name("sales_hist", "archive"), columns=columns_of("id", "amount")),
        Table(Name("history"), columns=columns_of("id")),  # nothing is left of its name
        Table(Name("log"), columns=columns_of("id")),
    )
    assert made_catalog(Schema(tables=tables)).copy_families == []


NAMES = st.lists(st.sampled_from(["sales", "sales_hist", "hist_sales", "sales_2019", "sales_2", "tbl_sales", "orders"]))


@given(NAMES, st.sampled_from(["sales", "sales history", "sales of 2019", "orders", ""]))
def test_of_every_family_some_member_keeps_its_score(names: list[str], question: str) -> None:
    catalog = sales(*names)
    priors = copy_priors(catalog, asked_words(question))
    for family in catalog.copy_families:
        assert len(family.members) > 1
        assert max(priors[number] for number, _ in family.members) == 1
    in_families = [number for family in catalog.copy_families for number, _ in family.members]
    assert len(in_families) == len(set(in_families))
    assert all(priors[number] == 1 for number in set(range(len(catalog))) - set(in_families))


def test_a_copy_is_known_wherever_its_mark_stands() -> None:
    names = ["SHADOW_JOB", "JOB", "job_hist_2", "job2019load", "joblog"]
    families = copy_families(names, [0] * len(names), lambda _: frozenset({"id", "state"}))
    assert [[names[number] for number, _ in family.members] for family in families] == [
        ["JOB", "SHADOW_JOB", "job_hist_2", "job2019load"]  # "joblog" may be a word of its own
    ]
    assert {mark_of("hist"), mark_of("historical")} == {"history"}
