"""The SQL in an answer to what is wrong with it on the schema."""

from __future__ import annotations

import re

from coderag.ask.checking.evidence import Evidence
from coderag.ask.checking.records import Fault, FaultKind
from coderag.errors import CoderagError
from coderag.sql.check import Severity as SqlSeverity

__all__ = ["is_sql", "sql_faults"]

MAX_SQL = 20_000  # characters of one statement
STATEMENT = re.compile(
    r"\s*(?:--[^\n]*\n\s*){0,20}(?:with\s+\w+\s*(?:\(|as\b)|select\b[\s\S]+?\bfrom\b|insert\s+into\b|update\s+\w+\s+set\b"
    r"|delete\s+from\b)",
    re.I,
)


def is_sql(code: str) -> bool:
    """Tell whether a piece of code is a statement of SQL that can be checked."""
    return len(code) <= MAX_SQL and bool(STATEMENT.match(code[:MAX_SQL])) and "..." not in code and "…" not in code


def sql_faults(code: str, evidence: Evidence) -> list[Fault]:
    """Return what would keep a statement from running, [] also where there is no schema."""
    try:
        findings = evidence.index.check_sql(code, writes=True)
    except CoderagError:
        return []
    return [
        Fault(FaultKind.SQL, code, finding.message, suggestion=", ".join(finding.suggestions))
        for finding in findings
        if finding.severity is SqlSeverity.ERROR
    ]
