"""What an index knows to be missing from its schemas: frameworks that are not read, tables that nothing creates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from coderag.sql.records import Facts, SchemaProblem

__all__ = ["UncreatedTable", "UnreadFiles", "uncreated_tables", "unread_files"]

MAX_PATHS = 3  # of a framework, as examples
RAILS = '"bin/rails db:schema:dump" writes db/schema.rb, which states them'
OTHERS = "a dump of the schema beside the migrations, or the database itself, would tell them"


@dataclass(frozen=True, slots=True)
class UnreadFiles:
    """The files of a framework whose declarations of tables are not read."""

    framework: str
    files: int
    paths: tuple[str, ...]  # the first ones


@dataclass(frozen=True, slots=True)
class UncreatedTable:
    """A table that files change or describe and that nothing creates."""

    table: str
    path: str  # where that is first done
    line: int
    advice: str  # what would declare it


def unread_files(facts: Iterable[tuple[str, Facts]]) -> tuple[UnreadFiles, ...]:
    """Return the frameworks that are not read, most files first, of the facts of files by path."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path, one in facts:
        if one.unread:
            found[one.unread].append(path)
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(UnreadFiles(name, len(paths), tuple(sorted(paths)[:MAX_PATHS])) for name, paths in ordered)


def uncreated_tables(problems: Iterable[SchemaProblem]) -> tuple[UncreatedTable, ...]:
    """Return the tables that problems say nothing creates, by name, each once."""
    found: dict[str, UncreatedTable] = {}
    for problem in problems:
        if problem.uncreated:
            advice = RAILS if problem.path.endswith(".rb") else OTHERS
            found.setdefault(
                problem.uncreated.casefold(), UncreatedTable(problem.uncreated, problem.path, problem.line, advice)
            )
    return tuple(sorted(found.values(), key=lambda uncreated_table: uncreated_table.table.casefold()))
