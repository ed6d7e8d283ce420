"""Objects of Kotlin whose properties are columns, `val name = varchar("name", 50).nullable()`, to models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from coderag.frameworks.engine.declared.records import Model, ModelField, Models
from coderag.frameworks.engine.model_words import ModelWords
from coderag.syntax.languages.jvm import Code
from coderag.syntax.trees.call_chains import Chain, Link, chain_of
from coderag.syntax.trees.comments import comment_of
from coderag.syntax.trees.literals import Literal, Reference
from coderag.syntax.trees.tree import descendants, named, text_of

__all__ = ["declared"]

MAX_DEPTH = 12  # classes one above the other


def declared(data: bytes, words: ModelWords, *, path: str) -> Models:  # noqa: ARG001 - as every form is asked
    """Return the tables of a file of Kotlin."""
    reading = _Reading(Code(data, "kotlin"), words)
    return Models(tuple(reading.models()))


class _Reading:
    def __init__(self, code: Code, words: ModelWords) -> None:
        self._code = code
        self._words = words

    def models(self) -> Iterator[Model]:
        """Yield what objects and classes declare that derive from a class of the framework."""
        nodes = [*descendants(self._code.root, "object_declaration", "class_declaration")]
        declared = {text_of(node.child_by_field_name("name")): node for node in nodes}
        for name, node in declared.items():
            root, arguments, bases = self._root(node, declared)
            fields = tuple(self._fields(node))
            if not root and not (fields and all(field.is_known for field in fields)):
                continue
            options: dict[str, Literal] = {str(place): value for place, value in enumerate(arguments)}
            options = {key: value for key, value in options.items() if isinstance(value, str)}
            yield Model(
                name,
                fields,
                options | self._keys(node),
                node,
                comment_of(node),
                bases,
                is_base=node.type == "class_declaration",
                root=root,
            )

    def _root(self, node: Node, declared: dict[str, Node], depth: int = 0) -> tuple[str, list[Literal], list[str]]:
        """Return the class of the framework that a table derives from, what is given, and bases of other files."""
        for specifier in descendants(node, "delegation_specifier", into=False):
            made = next(iter(named(specifier, "constructor_invocation")), None)
            kind = next(iter(descendants(specifier, "user_type")), None)
            base = text_of(kind).partition("<")[0].rpartition(".")[2]
            values = [self._code.value(named(one)[-1]) for one in descendants(made, "value_argument")] if made else []
            if base in self._words.tables.bases:
                return base, values, []
            if base in declared and depth < MAX_DEPTH:
                return self._root(declared[base], declared, depth + 1)[0], values, []
            return "", values, [base]
        return "", [], []

    def _fields(self, node: Node) -> Iterator[ModelField]:
        for body in named(node, "class_body"):
            for declaration in named(body, "property_declaration"):
                name = next((text_of(named(one)[0]) for one in named(declaration, "variable_declaration")), "")
                chain = chain_of(named(declaration)[-1]) if named(declaration) else None
                field = self._field(name, chain, declaration) if chain is not None else None
                if field is not None:
                    yield field

    def _field(self, name: str, chain: Chain, node: Node) -> ModelField | None:
        first = chain.links[0]
        if first.arguments is None or not first.name or not name:
            return None
        is_known = first.name in self._words.kinds
        values = self._values(first)
        if not is_known and not (values and isinstance(values[0], str)):
            return None
        options: dict[str, Literal] = {}
        for link in chain.links[1:]:
            given = self._values(link)
            options[link.name] = given[0] if given else True
        for argument in first.arguments:
            if argument.name:
                options[argument.name] = self._code.value(argument.node)
        return ModelField(name, first.name, values, options, node, comment_of(node), is_known=is_known)

    def _values(self, link: Link) -> list[Literal]:
        return [self._code.value(argument.node) for argument in link.arguments or () if not argument.name]

    def _keys(self, node: Node) -> dict[str, Literal]:
        """Return the columns of `PrimaryKey(a, b)` and of `uniqueIndex(a, b)`."""
        found: dict[str, Literal] = {}
        unique: list[Literal] = []
        for body in named(node, "class_body"):
            for one in named(body, "property_declaration", "anonymous_initializer"):
                for call in descendants(one, "call_expression"):
                    chain = chain_of(call)
                    if chain is None or len(chain.links) != 1:
                        continue
                    columns = _names(self._values(chain.links[0]))
                    if chain.links[0].name == "PrimaryKey" and columns:
                        found["PrimaryKey"] = columns
                    elif chain.links[0].name == "uniqueIndex" and columns:
                        unique.append(columns)
        return found | ({"uniqueIndex": tuple(unique)} if unique else {})


def _names(values: Sequence[Literal]) -> tuple[str, ...]:
    return tuple(value.name for value in values if isinstance(value, Reference))
