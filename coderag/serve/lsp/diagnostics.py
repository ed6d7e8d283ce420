"""What `check-sql` finds in the SQL of a document, and the names that were likely meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol.types import (
    CodeAction,
    CodeActionKind,
    Diagnostic,
    DiagnosticSeverity,
    TextEdit,
    WorkspaceEdit,
)

from coderag.api.index import Index
from coderag.errors import QueryError
from coderag.serve.lsp.data import tables_named
from coderag.serve.lsp.documents import Document
from coderag.sql.check import Code, Finding, Severity
from coderag.sql.in_code.places import SqlPlace
from coderag.text.visible import visible

__all__ = ["Checks", "actions_at"]

SOURCE = "coderag"
SEVERITIES = {Severity.ERROR: DiagnosticSeverity.Error, Severity.WARNING: DiagnosticSeverity.Warning}
MAX_KNOWN = 5_000  # texts whose findings are kept
# Of a literal: the rest of the statement may be added at run time.
NOT_OF_LITERALS = frozenset({Code.SYNTAX, Code.TOO_LARGE})


class Checks:
    """Checks of documents; what was found in a text is kept until the schema changes."""

    def __init__(self) -> None:
        self._catalog: object = None
        self._known: dict[str, list[Finding]] = {}

    def of(self, index: Index, document: Document) -> list[Diagnostic]:
        """Return what is wrong with the SQL in a document; [] if there is no schema to check against."""
        if self._catalog is not index.catalog or len(self._known) > MAX_KNOWN:
            self._catalog, self._known = index.catalog, {}
        return [one for place in document.places if place.is_whole for one in self._of_place(index, document, place)]

    def _of_place(self, index: Index, document: Document, place: SqlPlace) -> Iterator[Diagnostic]:
        findings = self._known.get(place.text)
        if findings is None:
            try:
                findings = index.check_sql(place.text, writes=True)
            except QueryError:  # no schema, or a text too long to be checked
                findings = []
            self._known[place.text] = findings
        if not document.is_sql:
            findings = [finding for finding in findings if finding.code not in NOT_OF_LITERALS]
            if not any(index.table(name) for name in tables_named(place.text).values()):
                findings = [
                    finding for finding in findings if finding.suggestions
                ]  # it may be no SQL, or of another database
        for finding in findings:
            yield _diagnostic(document, place, finding)


def _diagnostic(document: Document, place: SqlPlace, finding: Finding) -> Diagnostic:
    rows = place.text.split("\n")
    start = place.start + sum(len(row) + 1 for row in rows[: finding.line - 1]) + finding.column - 1
    return Diagnostic(
        document.range(start, start + finding.end_column - finding.column + 1),
        finding.message,
        severity=SEVERITIES[finding.severity],
        code=str(finding.code),
        source=SOURCE,
        data=list(finding.suggestions),
    )


def actions_at(document: Document, diagnostics: Sequence[Diagnostic]) -> list[CodeAction]:
    """Return the quick fixes of findings: the names that were likely meant."""
    return [
        _fix(document, diagnostic, name, preferred=number == 0)
        for diagnostic in diagnostics
        if diagnostic.source == SOURCE and isinstance(diagnostic.data, list)
        for number, name in enumerate(map(str, diagnostic.data))
    ]


def _fix(document: Document, diagnostic: Diagnostic, name: str, *, preferred: bool) -> CodeAction:
    start = document.offset(diagnostic.range.start)
    if start and document.text[start - 1] == ".":  # what stands before it is kept
        name = name.rpartition(".")[2]
    edit = WorkspaceEdit(changes={document.uri: [TextEdit(diagnostic.range, name)]})
    title = f"Change to '{visible(name)}'"
    return CodeAction(title, kind=CodeActionKind.QuickFix, diagnostics=[diagnostic], is_preferred=preferred, edit=edit)
