"""SQL checked against a schema: names, joins, types, functions and writes, with places and suggestions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from coderag.limits import NAME, SQL, check_text
from coderag.sql.check.binding import ambiguous, candidates
from coderag.sql.check.findings import Code, Finding, Severity, finding
from coderag.sql.check.known_tables import KnownTables
from coderag.sql.check.statement import Job, check_statement
from coderag.sql.lineage.usage import usage_of_text
from coderag.sql.records import Name, Table
from coderag.sql.statements.dialect import Dialect, find_dialect, guess_dialect
from coderag.sql.statements.split import Statement, StatementKind, split

__all__ = ["Code", "Finding", "Severity", "check_sql", "finding"]

MAX_FINDINGS = 200


def check_sql(
    text: str, tables: Sequence[Table], *, dialect: str = "", routines: Sequence[str] = (), writes: bool = False
) -> list[Finding]:
    """Return what is wrong with SQL, in the order of its lines; an empty list when nothing is.

    `dialect` is that of the tables where it is not given. A statement that writes is an error unless `writes`.
    Raises QueryError for an unknown dialect and for a text that is too long.
    """
    check_text(SQL, text)
    check_text(NAME, dialect, name="the dialect")
    known = KnownTables(tables)
    names = _names(text)
    given = find_dialect(dialect) if dialect else None
    best = candidates(text, names, known, given)
    known.database = best[0] if best else ""
    chosen = given or _dialect(text, names, known)
    job = Job(known, chosen, routines, writes, [])
    data = text.encode("utf-8", "replace")
    findings = (
        _placed(one, data, statement)
        for statement in split(data, chosen)
        if not _is_passed_over(statement, chosen)
        for one in _check(data[statement.start : statement.end].decode("utf-8", "replace"), job)
    )
    found: dict[Finding, None] = dict.fromkeys(ambiguous(best, text, names, known))
    for one in findings:
        found[one] = None
        if len(found) == MAX_FINDINGS:
            break
    return sorted(found, key=lambda one: (one.line, one.column, one.code))


def _names(text: str) -> list[Name]:
    usage = usage_of_text(text)
    return [*usage.reads, *usage.writes]


def _check(statement: str, job: Job) -> Iterator[Finding]:
    """Yield what is wrong with a statement, of the database that it is about: of several, that of the whole text."""
    chosen = job.known.database
    if job.known.several:
        best = candidates(statement, _names(statement), job.known, None)
        job.known.database = chosen if chosen in best or not best else best[0]
    yield from check_statement(statement, job)
    job.known.database = chosen


def _dialect(text: str, names: Sequence[Name], known: KnownTables) -> Dialect:
    """Return the dialect of most of the tables that a text names, else the one that it seems to be written in."""
    named = Counter(table.dialect for name in names if (table := known.table(name)) is not None and table.dialect)
    return find_dialect(named.most_common(1)[0][0]) if named else guess_dialect(text, "").dialect


def _is_passed_over(statement: Statement, dialect: Dialect) -> bool:
    """Tell whether a statement is for a client, or a piece of a block of which alone no parser makes sense."""
    return statement.kind is StatementKind.CLIENT or (statement.kind is StatementKind.OTHER and bool(dialect.blocks))


def _placed(one: Finding, data: bytes, statement: Statement) -> Finding:
    """Return a finding in a statement as one in the whole text."""
    row = data.count(b"\n", 0, statement.start)
    if one.line > 1:
        return replace(one, line=one.line + row)
    before = data[data.rfind(b"\n", 0, statement.start) + 1 : statement.start].decode("utf-8", "replace")
    return replace(one, line=row + 1, column=one.column + len(before), end_column=one.end_column + len(before))
