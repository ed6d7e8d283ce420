"""`coderag check-sql`: SQL to what is wrong with it, underlined."""

from __future__ import annotations

import argparse
import os
import re
import sys
from contextlib import suppress
from pathlib import Path

from coderag.api.index import Index
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.filters import table_conditions
from coderag.cli.groups import callers, is_hidden
from coderag.cli.opening import note, open_for_caller
from coderag.cli.output.records import print_records
from coderag.cli.output.text import Screen, Style, screen, visible
from coderag.errors import AccessError, DatabaseError, QueryError
from coderag.files.named_file import read_named
from coderag.limits import SQL
from coderag.sql.check import Code, Finding, Severity, finding
from coderag.text.counted import counted

__all__ = ["run"]

FENCED = re.compile(r"^ {0,3}```\w*\n(.*?)^ {0,3}```", re.DOTALL | re.MULTILINE)
# What is no file and begins so is the SQL itself.
STATEMENT = re.compile(
    r"\s*(?:select|with|insert|update|delete|merge|create|alter|drop|explain|values)\s", re.IGNORECASE
)
FILES = ("sqlite:", "duckdb:")  # databases that are asked without credentials


def run(options: argparse.Namespace) -> int:
    """Print what is wrong; 1 when there is an error."""
    text, index = _opened(options)
    dialect = options.dialect[0] if len(options.dialect) == 1 else ""
    conditions = table_conditions(options)
    findings = index.check_sql(text, dialect=dialect, conditions=conditions, writes=options.allow_writes)
    if not any(one.severity is Severity.ERROR for one in findings):
        findings += _explained(text, options.url) if options.url else _explained_by_file(text, index)
    errors = sum(one.severity is Severity.ERROR for one in findings)
    if options.json:
        print_records(findings, options.format)
    else:
        shown = screen(options.color)
        name = "<stdin>" if options.file == "-" else "<sql>" if _is_statement(options.file) else options.file
        for one in findings:
            print("\n".join(_lines(one, text.split("\n"), name, shown)))
        warnings = len(findings) - errors
        note(f"{counted(errors, 'error')}, {counted(warnings, 'warning')}" if findings else "nothing is wrong")
    return NOTHING if errors else FOUND


def _opened(options: argparse.Namespace) -> tuple[str, Index]:
    """Return the SQL and the index; raises AccessError for what a caller of groups may not ask."""
    asking = callers(options)
    if asking and options.url:
        raise AccessError("--url asks a whole database, which is for who may see all")
    if not asking or options.file == "-" or _is_statement(options.file):
        return _read(options.file), open_for_caller(options)
    index = open_for_caller(options)
    # Beside what is wrong stand lines of the file.
    if is_hidden(options.file, asking) or not _is_indexed(index, Path(os.path.realpath(options.file))):
        raise AccessError(f'{options.file} is not in the index; give its SQL to "coderag check-sql -"')
    return _read(options.file), index


def _is_indexed(index: Index, path: Path) -> bool:
    """Tell whether a file is one of an index."""
    for root in index.roots:
        if path.is_relative_to(root.root):
            with suppress(QueryError):
                index.chunks(path.relative_to(root.root).as_posix())
                return True
    return False


def _is_statement(text: str) -> bool:
    """Tell whether what stands in the place of a file is SQL."""
    return STATEMENT.match(text) is not None and not os.path.lexists(text)


def _read(file: str) -> str:
    if _is_statement(file):
        return file
    name, most = "stdin" if file == "-" else file, int(SQL.most)
    data = sys.stdin.buffer.read(most + 1) if file == "-" else read_named(file, most + 1)
    if len(data) > most:
        raise QueryError(f"{name} is larger than {most:,} bytes; check it in parts")
    if not data.strip():
        raise QueryError(f"{name} holds no SQL")
    return _fenced(data.decode("utf-8-sig", "replace").replace("\r\n", "\n"))


def _fenced(text: str) -> str:
    """Return the SQL of a model's answer on the lines where it stands: its first fenced block; else the text."""
    block = FENCED.search(text)
    return "\n" * text.count("\n", 0, block.start(1)) + block[1] if block else text


def _explained_by_file(text: str, index: Index) -> list[Finding]:
    """Return what the database file says that the schema came from, where it is the only one that is known."""
    known = index.asked
    if len(known) != 1 or len(index.catalog.groups) != 1 or not known[0].startswith(FILES):
        return []  # a server wants credentials, which are not kept: --url has them
    try:
        return _explained(text, known[0])
    except DatabaseError:
        return []  # the file has gone, or the text is more than one query


def _explained(text: str, url: str) -> list[Finding]:
    """Return why a database refuses the query, queried in a read-only transaction."""
    from coderag.catalog.introspect.explain import explain

    explanation = explain(url, text)
    if not explanation.error:
        return []
    place = max(explanation.position, 0)
    return [finding(Code.REFUSED, explanation.error, text=text, extent=(place, place + 1))]


def _lines(one: Finding, lines: list[str], name: str, shown: Screen) -> list[str]:
    style = Style.BAD if one.severity is Severity.ERROR else Style.KIND
    place = f"{shown.paint(visible(name), Style.PATH)}:{one.line}:{one.column}"
    line = f"{shown.paint(f'{one.severity}[{one.code}]', style)} {visible(one.message)}"
    source = lines[one.line - 1] if one.line <= len(lines) else ""
    before = len(visible(source[: one.column - 1]))
    width = max(len(visible(source[one.column - 1 : one.end_column])), 1)
    found = [f"{place}: {line}", f"  {visible(source)}", f"  {' ' * before}{shown.paint('^' * width, style)}"]
    if one.suggestions:
        found.append(f"  {shown.paint('did you mean', Style.DIM)} {', '.join(map(visible, one.suggestions))}?")
    return found
