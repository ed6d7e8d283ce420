"""Which classes and calls of a file are SQLAlchemy tables, and by which name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from coderag.frameworks.common.origins import unparsed_at
from coderag.frameworks.sqlalchemy.columns import COLUMN_CALLS, Field
from coderag.frameworks.sqlalchemy.fields import own_fields, returned_by, type_map
from coderag.sql.records import Name, Unparsed
from coderag.syntax.languages.python import Call, Class, Code, last_part, runs_as_program
from coderag.syntax.languages.python_classes import ancestors, base_names
from coderag.syntax.languages.python_loops import enclosing_loops, rounds
from coderag.syntax.trees.tree import descendants, named, text_of

__all__ = ["Place", "Places", "find_places", "table_arguments"]

LIBRARIES = ("sqlalchemy", "sqlmodel", "flask_sqlalchemy")
OTHER_MODELS = ("django.", "odoo.", "tortoise.", "peewee.", "pony.")  # libraries that have a Model of their own
CAMEL = re.compile(r"((?<=[a-z0-9])[A-Z]|(?!^)[A-Z](?=[a-z]))")  # as flask_sqlalchemy.model.camel_to_snake_case
MAPPERS = ("map_imperatively", "mapper")
ROOTS = frozenset({"DeclarativeBase", "DeclarativeBaseNoMeta"})  # what derives from them is a base of tables
PLAIN = frozenset({"object", "MappedAsDataclass", "ABC"})  # bases that map nothing
CASES: Mapping[str, Callable[[str], str]] = {"lower": str.lower, "upper": str.upper}
COMPUTED_NAME = "the table's name is computed"
MAX_DEPTH = 12
MAX_BASES = 50
MAX_ROUNDS = 500


@dataclass(frozen=True, slots=True)
class Place:
    """A table that a file declares, before its columns are read."""

    name: Name
    node: Node  # the statement or class
    one: Class | None = None
    call: Call | None = None
    alias: str = ""
    comment: str = ""
    code: Code | None = None  # in a loop, what its names stand for
    metadata_schema: str = ""  # what tables and foreign keys belong to that name no schema


@dataclass
class Places:
    """The tables of a file, by the class or variable that holds them."""

    code: Code
    fields: Mapping[str, Mapping[str, list[Field]]]  # class -> attribute -> columns
    all: list[Place] = field(default_factory=list)
    by_variable: dict[str, Place] = field(default_factory=dict)
    unparsed: list[Unparsed] = field(default_factory=list)
    children: dict[str, list[Class]] = field(default_factory=dict)  # class -> those below without a table of their own

    def mapped_parent(self, one: Class) -> Class | None:
        """Return the nearest class above that has a table of its own."""
        return next((base for base in ancestors(one, self.code) if base.name in self.by_variable), None)

    def plain_bases(self, one: Class) -> list[Class]:
        """Return the classes above that have no table, so that what they declare is the class' own; nearest first."""
        classes: list[Class] = []
        waiting = [one]
        while waiting and len(classes) < MAX_BASES:
            for node in waiting.pop(0).bases:
                parent = self.code.classes.get(self.code.dotted(node))
                if parent is None or parent is one or parent in classes:
                    continue
                if parent.name not in self.by_variable and self.mapped_parent(parent) is None:
                    classes.append(parent)
                    waiting.append(parent)
        return classes

    def strange_bases(self, one: Class) -> list[str]:
        """Return the names of the bases that neither the file nor the library defines."""
        code = self.code
        names = [name for name in base_names(one, code) if name not in code.classes and name not in code.names]
        return [name for name in names if not name.startswith(LIBRARIES)]


def find_places(code: Code) -> Places:
    """Return the tables of a file, those of calls first."""
    types = type_map(code)
    sql_model = any("table" in one.keywords for one in code.classes.values())
    fields = {name: own_fields(one, code, types=types, sql_model=sql_model) for name, one in code.classes.items()}
    places = Places(code, fields)
    _find_calls(places)
    for one in code.classes.values():
        _find_class(one, places)
    _find_mappers(places)
    for one in code.classes.values():
        parent = places.mapped_parent(one) if one.name not in places.by_variable else None
        if parent is not None:
            places.children.setdefault(parent.name, []).append(one)
    return places


