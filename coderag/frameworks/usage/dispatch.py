"""Calls of query builders and mappers in a file of code to the models and tables that they use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, cast

from coderag.frameworks.common.held_texts import holds
from coderag.frameworks.engine.recognition import using
from coderag.sql.in_code.records import NO_USES, DataUses, ModelUse, Statement
from coderag.syntax.outline import Outline
from coderag.syntax.parsed import Parsed

if TYPE_CHECKING:
    from coderag.frameworks.usage.usage import Usage

__all__ = ["MAPPERS", "Mapper", "read_mapped"]

MOST_ROWS = 1_000  # of a statement, of which it is noted who read it


class Mapper(NamedTuple):
    """A framework whose calls use tables.

    The module `queries` of the package `framework` has `read(code: Code) -> Iterator[Found]`. It is asked only for a
    text that holds, of each tuple in `words`, at least one: the test that every file of the language has to stand.
    """

    framework: str
    words: tuple[tuple[bytes, ...], ...]


DRIZZLE = (b"drizzle", b" db", b".db", b"(db", b"\tdb", b"[db", b" tx.", b"(tx.", b"\ttx.", b" tx\n", b"[tx.")
SCRIPT = (
    Mapper("prisma", ((b"risma",), (b".find", b".create", b".up", b".delete", b".count", b".agg", b".group"))),
    Mapper(
        "drizzle",
        (
            (b".from(", b".insert(", b".update(", b".delete(", b".query."),
            DRIZZLE,
        ),
    ),
    Mapper("knex", ((b"knex", b"Knex", b'db("', b"db('", b'trx("', b"trx('", b'tx("', b"tx('"),)),
    Mapper("typeorm", ((b"typeorm", b"Repository", b"createQueryBuilder", b"EntityManager"),)),
)
JPA = Mapper("jpa", ((b"persistence", b"springframework.data", b"Repository", b"ntityManager", b"hibernate"), (b"(",)))
DOCTRINE = Mapper(
    "doctrine",
    (
        (b"Doctrine\\", b"\\Repository\\", b"createQueryBuilder(", b"EntityManager"),
        (b"->find", b"->count", b"->persist(", b"->remove(", b"createQuery", b"Where(", b"->matching(", b"expr()"),
    ),
)
MAPPERS: Mapping[str, tuple[Mapper, ...]] = {
    "python": (
        Mapper(
            "sqlalchemy",
            (
                (b"sqlalchemy", b"sqlmodel", b"ession.", b".query."),
                (
                    b"sqlalchemy",
                    b"sqlmodel",
                    b"ession.query(",
                    b"ession.add(",
                    b"ession.get(",
                    b"ession.get_one(",
                    b"ession.delete(",
                    b"ession.merge(",
                    b"ession.execute(",
                    b"ession.scalar",
                    b"ession.exec(",
                    b"db.session",
                    b".query.filter(",
                    b".query.filter_by(",
                    b".query.get(",
                    b".query.get_or_404(",
                    b".query.all(",
                    b".query.order_by(",
                    b".query.first",
                    b".query.join(",
                ),
            ),
        ),
        Mapper(
            "django",
            (
                (b"django", b".objects"),
                (b".objects", b".save(", b".delete(", b"_default_manager", b"_base_manager", b"_or_404"),
            ),
        ),
    ),
    "javascript": SCRIPT,
    "typescript": SCRIPT,
    "tsx": SCRIPT,
    "ruby": (
        Mapper(
            "rails",
            (
                (
                    b".where",
                    b".find",
                    b".create",
                    b".update",
                    b" update(",
                    b".destroy",
                    b".pluck",
                    b".joins",
                    b".includes",
                    b"Record",
                    b".all",
                    b".save",
                    b".delete",
                    b".order",
                    b".count",
                    b".sum",
                    b".exists?",
                    b".first",
                    b".last",
                ),
            ),
        ),
    ),
    "elixir": (Mapper("ecto", ((b"Ecto", b"Repo"),)),),
    "csharp": (Mapper("efcore", ((b"EntityFrameworkCore", b"DbContext", b"ontext", b"db", b"Db"), (b"(",))),),
    "php": (
        Mapper("eloquent", ((b"::", b"DB", b"->save(", b"->update("), (b"->", b"::where", b"::find", b"::create"))),
        DOCTRINE,
    ),
    "rust": (Mapper("diesel", ((b"diesel", b"::table"),)),),
    "java": (JPA,),
    "kotlin": (JPA,),
    "go": (Mapper("gorm", ((b"gorm",), (b"(&", b".Where(", b".Find(", b".Create(", b".Model(", b".Save("))),),
}


def read_mapped(parsed: Parsed, outline: Outline, *, path: str) -> DataUses:
    """Return what the calls of query builders and mappers in a file do to tables."""
    models: dict[ModelUse, None] = {}
    statements: dict[Statement, None] = {}
    readers: dict[int, set[str]] = {}  # that have read a statement, by each of its rows
    for statement in _found(parsed, outline, path):
        if isinstance(statement, ModelUse):
            models.setdefault(statement)
        elif statement.sure or readers.get(statement.row, set()) <= {statement.how}:  # else one that knows more has it
            statements.setdefault(statement)
            for row in range(statement.row, min(statement.last_row, statement.row + MOST_ROWS) + 1):
                readers.setdefault(row, set()).add(statement.how)
    if not models and not statements:
        return NO_USES
    return DataUses(
        statements=tuple(sorted(statements, key=lambda statement: (statement.row, statement.last_row))),
        models=tuple(sorted(models, key=lambda model: (model.row, model.model, model.access))),
    )


def _found(parsed: Parsed, outline: Outline, path: str) -> Iterator[Usage]:
    data = parsed.lines.data
    mappers = [mapper for mapper in MAPPERS.get(parsed.language.name, ()) if holds(data, mapper.words)]
    frameworks = [one.framework for one in using(parsed.language.name) if one.is_in(data)]
    if not mappers and not frameworks:
        return
    from coderag.frameworks.usage.source_file import CodeFile

    code = CodeFile(parsed, outline, path)
    for mapper in mappers:
        read = import_module(f"coderag.frameworks.{mapper.framework}.queries").read
        yield from cast("Iterator[Usage]", read(code))
    if frameworks:
        from coderag.frameworks.engine import verbs

        yield from verbs.read(code, frameworks)
