"""Models of Eloquent to what they say about their tables: the name and the relations; the columns are in migrations.

https://laravel.com/docs/eloquent#eloquent-model-conventions
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from coderag.frameworks.common.origins import lines_of
from coderag.sql.records import Describe, Facts, Name, Origin, Relation, Shared, Table
from coderag.syntax.trees.string_literals import string_value
from coderag.syntax.trees.tree import argument_nodes, descendants, named, parse, text_of
from coderag.text.inflection import plural, snake_case

__all__ = ["read"]

BASES = re.compile(r"(?:^|\\)(?:Model|Authenticatable|Pivot|MorphPivot)$")
OWN_BASES = re.compile(r"(?:^|\\)\w+Model$")  # of a project, which need not be Eloquent's: see SIGNS
SIGNS = re.compile(
    rb"Illuminate|Eloquent|HasFactory|SoftDeletes"
    rb"|\$(?:table|fillable|guarded|casts|hidden|visible|dates|timestamps|primaryKey|incrementing|connection|appends|with)\b"
    rb"|->(?:has(?:Many|One)(?:Through)?|belongsTo(?:Many)?|morph(?:Many|One|To|ToMany))\("
)
RELATIONS = frozenset("hasMany hasOne belongsTo belongsToMany hasManyThrough hasOneThrough morphMany morphOne".split())
CLASS = "::class"


def read(data: bytes, *, language: str, path: str) -> Facts | None:  # noqa: ARG001 - as every framework is asked
    """Return the facts of the models of a file, None without models."""
    bases = (BASES, OWN_BASES) if SIGNS.search(data) is not None else (BASES,)
    models = [
        (base, model)
        for model in descendants(parse(data, language), "class_declaration")
        if (base := _base(model, bases)) is not None
    ]
    if not models:
        return None
    tables = [table for _, model in models if (table := _table(model)) is not None]
    return Facts(
        statements=len(tables),
        operations=tuple(Describe(table) for table in tables),
        shared=Shared(extended=tuple(dict.fromkeys(base for base, _ in models))),
    )


def _base(one: Node, bases: Sequence[re.Pattern[str]]) -> str | None:
    """Return the base of a model without its namespace, None for a class that is no model."""
    clause = next(iter(named(one, "base_clause")), None)
    for name in map(text_of, named(clause) if clause is not None else ()):
        if any(pattern.search(name) for pattern in bases):
            return name.rpartition("\\")[2]
    return None


def _table(one: Node) -> Table | None:
    name = text_of(one.child_by_field_name("name"))
    body = one.child_by_field_name("body")
    stated = _stated(body)
    if stated is None or any(text_of(part) == "abstract" for part in one.children):
        return None
    schema, _, plain = (stated or plural(snake_case(name))).rpartition(".")
    return Table(
        Name(plain, schema=schema),
        alias=name,
        relations=tuple(_relations(body)),
        origins=(Origin.ORM,),
        sources=(lines_of(one),),
    )


def _stated(body: Node | None) -> str | None:
    """Return what `$table` says, "" where it is not there, None where it is computed."""
    for declaration in named(body, "property_declaration"):
        for element in named(declaration, "property_element"):
            parts = named(element)
            if parts and text_of(parts[0]) == "$table":
                return string_value(parts[-1]) if len(parts) > 1 else ""
    return ""


def _relations(body: Node | None) -> Iterator[Relation]:
    for method in named(body, "method_declaration"):
        for call in descendants(method, "member_call_expression"):
            if text_of(call.child_by_field_name("name")) not in RELATIONS:
                continue
            nodes = argument_nodes(call)
            target = text_of(nodes[0]) if nodes else ""
            if target.endswith(CLASS):
                model = target.removesuffix(CLASS).rpartition("\\")[2]
                key = string_value(named(nodes[1])[-1]) if len(nodes) > 1 and named(nodes[1]) else None
                is_own = text_of(call.child_by_field_name("name")) == "belongsTo"
                called = text_of(method.child_by_field_name("name"))
                yield Relation(called, model, columns=(key or f"{snake_case(called)}_id",) if is_own else ())
                break