def table_arguments(one: Class, code: Code) -> list[Node]:
    """Return the elements of a class' own `__table_args__`."""
    if (member := one.members.get("__table_args__")) is None:
        return []
    node = returned_by(member) if member.method else member.value
    if (items := code.within(one).items(node)) is not None:
        return items
    return [node] if node is not None else []


def _find_calls(places: Places) -> None:
    """Note the calls of Table outside of functions."""
    code = places.code
    variables = {value.start_byte: name for name, value in code.names.items()}
    for node, statement, code in _rounds_outside_functions(places.code):
        call = code.call_at(node)
        if last_part(call.name) != "Table" or len(call.arguments) < 2:
            continue
        calls = [code.call(argument) for argument in call.arguments[1:]]
        are_columns = [one is not None and last_part(one.name) in COLUMN_CALLS for one in calls]
        has_column = any(are_columns)
        prefix = text_of(node.child_by_field_name("function")).removesuffix("Table")
        if not has_column and not call.name.startswith(LIBRARIES):
            continue
        if are_columns[0] and not (prefix and text_of(call.arguments[1]).startswith(f"{prefix}Column(")):
            continue  # of another library: the second argument is the metadata, unless `db.Table` adds it
        if (name := code.string(call.arguments[0])) is None:
            if (unparsed := unparsed_at(node, COMPUTED_NAME)) not in places.unparsed:
                places.unparsed.append(unparsed)
            continue
        default = _metadata_schema(call.arguments[1], code)
        schema = code.string(call.keywords.get("schema")) or default
        comment = code.string(call.keywords.get("comment")) or code.comment_above(statement)
        variable = variables.get(node.start_byte)
        place = Place(
            Name(name, schema=schema),
            statement,
            call=call,
            alias=variable if variable is not None and variable != name else "",
            comment=comment,
            metadata_schema=default,
            code=code,
        )
        places.all.append(place)
        if variable is not None:
            places.by_variable[variable] = place


def _rounds_outside_functions(code: Code) -> Iterator[tuple[Node, Node, Code]]:
    """Yield those calls, in a loop as often as it runs, with the code from that point of view."""
    for node, statement in _calls_outside_functions(code.root):
        scopes = [code]
        for loop in (
            enclosing_loops(node) if code.dotted(node.child_by_field_name("function")).endswith("Table") else ()
        ):
            found = [(scope, rounds(loop, scope)) for scope in scopes]
            scopes = [scope.with_names(names) for scope, all_names in found for names in all_names or [{}]]
            if len(scopes) > MAX_ROUNDS:
                scopes = scopes[:1]
        yield from ((node, statement, scope) for scope in scopes)


def _calls_outside_functions(root: Node) -> Iterator[tuple[Node, Node]]:
    """Yield the calls that are made when a module is imported, with the statements that they are in."""
    waiting = [(child, child) for child in reversed(root.named_children)]
    while waiting:
        node, statement = waiting.pop()
        if node.type in {"function_definition", "lambda"} or runs_as_program(node):
            continue
        if node.type == "call":
            yield node, statement
        inside = node.type in {"block", "class_definition"}
        waiting += [(child, child if inside else statement) for child in reversed(node.named_children)]


def _find_mappers(places: Places) -> None:
    """Give the tables the names of the classes that are mapped to them imperatively."""
    code = places.code
    if not any(word.encode() in code.data for word in MAPPERS):
        return
    for node in descendants(code.root, "call"):
        if text_of(node.child_by_field_name("function")).rpartition(".")[2] in MAPPERS:
            call = code.call_at(node)
            place = places.by_variable.get(text_of(call.arguments[1])) if len(call.arguments) > 1 else None
            if place is not None:
                _tie(place, last_part(text_of(call.arguments[0])), places)


