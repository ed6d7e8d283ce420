"""A YAML file of a dbt project to operations: descriptions, tests, sources and metrics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from coderag.frameworks.dbt.guesses import DBT, PROJECT
from coderag.frameworks.dbt.tested import Tested, named_relation
from coderag.sql.records import (
    AddDefinition,
    Column,
    ColumnUse,
    CreateTable,
    Definition,
    Describe,
    Facts,
    Name,
    Origin,
    SchemaOperation,
    Source,
    Table,
)
from coderag.text.yaml_lines import Table as Mapping
from coderag.text.yaml_lines import load_yaml

__all__ = ["read_properties"]

AGGREGATES = {"sum", "min", "max", "avg", "average", "count", "count_distinct", "median", "sum_boolean", "percentile"}
AVERAGE = {"average": "AVG", "sum_boolean": "SUM"}
WORD = re.compile(r"[A-Za-z_]\w*")


def read_properties(data: bytes, *, path: str) -> Facts:
    """Return what a YAML file says of models, sources, seeds, snapshots and metrics; raises ValueError."""
    document = load_yaml(data)
    if not isinstance(document, Mapping):
        return Facts()
    if path.rpartition("/")[2].startswith("dbt_project."):
        return Facts(guess=f"{PROJECT}{document.text('name')}", database=document.text("name"))
    operations: list[SchemaOperation] = []
    for table in document.tables("models", "seeds", "snapshots"):
        operations += _described(table)
    for source in document.tables("sources"):
        for table in source.tables("tables"):
            if not table.text("name"):
                continue  # there is nothing to say of it, nor of a model without one
            operations.append(CreateTable(_source_table(source, table), if_missing=True))
    measures = _measures(document)
    for table in document.tables("metrics"):
        operations += _metric(table, measures)
    operations += _semantic_models(document)
    return Facts(guess=DBT, statements=len(operations), operations=tuple(operations))


def _described(one: Mapping) -> Iterator[SchemaOperation]:
    if name := one.text("name"):
        yield Describe(_table(one, Name(str(one.table("config").text("alias") or name))), complete=True)


def _source_table(source: Mapping, one: Mapping) -> Table:
    name = Name(one.text("name"), source.text("name"))
    about = one.text("description") or source.text("description")
    table = _table(one, name)
    return Table(
        name=name,
        columns=table.columns,
        primary_key=table.primary_key,
        unique=table.unique,
        foreign_keys=table.foreign_keys,
        comment=about,
        origins=(Origin.DBT,),
        sources=table.sources,
        domain=_domain(source),
    )


def _table(one: Mapping, name: Name) -> Table:
    """Return a table as its YAML describes it."""
    tested = Tested()
    source = Source("", one.line, one.end_line)
    for test, arguments in _tests(one):
        tested.add(test, arguments, str(arguments.get("column_name", "")), source=source)
    for constraint in one.tables("constraints"):
        tested.add_constraint(constraint, constraint.texts("columns"), source=source)
    tables = one.tables("columns")
    for column in tables:
        where = Source("", column.line, column.end_line)
        for test, arguments in _tests(column):
            tested.add(test, arguments, column.text("name"), source=where)
        for constraint in column.tables("constraints"):
            tested.add_constraint(constraint, [column.text("name")], source=where)
    return Table(
        name=name,
        columns=tuple(_column(column, tested) for column in tables if column.text("name")),
        primary_key=tested.key(),
        unique=tuple(tested.unique),
        foreign_keys=tuple(tested.foreign_keys),
        comment=one.text("description"),
        origins=(Origin.DBT,),
        sources=(source,),
        domain=_domain(one),
    )


def _domain(one: Mapping) -> str:
    config = one.table("config")
    return (
        one.text("group")
        or config.text("group")
        or one.table("meta").text("domain")
        or config.table("meta").text("domain")
    )


def _column(one: Mapping, tested: Tested) -> Column:
    name = one.text("name")
    return Column(
        name=name,
        type=one.text("data_type"),
        nullable=name not in tested.not_null,
        comment=one.text("description"),
        values=tested.values.get(name, ()),
        source=Source("", one.line, one.end_line),
    )


def _tests(one: Mapping) -> Iterator[tuple[str, Mapping]]:
    """Yield the tests of a table or column: the name and the arguments, wherever this version of dbt has them."""
    empty = Mapping(one.line, one.line)
    for key in ("tests", "data_tests"):
        found = one.get(key)
        for test in found if isinstance(found, list) else ():
            if isinstance(test, str):
                yield test, empty
            elif isinstance(test, Mapping) and test:
                name = test.text("test_name") or next((key for key in test if key not in {"name", "config"}), "")
                inner = test.get(name)
                arguments = inner if isinstance(inner, Mapping) else test
                table = arguments.get("arguments")
                yield name, table if isinstance(table, Mapping) else arguments


# Metrics


def _measures(document: Mapping) -> dict[str, tuple[str, Name]]:
    """Return the measures of the semantic models: each one's formula, and the model that it is computed over."""
    found: dict[str, tuple[str, Name]] = {}
    for model in document.tables("semantic_models"):
        table = named_relation(model.text("model"))
        if table is None:
            continue
        for measure in model.tables("measures"):
            name = measure.text("name")
            found[name] = _aggregate(measure.text("agg"), measure.text("expr") or name), table
    return found


