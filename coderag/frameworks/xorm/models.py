"""Structs of Go with tags of xorm to tables; the words of the tags are data in schemas/frameworks/xorm/.

A column that its tag does not name has the name of GonicMapper, which differs from the default SnakeMapper in
initialisms only: `user_id` for `UserID`. https://xorm.io/docs/chapter-02/2.mapping/
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

import msgspec

from coderag.frameworks.common.fields import with_fields
from coderag.frameworks.common.origins import lines_of, unparsed_at
from coderag.frameworks.engine.vocabulary import framework_data
from coderag.frameworks.gorm.models import snake
from coderag.sql.records import Column, CreateTable, Facts, Name, Origin, Table, Unparsed
from coderag.sql.version_folders import MIGRATION_FOLDERS
from coderag.syntax.languages.go_structs import File, GoField, Struct, read_go

__all__ = ["read"]

TAG = "xorm"
WORD = re.compile(r"'(?P<name>[^']*)'|(?P<word>[^\s'()]+)(?:\((?P<inside>[^()]*)\))?")
KEY_TYPE = "int64"  # of a field named ID that is a primary key though no tag says so
MAX_DEPTH = 8  # of structs in structs
MAX_TAG = 2_000  # characters
STAMPS = frozenset({"created", "updated", "deleted"})
OWN_WORDS = frozenset("index version json jsonb utc local cache nocache - <- ->".split())


class Columns(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words of tags that are types of SQL."""

    types: frozenset[str]


