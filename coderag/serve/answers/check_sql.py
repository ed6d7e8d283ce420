"""`check_sql`: SQL to what is wrong with it, given the schema."""

from __future__ import annotations

from coderag.serve.answer import Answer
from coderag.serve.arguments import CheckSqlArguments, words
from coderag.serve.places import freshness
from coderag.serve.workspace import Workspace
from coderag.sql.check import Severity
from coderag.text.counted import counted
from coderag.text.visible import visible
from coderag.types import TableFilter

__all__ = ["check_sql"]

SHOWN = 50  # findings


def check_sql(workspace: Workspace, arguments: CheckSqlArguments) -> Answer:
    """Return what is wrong with SQL; raises QueryError where there is no schema, and for an unknown dialect."""
    view = workspace.view()
    findings = view.index.check_sql(
        arguments.sql,
        dialect=arguments.dialect,
        conditions=TableFilter(databases=frozenset(words(arguments.database))),
        writes=arguments.writes,
    )
    lines = []
    for finding in findings[:SHOWN]:
        meant = f"; did you mean {', '.join(map(visible, finding.suggestions))}?" if finding.suggestions else ""
        place = f"line {finding.line}, column {finding.column}"
        lines.append(f"{finding.severity} {finding.code} at {place}: {visible(finding.message)}{meant}")
    if len(findings) > SHOWN:
        lines.append(f"… {len(findings) - SHOWN} more")
    errors = sum(finding.severity is Severity.ERROR for finding in findings)
    lines.append(
        f"[{counted(errors, 'error')}, {counted(len(findings) - errors, 'warning')}]"
        if findings
        else "nothing is wrong"
    )
    record = {
        "findings": [
            {
                "code": str(finding.code),
                "severity": str(finding.severity),
                "message": finding.message,
                "line": finding.line,
                "column": finding.column,
                "suggestions": list(finding.suggestions),
            }
            for finding in findings
        ]
    }
    return Answer("\n".join([*lines, freshness(view)]), record)
