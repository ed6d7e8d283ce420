"""Fields of a model that are other models to keys by convention: `User User` beside `UserID`, `Posts []Post` of a user.

https://gorm.io/docs/belongs_to.html and https://gorm.io/docs/many_to_many.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from coderag.frameworks.common.go_names import go_snake
from coderag.frameworks.common.origins import lines_of
from coderag.frameworks.engine.declared.records import Model, ModelField
from coderag.frameworks.engine.model_words import ModelWords
from coderag.sql.records import Column, Evidence, ForeignKey, Name, Origin, Table
from coderag.syntax.trees.literals import Reference, as_text
from coderag.text.inflection import plural, singular

__all__ = ["with_conventions"]

DEFAULT_KEY = "ID"
KEYLESS = frozenset({"polymorphic", "through"})  # what is said of relations without a key on one of both sides


def with_conventions(tables: Sequence[Table], models: Sequence[Model], words: ModelWords) -> list[Table]:
    """Return the tables of a file's models with the keys that relations make, and then the tables between them."""
    conventions = _Conventions(tables, words)
    by_name = {model.name: model for model in models}
    relations = [
        (table, field) for table in tables if table.alias in by_name
        for field in by_name[table.alias].fields if field.kind in words.many.kinds
    ]  # fmt: skip
    keys: dict[str, list[ForeignKey]] = {table.alias: [*table.foreign_keys] for table in tables}
    for table, field in relations:
        owner, key = conventions.key(table, field)
        if key is not None and owner in keys and key.columns not in [known.columns for known in keys[owner]]:
            keys[owner].append(key)
    between = {made.name: made for table, field in relations for made in conventions.between(table, field)}
    known = {table.name for table in tables}
    return [
        *(replace(table, foreign_keys=tuple(keys[table.alias])) for table in tables),
        *(made for name, made in between.items() if name not in known),
    ]


class _Conventions:
    """The tables of a file by their models."""

    def __init__(self, tables: Sequence[Table], words: ModelWords) -> None:
        self._tables = {table.alias: table for table in tables}
        self._words = words

    def key(self, table: Table, field: ModelField) -> tuple[str, ForeignKey | None]:
        """Return the model that has the key of a relation, and the key, where it is stated or by convention.

        `User User` beside UserID in Post -> Post and user_id; `Posts []Post` in User -> Post and its user_id.
        """
        said, other = self._said(field), _target(field)
        if not other or not KEYLESS.isdisjoint(said):
            return "", None
        references = _names(said.get("references", ""))
        own = () if field.is_list else _key_columns(table, field.name, said)
        if own:
            is_referred = _names(said.get("key", "")) == references and own in {*table.unique, table.primary_key}
            if is_referred:
                return "", None  # the other one refers to this one's key
            return table.alias, self._foreign_key(own, other, references, field)
        theirs = _key_columns(self._tables[other], table.alias, said) if other in self._tables else ()
        return (other, self._foreign_key(theirs, table.alias, references, field)) if theirs else ("", None)

    def between(self, table: Table, field: ModelField) -> Iterator[Table]:
        """Yield the table of a relation of many to many."""
        said, other = self._said(field), _target(field)
        stated = said.get("through", "")
        if not stated or not other:
            return
        is_self = other == table.alias
        left = go_snake(said.get("own column") or f"{table.alias}{DEFAULT_KEY}")
        usual = f"{singular(field.name) if is_self else other}{DEFAULT_KEY}"
        right = go_snake(said.get("other column") or usual)
        sides = ((left, table.alias, said.get("key", "")), (right, other, said.get("references", "")))
        source = lines_of(field.node)
        yield Table(
            Name(stated if stated.lower() == stated else plural(go_snake(stated))),
            columns=tuple(Column(name, self._key_type(to), nullable=False, source=source) for name, to, _ in sides),
            primary_key=(left, right),
            foreign_keys=tuple(
                self._foreign_key((name,), to, [referenced] if referenced else [], field)
                for name, to, referenced in sides
            ),
            origins=(Origin.ORM,),
            sources=(source,),
        )

    def _said(self, field: ModelField) -> Mapping[str, str]:
        return {self._words.options.get(option, ""): as_text(value) for option, value in field.options.items()}

    def _foreign_key(
        self, columns: tuple[str, ...], target: str, references: Sequence[str], field: ModelField
    ) -> ForeignKey:
        table = self._tables.get(target)
        known = _columns(table) if table is not None else {}
        referenced = tuple(known[name].name if name in known else go_snake(name) for name in references)
        if not referenced and table is not None and len(table.primary_key) == len(columns):
            referenced = table.primary_key
        name = table.name if table is not None else Name(plural(go_snake(target)))
        return ForeignKey(columns, name, referenced, "", Evidence.MODEL, lines_of(field.node), target)

    def _key_type(self, model: str) -> str:
        table = self._tables.get(model)
        columns = table.columns if table is not None else ()
        return next((one.type for one in columns if table is not None and (one.name,) == table.primary_key), "")


def _key_columns(table: Table, prefix: str, said: Mapping[str, str]) -> tuple[str, ...]:
    """Return the columns of a table that are the key of a relation; none where it lacks one of them."""
    references = _names(said.get("references", "")) or [DEFAULT_KEY]
    names = _names(said.get("key", "")) or [f"{prefix}{reference}" for reference in references]
    columns = _columns(table)
    return tuple(columns[name].name for name in names) if all(name in columns for name in names) else ()


def _columns(table: Table) -> dict[str, Column]:
    """Return the columns of a table by the fields that they are in the model."""
    return {column.field or column.name: column for column in table.columns}


def _target(field: ModelField) -> str:
    target = field.values[0] if field.values else None
    return target.name.rpartition(".")[2] if isinstance(target, Reference) else ""


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
