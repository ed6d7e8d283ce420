"""The files schemas/dialects/*/catalog.sql: what they ask gives what is read of the answers."""

from __future__ import annotations

import re

import msgspec
import pytest
import sqlglot

from coderag.catalog.introspect import rows
from coderag.catalog.introspect.catalog import PARAMETER, read_catalog
from coderag.errors import LanguageDataError
from coderag.resources import data_folder
from coderag.sql.statements.dialect import find_dialect

DIALECTS = sorted(path.parent.name for path in data_folder("schemas/dialects").glob("*/catalog.sql"))
ROWS: dict[str, type[rows.Row]] = {
    "database": rows.DatabaseRow,
    "schemas": rows.CommentRow,
    "schema_comments": rows.CommentRow,
    "tables": rows.TableRow,
    "row_counts": rows.RowCountRow,
    "columns": rows.ColumnRow,
    "defaults": rows.DefaultRow,
    "primary_keys": rows.KeyRow,
    "keys": rows.KeyRow,
    "foreign_keys": rows.ForeignKeyRow,
    "checks": rows.CheckRow,
    "views": rows.ViewRow,
    "definitions": rows.DefinitionRow,
    "types": rows.TypeRow,
    "type_values": rows.TypeValueRow,
    "type_columns": rows.TypeColumnRow,
    "type_checks": rows.TypeCheckRow,
    "routines": rows.RoutineRow,
    "parameters": rows.ParameterRow,
    "triggers": rows.TriggerRow,
}
TEMPLATES = {"cell", "sample", "sample_large"}
# Of MySQL 8.4, what might be taken for the name of a field: an alias may not be a reserved word there.
RESERVED = {
    "check",
    "generated",
    "groups",
    "key",
    "keys",
    "partition",
    "rank",
    "read",
    "return",
    "row",
    "rows",
    "system",
}


def test_the_dialects_that_can_be_asked() -> None:
    assert DIALECTS == ["duckdb", "mariadb", "mysql", "postgres", "sqlite"]
    with pytest.raises(LanguageDataError, match=r"oracle.catalog\.sql is missing"):
        read_catalog("oracle")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_section_is_known_and_can_be_parsed(dialect: str) -> None:
    catalog = read_catalog(dialect)
    assert {"database", "schemas", "tables", "columns", "keys", "foreign_keys", "cell", "sample"} <= catalog.keys()
    assert catalog.keys() <= ROWS.keys() | TEMPLATES
    for name in catalog.keys() - TEMPLATES:
        text = PARAMETER.sub("(1)", catalog[name].text)
        (query,) = sqlglot.parse(text, read=find_dialect(dialect).sqlglot)
        assert isinstance(query, sqlglot.exp.Query)
        fields = {field.name: field for field in msgspec.structs.fields(ROWS[name])}
        given = query.named_selects
        assert set(given) <= fields.keys(), name
        assert {key for key, field in fields.items() if field.required} <= set(given), name
        assert not RESERVED.intersection(given) or dialect not in {"mysql", "mariadb"}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_line_of_a_file_belongs_to_a_section(dialect: str) -> None:
    text = (data_folder("schemas/dialects") / dialect / "catalog.sql").read_text(encoding="utf-8")
    names = re.findall(r"^-- name:(.*)", text, re.MULTILINE)
    assert [name.strip() for name in names] == list(read_catalog(dialect))
    assert len(re.findall(r"^-- when:", text, re.MULTILINE)) == sum(
        bool(one.when) for one in read_catalog(dialect).values()
    )
