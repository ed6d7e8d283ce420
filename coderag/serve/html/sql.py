"""SQL that is being typed to what is wrong with it, and a question to the schema that SQL for it needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from coderag.api.index import Index

if TYPE_CHECKING:
    from coderag.sql.check import Finding

__all__ = ["Context", "context_for", "findings_as_json"]

BUDGET = 6_000  # tokens


@dataclass(frozen=True, slots=True)
class Context:
    """The schema that a question needs, as a language model reads it."""

    text: str
    tables: tuple[str, ...]


def context_for(index: Index, question: str) -> Context:
    """Return what SQL for a question needs; raises QueryError for an empty one."""
    context = index.schema_context(question, budget=BUDGET)
    return Context(context.as_ddl(), tuple(str(table.table.name) for table in context.tables))


def findings_as_json(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Return findings as the script of the page marks them."""
    return [
        {
            "severity": str(finding.severity),
            "code": str(finding.code),
            "message": finding.message,
            "line": finding.line,
            "column": finding.column,
            "end": finding.end_column,
            "suggestions": list(finding.suggestions),
        }
        for finding in findings
    ]
