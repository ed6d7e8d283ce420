"""The classes of Django's and other libraries' model fields to what they are in the database.

https://docs.djangoproject.com/en/stable/ref/models/fields/
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tree_sitter import Node

from coderag.frameworks.sqlalchemy.fields import returned_by
from coderag.sql.records import FieldKind
from coderag.syntax.languages.python import Class, Code, definition_of, last_part
from coderag.syntax.trees.tree import named

__all__ = ["MANY", "OTHERS", "RELATIONS", "TYPES", "Kind", "defined_kinds", "is_own", "kind_of", "kind_of_class"]

# The types of PostgreSQL, as Django's backend names them, in words that every dialect knows.
TYPES = {
    "AutoField": "INTEGER",
    "BigAutoField": "BIGINT",
    "BigIntegerField": "BIGINT",
    "BigIntegerRangeField": "INT8RANGE",
    "BinaryField": "BYTEA",
    "BooleanField": "BOOLEAN",
    "CICharField": "CITEXT",
    "CIEmailField": "CITEXT",
    "CITextField": "CITEXT",
    "CharField": "VARCHAR",
    "CommaSeparatedIntegerField": "VARCHAR",
    "DateField": "DATE",
    "DateRangeField": "DATERANGE",
    "DateTimeField": "TIMESTAMP WITH TIME ZONE",
    "DateTimeRangeField": "TSTZRANGE",
    "DecimalField": "NUMERIC",
    "DecimalRangeField": "NUMRANGE",
    "DurationField": "INTERVAL",
    "EmailField": "VARCHAR",
    "FileField": "VARCHAR",
    "FilePathField": "VARCHAR",
    "FloatField": "DOUBLE PRECISION",
    "GenericIPAddressField": "INET",
    "GeometryCollectionField": "GEOMETRY",
    "GeometryField": "GEOMETRY",
    "HStoreField": "HSTORE",
    "IPAddressField": "INET",
    "ImageField": "VARCHAR",
    "IntegerField": "INTEGER",
    "IntegerRangeField": "INT4RANGE",
    "JSONField": "JSONB",
    "LineStringField": "GEOMETRY",
    "MultiLineStringField": "GEOMETRY",
    "MultiPointField": "GEOMETRY",
    "MultiPolygonField": "GEOMETRY",
    "NullBooleanField": "BOOLEAN",
    "PointField": "GEOMETRY",
    "PolygonField": "GEOMETRY",
    "PositiveBigIntegerField": "BIGINT",
    "PositiveIntegerField": "INTEGER",
    "PositiveSmallIntegerField": "SMALLINT",
    "RasterField": "RASTER",
    "SearchVectorField": "TSVECTOR",
    "SlugField": "VARCHAR",
    "SmallAutoField": "SMALLINT",
    "SmallIntegerField": "SMALLINT",
    "TextField": "TEXT",
    "TimeField": "TIME",
    "URLField": "VARCHAR",
    "UUIDField": "UUID",
}
RELATIONS = frozenset({"ForeignKey", "OneToOneField", "ParentalKey"})
MANY = frozenset({"ManyToManyField"})
WRAPPED = frozenset({"ArrayField", "GeneratedField"})  # whose type is told by the field among their arguments
OTHERS = (
    "django.forms",
    "forms.",
    "serializers.",
    "rest_framework",
    "wtforms",
    "graphene",
    "django_filters",
    "marshmallow",
)
OWN = ("django.db.models", "django.contrib")
FIELD_ENDS = ("Field", "GenericForeignKey", "GenericRelation")
MAX_BASES = 20


class Kind(NamedTuple):
    """What the fields of a class are in the database."""

    like: str = ""  # one of Django's own, "" for none that is known
    stored: bool = True  # it is a column or a relation
    length: int = 0  # where it says none, 0 not known
    type: str = ""  # where it is like none of Django's own
    besides: Mapping[str, str] = {}  # the ends of the names of further columns, with what they are like
    known: bool = True  # else it may be anything, and is taken for a column


UNKNOWN = Kind(known=False)
NONE = Kind(stored=False)


def kind_of(name: str) -> Kind:
    """Return what a field of a class is, by the dotted name of the class."""
    package, last = name.partition(".")[0], last_part(name)
    book = _book()
    of_package = book["packages"].get(package, {})
    besides = of_package.get("besides", {}).get(last, {})
    if last in of_package:
        return _stated(of_package[last])
    if last in TYPES or last in RELATIONS | MANY | WRAPPED:
        return Kind(last)
    if name.startswith(OWN) and not any(last.endswith(end) for end in book["none"]["ends"]):
        return UNKNOWN
    if last in book["fields"]:
        return _stated(book["fields"][last])._replace(besides=besides)
    if last in book["types"]:
        return Kind(type=book["types"][last])
    if last.endswith(tuple(book["none"]["ends"])):
        return NONE
    ends = [one for one in (*TYPES, *RELATIONS, *MANY, *WRAPPED) if last.endswith(one)]
    return Kind(max(ends, key=len)) if ends else UNKNOWN


def kind_of_class(name: str, code: Code) -> Kind:
    """Return what a field of a class is, also of one that the file defines."""
    one = code.classes.get(name)
    return kind_of(name) if one is None else _defined(one, code, MAX_BASES)


def is_own(name: str) -> bool:
    """Tell whether a class is Django's, so that no file of a project defines it."""
    return name.startswith(OWN)


