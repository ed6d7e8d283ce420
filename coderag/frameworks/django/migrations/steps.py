"""The steps of a Django migration, and what they say about the models that they name."""

from __future__ import annotations

from dataclasses import dataclass, field

from coderag.frameworks.common.origins import lines_of
from coderag.frameworks.django.fields import USER_MODEL, Field, use_of
from coderag.frameworks.django.tables import (
    Target,
    full_name,
    table_name,
)
from coderag.sql.records import (
    FieldUse,
    Name,
    SchemaOperation,
    Source,
    Unparsed,
)
from coderag.syntax.languages.python import Call, Code

__all__ = ["COMPUTED", "Reader", "Step"]

COMPUTED = "not read: computed at run time"


@dataclass
class Reader:
    """What a migration does, and what it says about the models that it names."""

    code: Code
    app: str
    path: str
    operations: list[SchemaOperation] = field(default_factory=list)
    unparsed: list[Unparsed] = field(default_factory=list)
    tables: dict[str, str] = field(default_factory=dict)  # "shop.order" -> its table
    fields: dict[str, dict[str, Field]] = field(default_factory=dict)  # "shop.order" -> fields by name
    uses: list[FieldUse] = field(default_factory=list)
    depth: int = 0  # operations within operations

    def use(self, one: Field) -> Field:
        """Note the class of a field where another file may define it, and return the field."""
        if one.kind:
            self.uses.append(use_of(one, self.code))
        return one

    def model(self, name: str) -> str:
        """Return a model of the app with the app's label: "shop.Order"."""
        return full_name(name, self.app)

    def table(self, model: str) -> Name:
        """Return the table of a model "shop.Order": what this file says, or else Django's rule."""
        return Name(self.tables.get(model.lower()) or table_name(model))

    def column(self, model: str, name: str) -> str:
        """Return the column of a field, by its own name where this file does not tell what it is."""
        known = self.fields.get(model.lower(), {}).get(name)
        return known.column if known is not None and known.column else name

    def target(self, model: str, one: Field) -> Target | None:
        """Return what a field refers to, None where that is not written."""
        if one.relation is None:
            return None
        if one.relation.model == USER_MODEL:
            return Target(USER_MODEL, USER_MODEL)
        full = full_name(one.relation.model, self.app, model)
        if not full:
            return None
        fields = self.fields.get(full.lower(), {})
        named = fields.get(one.relation.to_field) if one.relation.to_field else None
        key = named or next((other for other in fields.values() if other.primary_key), None)
        column = (named.column if named is not None else one.relation.to_field,) if one.relation.to_field else ()
        return Target(full, self.table(full).name, key.type if key is not None else "", column)


@dataclass(frozen=True, slots=True)
class Step:
    """A call of an operation."""

    call: Call
    code: Code

    @property
    def source(self) -> Source:
        """The lines of the call."""
        return lines_of(self.call.node)

    def text(self, position: int, keyword: str) -> str:
        """Return an argument that is a string, "" where there is none."""
        return self.code.string(self.call.argument(position, keyword)) or ""