def _tie(place: Place, alias: str, places: Places) -> None:
    """Note that a class maps a table which is declared apart from it."""
    one = places.code.classes.get(alias)
    tied = replace(place, alias=alias, comment=place.comment or (one.doc if one else ""))
    places.all = [tied if other is place else other for other in places.all]
    variables = [name for name, other in places.by_variable.items() if other is place]
    places.by_variable |= dict.fromkeys([*variables, alias], tied)


def _find_class(one: Class, places: Places) -> None:
    """Note the table of a class, where it has one of its own."""
    code = places.code
    table = one.members.get("__table__")
    if table is not None and table.value is not None:
        node = code.resolve(table.value)
        found = places.by_variable.get(text_of(table.value)) or next(
            (place for place in places.all if place.call is not None and place.call.node == node), None
        )
        if found is not None:
            _tie(found, one.name, places)
        return
    if not _is_mapped(one, code):
        return
    name = _own_name(one, places)
    if name is None:
        return
    if not name:
        places.unparsed.append(unparsed_at(one.node, COMPUTED_NAME))
        return
    default = _base_schema(one, code)
    schema = _option(one, "schema", places) or default
    comment = " ".join((_option(one, "comment", places) or one.doc or code.comment_above(one.outer)).split())
    place = Place(
        Name(name, schema=schema), one.outer, one=one, alias=one.name, comment=comment, metadata_schema=default
    )
    places.all.append(place)
    places.by_variable[one.name] = place


def _is_mapped(one: Class, code: Code) -> bool:
    """Tell whether a class may have a table: it is neither abstract, nor a base of all others, nor a mere mixin."""
    abstract = one.members.get("__abstract__")
    if abstract is not None and code.truth(abstract.value):
        return False
    bases = [last_part(code.dotted(base)) or text_of(base) for base in one.bases]
    decorators = " ".join(text_of(node) for node in named(one.outer, "decorator"))
    if any(base in ROOTS for base in bases) or "as_declarative" in decorators:
        return False
    return ".mapped" in decorators or any(base not in PLAIN for base in bases)


def _own_name(one: Class, places: Places) -> str | None:
    """Return the name of a class' own table; "" where it is computed, None where it has none.

    `__tablename__ = "users"` -> "users"; a class without columns below one with a table -> None
    """
    code = places.code
    columns = [found for fields in places.fields[one.name].values() for found in fields]
    if "__tablename__" in one.members:
        is_of_subclasses = one.members["__tablename__"].method and not columns
        return None if is_of_subclasses else _written_name(one, one, code)
    if code.truth(one.keywords.get("table")):
        above = _named_ancestor(one, code)
        return _written_name(above, one, code) if above is not None else one.name.lower()
    parent = places.mapped_parent(one)
    has_key = any(column.primary_key for column in columns)
    if parent is not None and not has_key:
        return None  # its columns are in the parent's table
    above = _named_ancestor(one, code)
    if above is not None and (above.members["__tablename__"].method or above is not parent):
        return _written_name(above, one, code) if columns or above is not parent else None
    if _is_flask_model(one, code):
        return CAMEL.sub(r"_\1", one.name).lower()
    if columns and (has_key or "__mapper_args__" in one.members):
        _note_other_file(one, places)
    return None


def _named_ancestor(one: Class, code: Code) -> Class | None:
    """Return the nearest class above that has a `__tablename__`."""
    return next((base for base in ancestors(one, code) if "__tablename__" in base.members), None)


def _note_other_file(one: Class, places: Places) -> None:
    """Note that a class' table is named by a base that another file has; a mixin has no table."""
    strange = [last_part(name) for name in places.strange_bases(one)]
    if strange and not any("mixin" in name.lower() for name in (one.name, *strange)):
        places.unparsed.append(unparsed_at(one.node, f"its table is named by {strange[0]}, which is in another file"))


