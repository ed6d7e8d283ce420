"""Files that hold nothing but queries of a framework to definitions, what these do to tables, and what they import."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import NamedTuple, cast

from coderag.sql.in_code.records import DataUses
from coderag.syntax.lines import Lines
from coderag.syntax.outline import Outline
from coderag.syntax.references.records import NO_REFERENCES, FileReferences

__all__ = ["Queries", "QueryFile", "read_query_file"]


class Queries(NamedTuple):
    """The queries of a file."""

    outline: Outline
    uses: DataUses
    references: FileReferences = NO_REFERENCES


class QueryFile(NamedTuple):
    """A framework whose queries stand in files of their own.

    `module` of the package of frameworks has `read(lines: Lines) -> Queries | None`. It is asked only
    for a text that holds all of `words`.
    """

    module: str
    words: tuple[bytes, ...]


QUERY_FILES: Mapping[str, tuple[QueryFile, ...]] = {
    "xml": (QueryFile("mybatis.mappers", (b"<mapper", b"namespace")),),
}


def read_query_file(lines: Lines, *, language: str) -> Queries | None:
    """Return the queries of a file, None for a file of none."""
    for framework in QUERY_FILES.get(language, ()):
        if all(word in lines.data for word in framework.words):
            read = import_module(f"coderag.frameworks.{framework.module}").read
            if (found := cast("Queries | None", read(lines))) is not None:
                return found
    return None
