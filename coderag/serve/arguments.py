"""What several tools take: their fields, and how what a language model writes is understood."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from coderag.errors import QueryError

__all__ = ["Budget", "Kinds", "Name", "Paths", "decoded", "words"]

NAME_CHARACTERS = 1_000

Name = Annotated[str, Meta(max_length=NAME_CHARACTERS)]
Budget = Annotated[int, Meta(ge=200, le=50_000, description="tokens of the answer")]
Paths = Annotated[str, Meta(max_length=NAME_CHARACTERS, description='globs: "src/**,!**/legacy/**"')]
Kinds = Annotated[str, Meta(max_length=NAME_CHARACTERS)]


def words(text: str) -> list[str]:
    """Return the items of a list with commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def decoded(tool: str, record: type[msgspec.Struct], given: Mapping[str, Any]) -> Any:
    """Return the arguments of a tool as its record; raises QueryError.

    Language models write lists where a text with commas is meant, numbers as text, and null for what they leave out.
    """
    plain = {name: _plain(value) for name, value in given.items() if value is not None}
    known = [field.name for field in msgspec.structs.fields(record)]
    if unknown := sorted(set(plain) - set(known)):
        raise QueryError(f"{tool} has no argument {unknown[0]!r}; it has {', '.join(known)}")
    try:
        return msgspec.convert(plain, record, strict=False)
    except msgspec.ValidationError as error:
        raise QueryError(f"{tool}: {error}") from None


def _plain(value: Any) -> Any:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ",".join(value)
    return value
