"""`models.toml` of a framework as a record: what the fields and options of its models say of tables and columns."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property

import msgspec

from coderag.frameworks.engine.vocabulary import framework_data

__all__ = ["ManyToMany", "ModelWords", "References", "Tables", "Tags", "model_words"]


class Tables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which classes are models, and what is said of their tables."""

    modules: tuple[str, ...] = ()  # of the framework: the beginnings of their names
    bases: frozenset[str] = frozenset()  # classes of the framework that models derive from
    options_class: str = ""  # the class in a model that has the options of its table
    options: Mapping[str, str] = {}  # option -> table, schema, abstract, key, unique, comment
    naming: tuple[str, ...] = ()  # how the name of a class becomes that of a table: NAMINGS of `models`
    key: str = ""  # the column of tables whose models state no key: "id integer"
    keys: Mapping[str, str] = {}  # the same by the class of the framework that a model derives from
    key_fields: frozenset[str] = frozenset()  # fields that are the key where none is stated: "ID int64"
    first: bool = False  # of several models of one table in a file the first counts, others are parts of its rows
    parts: str = ""  # a pattern of names of structs that others embed, which are no tables
    brings: Mapping[str, tuple[str, ...]] = {}  # structs of the framework that are embedded -> "NAME KIND WORD"
    strategy: bool = False  # a program may say once how tables are called whose models do not say it
    alone: bool = False  # a model that only its key tells is no part of another, and has none


class Tags(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the tags of Go's structs are written."""

    name: str = ""
    separator: str = ","  # of its parts: "," ";" " "
    brackets: bool = False  # the value of a part is in brackets behind it, else behind a colon
    named: bool = False  # the first part may be the name of the column
    types: frozenset[str] = frozenset()  # parts that are types of SQL
    other: str = ""  # the kind of lists and structs that are columns
    folded: bool = False  # words are written in any case, and parts as `key:value`, of which any may hold spaces
    wrappers: frozenset[str] = frozenset()  # generic types that stand for what is in them: sql.Null[string]
    columns: frozenset[str] = frozenset()  # words that tell a column from a relation to a struct of another file


class References(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Fields that refer to other models."""

    kinds: Mapping[str, str] = {}  # kind -> the end of the column's name behind that of the field
    to: int = 0  # which argument is the other model
    unique: frozenset[str] = frozenset()  # kinds of which a row has at most one
    type: str = "integer"  # of the column, where the other model is of another file


class ManyToMany(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Fields that stand for a table between two models; {table}, {other}: tables; {model}, {other_model}: classes."""

    kinds: frozenset[str] = frozenset()
    table: str = ""
    own: str = ""
    other: str = ""
    to: int = 0


class ModelWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """What the fields of a framework's models say; see schemas/frameworks/ and CONTRIBUTING.md."""

    form: str  # how models are written: a module of engine/declared/
    types: Mapping[str, str]  # kind of field -> type of its column, "{0|255}" and "{max_length|255}" filled in
    tables: Tables = Tables()
    tags: Tags = Tags()
    sized: Mapping[str, str] = {}  # the same for types that an option gives a size
    conventions: bool = False  # fields that are other models make keys by their names
    column: int = -1  # which argument of a field names its column
    column_naming: tuple[str, ...] = ()
    options: Mapping[str, str] = {}  # option of a field -> MEANINGS of `models`
    counted: frozenset[str] = frozenset()  # kinds that are keys which number themselves
    counted_keys: frozenset[str] = frozenset()  # kinds that number themselves where they are keys
    left_out: frozenset[str] = frozenset()  # kinds that are no columns
    null: bool = False  # columns may be null unless an option says otherwise
    suffix: str = ""  # the end of the names of classes of fields, also of those that others define
    references: References = References()
    many: ManyToMany = ManyToMany()
    nullable: frozenset[str] = frozenset()  # kinds whose columns may be null
    enums: frozenset[str] = frozenset()  # kinds whose first argument is the enumeration of their values

    @cached_property
    def kinds(self) -> frozenset[str]:
        """All kinds of fields that are known."""
        return frozenset((*self.types, *self.references.kinds, *self.many.kinds, *self.left_out))


@cache
def model_words(framework: str) -> ModelWords:
    """Return the words of a framework's models; raises LanguageDataError where its data are wrong."""
    return framework_data(framework, "models.toml", ModelWords)
