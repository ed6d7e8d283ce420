"""The files of dbt projects to files that fold: a database a project, its manifest first, its doc blocks filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from coderag.frameworks.dbt.guesses import DBT, MANIFEST, PROJECT
from coderag.sql.records import (
    AddDefinition,
    AddQuery,
    CreateRoutine,
    CreateTable,
    Describe,
    Facts,
    SchemaFile,
    SchemaOperation,
    Table,
)

__all__ = ["in_projects"]

DOC = re.compile(r"""\{\{\s*doc\(\s*(?:['"][^'"]+['"]\s*,\s*)?['"]([^'"]+)['"]\s*\)\s*\}\}""")
MAX_DOC = 2000  # characters of a block in a comment


def in_projects(files: Sequence[SchemaFile]) -> list[SchemaFile]:
    """Return the files with those of dbt projects prepared; the others as they are."""
    projects = {
        file.path.rpartition("dbt_project.")[0]: file.facts.database
        for file in files
        if file.facts.guess.startswith(PROJECT)
    }
    if not projects:
        return list(files)
    folders = {file.path: _folder(file.path, projects) for file in files}
    dialects = {
        folders[file.path]: file.facts.dialect
        for file in files
        if file.facts.guess == MANIFEST and file.path in folders
    }
    docs = {
        operation.definition.term: operation.definition.text
        for file in files
        if folders[file.path] is not None
        for operation in file.facts.operations
        if isinstance(operation, AddDefinition) and operation.definition.term
    }
    prepared = []
    for file in files:
        folder = folders[file.path]
        if folder is None or not file.facts.guess.startswith("dbt"):
            prepared.append(file)
            continue
        facts = file.facts
        if folder in dialects and facts.guess == DBT:
            facts = _beside_manifest(facts)
        facts = msgspec.structs.replace(
            facts,
            database=projects[folder],
            dialect=dialects.get(folder) or facts.dialect,
            operations=tuple(_documented(one, docs) for one in facts.operations),
        )
        prepared.append(msgspec.structs.replace(file, facts=facts))
    return prepared


def _folder(path: str, projects: Mapping[str, str]) -> str | None:
    """Return the folder of the project that a file is in, None where it is in none."""
    around = [folder for folder in projects if path.startswith(folder)]
    return max(around, key=len) if around else None


def _beside_manifest(facts: Facts) -> Facts:
    """Return facts as what they add to the manifest: columns and lineage of its tables, macros, queries."""
    kept: list[SchemaOperation] = []
    for operation in facts.operations:
        if isinstance(operation, CreateTable):
            kept.append(Describe(operation.table, complete=True))
        elif isinstance(operation, CreateRoutine | AddQuery | Describe):
            kept.append(operation)
    return msgspec.structs.replace(facts, operations=tuple(kept))


def _documented(operation: SchemaOperation, docs: Mapping[str, str]) -> SchemaOperation:
    if not isinstance(operation, CreateTable | Describe):
        return operation
    return msgspec.structs.replace(operation, table=_with_docs(operation.table, docs))


def _with_docs(table: Table, docs: Mapping[str, str]) -> Table:
    if "{{" not in table.comment and not any("{{" in column.comment for column in table.columns):
        return table

    def filled(text: str) -> str:
        return DOC.sub(lambda match: docs.get(match[1], match[0])[:MAX_DOC], text)

    columns = tuple(msgspec.structs.replace(column, comment=filled(column.comment)) for column in table.columns)
    return msgspec.structs.replace(table, comment=filled(table.comment), columns=columns)
