"""Structs of Go with tags, `ID int64 `bun:"id,pk"``, to models."""

from __future__ import annotations

import re
from collections.abc import Iterator

from coderag.frameworks.engine.declared.records import Model, ModelField, Models
from coderag.frameworks.engine.model_words import ModelWords
from coderag.sql.version_folders import MIGRATION_FOLDERS
from coderag.syntax.languages.go_structs import File, GoField, Struct, read_go
from coderag.syntax.trees.literals import Literal, Raw, Reference

__all__ = ["declared"]

PART = re.compile(r"(?:[^,()']|\([^()]*\)|'[^']*')+")
MAX_TAG = 2_000  # characters
MAX_DEPTH = 8  # of structs in structs
COLUMN = "column"  # what a tag begins with, where that is no word of its own
JOIN = "join"
POINTERS = "*"


def declared(data: bytes, words: ModelWords, *, path: str) -> Models:
    """Return the models of a file of Go; none of tests, and none of migrations: these are tables as they once were."""
    if path.endswith("_test.go") or not MIGRATION_FOLDERS.isdisjoint(path.lower().split("/")[:-1]):
        return Models(())
    file = read_go(data)
    models = []
    for struct in file.structs.values():
        marker = next((one for one in struct.fields if _is_marker(one, words)), None)
        if marker is None and not _has_key(struct, words):
            continue
        fields = tuple(_fields(struct, file, words))
        options = _said(marker, words) if marker is not None else {}
        models.append(Model(struct.name, fields, options, struct.node, struct.comment, root="Model"))
    return Models(tuple(models), file.values)


def _is_marker(field: GoField, words: ModelWords) -> bool:
    """Tell whether a field says that its struct is a model, and which table it has: an embedded bun.BaseModel."""
    return (field.type if field.is_embedded else field.name) in words.tables.bases


def _has_key(struct: Struct, words: ModelWords) -> bool:
    """Tell whether tags of a struct itself say its primary key, or a relation to others."""
    keys = [key for key, meaning in words.options.items() if meaning in {"primary", "relation"}]
    return struct.name[:1].isupper() and any(key in _said(one, words) for one in struct.fields for key in keys)


def _said(field: GoField, words: ModelWords) -> dict[str, Literal]:
    """Return the words of a tag: what it begins with is a name, of the others one without a value is True."""
    found: dict[str, Literal] = {}
    tag = next((field.tags[name] for name in words.tables.modules if name in field.tags), "")[:MAX_TAG]
    for position, part in enumerate(match[0].strip() for match in PART.finditer(tag)):
        key, colon, value = part.partition(":")
        is_first = position == 0 and not tag.startswith(",")
        if is_first and not colon:
            found["-" if part == "-" else COLUMN] = True if part == "-" else part
        else:
            is_default = words.options.get(key) == "default"
            found[key] = (Raw(value) if is_default else value) if colon else True
    return found


def _fields(struct: Struct, file: File, words: ModelWords, depth: int = 0) -> Iterator[ModelField]:
    """Yield the fields of a struct and of those that it embeds."""
    keys = {own: target for one in struct.fields for own, target in _joined(one, words)}
    for one in struct.fields:
        if _is_marker(one, words):
            continue
        said = _said(one, words)
        inner = file.structs.get(one.type.lstrip(POINTERS))
        if (one.is_embedded and COLUMN not in said and "-" not in said) or "embed" in said:
            if inner is not None and depth < MAX_DEPTH:
                yield from _fields(inner, file, words, depth + 1)
            continue
        if not one.name[:1].isupper():
            continue
        if (key := keys.get(str(said.get(COLUMN, "")))) is not None:
            said["references"] = key
        kind = one.type.lstrip(POINTERS)
        yield ModelField(
            one.name,
            file.types.get(kind, kind) if kind not in words.kinds else kind,
            (),
            said,
            one.node,
            one.comment,
            is_nullable=one.is_pointer,
        )


def _joined(field: GoField, words: ModelWords) -> Iterator[tuple[str, Reference]]:
    """Yield the columns that a relation to one row joins, `rel:belongs-to,join:user_id=id`, with their targets."""
    said = _said(field, words)
    if "belongs-to" not in str(said.get("rel", "")):
        return
    own, _, other = str(said.get(JOIN, "")).partition("=")
    if own and other:
        yield own, Reference(f"{field.type.lstrip(POINTERS).rpartition('.')[2]}.{other}")
