"""An error of DuckDB to one line, with the table or column that was probably meant."""

from __future__ import annotations

import re
from collections.abc import Iterable

from coderag.relational.relations import needed_tables, relations

__all__ = ["message_of"]

PREFIX = re.compile(r"^(?:[A-Z][\w ]*?(?:Error|Exception)): ")
MISSING_TABLE = re.compile(r"Table with name (.{1,300}?) does not exist")
REFERENCED_COLUMN = re.compile(r'Referenced column "([^"]+)" (?:was )?not found')
NO_SUCH_COLUMN = re.compile(r'does not have a column named "([^"]+)"')
FORBIDDEN = re.compile(r"disabled by configuration|disabled through configuration|configuration has been locked")
HINT = "LINE "
MIN_ALIKE = 60.0  # of 100; a name less like what was written is not suggested


def message_of(error: BaseException, sql: str) -> str:
    """Return what is wrong with a query on one line."""
    text = str(error)
    if FORBIDDEN.search(text):
        return "a query over the index cannot read files or the network, and changes no settings"
    if match := MISSING_TABLE.search(text):
        return _missing(f"there is no table {match[1]}", match[1], relations(), tables=True)
    if match := REFERENCED_COLUMN.search(text) or NO_SUCH_COLUMN.search(text):
        columns = [column.name for name in needed_tables(sql) for column in relations()[name].columns]
        return _missing(f"there is no column {match[1]}", match[1], columns, tables=False)
    head, _, place = text.partition(f"\n\n{HINT}")
    message = " ".join(PREFIX.sub("", head).split())
    at = place.partition(":")[0]
    return f"line {at}: {message}" if at.isdecimal() and at != "1" else message


def _missing(said: str, name: str, known: Iterable[str], *, tables: bool) -> str:
    from rapidfuzz import fuzz, process  # only a typing error needs it

    best = process.extractOne(name.casefold(), list(dict.fromkeys(known)), scorer=fuzz.ratio, score_cutoff=MIN_ALIKE)
    if best:
        return f"{said}; did you mean {best[0]}?"
    return f'{said}; "coderag sql --tables" lists the {"tables" if tables else "columns"}'
