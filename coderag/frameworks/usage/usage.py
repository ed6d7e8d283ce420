"""The uses of models and tables by one call of a builder, gathered and then written as records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tree_sitter import Node

from coderag.frameworks.usage.source_file import CodeFile
from coderag.sql.in_code.records import Access, ModelUse, Statement, TableUse
from coderag.sql.records import ColumnUse, Name

__all__ = ["Usage", "UsageBuilder"]

Usage = ModelUse | Statement
MAX_FIELDS = 500  # of one use


class UsageBuilder:
    """What a chain of calls does to models, the first one before all."""

    __slots__ = ("access", "fields", "read", "whole")

    def __init__(self) -> None:
        self.access: dict[str, Access] = {}
        self.fields: dict[str, dict[tuple[str, bool], None]] = {}  # a field may be read and written
        self.whole: set[str] = set()
        self.read: set[str] = set()  # models that are changed, and whose rows are looked up before

    def use(self, model: str, access: Access = Access.READ, *, whole: bool = False) -> None:
        """Note a use of a model; a change of it counts more than that it is read."""
        if not model:
            return
        before = self.access.get(model)
        if before is None or before is Access.READ:
            self.access[model] = access
        if whole:
            self.whole.add(model)

    def touch(self, model: str, field: str, *, written: bool = False) -> None:
        """Note a field of a model."""
        if not model or not field:
            return
        self.use(model)
        fields = self.fields.setdefault(model, {})
        if len(fields) < MAX_FIELDS:
            fields.setdefault((field, written))

    def assign(self, model: str, field: str) -> None:
        """Note a field of a model that is set."""
        self.use(model, Access.WRITE)
        self.touch(model, field, written=True)

    def is_written(self, model: str) -> bool:
        """Tell whether a field of a model is known to be written."""
        return any(written for _, written in self.fields.get(model, ()))

    def touch_all(self, model: str, fields: Iterable[str], *, written: bool = False) -> None:
        """Note fields of a model."""
        for field in fields:
            self.touch(model, field, written=written)

    def models(self, code: CodeFile, node: Node, framework: str) -> Iterator[ModelUse]:
        """Yield the uses of models; `node` is the place."""
        row, owner = node.start_point[0], code.owner(node.start_byte)
        for model, access in self.access.items():
            fields = tuple(self.fields.get(model, ()))
            if model in self.read and access is not Access.READ:
                asked = tuple(field for field in fields if not field[1])
                yield ModelUse(row, owner, model, framework, Access.READ, asked, whole=True)
            yield ModelUse(row, owner, model, framework, access, fields, whole=model in self.whole)

    def statement(self, code: CodeFile, node: Node, how: str) -> Iterator[Statement]:
        """Yield the uses as a statement, where the models are names of tables."""
        if not self.access:
            return
        tables = tuple(
            TableUse(table_name(table), access, whole=table in self.whole) for table, access in self.access.items()
        )
        columns = tuple(
            ColumnUse(column, (table_name(table),), written)
            for table, fields in self.fields.items()
            for column, written in fields
        )
        row, last_row = node.start_point[0], node.end_point[0]
        yield Statement(row, last_row, code.owner(node.start_byte), tables, columns, how=how)


def table_name(written: str) -> Name:
    """Return the name of a table as a builder writes it: `users`, `public.users`."""
    parts = written.split(".")[-3:]
    return Name(parts[-1], *reversed(parts[:-1]))
