"""Models as they are written, before the words of a framework say what they mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from coderag.syntax.trees.literals import Literal

__all__ = ["Model", "ModelField", "Models"]


@dataclass(frozen=True, slots=True)
class ModelField:
    """A field as it is written: `name = CharField(max_length=50)`, `val name = varchar("name", 50).nullable()`.

    `options` are keywords, calls that follow in the chain, words of a tag or attribute; one without a value is True.
    """

    name: str
    kind: str  # what makes the field, or its type
    values: Sequence[Literal]
    options: Mapping[str, Literal]
    node: Node
    comment: str = ""
    is_nullable: bool = False  # its type says so
    is_known: bool = True  # a kind that the framework has, or one derived from it
    is_list: bool = False  # a relation to many
    enum: str = ""  # the enumeration of its values, where that is not its kind

    def with_options(self, options: Mapping[str, Literal]) -> ModelField:
        """Return the field with further options."""
        return replace(self, options={**self.options, **options})


@dataclass(frozen=True, slots=True)
class Model:
    """A class, object or struct that declares a table, or columns for the tables of others."""

    name: str
    fields: Sequence[ModelField]  # with those of its bases in the file
    options: Mapping[str, Literal]  # of its table, as they are written
    node: Node
    comment: str = ""
    bases: Sequence[str] = ()  # of other files, with dots
    is_base: bool = False  # it has no table of its own
    missing: Sequence[tuple[Node, str]] = ()  # fields with the columns of a class of another file, and its name
    root: str = ""  # the class of the framework that it derives from, which may imply a key; "" where none is known


@dataclass(frozen=True, slots=True)
class Models:
    """The models of a file."""

    models: Sequence[Model]
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)  # of enumerations
