"""dbt's own artifacts, manifest.json and catalog.json, to operations: what dbt itself made of the project."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from coderag.frameworks.dbt.guesses import DBT, MANIFEST
from coderag.frameworks.dbt.tested import Tested
from coderag.sql.records import (
    AddDefinition,
    Column,
    CreateTable,
    Definition,
    Describe,
    Facts,
    Name,
    ObjectKind,
    Origin,
    SchemaOperation,
    Source,
    Table,
    Usage,
)

__all__ = ["read_artifact"]

KINDS = {
    "table": ObjectKind.TABLE,
    "incremental": ObjectKind.TABLE,
    "seed": ObjectKind.TABLE,
    "snapshot": ObjectKind.TABLE,
    "materialized_view": ObjectKind.MATERIALIZED_VIEW,
}
Record = Mapping[str, Any]


def read_artifact(data: bytes, *, path: str) -> Facts:
    """Return the tables, tests and metrics of a manifest, or the types and counts of a catalog; raises ValueError."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from error
    if not isinstance(document, dict) or not isinstance(document.get("metadata"), dict):
        return Facts()
    if path.rpartition("/")[2].startswith("catalog"):
        describes = [_counted(one) for one in _records(document, "nodes") + _records(document, "sources")]
        return Facts(guess=DBT, statements=len(describes), operations=tuple(describes))
    if "nodes" not in document or "macros" not in document:
        return Facts()
    project = path.rpartition("target/")[0]
    operations = list(_tables(document, project))
    operations += [_metric(record, project) for record in _records(document, "metrics")]
    return Facts(
        dialect=str(document["metadata"].get("adapter_type") or ""),
        guess=MANIFEST,
        statements=len(operations),
        database=str(document["metadata"].get("project_name") or ""),
        operations=tuple(operations),
    )


def _records(document: Record, key: str) -> list[Record]:
    found = document.get(key)
    return [one for one in found.values() if isinstance(one, dict)] if isinstance(found, dict) else []


def _record(value: Any) -> Record:
    return value if isinstance(value, dict) else {}


def _tables(document: Record, project: str) -> Iterator[SchemaOperation]:
    nodes = _records(document, "nodes")
    names = {str(one.get("unique_id")): _name(one) for one in (*nodes, *_records(document, "sources"))}
    tested: dict[str, Tested] = {}
    for node in nodes:
        if node.get("resource_type") == "test":
            _test(node, tested)
    for one in (*nodes, *_records(document, "sources")):
        if one.get("resource_type") in {"model", "seed", "snapshot", "source"}:
            yield CreateTable(
                _table(one, names, tested.get(str(one.get("unique_id")), Tested()), project), replace=True
            )


def _name(one: Record) -> Name:
    if one.get("resource_type") == "source":
        return Name(str(one.get("identifier") or one.get("name") or ""), str(one.get("source_name") or ""))
    return Name(str(one.get("alias") or one.get("name") or ""))


def _test(one: Record, tested: dict[str, Tested]) -> None:
    about, attached = _record(one.get("test_metadata")), one.get("attached_node")
    if not about or not attached:
        return
    arguments = _record(about.get("kwargs"))
    column = str(one.get("column_name") or arguments.get("column_name") or "")
    tested.setdefault(str(attached), Tested()).add(str(about.get("name")), arguments, column, source=Source())


def _table(one: Record, names: Mapping[str, Name], tested: Tested, project: str) -> Table:
    kind = one.get("resource_type")
    config = _record(one.get("config"))
    materialized = kind if kind in KINDS else config.get("materialized")
    query = str(one.get("raw_code") or one.get("raw_sql") or "").strip() if kind == "model" else ""
    above = _record(one.get("depends_on")).get("nodes") or ()
    source = Source(project + str(one.get("original_file_path") or ""), 1, query.count("\n") + 1)
    return Table(
        name=_name(one),
        kind=ObjectKind.TABLE if kind == "source" else KINDS.get(str(materialized), ObjectKind.VIEW),
        columns=tuple(_column(column, tested) for column in _records(one, "columns")),
        primary_key=tested.key(),
        unique=tuple(tested.unique),
        foreign_keys=tuple(tested.foreign_keys),
        comment=str(one.get("description") or ""),
        query=query,
        usage=Usage(reads=tuple(names[other] for other in above if other in names)),
        origins=(Origin.DBT,),
        sources=(source,),
        domain=str(one.get("group") or ""),
    )


def _column(one: Record, tested: Tested) -> Column:
    name = str(one.get("name") or "")
    return Column(
        name=name,
        type=str(one.get("data_type") or ""),
        nullable=name not in tested.not_null,
        comment=str(one.get("description") or ""),
        values=tested.values.get(name, ()),
    )


def _metric(one: Record, project: str) -> AddDefinition:
    parameters = _record(one.get("type_params"))
    measure = parameters.get("measure")
    expression = str(parameters.get("expr") or (measure.get("name") if isinstance(measure, dict) else measure) or "")
    name = str(one.get("name") or "")
    return AddDefinition(
        Definition(
            term=name,
            text=str(one.get("description") or one.get("label") or name.replace("_", " ")),
            synonyms=(str(one["label"]),) if one.get("label") else (),
            expression=expression,
            source=Source(project + str(one.get("original_file_path") or ""), 1, 1),
        )
    )


def _counted(one: Record) -> Describe:
    about = _record(one.get("metadata"))
    count = _record(_record(one.get("stats")).get("row_count")).get("value")
    columns = tuple(
        Column(str(column.get("name") or ""), str(column.get("type") or ""), comment=str(column.get("comment") or ""))
        for column in sorted(_records(one, "columns"), key=lambda column: int(column.get("index") or 0))
    )
    return Describe(
        Table(
            name=Name(str(about.get("name") or "")),
            columns=columns,
            comment=str(about.get("comment") or ""),
            row_count=int(count) if isinstance(count, int | float) else -1,
            origins=(Origin.DBT,),
        ),
        complete=True,
    )
