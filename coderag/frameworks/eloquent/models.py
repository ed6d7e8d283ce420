"""Models of Eloquent to what they say about their tables: the name and the relations; the columns are in migrations.

https://laravel.com/docs/eloquent#eloquent-model-conventions
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from coderag.frameworks.common.origins import lines_of
from coderag.sql.records import Describe, EloquentModel, Facts, Name, Origin, Relation, Shared, Table
from coderag.syntax.trees.string_literals import string_value
from coderag.syntax.trees.tree import argument_nodes, descendants, named, parse, text_of
from coderag.text.inflection import plural, snake_case

__all__ = ["OF_ELOQUENT", "read"]

BASES = re.compile(r"(?:^|\\)(?:Model|Authenticatable|Pivot|MorphPivot)$")
OWN_BASES = re.compile(r"(?:^|\\)\w+Model$")  # of a project, which need not be Eloquent's: see SIGNS
SIGNS = re.compile(
    rb"Illuminate|Eloquent|HasFactory|SoftDeletes"
    rb"|\$(?:table|fillable|guarded|casts|hidden|visible|dates|timestamps|primaryKey|incrementing|connection|appends|with)\b"
    rb"|->(?:has(?:Many|One)(?:Through)?|belongsTo(?:Many)?|morph(?:Many|One|To|ToMany))\("
)
# Of a file with models whose base is another class of the project.
OF_ELOQUENT = re.compile(
    rb"\bEloquent\b|HasFactory|SoftDeletes|->(?:has(?:Many|One)|belongsTo(?:Many)?|morph(?:Many|One|To))\("
)
RELATIONS = frozenset("hasMany hasOne belongsTo belongsToMany hasManyThrough hasOneThrough morphMany morphOne".split())
CLASS = "::class"
NAMESPACE = re.compile(rb"^\s{0,20}namespace\s+([\w\\]+)", re.MULTILINE)
IMPORTED = re.compile(rb"^use\s+\\?((?:\w+\\)*)(\w+)(?:\s+as\s+(\w+))?\s{0,9};", re.MULTILINE)


def read(data: bytes, *, language: str, path: str) -> Facts | None:  # noqa: ARG001 - as every framework is asked
    """Return the facts of the models of a file, None without models.

    A class whose base is one of the project's describes a table too: whether the base is a model, its file says
    (`eloquent.project`).
    """
    signs = SIGNS.search(data) is not None
    may_be_derived = OF_ELOQUENT.search(data) is not None
    models: list[EloquentModel] = []
    tables: list[Table] = []
    for one in descendants(parse(data, language), "class_declaration"):
        base = _base(one)
        is_sure = BASES.search(base) is not None or (signs and OWN_BASES.search(base) is not None)
        if not base or not (is_sure or may_be_derived):
            continue
        name = text_of(one.child_by_field_name("name"))
        models.append(EloquentModel(_qualified(name, data, is_own=True), _qualified(base, data), sure=is_sure))
        if (table := _table(one)) is not None:
            tables.append(table)
    if not models:
        return None
    return Facts(
        statements=len(tables),
        operations=tuple(Describe(table) for table in tables),
        shared=Shared(models=tuple(dict.fromkeys(models))),
    )


def _base(one: Node) -> str:
    """Return the base of a class as it is written, "" without one."""
    clause = next(iter(named(one, "base_clause")), None)
    return next((text_of(name) for name in named(clause)), "") if clause is not None else ""


def _qualified(name: str, data: bytes, *, is_own: bool = False) -> str:
    """Return the name of a class with its namespace: the one that is imported, else that of the file."""
    if name.startswith("\\"):
        return name[1:]
    first, separator, rest = name.partition("\\")
    for match in IMPORTED.finditer(data) if not is_own else ():
        if (match[3] or match[2]).decode() == first:
            return (match[1] + match[2]).decode() + separator + rest
    namespace = NAMESPACE.search(data)
    return f"{namespace[1].decode()}\\{name}" if namespace is not None else name


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
