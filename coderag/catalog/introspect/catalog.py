"""The questions that a dialect's catalog.sql asks of a database, by name.

    -- name: row_counts
    -- when: SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'
    SELECT tbl AS name, ... WHERE schema_name IN :schemas;

`when` is a question whose answer has a row where the section can be asked. Parameters are `:schemas`, the names of the
schemas that are read, and `:objects`, the ids of tables; a section with `:objects` is asked for fewer of them when the
database refuses it for all. The columns of an answer are the fields of the section's record in rows.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from coderag.errors import LanguageDataError
from coderag.resources import data_folder

__all__ = ["PARAMETER", "Section", "read_catalog"]

PARAMETER = re.compile(r"(?<!:):(schemas|objects)\b")
HEADER = re.compile(r"^-- name: *+(\w++)[ \t]*+\n(?:-- when: *+(.++)\n)?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Section:
    """One question of a catalog.sql."""

    name: str
    text: str
    when: str = ""

    @property
    def parameters(self) -> frozenset[str]:
        """Return the names of the parameters that it takes."""
        return frozenset(PARAMETER.findall(self.text))


@cache
def read_catalog(dialect: str) -> Mapping[str, Section]:
    """Return the sections of a dialect's catalog.sql by name.

    Raises LanguageDataError where there is no such file, or a section twice.
    """
    path = data_folder("schemas/dialects") / dialect / "catalog.sql"
    if not path.is_file():
        raise LanguageDataError(f"{path} is missing: databases of this dialect cannot be asked")
    pieces = HEADER.split(path.read_text(encoding="utf-8"))
    found: dict[str, Section] = {}
    for name, when, text in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        if name in found:
            raise LanguageDataError(f"{path} has two sections {name!r}")
        found[name] = Section(name, text.strip().removesuffix(";"), when or "")
    return found