def _written_name(holder: Class, one: Class, code: Code) -> str | None:
    """Return what a class' `__tablename__` gives for itself or a class below it; as `_own_name` does."""
    member = holder.members["__tablename__"]
    node = returned_by(member) if member.method else member.value
    if node is not None and node.type == "none":
        return None
    if node is None and not member.method:
        return None  # only annotated
    text = code.within(holder).string(node)
    return (text if text is not None else _of_class_name(node, one.name, code, MAX_DEPTH)) or ""


def _of_class_name(node: Node | None, name: str, code: Code, depth: int) -> str | None:
    """Return a string that is made of a class' name, None for any other expression.

    Of Order, `cls.__name__.lower() + "s"` -> "orders"; `f"shop_{cls.__name__}"` -> "shop_Order"
    """
    if node is None or depth == 0:
        return None
    if (text := code.string(node)) is not None:
        return text
    match node.type:
        case "attribute":
            return name if text_of(node.child_by_field_name("attribute")) == "__name__" else None
        case "parenthesized_expression" | "interpolation":
            inner = named(node)
            return _of_class_name(inner[0], name, code, depth - 1) if len(inner) == 1 else None
        case "call":
            return _in_case(node, name, code, depth)
        case "binary_operator" if text_of(node.child_by_field_name("operator")) == "+":
            return _all_of([_of_class_name(child, name, code, depth - 1) for child in named(node)])
        case "string":
            return _all_of(
                _of_class_name(child, name, code, depth - 1) if child.type == "interpolation" else text_of(child)
                for child in named(node, "interpolation", "string_content")
            )
        case _:
            return None


def _in_case(call: Node, name: str, code: Code, depth: int) -> str | None:
    """Return what `.lower()` and `.upper()` make of a string that is made of a class' name."""
    function = call.child_by_field_name("function")
    case = CASES.get(text_of(function.child_by_field_name("attribute"))) if function is not None else None
    if function is None or case is None:
        return None
    text = _of_class_name(function.child_by_field_name("object"), name, code, depth - 1)
    return case(text) if text is not None else None


def _all_of(parts: Iterable[str | None]) -> str | None:
    """Return the parts as one string, None where one of them is unknown."""
    texts = list(parts)
    return None if None in texts else "".join(text for text in texts if text is not None)


def _is_flask_model(one: Class, code: Code) -> bool:
    """Tell whether a class derives from `db.Model`, which derives the table's name from the class'."""
    for base in [base for other in (one, *ancestors(one, code)) for base in other.bases]:
        prefix, dot, last = text_of(base).rpartition(".")
        if last == "Model" and dot and not code.dotted(base).startswith(OTHER_MODELS):
            return f"{prefix}.Column(".encode() in code.data or code.imported_from(*LIBRARIES)
    return False


def _option(one: Class, name: str, places: Places) -> str:
    """Return an entry of the dict in `__table_args__`, a class' own or of a base without a table."""
    for other in (one, *places.plain_bases(one)):
        inside = places.code.within(other)
        for node in table_arguments(other, places.code):
            if (value := inside.pairs(node).get(name)) is not None:
                return inside.string(value) or ""
    return ""


def _base_schema(one: Class, code: Code) -> str:
    """Return the schema of the metadata that a class' base has, "" where the file does not say."""
    for other in (one, *ancestors(one, code)):
        if (member := other.members.get("metadata")) is not None:
            return _metadata_schema(member.value, code)
        for base in other.bases:
            made = code.call(base)  # Base = declarative_base(metadata=...)
            if made is not None and "metadata" in made.keywords:
                return _metadata_schema(made.keywords["metadata"], code)
    return ""


def _metadata_schema(node: Node | None, code: Code) -> str:
    """Return the schema of `MetaData(schema="sales")` or of `Base.metadata`, "" where there is none."""
    call = code.call(node)
    if call is not None and last_part(call.name) == "MetaData":
        return code.string(call.keywords.get("schema")) or ""
    return ""