class Tags(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the words of tags say, and which column a type of Go has."""

    types: Mapping[str, str]
    columns: Columns
    words: Mapping[str, str]


@dataclass(slots=True)
class Fields:
    """What a struct brings into a table."""

    columns: dict[str, Column] = field(default_factory=dict)  # by field
    primary_key: list[str] = field(default_factory=list)
    unique: dict[str, list[str]] = field(default_factory=dict)  # by name; that of a column alone is its own
    missing: list[GoField] = field(default_factory=list)  # structs of other files whose columns it has
    is_tagged: bool = False


@dataclass(slots=True)
class Tag:
    """What a tag says: its words by what they mean, with what stands in their brackets."""

    said: dict[str, str] = field(default_factory=dict)
    name: str = ""
    type: str = ""


def read(data: bytes, *, language: str, path: str) -> Facts | None:  # noqa: ARG001 - as every framework is asked
    """Return the tables of a file's structs, None where there are none.

    The structs of migrations are parts of tables as they once were, so those of the models count.
    """
    if not MIGRATION_FOLDERS.isdisjoint(path.lower().split("/")[:-1]) or path.endswith("_test.go"):
        return None
    reading = _Reading(read_go(data))
    operations = tuple(CreateTable(table) for table in reading.tables())
    if not operations and not reading.unparsed:
        return None
    unparsed = tuple(reading.unparsed)
    return Facts(statements=len(operations) + len(unparsed), unparsed=unparsed, operations=operations)


@cache
def _tags() -> Tags:
    return framework_data("xorm", "tags.toml", Tags)


class _Reading:
    """The structs of a file, and the tables that they declare."""

    def __init__(self, file: File) -> None:
        self.unparsed: list[Unparsed] = []
        self._file = file
        self._parts = {  # the structs that others hold as JSON, or embed without a word; rows of queries extend tables
            one.type.lstrip("[]*")
            for struct in file.structs.values()
            for one in struct.fields
            if _tag(one).said.keys().isdisjoint({"left out", "extends"})
        }

    def tables(self) -> Iterator[Table]:
        """Yield the table of each model; of several structs of one table, that of the first."""
        seen: set[Name] = set()
        for struct in self._file.structs.values():
            table = self._table(struct)
            if table is not None and table.name not in seen:
                seen.add(table.name)
                yield table

    def _table(self, struct: Struct) -> Table | None:
        """Return the table of a struct whose tags say a primary key, or that names its table; None for any other."""
        fields = self._fields(struct)
        if not fields.is_tagged or not (self._is_named(struct) or self._has_key(struct)):
            return None
        name = self._name(struct)
        if name is None:
            self.unparsed.append(unparsed_at(struct.node, "its name is computed at run time"))
            return None
        self.unparsed += [
            unparsed_at(one.node, f"the columns of {one.type.lstrip('*')} are in another file")
            for one in fields.missing
        ]
        return Table(
            name,
            columns=with_fields(fields.columns),
            primary_key=tuple(fields.primary_key),
            unique=tuple(dict.fromkeys(map(tuple, fields.unique.values()))),
            comment=struct.comment,
            alias=struct.name,
            origins=(Origin.ORM,),
            sources=(lines_of(struct.node),),
        )

    def _is_named(self, struct: Struct) -> bool:
        return (struct.name, "TableName") in self._file.returns

    def _has_key(self, struct: Struct) -> bool:
        """Tell whether tags of a struct itself say its primary key, and it is no row of a query nor a part of one."""
        tags = [_tag(one) for one in struct.fields]
        joins = any(
            "extends" in tag.said or (one.is_embedded and "left out" not in tag.said)
            for one, tag in zip(struct.fields, tags, strict=True)
        )
        is_model = struct.name[:1].isupper() and struct.name not in self._parts
        return is_model and not joins and any("primary" in tag.said for tag in tags)

    def _name(self, struct: Struct) -> Name | None:
        if not self._is_named(struct):
            return Name(snake(struct.name))
        text = self._file.text_returned(struct.name, "TableName")
        if not text:
            return None
        schema, _, name = text.rpartition(".")
        return Name(name, schema=schema)

    def _fields(self, struct: Struct, depth: int = 0) -> Fields:
        fields = Fields()
        for one in struct.fields:
            self._add(one, fields, depth)
        stated = fields.primary_key
        if not stated:
            for one in struct.fields:
                if one.name in {"ID", "Id"} and one.type == KEY_TYPE and one.name in fields.columns:
                    column = fields.columns[one.name]
                    fields.columns[one.name] = msgspec.structs.replace(column, nullable=False, identity=True)
                    stated.append(column.name)
        return fields

    def _add(self, one: GoField, fields: Fields, depth: int) -> None:
        tag = _tag(one)
        if "left out" in tag.said or (not one.is_embedded and not one.name[:1].isupper()):
            return
        fields.is_tagged = fields.is_tagged or TAG in one.tags
        if "extends" in tag.said or (one.is_embedded and not tag.type):
            self._extend(one, fields, depth)
            return
        is_key = "primary" in tag.said
        column = Column(
            tag.name or snake(one.name),
            tag.type or self._type(one),
            nullable="not null" not in tag.said and not is_key,
            default=tag.said.get("default", ""),
            comment=tag.said.get("comment", "").strip("'") or one.comment,
            values=self._file.values.get(one.type, ()),
            identity="counted" in tag.said,
            source=lines_of(one.node),
        )
        fields.columns[one.name] = column
        if is_key:
            fields.primary_key.append(column.name)
        if "unique" in tag.said:
            fields.unique.setdefault(tag.said["unique"] or f"\0{column.name}", []).append(column.name)

    def _extend(self, one: GoField, fields: Fields, depth: int) -> None:
        """Add the columns of a struct that is a part of another one."""
        struct = self._file.structs.get(one.type)
        if struct is None or depth >= MAX_DEPTH:
            fields.missing.append(one)
            return
        inner = self._fields(struct, depth + 1)
        fields.columns |= {name: column for name, column in inner.columns.items() if name not in fields.columns}
        fields.primary_key += [name for name in inner.primary_key if name not in fields.primary_key]
        fields.unique |= inner.unique
        fields.missing += inner.missing
        fields.is_tagged = fields.is_tagged or inner.is_tagged

    def _type(self, one: GoField) -> str:
        kind = one.type.lstrip("*")
        for _ in range(MAX_DEPTH):
            if kind not in self._file.types:
                break
            kind = self._file.types[kind].lstrip("*")
        return _tags().types.get(kind, "text" if kind.startswith(("[]", "map[")) or kind in self._file.structs else "")


def _tag(one: GoField) -> Tag:
    """Return what a tag says: `xorm:"varchar(25) not null 'nick'"` -> the name nick, the type, and not null."""
    tag = Tag()
    words = list(WORD.finditer(one.tags.get(TAG, "")[:MAX_TAG]))
    position = 0
    while position < len(words):
        match, after = words[position], words[position + 1] if position + 1 < len(words) else None
        position += 1
        if match["name"] is not None:
            tag.name = match["name"]
        elif after is not None and _takes_next(tag, match["word"].lower(), after):
            position += 1
        else:
            _take_word(tag, match, is_alone=len(words) == 1)
    return tag


def _takes_next(tag: Tag, word: str, after: re.Match[str]) -> bool:
    """Note `not null` and `default 0`, whose second word is read with the first; tell whether it is one of them."""
    if word == "not" and (after["word"] or "").lower() == "null":
        tag.said["not null"] = ""
    elif _tags().words.get(word) == "default":
        tag.said["default"] = after[0]
    else:
        return False
    return True


def _take_word(tag: Tag, match: re.Match[str], *, is_alone: bool) -> None:
    """Note a word by itself: one of xorm's, a type, or the column's name where it is the whole tag."""
    word, words = match["word"].lower(), _tags().words
    if word in words:
        tag.said[words[word]] = match["inside"] or ""
    elif word in _tags().columns.types and not tag.type:
        tag.type = match[0]
    elif word == "unsigned" and tag.type:
        tag.type += f" {match[0]}"
    elif is_alone and word not in STAMPS and match["inside"] is None and _is_name(match[0]):
        tag.name = match[0]


def _is_name(word: str) -> bool:
    """Tell whether a word without quotes names a column: `xorm:"user_id"`; words of xorm's own do not."""
    return word.replace("_", "").isalnum() and word.lower() not in OWN_WORDS
