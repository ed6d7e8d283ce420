"""Statements of SeaQuery, in migrations of SeaORM and elsewhere, to operations.

What its methods do is data in schemas/frameworks/sea-orm/.

https://www.sea-ql.org/SeaORM/docs/migration/writing-migration/
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from coderag.frameworks.common.guarded import guarded
from coderag.frameworks.common.origins import lines_of
from coderag.frameworks.engine.columns import Made, Statement, created_table, operations_of
from coderag.frameworks.engine.steps import Steps
from coderag.frameworks.engine.vocabulary import vocabulary
from coderag.frameworks.seaorm.names import RustNames
from coderag.sql.records import (
    AddConstraint,
    AlterColumn,
    CommentOn,
    Drop,
    DropConstraint,
    Facts,
    ForeignKey,
    Name,
    Rename,
    SchemaOperation,
    Series,
    Source,
)
from coderag.syntax.trees.call_chains import Chain, Link, chain_of, top_of
from coderag.syntax.trees.literals import Literal, as_text
from coderag.syntax.trees.tree import parse, text_of

__all__ = ["read"]

FILE_NAME = re.compile(r"m?(?P<version>\d{1,14}(?:_\d{1,8})?)_.*\.rs")
STARTS = re.compile(r"(?:\w+::){0,4}(?P<kind>Table|Index|ForeignKey)::(?P<action>create|alter|drop|rename)")
ANCHOR = re.compile(rb"\b(?:(?:Table|Index|ForeignKey)::(?:create|alter|drop|rename)|execute_unprepared|from_string)\b")
BACK = re.compile(r"(?:^|_)(?:down|rollback|revert)(?:_|$)")
SQL_CALLS = frozenset({"execute_unprepared", "from_string"})
ENDINGS = {"_null": "nullable", "_uniq": "unique"}  # of helpers: string_null(Users::Name)
MAX_LEVELS = 60  # of nodes around a statement


def read(data: bytes, *, language: str, path: str) -> Facts | None:
    """Return what the statements of a file do to tables, those of a way back left out; None where there are none."""
    root = parse(data, language)
    reading = _Reading(root, path)
    for anchor in ANCHOR.finditer(data):
        if (node := root.descendant_for_byte_range(*anchor.span())) is not None:
            reading.visit(node)
    is_migration = b"MigrationTrait" in data
    if not reading.found and not is_migration:
        return None
    name = path.rpartition("/")[2].removesuffix(".rs")
    match = FILE_NAME.fullmatch(path.rpartition("/")[2]) if is_migration else None
    if match is None and not reading.operations:
        return None
    return reading.facts(Series("sea-orm", version=match["version"], name=name) if match else None)


class _Reading(Steps):
    """What the statements of a file have come to so far."""

    def __init__(self, root: Node, path: str) -> None:
        super().__init__(path)
        self._names = RustNames(root)
        self._words = vocabulary("sea-orm")
        self._end = 0  # of the last statement

    def visit(self, node: Node) -> None:
        """Read the statement that a name begins, or the SQL that a call of its name is given."""
        if node.start_byte < self._end:
            return
        text = text_of(node)
        start = STARTS.fullmatch(text) if node.type == "scoped_identifier" else None
        if start is None and text.rpartition("::")[2] not in SQL_CALLS:
            return
        chain = chain_of(top_of(node))
        around = {parent.type: parent for parent in _around(node)}
        if chain is None or _leads_back(around.get("function_item")):
            return
        if start is None:
            self._sql(chain)
            return
        self._end = chain.node.end_byte
        made = self._statement(f"{start['action']} {start['kind']}", chain)
        self.found += made is None or bool(made)
        self.add(chain.node, [*map(guarded, made)] if made and "if_expression" in around else made)

    def _statement(self, kind: str, chain: Chain) -> Made:
        calls = [link for link in chain.links if link.arguments is not None]
        tables = [self._table(link) for link in calls if link.name == "table"]
        table = tables[0] if tables else None
        source = lines_of(chain.node)
        match kind:
            case "create ForeignKey":
                return self._foreign_key(None, chain)
            case "drop ForeignKey" | "drop Index":
                return self._dropped_constraint(table, calls, source)
            case "create Index":
                return self._index(table, chain)
            case "drop Table":
                names = [one for one in tables if one is not None]
                return [Drop(one, if_exists=_has(calls, "if_exists"), source=source) for one in names] or None
            case "rename Table":
                return self._renamed(table, calls, source)
        if table is None:
            return None
        made = [one for link in calls for one in self._part(table, link)]
        if kind != "create Table":
            return made
        created = created_table(table, made, source)
        return [guarded(created[0]), *created[1:]] if _has(calls, "if_not_exists") else created

    def _table(self, link: Link, position: int = 0) -> Name | None:
        schema, _, name = self._names.name(link.argument(position)).rpartition(".")
        return Name(name, schema=schema) if name else None

    def _part(self, table: Name, link: Link) -> Iterator[SchemaOperation]:
        """Yield the operations of a call in a statement on a table.

        .col(ColumnDef::new(User::Id).integer())  -> AddColumn of id
        .drop_foreign_key("fk_a")                 -> DropConstraint of fk_a
        """
        given, made = link.argument(0), None
        inner = chain_of(given)
        if link.name in {"col", "add_column", "add_column_if_not_exists", "modify_column"}:
            made = self._column(table, inner, is_change=link.name == "modify_column") if inner else None
            if link.name == "add_column_if_not_exists" and made:
                made = [*map(guarded, made)]
        elif link.name in {"foreign_key", "add_foreign_key"}:
            made = self._foreign_key(table, inner) if inner else None
        elif link.name in {"index", "primary_key"}:
            made = self._index(table, inner, is_primary=link.name == "primary_key") if inner else None
        elif link.name == "drop_foreign_key":
            made = [DropConstraint(table, self._names.name(given), if_exists=True, source=lines_of(link.node))]
        elif link.name == "comment":
            made = [CommentOn(table, self._names.name(given), source=lines_of(link.node))]
        elif link.name in self._words.actions:
            values = [self._names.value(one.node) for one in link.arguments or ()]
            made = operations_of(table, Statement(link.name, values, lines_of(link.node)), self._words)
        else:
            return
        if made is None:
            self.lose(link.node)
        yield from made or ()

    def _dropped_constraint(self, table: Name | None, calls: Sequence[Link], source: Source) -> Made:
        name = next((self._names.name(link.argument(0)) for link in calls if link.name == "name"), "")
        return [DropConstraint(table, name, if_exists=True, source=source)] if table and name else []

    def _renamed(self, table: Name | None, calls: Sequence[Link], source: Source) -> Made:
        to = next((self._table(link, 1) for link in calls if link.name == "table"), None)
        return [Rename(table, to, source=source)] if table is not None and to is not None else None

    def _column(self, table: Name, chain: Chain, *, is_change: bool) -> Made:
        """Return the column of `ColumnDef::new(Users::Name).string_len(40).not_null()`, `string_null(Users::Name)`."""
        calls = [link for link in chain.links if link.arguments is not None]
        if not calls:
            return None
        name = self._names.name(calls[0].argument(0))
        is_helper = calls[0].name != "new" and calls[0].name != "new_with_type"
        method, sizes, modifiers = self._type(calls, is_helper=is_helper)
        if not name or (is_helper and not method):
            return None
        source = lines_of(chain.node)
        if is_change:
            nullable = True if "nullable" in modifiers else False if "not null" in modifiers else None
            changed = Statement(method, [name, *sizes], source, {"change": ()})
            kind = operations_of(table, changed, self._words) or ()
            altered = next((one for one in kind if isinstance(one, AlterColumn)), AlterColumn(table, name))
            return [AlterColumn(table, name, type=altered.type, nullable=nullable, source=source)]
        if "not null" not in modifiers and not is_helper:
            modifiers.setdefault("nullable", ())
        return operations_of(table, Statement(method or "array", [name, *sizes], source, modifiers), self._words)

    def _type(
        self, calls: Sequence[Link], *, is_helper: bool
    ) -> tuple[str, list[Literal], dict[str, Sequence[Literal]]]:
        """Return the method that names a column's type, its sizes, and what else is said of the column."""
        words, method, sizes = self._words, "", list[Literal]()
        modifiers: dict[str, Sequence[Literal]] = {}
        for link in calls[0 if is_helper else 1 :]:
            base = link.name
            for ending, meaning in ENDINGS.items() if is_helper else ():
                if base.endswith(ending) and base.removesuffix(ending) in words.types:
                    base, modifiers[meaning] = base.removesuffix(ending), ()
            if base in words.modifiers:
                modifiers[words.modifiers[base]] = [self._names.value(one.node) for one in link.arguments or ()]
            elif base in words.types and not method:
                first = 1 if link is calls[0] else 0
                method, sizes = base, [self._names.value(one.node) for one in (link.arguments or ())[first:]]
        return method, sizes, modifiers

    def _foreign_key(self, table: Name | None, chain: Chain) -> Made:
        """Return the key of `ForeignKey::create().from(Posts::Table, Posts::UserId).to(Users::Table, Users::Id)`."""
        columns, referenced, name, other = list[str](), list[str](), "", None
        for link in chain.links:
            last = self._names.name(link.argument(1 if link.name in {"from", "to"} else 0))
            match link.name:
                case "name":
                    name = last
                case "from" | "to":
                    mine, theirs = self._table(link), [last] if last else []
                    if link.name == "from":
                        table, columns = table or mine, [*columns, *theirs]
                    else:
                        other, referenced = mine, [*referenced, *theirs]
                case "from_col":
                    columns.append(last)
                case "to_col":
                    referenced.append(last)
                case "from_tbl":
                    table = table or self._table(link)
                case "to_tbl":
                    other = self._table(link)
        if table is None or other is None or not all(columns) or not columns:
            return None
        source = lines_of(chain.node)
        key = ForeignKey(tuple(columns), other, tuple(filter(None, referenced)), name=name, source=source)
        return [AddConstraint(table, name, foreign_key=key, source=source)]

    def _index(self, table: Name | None, chain: Chain, *, is_primary: bool = False) -> Made:
        """Return the key of `Index::create().col(Users::Email).unique()`, nothing for an index of another kind."""
        calls = [link for link in chain.links if link.arguments is not None]
        columns = tuple(self._names.name(link.argument(0)) for link in calls if link.name == "col")
        name = next((self._names.name(link.argument(0)) for link in calls if link.name == "name"), "")
        is_primary, is_unique = is_primary or _has(calls, "primary"), _has(calls, "unique")
        if not (is_primary or is_unique):
            return []
        if table is None or not columns or not all(columns):
            return None
        source = lines_of(chain.node)
        if is_primary:
            return [AddConstraint(table, name, primary_key=columns, source=source)]
        return [AddConstraint(table, name, unique=columns, source=source)]

    def _sql(self, chain: Chain) -> None:
        """Read SQL; what changes rows only is passed over."""
        link = next((one for one in chain.links if one.name in SQL_CALLS and one.arguments), None)
        for argument in link.arguments or () if link is not None else ():
            if text := as_text(self._names.value(argument.node)):
                self.sql(chain.node, argument.node, text)


def _has(calls: Sequence[Link], name: str) -> bool:
    return any(link.name == name for link in calls)


def _around(node: Node) -> Iterator[Node]:
    """Yield what is around a statement, the nearest first, the function last."""
    parent = node.parent
    for _ in range(MAX_LEVELS):
        if parent is None:
            return
        yield parent
        if parent.type == "function_item":
            return
        parent = parent.parent


def _leads_back(function: Node | None) -> bool:
    """Tell whether a function takes a migration back."""
    return function is not None and BACK.search(text_of(function.child_by_field_name("name"))) is not None