def defined_kinds(code: Code) -> Iterator[FieldKind]:
    """Yield the classes of fields that a file defines."""
    for one in code.classes.values():
        if any(code.dotted(base).startswith(OTHERS) for base in one.bases):
            continue
        if not one.name.endswith(FIELD_ENDS) and not any(_is_field_class(base, code) for base in one.bases):
            continue
        kind = _defined(one, code, MAX_BASES)
        known = kind.type or TYPES.get(kind.like, "")
        if known or not kind.stored:
            yield FieldKind(one.name, type=known, stored=kind.stored)
        else:
            bases = [code.dotted(base) for base in one.bases]
            yield FieldKind(one.name, bases=tuple(base for base in bases if base and not is_own(base)))


def _is_field_class(base: Node, code: Code) -> bool:
    name = code.dotted(base)
    return is_own(name) and (name.endswith(FIELD_ENDS) or last_part(name) in RELATIONS)


def _defined(one: Class, code: Code, depth: int) -> Kind:
    """Return what the fields of a class of the file are: what it says of the column, or what it derives from."""
    written = one.members.get("db_type")
    if written is not None and written.method:
        text = code.string(returned_by(written))
        if text is not None:
            return Kind(type=text.upper())
        if _returns_nothing(written.node):
            return NONE
    found = UNKNOWN
    for base in one.bases:
        above = code.classes.get(code.dotted(base))
        if above is not None and above is not one and depth > 0:
            kind = _defined(above, code, depth - 1)
        else:
            kind = kind_of(code.dotted(base))
        if kind.known:
            found = kind
            break
    if not found.known and _is_apart(one, code):
        return NONE
    return found


def _is_apart(one: Class, code: Code) -> bool:
    """Tell whether a class says that it is no column: `concrete = False`, or no column when it is made."""
    member = one.members.get("concrete")
    if member is not None and code.truth(member.value) is False:
        return True
    return any(line.strip() == b"self.column = None" for line in (one.node.text or b"").splitlines())


def _returns_nothing(function: Node) -> bool:
    """Tell whether a method does nothing but return None."""
    body = named(definition_of(function).child_by_field_name("body"))
    return len(body) == 1 and (body[0].text or b"").strip() in (b"return None", b"return")


def _stated(text: str) -> Kind:
    like, _, length = text.partition(" ")
    return Kind(like, length=int(length or 0)) if like else NONE


@cache
def _book() -> Mapping[str, Mapping[str, Any]]:
    text = Path(__file__).with_name("kinds.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
