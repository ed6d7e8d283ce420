"""Names of objects to what is compared of them."""

from __future__ import annotations

import re

from coderag.sql.records import Name

__all__ = ["Key", "is_no_database", "is_placeholder", "key_of", "plain_schema"]

DEFAULT_SCHEMAS = frozenset({"dbo", "main", "public"})  # what a table without a schema is in
SYSTEM_DATABASES = frozenset({"master", "model", "msdb", "mysql", "postgres", "sys", "tempdb", "template1"})
PLACEHOLDERS = ("$", "&", ":", "@", "{", "%")

PLACEHOLDER = re.compile(r"\$?(?:\{[\w.: -]+\}|\{\{[\w.: -]+\}\}|\([\w.: -]+\))|<%[\w.:= -]+%>|%\(\w+\)s|%s")

Key = tuple[str, str, str]


def plain_schema(schema: str) -> str:
    """Return a schema's name for comparing; "" for the one that tables are in by default."""
    folded = schema.casefold()
    return "" if folded in DEFAULT_SCHEMAS else folded


def is_placeholder(text: str) -> bool:
    """Tell whether a name is nothing but what a template fills in: `${tableName}`, `{{ table }}`, `$(Table)`."""
    return PLACEHOLDER.fullmatch(text) is not None


def is_no_database(text: str) -> bool:
    """Tell whether a name is that of no database of one's own.

    It is one of the system's, or a variable of a template or of the client program, as in `USE $(DatabaseName)`.
    """
    return text.startswith(PLACEHOLDERS) or text.casefold() in SYSTEM_DATABASES


def key_of(name: Name) -> Key:
    """Return what tells objects of a state apart."""
    return name.database.casefold(), plain_schema(name.schema), name.name.casefold()
