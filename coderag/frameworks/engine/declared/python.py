"""Classes of Python whose fields are calls, `name = CharField(max_length=50)`, to models."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from tree_sitter import Node

from coderag.frameworks.engine.declared.records import Model, ModelField, Models
from coderag.frameworks.engine.model_words import ModelWords
from coderag.syntax.languages.python import Call, Class, Code, last_part, read_python
from coderag.syntax.languages.python_classes import ancestors, base_names, enum_entries, is_enum
from coderag.syntax.trees.literals import COMPUTED, Literal, Number, Reference, as_text
from coderag.syntax.trees.tree import named

__all__ = ["declared"]

BASE = re.compile(
    r"^_?(?:Base|Abstract)|(?:Base|Mixin|Abstract)(?:Model)?$"
)  # names of classes for others to derive from
BARE = frozenset({"object", "Generic", "ABC", "Protocol"})  # bases that bring no columns
MAX_DEPTH = 6  # of lists in lists


def declared(data: bytes, words: ModelWords, *, path: str) -> Models:  # noqa: ARG001 - as every form is asked
    """Return the models of a file of Python."""
    code = read_python(data)
    if not code.imported_from(*words.tables.modules):
        return Models(())
    reading = _Reading(code, words)
    values = {
        one.name: [entry.value for entry in enum_entries(one, code)]
        for one in code.classes.values()
        if is_enum(one, code)
    }
    return Models(tuple(reading.models()), values)


class _Reading:
    """The classes of a file by what they derive from."""

    def __init__(self, code: Code, words: ModelWords) -> None:
        self._code = code
        self._words = words
        self._fields = {one.name: tuple(self._own_fields(one)) for one in code.classes.values()}
        self._parents = {parent.name for one in code.classes.values() for parent in ancestors(one, code)}

    def models(self) -> Iterator[Model]:
        """Yield what the classes declare, in order."""
        for one in self._code.classes.values():
            names = base_names(one, self._code)
            root = next((last_part(name) for name in names if self._is_root(name)), "")
            strange = tuple(name for name in names if self._is_strange(name))
            above = (one, *ancestors(one, self._code))
            fields = {field.name: field for other in reversed(above) for field in self._fields[other.name]}
            if not root and not fields:
                continue
            options = self._options(one)
            yield Model(
                one.name,
                tuple(fields.values()),
                options,
                one.outer,
                one.doc or self._code.comment_above(one.outer),
                strange,
                is_base=not (root or strange) or self._is_base(one, options),
                root=root,
            )

    def _is_root(self, dotted: str) -> bool:
        """Tell whether a name is that of a class which the framework's models derive from."""
        tables = self._words.tables
        module, _, name = dotted.rpartition(".")
        if name not in tables.bases:
            return False
        return self._is_of(module) if module else not set(self._code.stars).isdisjoint(tables.modules)

    def _is_of(self, module: str) -> bool:
        return module.partition(".")[0] in self._words.tables.modules

    def _is_strange(self, dotted: str) -> bool:
        if dotted in self._code.classes or self._is_root(dotted) or last_part(dotted) in BARE:
            return False
        module = dotted.partition(".")[0]
        return "." in dotted and not self._is_of(module) and module not in {"typing", "abc", "enum", "pydantic"}

    def _is_base(self, one: Class, options: Mapping[str, Literal]) -> bool:
        """Tell whether a class is there for others to derive from."""
        said = {self._words.tables.options.get(key): value for key, value in options.items()}
        if "abstract" in said:
            return said["abstract"] is True
        if "table" in said:
            return False
        has_own = bool(self._fields[one.name])
        return (not has_own and (one.name in self._parents or not ancestors(one, self._code))) or (
            BASE.search(one.name) is not None
        )

    def _options(self, one: Class) -> dict[str, Literal]:
        """Return the options of a table: of the class in a model that holds them, or of the model itself."""
        tables = self._words.tables
        holder = one.inner.get(tables.options_class) if tables.options_class else one
        given = {name: literal_of(value, self._code) for name, value in one.keywords.items() if name in tables.options}
        if holder is None:
            return given
        code = self._code.within(one)
        return given | {
            member.name: literal_of(member.value, code)
            for member in holder.members.values()
            if not member.method and member.name in tables.options
        }

    def _own_fields(self, one: Class) -> Iterator[ModelField]:
        code = self._code
        for member in one.members.values():
            if member.method or member.value is None:
                continue
            call = code.call(member.value)
            kind = self._kind(call.name) if call is not None else ""
            if call is None or not kind:
                continue
            options = {name: literal_of(value, code) for name, value in call.keywords.items()}
            values = tuple(literal_of(value, code) for value in call.arguments)
            is_known = kind in self._words.kinds
            yield ModelField(
                member.name, kind, values, options, member.node, code.comment_at(member.node), is_known=is_known
            )

    def _kind(self, dotted: str) -> str:
        """Return the kind of field that a call makes: the framework's own, or that of a class derived from it."""
        module, _, name = dotted.rpartition(".")
        one = self._code.classes.get(dotted)
        if one is not None:
            known = [last_part(base) for base in base_names(one, self._code)]
            return next((base for base in known if base in self._words.kinds), "")
        if name in self._words.kinds and (self._is_of(module) if module else self._code.stars):
            return name
        is_field = bool(self._words.suffix) and name.endswith(self._words.suffix)
        return name if is_field and (module or self._code.stars) else ""


def literal_of(node: Node | None, code: Code, depth: int = 0) -> Literal:
    """Return the value of an expression of Python, COMPUTED where only a run of it knows.

    ("a", 1)                                   -> ("a", Number("1"))
    User.email, where User is a class of the file  -> Reference("User.email")
    """
    if node is not None and node.type == "attribute" and (name := _field_of(node, code)):
        return Reference(name)
    node = code.resolve(node)
    if node is None or depth > MAX_DEPTH:
        return COMPUTED
    if (text := code.string(node)) is not None:
        return text
    match node.type:
        case "none":
            return None
        case "true" | "false":
            return node.type == "true"
        case "integer" | "float" | "unary_operator":
            return Number(code.sql_literal(node)) if code.sql_literal(node) else COMPUTED
        case "identifier" | "attribute":
            return Reference(code.dotted(node)) if code.dotted(node) else COMPUTED
        case "list" | "tuple" | "set":
            return tuple(literal_of(child, code, depth + 1) for child in named(node))
        case "dictionary":
            return {key: literal_of(value, code, depth + 1) for key, value in code.pairs(node).items()}
        case "call":
            return _called(code.call_at(node), code, depth)
    return COMPUTED


def _field_of(node: Node, code: Code) -> str:
    """Return `User.email` where User is a class of the file and no enumeration, "" for anything else."""
    name = code.dotted(node)
    one = code.classes.get(name.partition(".")[0])
    return name if one is not None and not is_enum(one, code) else ""


def _called(call: Call, code: Code, depth: int) -> Literal:
    """Return the arguments of `CompositeKey("a", "b")` and the like, where all are texts."""
    values: Sequence[Literal] = [literal_of(one, code, depth + 1) for one in call.arguments]
    texts = tuple(value for value in values if as_text(value))
    return texts if texts and len(texts) == len(values) else COMPUTED
