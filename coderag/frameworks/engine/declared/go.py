"""Structs of Go with tags, `ID int64 `bun:"id,pk"``, to models."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from tree_sitter import Node

from coderag.frameworks.common.go_names import go_snake
from coderag.frameworks.engine.declared.go_tags import COLUMN, TYPE, said_in
from coderag.frameworks.engine.declared.records import Model, ModelField, Models
from coderag.frameworks.engine.model_words import ModelWords
from coderag.sql.version_folders import MIGRATION_FOLDERS
from coderag.syntax.languages.go_structs import File, GoField, Struct, read_go
from coderag.syntax.trees.literals import COMPUTED, Literal, Reference

__all__ = ["declared"]

MAX_DEPTH = 8  # of structs in structs
TABLE_NAME = "TableName"  # the method that returns the name of a struct's table
JOIN = "join"
RELATION = "relation"  # the kind of a field that is another model
RELATIONS = frozenset(  # what words of a tag mean that only a relation has
    {"key", "other column", "own column", "polymorphic", "references", "relation", "through"}
)
WRAPPED = "*[]"


def declared(data: bytes, words: ModelWords, *, path: str) -> Models:
    """Return the models of a file of Go; none of tests, and none of migrations: these are tables as they once were.

    With conventions, which are GORM's, migrations have their structs in functions.
    """
    is_past = not words.conventions and not MIGRATION_FOLDERS.isdisjoint(path.lower().split("/")[:-1])
    if path.endswith("_test.go") or is_past:
        return Models(())
    file = read_go(data)
    return Models(tuple(_Reading(file, words).models()), file.values)


class _Reading:
    """The structs of a file by what their tags say."""

    def __init__(self, file: File, words: ModelWords) -> None:
        self._file = file
        self._words = words
        self._tags: dict[str, tuple[Mapping[str, Literal], frozenset[str]]] = {}
        self._has_method = TABLE_NAME in words.tables.options
        self._parts = {  # the structs that others hold as a value, or embed without a word
            one.type.lstrip(WRAPPED)
            for struct in file.structs.values()
            for one in struct.fields
            if self._meanings(one).isdisjoint({"left out", "embedded"})
        }
        self._part = re.compile(words.tables.parts)
        fields = (one for struct in file.structs.values() for one in struct.fields)
        self._embedded = {one.type for one in fields if self._is_embedded(one)}

    def models(self) -> Iterator[Model]:
        """Yield the structs that have a table."""
        for struct in self._file.structs.values():
            marker = next((one for one in struct.fields if self._is_marker(one)), None)
            is_named = self._has_method and (struct.name, TABLE_NAME) in self._file.returns
            is_model = marker is not None or self._has_key(struct) or self._is_whole_by_others(struct)
            is_named_model = is_named and self._is_tagged(struct)
            if not is_named_model and not (is_model and self._part.fullmatch(struct.name) is None):
                continue
            options = dict(self._said(marker)) if marker is not None else {}
            if is_named:
                options[TABLE_NAME] = self._file.text_returned(struct.name, TABLE_NAME) or COMPUTED
            missing: list[tuple[Node, str]] = []
            fields = {field.name: field for field in self._fields(struct, missing)}
            yield Model(
                struct.name, tuple(self._with_key(fields)), options, struct.node, struct.comment, root="Model",
                missing=missing,
            )  # fmt: skip

    def _read(self, field: GoField) -> tuple[Mapping[str, Literal], frozenset[str]]:
        """Return what a tag says, and what its words mean; the same tag is read once."""
        tag = field.tags.get(self._words.tags.name, "")
        if (known := self._tags.get(tag)) is None:
            said = said_in(tag, self._words)
            meanings = frozenset(self._words.options.get(key, "") for key in said)
            known = self._tags[tag] = said, meanings
        return known

    def _said(self, field: GoField) -> Mapping[str, Literal]:
        return self._read(field)[0]

    def _meanings(self, field: GoField) -> frozenset[str]:
        return self._read(field)[1]

    def _is_marker(self, field: GoField) -> bool:
        """Tell whether a field says that its struct is a model, and which table it has: an embedded bun.BaseModel."""
        return (field.type if field.is_embedded else field.name) in self._words.tables.bases

    def _is_whole_by_others(self, struct: Struct) -> bool:
        """Tell whether a struct embeds one of the framework that has a key, or, with tags, one of another file."""
        brings = self._words.tables.brings
        if not brings or struct.name in self._embedded:
            return False
        embedded = [one.type for one in struct.fields if self._is_embedded(one)]
        is_strange = any(kind not in self._file.structs for kind in embedded)
        is_tagged = any(self._words.tags.name in one.tags for one in struct.fields)
        return any(kind in brings for kind in embedded) or (is_strange and is_tagged)

    def _is_tagged(self, struct: Struct, depth: int = 0) -> bool:
        return any(
            self._words.tags.name in one.tags
            or one.type in self._words.tables.brings
            or (depth < MAX_DEPTH and one.type in self._file.structs and one.is_embedded
                and self._is_tagged(self._file.structs[one.type], depth + 1))
            for one in struct.fields
        )  # fmt: skip

    def _has_key(self, struct: Struct, depth: int = 0) -> bool:
        """Tell whether tags of a struct, or of one that it embeds, say its primary key, or its own a relation."""
        embedded = [one for one in struct.fields if self._is_embedded(one)]
        is_part = struct.name in (self._parts if self._words.tables.alone else self._embedded)
        if (is_part and not depth) or depth > MAX_DEPTH or (self._words.tables.alone and embedded):
            return False
        keys = {"primary", "relation"}
        if struct.name[:1].isupper() and any(not keys.isdisjoint(self._meanings(one)) for one in struct.fields):
            return True
        inner = [found for one in embedded if (found := self._file.structs.get(one.type)) is not None]
        is_tagged = any(self._words.tags.name in one.tags for one in struct.fields)
        return self._has_key_field(struct) or (is_tagged and any(self._has_key(one, depth + 1) for one in inner))

    def _has_key_field(self, struct: Struct) -> bool:
        """Tell whether a struct with tags has a field that is a key without one."""
        tables = self._words.tables
        names = (name for one in struct.fields for name in (one.name, f"{one.name} {one.type}"))
        if tables.key_fields.isdisjoint(names):
            return False
        if not tables.alone:
            return self._is_tagged(struct)
        return struct.name[:1].isupper() and any(map(self._says_column, struct.fields))

    def _says_column(self, field: GoField) -> bool:
        """Tell whether a tag says something of a column: `xorm:"index"`, and not `xorm:"-"` or `xorm:"extends"`."""
        return bool(self._said(field)) and self._meanings(field).isdisjoint({"left out", "embedded"})

    def _is_embedded(self, field: GoField) -> bool:
        said = self._said(field)
        is_part = field.is_embedded and not {COLUMN, TYPE} & said.keys()
        return (is_part or "embedded" in self._meanings(field)) and "left out" not in self._meanings(field)

    def _fields(self, struct: Struct, missing: list[tuple[Node, str]], depth: int = 0) -> Iterator[ModelField]:
        """Yield the fields of a struct and of those that it embeds, whose fields its own hide."""
        keys = {own: target for one in struct.fields for own, target in self._joined(one)}
        own_names = {one.name for one in struct.fields}
        for one in struct.fields:
            kind = one.type.lstrip(WRAPPED[0])
            if self._is_marker(one):
                continue
            if not self._is_embedded(one):
                yield from self._field(one, kind, keys)
            elif kind in self._words.tables.brings:
                yield from self._brought(one)
            elif kind not in self._file.structs or depth >= MAX_DEPTH:
                missing.append((one.node, kind))
            else:
                for field in self._fields(self._file.structs[kind], missing, depth + 1):
                    if not one.is_embedded:
                        yield self._prefixed(field, one)
                    elif field.name not in own_names:
                        yield field

    def _field(self, one: GoField, kind: str, keys: Mapping[str, Reference]) -> Iterator[ModelField]:
        """Yield a field that is a column or a relation."""
        said = self._said(one)
        has_conventions = self._words.conventions
        if not one.name[:1].isupper() or (has_conventions and "left out" in self._meanings(one)):
            return
        if (key := keys.get(str(said.get(COLUMN, "")))) is not None:
            said = {**said, "references": key}
        target = kind.lstrip(WRAPPED).rpartition(".")[2]
        if relation := self._relation(said):
            yield ModelField(one.name, relation, (Reference(kind.lstrip(WRAPPED)),), said, one.node, one.comment)
        elif has_conventions and not self._is_column(kind, said):
            if target[:1].isupper():
                is_list, values = kind.startswith(WRAPPED[1:]), (Reference(target),)
                yield ModelField(one.name, RELATION, values, said, one.node, one.comment, is_list=is_list)
        else:
            if "serialized" in self._meanings(one):
                kind = "json" if said.get("serializer") == "json" else "text"
            yield ModelField(
                one.name, self._kind(kind), (), said, one.node, one.comment, is_nullable=one.is_pointer, enum=kind
            )

    def _brought(self, one: GoField) -> Iterator[ModelField]:
        """Yield the fields of a struct of the framework that is embedded."""
        for stated in self._words.tables.brings[one.type]:
            name, kind, *said = stated.split()
            yield ModelField(name, kind, (), dict.fromkeys(said, True), one.node)

    def _prefixed(self, field: ModelField, outer: GoField) -> ModelField:
        """Return a field of a part of a struct: with a prefix before its column, and no key."""
        if field.kind == RELATION:
            return field
        meanings = self._words.options
        prefix = next((str(value) for key, value in self._said(outer).items() if meanings.get(key) == "prefix"), "")
        column = str(field.options.get(COLUMN, "")) or go_snake(field.name)
        rest = {key: value for key, value in field.options.items() if meanings.get(key) != "primary"}
        return replace(field, name=f"{outer.name}.{field.name}", options={**rest, COLUMN: prefix + column})

    def _is_column(self, kind: str, said: Mapping[str, Literal]) -> bool:
        """Tell whether a field is a column, and no relation to other structs."""
        meanings = {self._words.options.get(key, "") for key in said}
        if not meanings.isdisjoint({"type", "serialized"}):
            return "type" in meanings or meanings.isdisjoint(RELATIONS)
        if not meanings.isdisjoint(RELATIONS):
            return False
        known = self._kind(kind)
        if known in self._words.kinds:
            return True
        # Of a type of another file it is not known whether it is a struct; words of columns say that it is not.
        is_plain = (
            not known.startswith(("[]", "map[", "func(", "chan ", "interface")) and known not in self._file.structs
        )
        return is_plain and not self._words.tags.columns.isdisjoint(said)

    def _relation(self, said: Mapping[str, Literal]) -> str:
        """Return the part of a tag that is a kind of field, `rel(fk)`, "" for none."""
        parts = (f"{key}({value})" for key, value in said.items() if isinstance(value, str))
        return next((part for part in parts if part in self._words.kinds), "")

    def _kind(self, kind: str) -> str:
        """Return a type by what it is defined as, those of a list or struct that the words do not name by `other`."""
        for _ in range(MAX_DEPTH):
            if kind in self._words.kinds or kind not in self._file.types:
                break
            kind = self._file.types[kind].lstrip(WRAPPED[0])
        generic, _, inner = kind.partition("[")
        if generic in self._words.kinds or generic in self._words.tags.wrappers:
            kind = inner.removesuffix("]") if generic in self._words.tags.wrappers else generic
        is_whole = kind.startswith(("[]", "map[")) or kind in self._file.structs
        return self._words.tags.other if is_whole and self._words.tags.other and kind not in self._words.kinds else kind

    def _with_key(self, fields: dict[str, ModelField]) -> Iterator[ModelField]:
        """Yield fields, of which one that has the name and type of a key is one where no tag says which is.

        Of several keys, the database numbers at most the one with such a name.
        """
        words = self._words
        meanings = {meaning: key for key, meaning in words.options.items()}
        counted = meanings.get("counted", "")
        stated = {
            one.name for one in fields.values() if any(words.options.get(key) == "primary" for key in one.options)
        }
        for field in fields.values():
            is_usual = not {field.name, f"{field.name} {field.kind}"}.isdisjoint(words.tables.key_fields)
            if is_usual and not stated:
                said = [meanings["primary"], *([counted] if counted and not words.counted_keys else ())]
                field = field.with_options(dict.fromkeys(said, True))
            elif words.counted_keys and field.name in stated and len(stated) > 1 and not is_usual:
                field = field.with_options({counted: field.options.get(counted, False)})
            yield field

    def _joined(self, field: GoField) -> Iterator[tuple[str, Reference]]:
        """Yield the columns that a relation to one row joins, `rel:belongs-to,join:user_id=id`, with their targets."""
        said = self._said(field)
        if "belongs-to" not in str(said.get("rel", "")):
            return
        own, _, other = str(said.get(JOIN, "")).partition("=")
        if own and other:
            yield own, Reference(f"{field.type.lstrip(WRAPPED[0]).rpartition('.')[2]}.{other}")
