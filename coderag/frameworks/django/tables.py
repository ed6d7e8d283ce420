"""The names of Django's tables, and the columns, keys and many-to-many tables that its fields make.

https://docs.djangoproject.com/en/stable/ref/models/options/#table-names
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tree_sitter import Node

from coderag.frameworks.django.fields import USER_MODEL, Field
from coderag.sql.records import Column, Evidence, ForeignKey, Name, Origin, Source, Table
from coderag.syntax.languages.python import Code, last_part

__all__ = [
    "AUTO_FIELD",
    "SELF",
    "Target",
    "column_of",
    "foreign_key",
    "full_name",
    "join_table",
    "key_column",
    "table_name",
    "unique_sets",
]

AUTO_FIELD = "BIGINT"  # of the id that Django adds
SELF = "self"
# Models of Django itself whose tables do not follow the rule.
KNOWN_TABLES = {
    "admin.logentry": "django_admin_log",
    "contenttypes.contenttype": "django_content_type",
    "flatpages.flatpage": "django_flatpage",
    "redirects.redirect": "django_redirect",
    "sessions.session": "django_session",
    "sites.site": "django_site",
}


class Target(NamedTuple):
    """The model that a relation means, and what the file says about its table."""

    model: str  # "shop.Order", or USER_MODEL
    table: str
    type: str = ""  # of its primary key, or of the field that the relation names
    column: tuple[str, ...] = ()  # that field's column, none for the primary key


def full_name(model: str, app: str, own: str = "") -> str:
    """Return a model with its app, "shop.Order"; "" where that is not known. `own` is the model that says "self"."""
    if model == SELF:
        model = own
    label, dot, name = model.rpartition(".")
    label = label if dot else app
    return f"{label}.{name}" if name and label else ""


def table_name(model: str) -> str:
    """Return the table of a model "shop.Order" by Django's rule: shop_order.

    https://docs.djangoproject.com/en/stable/ref/models/options/#table-names
    """
    if model == USER_MODEL:
        return USER_MODEL
    return KNOWN_TABLES.get(model.lower(), model.replace(".", "_").lower())


def column_of(field: Field, *, type_of: str = "") -> Column:
    """Return the column of a field; `type_of` is that of the field it refers to."""
    return Column(
        field.column,
        type=field.type or type_of,
        nullable=field.nullable,
        default=field.default,
        comment=field.comment,
        values=field.values,
        generated=field.generated,
        identity=field.identity,
        field=field.name if field.name != field.column else "",
        source=field.source,
    )


def key_column(source: Source) -> Column:
    """Return the id that Django gives to a model without a primary key."""
    return Column("id", AUTO_FIELD, nullable=False, identity=True, source=source)


def foreign_key(field: Field, target: Target, *, evidence: Evidence) -> ForeignKey:
    """Return the key of a field that refers to a model."""
    relation = field.relation
    return ForeignKey(
        (field.column,),
        Name(target.table),
        target.column,
        evidence=evidence if relation is not None and relation.constraint else Evidence.MODEL,
        source=field.source,
        model="" if target.model == USER_MODEL else target.model,
    )


def join_table(near: Target, far: Target, field: Field, *, evidence: Evidence, origin: Origin) -> Table:
    """Return the table that a ManyToManyField makes: an id and a key to either side.

    https://docs.djangoproject.com/en/stable/ref/models/fields/#django.db.models.ManyToManyField.db_table
    """
    names = [last_part(target.model).lower() if target.model != USER_MODEL else "user" for target in (near, far)]
    if names[0] == names[1]:
        names = [f"from_{names[0]}", f"to_{names[1]}"]
    columns = [f"{name}_id" for name in names]
    sides = list(zip(columns, (near, far), strict=True))
    return Table(
        Name(field.join_table or f"{near.table}_{field.name}"),
        columns=(
            key_column(field.source),
            *(Column(column, one.type, nullable=False, source=field.source) for column, one in sides),
        ),
        primary_key=("id",),
        unique=(tuple(columns),),
        alias=f"{near.model}.{field.name}",
        foreign_keys=tuple(
            ForeignKey(
                (column,),
                Name(one.table),
                evidence=evidence,
                source=field.source,
                model="" if one.model == USER_MODEL else one.model,
            )
            for column, one in sides
        ),
        origins=(origin,),
        sources=(field.source,),
    )


def unique_sets(node: Node | None, code: Code, columns: Callable[[str], str]) -> list[tuple[str, ...]]:
    """Return the sets of unique_together, by their columns: one tuple of fields, or a list of such."""
    items = code.items(node) or []
    if items and code.string(items[0]) is not None:
        sets = [code.strings(node)]
    else:
        sets = [code.strings(item) for item in items]
    return [tuple(columns(name) for name in one) for one in sets if one]
