"""GORM models to tables, by its default naming strategy.

https://gorm.io/docs/models.html and https://gorm.io/docs/conventions.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from coderag.frameworks.common.fields import with_fields
from coderag.frameworks.common.go_names import go_snake
from coderag.frameworks.common.origins import COMPUTED_NAME, lines_of, unparsed_at
from coderag.frameworks.gorm.naming import stated_naming
from coderag.sql.records import (
    Column,
    CreateTable,
    Evidence,
    Facts,
    ForeignKey,
    Name,
    Origin,
    Relation,
    Shared,
    Table,
    Unparsed,
)
from coderag.syntax.languages.go_structs import File, GoField, Struct, read_go
from coderag.syntax.trees.literals import quoted
from coderag.text.inflection import plural, singular

__all__ = ["read"]

IMPORT = re.compile(rb'"(?:gorm\.io/gorm|github\.com/jinzhu/gorm)"')
TYPES = {
    "bool": "boolean",
    "int8": "smallint",
    "int16": "smallint",
    "int32": "integer",
    "int": "bigint",
    "int64": "bigint",
    "uint8": "smallint",
    "byte": "smallint",
    "uint16": "integer",
    "uint32": "bigint",
    "uint": "bigint",
    "uint64": "bigint",
    "rune": "integer",
    "float32": "real",
    "float64": "double precision",
    "string": "text",
    "time.Time": "timestamp",
    "time.Duration": "bigint",
    "[]byte": "blob",
    "[]uint8": "blob",
    "json.RawMessage": "json",
    "datatypes.JSON": "json",
    "datatypes.JSONMap": "json",
    "datatypes.Date": "date",
    "datatypes.Time": "time",
    "datatypes.UUID": "uuid",
    "uuid.UUID": "uuid",
    "uuid.NullUUID": "uuid",
    "ulid.ULID": "text",
    "decimal.Decimal": "numeric",
    "decimal.NullDecimal": "numeric",
    "gorm.DeletedAt": "timestamp",
    "soft_delete.DeletedAt": "bigint",
    "sql.NullString": "text",
    "sql.NullBool": "boolean",
    "sql.NullInt16": "smallint",
    "sql.NullInt32": "integer",
    "sql.NullInt64": "bigint",
    "sql.NullFloat64": "double precision",
    "sql.NullTime": "timestamp",
    "pq.StringArray": "text[]",
    "pq.Int64Array": "bigint[]",
    "pgtype.JSONB": "jsonb",
    "net.IP": "text",
}
GENERIC = re.compile(r"^(?:sql\.Null|datatypes\.(?:JSONType|JSONSlice|Null))\[(.*)\]$")
COUNTED = frozenset("int8 int16 int32 int int64 uint8 uint16 uint32 uint uint64".split())
# What gorm.Model brings.
MODEL = (
    ("ID", "id", "bigint"),
    ("CreatedAt", "created_at", "timestamp"),
    ("UpdatedAt", "updated_at", "timestamp"),
    ("DeletedAt", "deleted_at", "timestamp"),
)
MODELS = frozenset({"gorm.Model"})
RELATION = frozenset(
    "foreignkey association_foreignkey references many2many polymorphic joinforeignkey joinreferences "
    "constraint".split()
)
COLUMN = frozenset(
    "column type size default precision scale not_null unique index uniqueindex primarykey primary_key comment check "
    "serializer autoincrement autocreatetime autoupdatetime".split()
)
# Structs that others embed, by their names; they are no tables by themselves.
ABSTRACT = re.compile(r"(?i)^(?:base.*|.*base|model|.*mixin|timestamps?|audit(?:able)?)$")
ENUM = re.compile(r"(?i)^enum\s*\((.*)\)$")
ENUM_VALUE = re.compile(r"'((?:[^']|'')*)'")
PLAIN_DEFAULT = re.compile(r"(?i)^(?:-?\d+(?:\.\d+)?|true|false|null|[^(\n]*+\(.*\)|'.*'|\".*\"|current_\w+)$")
DEFAULT_KEY = "id"
MAX_DEPTH = 8  # of structs in structs


@dataclass
class Fields:
    """What a struct brings into a table."""

    columns: dict[str, Column] = field(default_factory=dict)  # by field
    primary_key: list[str] = field(default_factory=list)
    unique: list[tuple[str, ...]] = field(default_factory=list)
    groups: dict[str, list[str]] = field(default_factory=dict)  # unique indexes of several fields, by name
    checks: list[str] = field(default_factory=list)
    relations: list[GoField] = field(default_factory=list)
    is_whole: bool = True  # nothing is embedded from another file


def read(data: bytes, *, language: str, path: str) -> Facts | None:  # noqa: ARG001 - as every framework is asked
    """Return the tables of a file's GORM models and the naming strategy that it sets, None where there is neither."""
    reading = _Reading(read_go(data), imports=IMPORT.search(data) is not None)
    operations = tuple(CreateTable(table) for table in reading.tables())
    naming = stated_naming(data, path)
    if not operations and not reading.unparsed and naming is None:
        return None
    unparsed = tuple(reading.unparsed)
    ruled = tuple(reading.named_by_rule(operations))
    shared = Shared(naming=naming, named_by_rule=ruled) if naming is not None or ruled else None
    return Facts(statements=len(operations) + len(unparsed), unparsed=unparsed, operations=operations, shared=shared)


