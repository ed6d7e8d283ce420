"""The SQL that answers a question, with what it rests on."""

from __future__ import annotations

from enum import StrEnum

from coderag.catalog.introspect.session import Table as Rows
from coderag.record import record
from coderag.sql.check import Finding, Severity

__all__ = ["Candidate", "Rows", "Rule", "SqlAnswer", "SqlKind"]


class SqlKind(StrEnum):
    """How SQL came about."""

    MODEL = "model"  # a language model wrote it
    EXAMPLE = "example"  # a query of the sources whose question is similar
    SKELETON = "skeleton"  # tables, joins and columns of the question: to be completed
    NOTHING = "nothing"


@record
class Candidate:
    """A query that might answer the question."""

    sql: str
    findings: tuple[Finding, ...] = ()
    objection: str = ""  # why it is not run, or what the database says against it
    votes: int = 1  # how often a model gave it
    repaired: bool = False

    @property
    def is_right(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.objection and not any(finding.severity is Severity.ERROR for finding in self.findings)

    @property
    def faults(self) -> tuple[str, ...]:
        """What speaks against it, in words."""
        errors = [finding for finding in self.findings if finding.severity is Severity.ERROR]
        messages = [f"line {error.line}: {error.message}{_meant(error)}" for error in errors]
        return (*messages, self.objection) if self.objection else tuple(messages)


@record
class Rule:
    """What a query rests on: a join or a definition, and where it is written."""

    text: str
    evidence: str = ""  # of a join: declared, model, query or inferred
    place: str = ""  # path:line


@record
class SqlAnswer:
    """SQL for a question, and why it is believed."""

    question: str
    kind: SqlKind
    dialect: str = ""
    sql: str = ""
    note: str = ""  # what it is and how to go on, where a model did not write it
    tables: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    findings: tuple[Finding, ...] = ()
    objection: str = ""  # why it is not run
    source: str = ""  # path:line of the example
    candidates: tuple[Candidate, ...] = ()  # all that were looked at, the chosen one first

    @property
    def is_right(self) -> bool:
        """Whether it may be run: it is whole, only reads, and fits the schema."""
        complete = self.kind in {SqlKind.MODEL, SqlKind.EXAMPLE}
        return complete and Candidate(self.sql, self.findings, self.objection).is_right


def _meant(one: Finding) -> str:
    return f"; did you mean {', '.join(one.suggestions)}?" if one.suggestions else ""
