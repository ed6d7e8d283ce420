"""Django's settings to the one thing in them that models refer to: which model the users are."""

from __future__ import annotations

from coderag.frameworks.common.declared_dialect import declared_dialects
from coderag.frameworks.common.origins import lines_of
from coderag.frameworks.django.fields import USER_MODEL
from coderag.frameworks.django.tables import table_name
from coderag.sql.records import Describe, Facts, Name, Table
from coderag.syntax.languages.python import read_python

__all__ = ["read"]


def read(data: bytes, *, language: str, path: str) -> Facts | None:  # noqa: ARG001
    """Return that the table of AUTH_USER_MODEL = "accounts.User" has the alias USER_MODEL too."""
    code = read_python(data)
    node = code.names.get("AUTH_USER_MODEL")
    model = code.string(node)
    if node is None or not model or "." not in model:
        return None
    table = Table(Name(table_name(model)), alias=USER_MODEL, sources=(lines_of(node),))
    return Facts(statements=1, operations=(Describe(table),), settings=declared_dialects(data, path))