def _aggregate(function: str, expression: str) -> str:
    if function == "count_distinct":
        return f"COUNT(DISTINCT {expression})"
    return f"{AVERAGE.get(function, function.upper())}({expression})" if function in AGGREGATES else expression


def _semantic_models(document: Mapping) -> Iterator[SchemaOperation]:
    for model in document.tables("semantic_models"):
        table = named_relation(model.text("model"))
        for measure in model.tables("measures") if table is not None else ():
            name = measure.text("name")
            text = measure.text("description", "label")
            if text and table is not None:
                expression = _aggregate(measure.text("agg"), measure.text("expr") or name)
                yield AddDefinition(_definition(name, text, expression, table, measure))


def _metric(one: Mapping, measures: dict[str, tuple[str, Name]]) -> Iterator[SchemaOperation]:
    name = one.text("name")
    if not name:
        return
    text = one.text("description", "label") or name.replace("_", " ")
    parameters = one.table("type_params")
    expression, table = _legacy(one) if one.text("model") else _formula(parameters, measures)
    label = one.text("label")
    yield AddDefinition(_definition(name, text, expression, table, one, synonyms=(label,) if label else ()))


def _legacy(one: Mapping) -> tuple[str, Name | None]:
    """Return the formula and model of a metric as dbt had them before 1.6."""
    function = one.text("calculation_method", "type")
    return _aggregate(function, one.text("expression", "sql")), named_relation(one.text("model"))


def _formula(parameters: Mapping, measures: dict[str, tuple[str, Name]]) -> tuple[str, Name | None]:
    def known(value: Any) -> tuple[str, Name | None]:
        name = value.text("name") if isinstance(value, Mapping) else str(value or "")
        return measures.get(name, (name, None))

    if "measure" in parameters:
        return known(parameters["measure"])
    if "numerator" in parameters:
        (above, table), (below, _) = known(parameters["numerator"]), known(parameters.get("denominator"))
        return f"{above} / {below}", table
    return parameters.text("expr"), None


def _definition(
    term: str, text: str, expression: str, table: Name | None, at: Mapping, *, synonyms: tuple[str, ...] = ()
) -> Definition:
    names = dict.fromkeys(WORD.findall(expression)) if table is not None else {}
    return Definition(
        term=term,
        text=" ".join(text.split()),
        synonyms=synonyms,
        expression=expression,
        tables=(table,) if table is not None else (),
        columns=tuple(ColumnUse(name, (table,)) for name in names if name.islower()) if table is not None else (),
        source=Source("", at.line, at.end_line),
    )
