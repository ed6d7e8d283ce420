"""A SELECT to the names that two of its sources have."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from coderag.sql.check.findings import Code, Finding, Severity, extent, finding
from coderag.sql.statements.dialect import GENERIC, Dialect

__all__ = ["check_aliases"]

LENIENT = frozenset({"sqlite", GENERIC})  # where it is the first that is meant


def check_aliases(query: exp.Query, dialect: Dialect, *, text: str) -> Iterator[Finding]:
    """Yield a finding for each source of a SELECT that has the alias of one before it."""
    for select in query.find_all(exp.Select):
        from_ = select.args.get("from_")
        nodes = [one.this for one in (from_, *(select.args.get("joins") or ())) if one is not None]
        seen: set[tuple[str, str]] = set()
        for node in nodes:
            # Tables of one name in two schemas are told apart by some databases.
            place = (node.alias_or_name.casefold(), "" if node.alias else node.text("db").casefold())
            if place[0] and place in seen:
                message = f"two tables of this query are called {node.alias_or_name}: give one an alias"
                severity = Severity.WARNING if dialect.name in LENIENT else Severity.ERROR
                yield finding(Code.DUPLICATE_ALIAS, message, text=text, extent=extent(node), severity=severity)
            seen.add(place)