class _Reading:
    """The structs of a file, and the tables that they declare."""

    def __init__(self, file: File, *, imports: bool) -> None:
        self.unparsed: list[Unparsed] = []
        self._file = file
        self._imports = imports
        self._fields: dict[str, Fields] = {}
        self._embedded = {
            go_field.type
            for struct in file.structs.values()
            for go_field in struct.fields
            if (go_field.is_embedded or "embedded" in _options(go_field)) and "-" not in _options(go_field)
        }

    def tables(self) -> Iterator[Table]:
        """Yield the table of each model, then those between it and others."""
        models = {name: struct for name, struct in self._file.structs.items() if self._is_model(struct)}
        keys: dict[str, list[ForeignKey]] = {name: [] for name in models}
        others: list[Table] = []
        for struct in models.values():
            for relation in self._of(struct).relations:
                owner, key = self._key(struct, relation)
                if (
                    key is not None
                    and owner in keys
                    and key.columns not in [foreign_key.columns for foreign_key in keys[owner]]
                ):
                    keys[owner].append(key)
                if (between := self._between(struct, relation)) is not None:
                    others.append(between)
        for name, struct in models.items():
            if (table := self._table(struct, keys[name])) is not None:
                yield table
        yield from others

    def named_by_rule(self, operations: Sequence[CreateTable]) -> Iterator[str]:
        """Yield the models among those of tables that say nothing of the table's name."""
        for operation in operations:
            if (alias := operation.table.alias) and (alias, "TableName") not in self._file.returns:
                yield alias

    def _is_model(self, struct: Struct) -> bool:
        """Tell whether a struct has a table: it has a primary key, or says what its table is called."""
        tagged = any("gorm" in go_field.tags for go_field in struct.fields)
        embeds = any(go_field.is_embedded and go_field.type in MODELS for go_field in struct.fields)
        named_table = (struct.name, "TableName") in self._file.returns
        if not (tagged or embeds or (named_table and self._imports)):
            return False
        if named_table:
            return True
        if struct.name in self._embedded or ABSTRACT.match(struct.name):
            return False
        fields = self._of(struct)
        return bool(fields.primary_key) or (not fields.is_whole and tagged)

    def _name(self, struct: str) -> Name | None:
        """Return the name of a struct's table, None where it is computed."""
        if (struct, "TableName") not in self._file.returns:
            return Name(plural(go_snake(struct)))
        text = self._file.text_returned(struct, "TableName")
        if not text:
            return None
        schema, _, name = text.rpartition(".")
        return Name(name, schema=schema)

    def _target(self, struct: str) -> Name:
        return self._name(struct) or Name(plural(go_snake(struct)))

    def _table(self, struct: Struct, keys: Sequence[ForeignKey]) -> Table | None:
        name = self._name(struct.name)
        if name is None:
            self.unparsed.append(unparsed_at(struct.node, COMPUTED_NAME))
            return None
        fields = self._of(struct)
        for go_field in struct.fields:
            if not go_field.is_embedded or "-" in _options(go_field):
                continue
            if go_field.type not in MODELS and go_field.type not in self._file.structs:
                self.unparsed.append(unparsed_at(go_field.node, f"the columns of {go_field.type} are in another file"))
        if not fields.columns:
            return None
        return Table(
            name,
            columns=with_fields(fields.columns),
            primary_key=tuple(fields.primary_key),
            unique=tuple(dict.fromkeys([*fields.unique, *map(tuple, fields.groups.values())])),
            foreign_keys=tuple(keys),
            checks=tuple(fields.checks),
            comment=struct.comment,
            alias=struct.name,
            relations=tuple(_relations(fields)),
            origins=(Origin.ORM,),
            sources=(lines_of(struct.node),),
        )

    def _of(self, struct: Struct, depth: int = 0) -> Fields:
        if (known := self._fields.get(struct.name)) is not None:
            return known
        fields = Fields()
        stated_key = any(
            "primarykey" in _options(go_field) or "primary_key" in _options(go_field) for go_field in struct.fields
        )
        for go_field in struct.fields:
            self._add(go_field, fields, depth, stated_key=stated_key)
        if depth == 0:
            self._fields[struct.name] = fields
        return fields

    def _add(self, one: GoField, fields: Fields, depth: int, *, stated_key: bool) -> None:
        options = _options(one)
        if "-" in options or (not one.is_embedded and not one.name[:1].isupper()):
            return
        if one.type in MODELS:
            self._add_model(one, fields)
        elif (one.is_embedded or "embedded" in options) and "type" not in options:
            self._embed(one, fields, options, depth)
        elif kind := self._type(one, options):
            column = self._column(one, kind, options)
            fields.columns[one.name] = column
            self._add_keys(one, column, options, fields, stated_key=stated_key)
        else:
            fields.relations.append(one)

    def _add_model(self, one: GoField, fields: Fields) -> None:
        source = lines_of(one.node)
        for own, name, kind in MODEL:
            is_key = name == DEFAULT_KEY
            fields.columns[own] = Column(name, kind, nullable=not is_key, identity=is_key, source=source)
        fields.primary_key.append(DEFAULT_KEY)

    def _embed(self, one: GoField, fields: Fields, options: Mapping[str, str], depth: int) -> None:
        struct = self._file.structs.get(one.type)
        if struct is None or depth >= MAX_DEPTH:
            fields.is_whole = False
            return
        inner = self._of(struct, depth + 1)
        prefix = options.get("embeddedprefix", "")
        for name, column in inner.columns.items():
            fields.columns[name if one.is_embedded else f"{one.name}.{name}"] = replace(
                column, name=f"{prefix}{column.name}"
            )
        fields.primary_key += [f"{prefix}{name}" for name in inner.primary_key] if one.is_embedded else []
        fields.unique += [tuple(f"{prefix}{name}" for name in names) for names in inner.unique]
        fields.relations += inner.relations
        fields.is_whole = fields.is_whole and inner.is_whole

    def _type(self, one: GoField, options: Mapping[str, str]) -> str:
        """Return the type of a column, "" for what is a relation.

        Name string `gorm:"size:40"`  -> "varchar(40)"
        Orders []Order                -> ""
        """
        if stated := options.get("type"):
            return stated
        if not RELATION.isdisjoint(options):
            return ""
        kind = one.type
        for _ in range(MAX_DEPTH):
            if kind not in self._file.types:
                break
            kind = self._file.types[kind].lstrip("*")
        if "serializer" in options:
            return "json" if options["serializer"] == "json" else "text"
        found = TYPES.get(kind) or ("json" if kind.startswith("datatypes.JSON") else "")
        if not found and (generic := GENERIC.match(kind)):
            found = TYPES.get(generic[1], "")
        if found == "text" and options.get("size", "").isdecimal():
            return f"varchar({options['size']})"
        if found == "numeric" and options.get("precision"):
            sizes = [options["precision"], options.get("scale", "")]
            return f"numeric({', '.join(filter(None, sizes))})"
        if found or kind.startswith(("[]", "map[", "func(", "chan ", "interface")):
            return found
        # Of a type of another file it is not known whether it is a struct; tags of columns say that it is not.
        is_struct = kind in self._file.structs
        return " " if not is_struct and not COLUMN.isdisjoint(options) else ""

    def _column(self, one: GoField, kind: str, options: Mapping[str, str]) -> Column:
        enum = ENUM.match(kind)
        values = tuple(value.replace("''", "'") for value in ENUM_VALUE.findall(enum[1])) if enum else ()
        default = options.get("default", "")
        if default and not PLAIN_DEFAULT.match(default):
            default = quoted(default)
        is_key = "primarykey" in options or "primary_key" in options
        return Column(
            options.get("column") or go_snake(one.name),
            kind.strip(),
            nullable="not null" not in options and not is_key,
            default=default if default not in {"null", "NULL"} else "",
            comment=options.get("comment") or one.comment,
            values=values or self._file.values.get(one.type, ()),
            identity="autoincrement" in options and options["autoincrement"] != "false",
            source=lines_of(one.node),
        )

    def _add_keys(
        self, one: GoField, column: Column, options: Mapping[str, str], fields: Fields, *, stated_key: bool
    ) -> None:
        is_key = "primarykey" in options or "primary_key" in options or (not stated_key and one.name in {"ID", "Id"})
        if is_key:
            fields.primary_key.append(column.name)
            counts = one.type in COUNTED and "default" not in options and options.get("autoincrement") != "false"
            alone = len(fields.primary_key) == 1
            fields.columns[one.name] = replace(column, nullable=False, identity=column.identity or (counts and alone))
        if "unique" in options:
            fields.unique.append((column.name,))
        for option in ("uniqueindex", "unique_index", "index"):
            name, *details = options.get(option, "\0").split(",")
            if name == "\0" or any(detail.strip().startswith("where:") for detail in details):
                continue
            if option == "index" and "unique" not in details and "class:UNIQUE" not in details:
                continue
            if name:
                fields.groups.setdefault(name, []).append(column.name)
            else:
                fields.unique.append((column.name,))
        if check := options.get("check"):
            fields.checks.append(check.partition(",")[2] or check)

    # Relations

    def _key(self, struct: Struct, relation: GoField) -> tuple[str, ForeignKey | None]:
        """Return the struct that has the key of a relation, and the key, where it is stated or by convention.

        `User User` beside UserID in Post -> Post and user_id; `Posts []Post` in User -> Post and its user_id.
        """
        options = _options(relation)
        other = relation.type.removeprefix("[]").lstrip("*").rpartition(".")[2]
        if "many2many" in options or "polymorphic" in options or not other[:1].isupper():
            return "", None
        stated = _names(options.get("foreignkey", ""))
        references = _names(_references(options))
        own = self._of(struct)
        names = stated or [f"{relation.name}{reference}" for reference in references or ["ID"]]
        if not relation.type.startswith("[]") and all(name in own.columns for name in names):
            columns = tuple(own.columns[name].name for name in names)
            if names == references and (columns in own.unique or list(columns) == own.primary_key):
                return "", None  # the other one refers to this one's key
            return struct.name, self._foreign_key(columns, other, references, relation)
        names = stated or [f"{struct.name}{reference}" for reference in references or ["ID"]]
        columns = self._columns_of(other, names)
        return (other, self._foreign_key(columns, struct.name, references, relation)) if columns else ("", None)

    def _columns_of(self, name: str, fields: Sequence[str]) -> tuple[str, ...]:
        """Return the columns of fields of a struct; none where it lacks one of them."""
        struct = self._file.structs.get(name)
        columns = self._of(struct).columns if struct is not None else {}
        if not all(one in columns for one in fields):
            return ()
        return tuple(columns[one].name for one in fields)

    def _foreign_key(
        self, columns: tuple[str, ...], target: str, references: Sequence[str], relation: GoField
    ) -> ForeignKey:
        struct = self._file.structs.get(target)
        known = self._of(struct) if struct is not None else Fields()
        if references:
            referenced = [known.columns[name].name if name in known.columns else go_snake(name) for name in references]
        else:
            referenced = known.primary_key if len(known.primary_key) == len(columns) else []
        return ForeignKey(
            columns, self._target(target), tuple(referenced), "", Evidence.MODEL, lines_of(relation.node), target
        )

    def _between(self, struct: Struct, relation: GoField) -> Table | None:
        """Return the table of a relation of many to many."""
        options = _options(relation)
        stated = options.get("many2many", "")
        other = relation.type.removeprefix("[]").lstrip("*").rpartition(".")[2]
        if not stated or not other:
            return None
        name = stated if stated.lower() == stated else plural(go_snake(stated))
        is_self = other == struct.name
        left = go_snake(options.get("joinforeignkey") or f"{struct.name}ID")
        right = go_snake(options.get("joinreferences") or (f"{singular(relation.name)}ID" if is_self else f"{other}ID"))
        source = lines_of(relation.node)
        sides = ((left, struct.name, options.get("foreignkey")), (right, other, options.get("references")))
        columns = tuple(Column(one, self._key_type(to), nullable=False, source=source) for one, to, _ in sides)
        keys = tuple(
            self._foreign_key((one,), to, [referenced] if referenced else [], relation) for one, to, referenced in sides
        )
        return Table(
            Name(name),
            columns=columns,
            primary_key=(left, right),
            foreign_keys=keys,
            origins=(Origin.ORM,),
            sources=(source,),
        )

    def _key_type(self, name: str) -> str:
        struct = self._file.structs.get(name)
        fields = self._of(struct) if struct is not None else Fields()
        return next((column.type for column in fields.columns.values() if [column.name] == fields.primary_key), "")


def _relations(fields: Fields) -> Iterator[Relation]:
    """Yield the fields that lead to other structs."""
    for relation in fields.relations:
        target = relation.type.removeprefix("[]").lstrip("*").rpartition(".")[2]
        if target[:1].isupper():
            yield Relation(relation.name, target)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _references(options: Mapping[str, str]) -> str:
    return options.get("references") or options.get("association_foreignkey", "")


def _options(one: GoField) -> dict[str, str]:
    """Return the options of a gorm tag, their names in lower case."""
    found: dict[str, str] = {}
    for part in re.split(r"(?<!\\);", one.tags.get("gorm", "")):
        key, _, value = part.partition(":")
        if key.strip():
            found[key.strip().lower()] = value.strip()
    if "primary_key" in found:
        found["primarykey"] = found["primary_key"]
    if "not_null" in found:
        found["not null"] = ""
    return found
