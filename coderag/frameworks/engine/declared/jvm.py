"""Classes of Java and Kotlin with annotations, `@ColumnInfo(name = "at") val created: Long`, to models."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from tree_sitter import Node

from coderag.frameworks.engine.declared.records import Model, ModelField, Models
from coderag.frameworks.engine.model_words import ModelWords
from coderag.syntax.languages.jvm import Annotations, Class, Code, Member
from coderag.syntax.trees.literals import Literal, Raw, Reference, as_text, mapping, texts
from coderag.syntax.trees.tree import descendants

__all__ = ["declared"]

KOTLIN = (".kt", ".kts")
NOT_NULL = frozenset({"NonNull", "NotNull", "Nonnull"})
VALUE = "value"  # what an argument without a name is
ENUM = "enum"  # the kind of a field whose type is an enumeration
PLAIN_DEFAULT = re.compile(r"(?i)\A(?:-?\d+(?:\.\d+)?$|\(|(?:null|true|false|current_\w+)$)")
MAX_DEPTH = 8  # of classes in classes, and above each other


def declared(data: bytes, words: ModelWords, *, path: str) -> Models:
    """Return the models of a file of Java or Kotlin."""
    reading = _Reading(Code(data, "kotlin" if path.endswith(KOTLIN) else "java"), words)
    values = {one.name: one.values for one in reading.classes.values() if one.is_enum}
    return Models(tuple(reading.models()), values)


class _Reading:
    """The classes of a file by their annotations, whose arguments are options: "ColumnInfo.name"."""

    def __init__(self, code: Code, words: ModelWords) -> None:
        self.classes = {one.name: one for one in code.classes()}
        self._words = words
        self._used = {option.partition(".")[0] for option in words.options}  # annotations of fields

    def models(self) -> Iterator[Model]:
        """Yield the classes that have a table, and those without one that have columns for the tables of others."""
        for one in self.classes.values():
            root = next((name for name in one.annotations if name in self._words.tables.bases), "")
            has_columns = any(not self._used.isdisjoint(member.annotations) for member in one.members)
            if one.is_enum or not (root or has_columns):
                continue
            missing: list[tuple[Node, str]] = []
            above = [*self._above(one)]
            fields = {field.name: field for part in reversed(above) for field in self._fields(part, missing)}
            options = _options(one.annotations)
            last = above[-1].base
            yield Model(
                one.name,
                tuple(self._with_keys(fields.values(), options)),
                {**options, **_unique(options)},
                one.node,
                one.comment,
                [last] if last and last not in self.classes else [],
                is_base=not root,
                missing=missing,
                root=root,
            )

    def _above(self, one: Class) -> Iterator[Class]:
        """Yield a class and those of the file that it derives from."""
        above: Class | None = one
        for _ in range(MAX_DEPTH):
            if above is None:
                return
            yield above
            above = self.classes.get(above.base)

    def _fields(self, one: Class, missing: list[tuple[Node, str]], depth: int = 0) -> Iterator[ModelField]:
        for member in one.members:
            if member.is_constant or member.is_getter:
                continue
            options = _options(member.annotations)
            said = {self._words.options.get(option, ""): value for option, value in options.items()}
            if said.get("stored") is False:
                continue
            kind = member.type.rpartition(".")[2].partition("<")[0]
            if "embedded" not in said:
                is_nullable = _is_nullable(member, one)
                required = {} if is_nullable else dict.fromkeys(self._required, True)
                yield ModelField(
                    member.name, self._kind(kind), (), {**required, **options, **self._default(options)}, member.node,
                    member.comment, enum=kind, is_nullable=is_nullable,
                )  # fmt: skip
            elif kind in self.classes and depth < MAX_DEPTH:
                prefix = as_text(said.get("prefix"))
                is_nullable = _is_nullable(member, one)
                for field in self._fields(self.classes[kind], missing, depth + 1):
                    yield self._prefixed(field, f"{member.name}.{field.name}", prefix, is_nullable=is_nullable)
            else:
                missing.append((member.node, kind))

    @property
    def _required(self) -> Iterator[str]:
        return (option for option, meaning in self._words.options.items() if meaning == "not null")

    def _kind(self, kind: str) -> str:
        """Return the kind of a type: its name, or ENUM for an enumeration of the file."""
        one = self.classes.get(kind)
        return ENUM if one is not None and one.is_enum and kind not in self._words.kinds else kind

    def _default(self, options: Mapping[str, Literal]) -> dict[str, Literal]:
        """Return a default that is written as a text, as SQL where it is a number, an expression or a word of SQL."""
        return {
            option: Raw(value) if isinstance(value, str) and PLAIN_DEFAULT.match(value) else value
            for option, value in options.items()
            if self._words.options.get(option) == "default"
        }

    def _prefixed(self, field: ModelField, name: str, prefix: str, *, is_nullable: bool) -> ModelField:
        """Return a field of a part of a table with a prefix before its column; it is no key there."""
        meanings = self._words.options
        column = next(option for option, meaning in meanings.items() if meaning == "column")
        stated = next((as_text(value) for key, value in field.options.items() if meanings.get(key) == "column"), "")
        left = {"primary", "column", *({"not null"} if is_nullable else ())}
        rest = {key: value for key, value in field.options.items() if meanings.get(key) not in left}
        options = {**rest, column: prefix + (stated or field.name)}
        return replace(field, name=name, options=options, is_nullable=is_nullable or field.is_nullable)

    def _with_keys(self, fields: Iterable[ModelField], table: Mapping[str, Literal]) -> Iterator[ModelField]:
        """Yield fields: the one that is the key where none is stated, and those that a key of the table refers from."""
        found, meanings = [*fields], self._words.options
        keys = dict(_foreign_keys(table))
        primary = next((option for option, meaning in meanings.items() if meaning == "primary"), "")
        has_key = any(meanings.get(option) == "primary" for field in found for option in field.options)
        for field in found:
            if not has_key and field.name in self._words.tables.key_fields:
                field = field.with_options({primary: True})
            column = next((as_text(field.options[key]) for key in field.options if meanings.get(key) == "column"), "")
            if (target := keys.get(column or field.name)) is not None:
                field = field.with_options({"references": target})
            yield field


def _options(annotations: Annotations) -> dict[str, Literal]:
    """Return annotations and their arguments by name: {"PrimaryKey": True, "PrimaryKey.autoGenerate": True}."""
    found: dict[str, Literal] = {}
    for name, (annotation, *_) in annotations.items():
        found[name] = True
        found.update({f"{name}.{argument}": value for argument, value in annotation.arguments.items()})
    return found


def _inner(options: Mapping[str, Literal], option: str) -> Iterator[Mapping[str, Literal]]:
    """Yield the annotations that arguments of a name list."""
    for key, value in options.items():
        if key.rpartition(".")[2] == option:
            yield from map(mapping, value if isinstance(value, tuple) else (value,))


def _unique(options: Mapping[str, Literal]) -> dict[str, Literal]:
    """Return the columns of unique indexes, `indices = [Index(value = ["a", "b"], unique = true)]`."""
    groups = tuple(
        columns
        for index in _inner(options, "indices")
        if index.get("unique") is True and (columns := texts(index.get(VALUE)))
    )
    return {"unique": groups} if groups else {}


def _foreign_keys(options: Mapping[str, Literal]) -> Iterator[tuple[str, Reference]]:
    """Yield the columns of keys of one column, and what they refer to: `foreignKeys = [ForeignKey(A::class, ...)]`."""
    for key in _inner(options, "foreignKeys"):
        target, own, other = key.get("entity"), texts(key.get("childColumns")), texts(key.get("parentColumns"))
        if isinstance(target, Reference) and own and len(own) == 1:
            entity = target.name.removesuffix("::class").rpartition(".")[2]
            yield own[0], Reference(f"{entity}.{other[0] if other else ''}")


def _is_nullable(member: Member, one: Class) -> bool:
    """Tell whether a column may be null: by its type, or by an annotation."""
    if member.is_primitive or not NOT_NULL.isdisjoint(member.annotations):
        return False
    is_kotlin = one.node.type == "class_declaration" and member.node.type in {"class_parameter", "property_declaration"}
    return not is_kotlin or next(descendants(member.node, "nullable_type"), None) is not None
