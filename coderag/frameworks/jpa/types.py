"""The types of JPA's properties to those of SQL, as Hibernate maps them, and the values of enums."""

from __future__ import annotations

from collections.abc import Mapping

from coderag.syntax.languages.jvm import Annotations, Class, Member
from coderag.syntax.trees.literals import Literal, Reference, as_text

__all__ = ["argument", "type_of"]

# How Hibernate maps basic types.
# https://docs.jboss.org/hibernate/orm/6.6/userguide/html_single/Hibernate_User_Guide.html#basic
TYPES = {
    "String": "varchar",
    "CharSequence": "varchar",
    "char": "char(1)",
    "Char": "char(1)",
    "Character": "char(1)",
    "boolean": "boolean",
    "Boolean": "boolean",
    "byte": "tinyint",
    "Byte": "tinyint",
    "short": "smallint",
    "Short": "smallint",
    "int": "integer",
    "Int": "integer",
    "Integer": "integer",
    "long": "bigint",
    "Long": "bigint",
    "float": "float",
    "Float": "float",
    "double": "double precision",
    "Double": "double precision",
    "BigDecimal": "numeric",
    "BigInteger": "numeric",
    "Date": "timestamp",
    "Timestamp": "timestamp",
    "Calendar": "timestamp",
    "LocalDate": "date",
    "LocalTime": "time",
    "LocalDateTime": "timestamp",
    "Instant": "timestamp with time zone",
    "OffsetDateTime": "timestamp with time zone",
    "ZonedDateTime": "timestamp with time zone",
    "Duration": "bigint",
    "Year": "integer",
    "UUID": "uuid",
    "byte[]": "varbinary",
    "ByteArray": "varbinary",
    "Blob": "blob",
    "Clob": "clob",
    "Currency": "varchar",
    "Locale": "varchar",
    "URL": "varchar",
    "URI": "varchar",
    "JsonNode": "json",
}
SIZED = frozenset({"varchar", "varbinary"})
EXACT = "numeric"
DEFAULT_LENGTH = "255"
TYPED = ("JdbcTypeCode", "Type")  # annotations of Hibernate that state another type


def argument(annotations: Annotations, name: str, key: str) -> Literal:
    """Return an argument of an annotation, None where either is missing."""
    found = annotations.get(name)
    return found[0].arguments.get(key) if found else None


def type_of(member: Member, classes: Mapping[str, Class]) -> tuple[str, tuple[str, ...], str]:
    """Return the type of a column; of an enum also its values, and what they mean where they are numbers.

    `@Column(length = 9) String name` -> varchar(9); `@Enumerated State state` -> smallint, its values 0 and 1, and
    "0 = OPEN, 1 = CLOSED"
    """
    annotations = member.annotations
    bare = member.type.rpartition(".")[2]
    is_text = _ends_with(argument(annotations, "Enumerated", "value"), "STRING")
    known = classes.get(bare)
    enum = known if known is not None and known.is_enum else None
    values, comment = _values(enum, is_text=is_text) if enum is not None else ((), "")
    if definition := as_text(argument(annotations, "Column", "columnDefinition")):
        return definition, values, comment
    if "Enumerated" in annotations or enum is not None:
        kind = "varchar" if is_text else "smallint"
    else:
        kind = _basic_type(bare, annotations)
    temporal = argument(annotations, "Temporal", "value")
    kind = "date" if _ends_with(temporal, "DATE") else "time" if _ends_with(temporal, ".TIME") else kind
    return _sized(kind, annotations), values, comment


def _values(enum: Class, *, is_text: bool) -> tuple[tuple[str, ...], str]:
    """Return the values of an enum as they are stored, and what they mean."""
    if is_text:
        return tuple(enum.values), ""
    meanings = ", ".join(f"{number} = {name}" for number, name in enumerate(enum.values))
    return tuple(map(str, range(len(enum.values)))), meanings


def _basic_type(bare: str, annotations: Annotations) -> str:
    if "Lob" in annotations:
        return "clob" if bare == "String" else "blob"
    typed = (annotation for name in TYPED for annotation in annotations.get(name, ()))
    if any(_is_json(value) for annotation in typed for value in annotation.arguments.values()):
        return "json"
    return TYPES.get(bare, "")


def _sized(kind: str, annotations: Annotations) -> str:
    """Return a type with its length or precision."""
    if kind in SIZED:
        length = as_text(argument(annotations, "Column", "length")) or as_text(argument(annotations, "Size", "max"))
        return f"{kind}({length or DEFAULT_LENGTH})"
    if kind == EXACT:
        sizes = [as_text(argument(annotations, "Column", name)) for name in ("precision", "scale")]
        return f"{kind}({', '.join(filter(None, sizes))})" if sizes[0] else kind
    return kind


def _ends_with(value: Literal, ending: str) -> bool:
    return isinstance(value, Reference) and f".{value.name}".endswith(ending)


def _is_json(value: Literal) -> bool:
    """Tell whether a type is JSON: `SqlTypes.JSON`, `JsonBinaryType.class`, "jsonb"."""
    return "json" in (value.name if isinstance(value, Reference) else as_text(value)).casefold()
