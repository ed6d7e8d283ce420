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
    """Return the type of a column; of an enum also its values, and what they mean where they are numbers."""
    annotations = member.annotations
    values: tuple[str, ...] = ()
    comment = ""
    is_text = _ends_with(argument(annotations, "Enumerated", "value"), "STRING")
    enum = classes.get(member.type.rpartition(".")[2])
    if enum is not None and enum.is_enum:
        values = tuple(enum.values) if is_text else tuple(map(str, range(len(enum.values))))
        comment = "" if is_text else ", ".join(f"{number} = {name}" for number, name in enumerate(enum.values))
    if definition := as_text(argument(annotations, "Column", "columnDefinition")):
        return definition, values, comment
    bare = member.type.rpartition(".")[2]
    if "Enumerated" in annotations or (enum is not None and enum.is_enum):
        kind = "varchar" if is_text else "smallint"
    elif "Lob" in annotations:
        kind = "clob" if bare == "String" else "blob"
    elif any(
        _is_json(one)
        for name in TYPED
        for annotation in annotations.get(name, ())
        for one in annotation.arguments.values()
    ):
        kind = "json"
    else:
        kind = TYPES.get(bare, "")
    temporal = argument(annotations, "Temporal", "value")
    kind = "date" if _ends_with(temporal, "DATE") else "time" if _ends_with(temporal, ".TIME") else kind
    if kind in SIZED:
        length = as_text(argument(annotations, "Column", "length")) or as_text(argument(annotations, "Size", "max"))
        kind = f"{kind}({length or DEFAULT_LENGTH})"
    elif kind == EXACT:
        sizes = [as_text(argument(annotations, "Column", name)) for name in ("precision", "scale")]
        kind += f"({', '.join(filter(None, sizes))})" if sizes[0] else ""
    return kind, values, comment


def _ends_with(value: Literal, ending: str) -> bool:
    return isinstance(value, Reference) and f".{value.name}".endswith(ending)


def _is_json(value: Literal) -> bool:
    """Tell whether a type is JSON: `SqlTypes.JSON`, `JsonBinaryType.class`, "jsonb"."""
    return "json" in (value.name if isinstance(value, Reference) else as_text(value)).casefold()
