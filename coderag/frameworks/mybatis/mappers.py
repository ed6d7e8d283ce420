"""A mapper of MyBatis in XML to its statements: what each does to tables, and the method that runs it.

<mapper namespace="shop.OrderMapper">
  <select id="find">SELECT * FROM orders <where><if test="id != null">AND id = #{id}</if></where></select>

is what the method `find` of the interface `shop.OrderMapper` runs. https://mybatis.org/mybatis-3/sqlmap-xml.html
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from coderag.frameworks.common.elements import Element, read_elements
from coderag.frameworks.engine.vocabulary import framework_data
from coderag.frameworks.mybatis.script import MapperWords, Script
from coderag.frameworks.usage.query_files import Queries
from coderag.sql.in_code.drivers import dialects_of
from coderag.sql.in_code.evaluation.string_values import Value, variants
from coderag.sql.in_code.placeholders import masked
from coderag.sql.in_code.records import DataUses, Statement
from coderag.sql.in_code.statements import ReadSql, joined, read_sql, words_of_sql
from coderag.syntax.lines import Lines
from coderag.syntax.outline import Definition, Outline
from coderag.syntax.references.records import FileReferences, Imported
from coderag.types import Kind

__all__ = ["read"]

ROOT = "mapper"
MAX_BYTES = 4_000_000
MAX_STATEMENTS = 3_000  # of a file
SIGNATURE_CHARS = 300
CUT = "it has more dynamic elements than are read"
NO_DRIVER = b""  # the file names none


def read(lines: Lines) -> Queries | None:
    """Return the statements of a mapper as definitions, and what they do; None for any other file."""
    root = read_elements(lines.data, "xml") if len(lines.data) <= MAX_BYTES else None
    namespace = root.values.get("namespace", "") if root is not None and root.name == ROOT else ""
    mapper = namespace.rpartition(".")[2]
    if root is None or not mapper:
        return None
    words = _words()
    elements = [one for one in root.of(*words.statements) if one.values.get("id")][:MAX_STATEMENTS]
    if not elements:
        return None
    script = Script(words, namespace, {one.values.get("id", ""): one for one in root.of(words.fragment)})
    definitions = tuple(_definition(one, mapper, lines) for one in elements)
    statements = [
        statement for owner, one in enumerate(elements) for statement in _statements(one, script, owner, mapper)
    ]
    interface = Imported(root.line - 1, -1, namespace, "", alias=mapper)
    return Queries(Outline(definitions), DataUses(tuple(statements)), FileReferences(imports=(interface,)))


@cache
def _words() -> MapperWords:
    return framework_data("mybatis", "mappers.toml", MapperWords)


def _definition(element: Element, mapper: str, lines: Lines) -> Definition:
    name = element.values["id"]
    row, last_row = element.line - 1, min(element.end_line, len(lines)) - 1
    head = lines.data[lines.starts[row] : lines.ends[row]].decode("utf-8", "replace")
    return Definition(
        name=name,
        qualified_name=f"{mapper}.{name}",
        kind=Kind.QUERY,
        parent=-1,
        first_row=row,
        row=row,
        last_row=last_row,
        start_byte=lines.starts[row],
        end_byte=lines.ends[last_row],
        signature=" ".join(head.split())[:SIGNATURE_CHARS],
        doc="",
        decorators=(),
        statement_rows=tuple(range(row + 1, last_row + 1)),
    )


def _statements(element: Element, script: Script, owner: int, mapper: str) -> Iterator[Statement]:
    """Yield what a statement does to tables, with those inside of it that are statements of their own."""
    texts = [script.value(element), *script.apart]
    found = [read for text in texts if (read := _read(text)) is not None]
    read = joined(found) if found else ReadSql()
    read = read._replace(lost=read.lost or CUT) if script.is_cut else read
    if read.tables or read.calls or read.holes or read.lost:
        yield Statement(
            element.line - 1,
            element.end_line - 1,
            owner,
            read.tables,
            read.columns,
            read.calls,
            holes=read.holes,
            lost=read.lost,
            how="mybatis",
            function=f"{mapper}.{element.values['id']}",
        )


def _read(value: Value) -> ReadSql | None:
    """Return what the variants of a text do to tables; of one that does not parse, the tables that its words name."""
    dialects = dialects_of(NO_DRIVER)
    read: list[ReadSql] = []
    failed: list[str] = []
    for flat in variants(value):
        sql = masked(flat)
        told = read_sql(sql.text, dialects)
        if told is not None:
            read.append(told._replace(holes=told.holes or sql.dynamic))
        elif sql.text:
            failed.append(sql.text)
    if read:
        return joined(read)
    return words_of_sql(failed[0], "no dialect that was tried reads it") if failed else None
