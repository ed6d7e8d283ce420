"""A Prisma schema to the tables, views and enums that its models stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from coderag.frameworks.common.fields import with_fields
from coderag.frameworks.prisma.blocks import Block, Call, Field, Text, Value, parse_blocks
from coderag.sql.records import (
    Column,
    CreateTable,
    CreateType,
    Evidence,
    Facts,
    ForeignKey,
    Name,
    ObjectKind,
    Origin,
    Relation,
    SchemaOperation,
    Source,
    Table,
    TypeDefinition,
    Unparsed,
)

__all__ = ["read"]

TABLES = frozenset({"model", "view"})
BLOCK = re.compile(rb"\b(?:model|view|enum)[ \t]+\w+[ \t]*\{")
DIALECTS = {
    "postgresql": "postgres",
    "postgres": "postgres",
    "cockroachdb": "postgres",
    "mysql": "mysql",
    "sqlite": "sqlite",
    "sqlserver": "tsql",
}
NOT_SQL = "mongodb"
SCALARS = "String Boolean Int BigInt Float Decimal DateTime Json Bytes".split()
# The type of a column whose field has no native one, in the order of SCALARS.
# https://www.prisma.io/docs/orm/reference/prisma-schema-reference#model-field-scalar-types
TYPES: Mapping[str, Sequence[str]] = {
    "postgres": "text boolean integer bigint double_precision decimal(65,30) timestamp(3) jsonb bytea".split(),
    "mysql": "varchar(191) tinyint(1) int bigint double decimal(65,30) datetime(3) json longblob".split(),
    "sqlite": "text boolean integer bigint real decimal datetime jsonb blob".split(),
    "tsql": "nvarchar(1000) bit int bigint float(53) decimal(32,16) datetime2 nvarchar(max) varbinary(max)".split(),
    "": "text boolean integer bigint double_precision decimal timestamp json bytea".split(),
}
NATIVE_TYPES = {
    "DoublePrecision": "double precision",
    "UnsignedInt": "int unsigned",
    "UnsignedBigInt": "bigint unsigned",
    "UnsignedSmallInt": "smallint unsigned",
    "UnsignedMediumInt": "mediumint unsigned",
    "UnsignedTinyInt": "tinyint unsigned",
}
# What the database counts, and what Prisma's client computes before it writes.
COUNTED = frozenset({"autoincrement", "sequence"})
COMPUTED = frozenset({"uuid", "cuid", "nanoid", "ulid", "auto"})


def read(data: bytes, *, language: str, path: str) -> Facts | None:  # noqa: ARG001 - as every framework is asked
    """Return the tables and enums of a Prisma schema, None where there are none.

    A relation's columns are those of its model where the same file declares it.
    """
    if BLOCK.search(data) is None:
        return None
    blocks = parse_blocks(data.decode("utf-8", "replace"))
    provider = _provider(blocks)
    if provider == NOT_SQL:
        return None
    dialect = DIALECTS.get(provider, "")
    operations = _Reading(blocks, dialect).operations()
    unparsed = [_lost(block) for block in blocks if not block.closed]
    if not operations and not unparsed:
        return None
    return Facts(
        dialect=dialect,
        guess=f"the datasource's provider is {provider}" if dialect else "",
        statements=len(operations) + len(unparsed),
        unparsed=tuple(unparsed),
        operations=tuple(operations),
    )


def _provider(blocks: Sequence[Block]) -> str:
    for block in blocks:
        if block.kind == "datasource" and isinstance(provider := block.settings.get("provider"), Text):
            return provider.value
    return ""


def _lost(block: Block) -> Unparsed:
    head = f"{block.kind} {block.name}"
    return Unparsed(block.source.start_line, head, "the block does not end", table=block.kind in TABLES)


class _Reading:
    """The blocks of a file, and the tables that they declare."""

    def __init__(self, blocks: Sequence[Block], dialect: str) -> None:
        self._dialect = dialect
        self._types = {
            scalar: name.replace("_", " ").replace(",", ", ")
            for scalar, name in zip(SCALARS, TYPES[dialect], strict=True)
        }
        self._enums = {block.name: block for block in blocks if block.kind == "enum"}
        self._models = {block.name: block for block in blocks if block.kind in TABLES}

    def operations(self) -> list[SchemaOperation]:
        """Return the enums, then the tables, then those that only lists on both sides imply."""
        found: list[SchemaOperation] = []
        if self._dialect in {"postgres", ""}:  # the others have no types of their own
            found.extend(CreateType(_enum(block)) for block in self._enums.values())
        found.extend(CreateTable(self._table(block)) for block in self._models.values())
        found.extend(CreateTable(table) for table in self._implied())
        return found

    def _table(self, block: Block) -> Table:
        columns = {one.name: self._column(one) for one in block.fields if self._is_column(one)}
        names = {field: column.name for field, column in columns.items()}
        marked = [(one, names[one.name]) for one in block.fields if one.name in names]
        return Table(
            name=_table_name(block),
            kind=ObjectKind.VIEW if block.kind == "view" else ObjectKind.TABLE,
            columns=with_fields(columns),
            primary_key=_listed(block.attribute("id"), names)
            or tuple(name for one, name in marked if "id" in one.attributes),
            unique=(
                *((name,) for one, name in marked if "unique" in one.attributes),
                *(_listed(attribute, names) for attribute in block.attributes if attribute.name == "unique"),
            ),
            foreign_keys=tuple(self._foreign_keys(block, names)),
            comment=block.comment,
            alias=block.name,
            relations=tuple(self._relations(block, names)),
            origins=(Origin.ORM,),
            sources=(block.source,),
        )

    def _column(self, one: Field) -> Column:
        default = one.attributes.get("default")
        value = default.argument() if default is not None else None
        enum = self._enums.get(_type_name(one))
        return Column(
            name=_column_name(one),
            type=self._type(one),
            nullable=one.optional,
            default=_default(value, enum),
            comment=one.comment,
            values=_enum(enum).values if enum is not None else (),
            identity=isinstance(value, Call) and value.name in COUNTED,
            source=one.source,
        )

    def _type(self, one: Field) -> str:
        return self._single_type(one) + "[]" * one.many

    def _single_type(self, one: Field) -> str:
        native = next((call for name, call in one.attributes.items() if name.startswith("db.")), None)
        if native is not None:
            name = native.name.removeprefix("db.")
            size = ", ".join(_written(value) for _, value in native.arguments)
            return NATIVE_TYPES.get(name, name.lower()) + (f"({size})" if size else "")
        name = _type_name(one)
        if name == "Unsupported" and one.type is not None:
            return _written(one.type.argument() or Text(name))
        enum = self._enums.get(name)
        if enum is None:
            return self._types.get(name, name)
        if self._dialect in {"sqlite", "tsql"}:
            return self._types["String"]
        if self._dialect == "mysql":
            return "enum({})".format(", ".join(map(_quoted, _enum(enum).values)))
        return _table_name(enum).name

    def _is_column(self, one: Field) -> bool:
        """Tell whether a field is a column and no relation.

        A type that another file declares may be an enum or a model. Relations that are stated on their other side are
        lists, or optional and nothing else; enums are seldom.
        """
        name = _type_name(one)
        if name in self._models or "relation" in one.attributes:
            return False
        is_known = name in self._types or name in self._enums or name == "Unsupported"
        return is_known or not (one.many or (one.optional and not one.attributes))

    def _relations(self, block: Block, names: Mapping[str, str]) -> Iterator[Relation]:
        for field in block.fields:
            if not self._is_column(field):
                relation = field.attributes.get("relation")
                columns = _named_by(relation.argument("fields"), names) if relation is not None else ()
                yield Relation(field.name, _type_name(field), columns=columns)

    def _foreign_keys(self, block: Block, names: Mapping[str, str]) -> Iterator[ForeignKey]:
        for field in block.fields:
            relation = field.attributes.get("relation")
            columns = _named_by(relation.argument("fields"), names) if relation is not None else ()
            if relation is None or not columns:
                continue
            target = self._models.get(_type_name(field))
            others = {other.name: _column_name(other) for other in target.fields} if target is not None else {}
            constraint = relation.argument("map")
            yield ForeignKey(
                columns=columns,
                table=_table_name(target) if target is not None else Name(_type_name(field)),
                referenced=_named_by(relation.argument("references"), others),
                name=constraint.value if isinstance(constraint, Text) else "",
                evidence=Evidence.MODEL,
                source=field.source,
                model=_type_name(field),
            )

    def _implied(self) -> Iterator[Table]:
        """Yield the tables of relations that are lists on both sides; of A and B it is called _AToB.

        https://www.prisma.io/docs/orm/prisma-schema/data-model/relations/many-to-many-relations
        """
        seen = set()
        for block in self._models.values():
            for field in block.fields:
                target = self._models.get(_type_name(field))
                if target is None or not field.many or not _has_list_back(field, block, target):
                    continue
                sides = sorted((block, target), key=lambda model: model.name)
                label = _string(field.attributes.get("relation")) or f"{sides[0].name}To{sides[1].name}"
                if label not in seen:
                    seen.add(label)
                    yield self._join_table(f"_{label}", sides, field.source)

    def _join_table(self, name: str, sides: Sequence[Block], source: Source) -> Table:
        columns, keys = [], []
        for letter, side in zip("AB", sides, strict=True):
            ids = [field for field in side.fields if "id" in field.attributes]
            kind = self._type(ids[0]) if len(ids) == 1 else ""
            columns.append(Column(name=letter, type=kind, nullable=False, source=source))
            keys.append(
                ForeignKey(
                    columns=(letter,),
                    table=_table_name(side),
                    referenced=tuple(map(_column_name, ids)),
                    evidence=Evidence.MODEL,
                    source=source,
                    model=side.name,
                )
            )
        return Table(
            name=Name(name, schema=_table_name(sides[0]).schema),
            columns=tuple(columns),
            unique=(("A", "B"),),
            foreign_keys=tuple(keys),
            origins=(Origin.ORM,),
            sources=(source,),
        )


def _enum(block: Block) -> TypeDefinition:
    return TypeDefinition(
        name=_table_name(block),
        kind=ObjectKind.ENUM,
        values=tuple(map(_column_name, block.fields)),
        comment=block.comment,
        source=block.source,
    )


def _has_list_back(one: Field, block: Block, target: Block) -> bool:
    label = _string(one.attributes.get("relation"))
    return any(
        other.many
        and _type_name(other) == block.name
        and _string(other.attributes.get("relation")) == label
        and (target is not block or other.name != one.name)
        for other in target.fields
    )


def _table_name(block: Block) -> Name:
    return Name(_string(block.attribute("map")) or block.name, schema=_string(block.attribute("schema")))


def _column_name(one: Field) -> str:
    return _string(one.attributes.get("map")) or one.name


def _type_name(one: Field) -> str:
    return one.type.name if one.type is not None else ""


def _string(call: Call | None) -> str:
    """Return the string of an attribute such as @map: its first argument, or the one called name."""
    value = (call.argument() or call.argument("name")) if call is not None else None
    return value.value if isinstance(value, Text) else ""


def _listed(call: Call | None, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return the columns of @@id or @@unique."""
    return _named_by(call.argument() or call.argument("fields"), names) if call is not None else ()


def _named_by(value: Value | None, names: Mapping[str, str]) -> tuple[str, ...]:
    fields = value if isinstance(value, tuple) else ()
    return tuple(names.get(field.name, field.name) for field in fields if isinstance(field, Call))


def _default(value: Value | None, enum: Block | None) -> str:
    """Return a default as SQL writes it, "" where the client computes it."""
    if isinstance(value, Call) and enum is not None:
        return _quoted(next((_column_name(field) for field in enum.fields if field.name == value.name), value.name))
    if isinstance(value, Text):
        return _quoted(value.value)
    if not isinstance(value, Call) or value.name in COUNTED | COMPUTED:
        return ""
    if value.name == "dbgenerated":
        return _written(value.argument() or Text(""))
    return "CURRENT_TIMESTAMP" if value.name == "now" else value.name


def _quoted(text: str) -> str:
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def _written(value: Value) -> str:
    if isinstance(value, Text):
        return value.value
    return value.name if isinstance(value, Call) else ", ".join(map(_written, value))
