"""One change of a file of settings, and how it is put in, recognised and taken out, whatever the format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from coderag.agents.formats.errors import LeftAlone
from coderag.agents.formats.json_edit import add_item, get_json, items_of, put_json, remove_item, remove_json
from coderag.agents.formats.markdown_block import block_of, put_block, remove_block
from coderag.agents.formats.toml_edit import get_toml, put_toml, remove_toml
from coderag.agents.formats.yaml_edit import get_yaml, put_yaml, remove_yaml, table_of
from coderag.agents.own_command import is_ours

__all__ = ["Edit", "Kind", "applied", "current", "is_empty", "missing_tables", "removed"]

BOM = "\ufeff"


class Kind(StrEnum):
    """What is changed."""

    ENTRY = "entry"  # a table under a key
    ITEM = "item"  # an item of a list
    BLOCK = "block"  # lines between two marks
    FILE = "file"  # a file of coderag's own


@dataclass(frozen=True, slots=True)
class Edit:
    """What is to be in a file; `form` is json, toml, yaml or text."""

    kind: Kind
    form: str
    key: tuple[str, ...] = ()
    value: Any = None  # a table; of a block or file its text

    @property
    def identity(self) -> tuple[str, ...]:
        """What two edits of one file have in common that are the same for two agents."""
        return (self.kind, *self.key)


def current(edit: Edit, text: str) -> Any:
    """Return what coderag has in a text in place of an edit, None for nothing.

    Raises LeftAlone where somebody else's is there, or the text is not understood.
    """
    body = text.removeprefix(BOM)
    if edit.kind is Kind.FILE:
        return body or None
    if edit.kind is Kind.BLOCK:
        return block_of(body)
    if edit.kind is Kind.ITEM:
        return next((item for item in items_of(body, edit.key) if is_ours(item, "hook")), None)
    value = GETTERS[edit.form](body, edit.key)
    if value is not None and not is_ours(value, "mcp"):
        raise LeftAlone(f'{".".join(edit.key)} is there and is not coderag\'s: it does not start "coderag mcp"')
    return value


def applied(edit: Edit, text: str) -> str:
    """Return a text with an edit; raises LeftAlone."""
    mark, body = _marked(text)
    entry = current(edit, text)
    if entry is not None and _same(edit, entry):
        return text
    if edit.kind is Kind.FILE:
        return f"{mark}{edit.value}"
    if edit.kind is Kind.BLOCK:
        return mark + put_block(body, edit.value)
    if edit.kind is Kind.ITEM:
        if entry is None:
            return mark + add_item(body, edit.key, edit.value)
        items = items_of(body, edit.key)
        return mark + put_json(body, edit.key, [edit.value if item == entry else item for item in items])
    return mark + PUTTERS[edit.form](body, edit.key, edit.value)


def removed(edit: Edit, text: str, *, made: int) -> str:
    """Return a text without an edit, and without as many tables around it as were made for it; raises LeftAlone."""
    mark, body = _marked(text)
    entry = current(edit, text)
    if entry is None:
        return text
    if edit.kind is Kind.FILE:
        if entry != edit.value:
            raise LeftAlone("it was edited since; delete it yourself")
        return ""
    if edit.kind is Kind.BLOCK:
        return mark + remove_block(body)
    if edit.kind is Kind.ITEM:
        return mark + remove_item(body, edit.key, items_of(body, edit.key).index(entry), made=made)
    if edit.form == "toml":
        return mark + remove_toml(body, edit.key)
    remove = remove_json if edit.form == "json" else remove_yaml
    return mark + remove(body, edit.key, made=made)


def missing_tables(edit: Edit, text: str) -> int:
    """Return how many tables and lists have to be made for an edit, from the innermost outwards."""
    if edit.kind not in (Kind.ENTRY, Kind.ITEM):
        return 0
    body = text.removeprefix(BOM)
    missing = edit.key if edit.kind is Kind.ITEM else edit.key[:-1]
    count = 0
    while missing and _get(edit.form, body, missing) is None:
        count, missing = count + 1, missing[:-1]
    return count


def is_empty(text: str) -> bool:
    """Tell whether a file of settings says nothing."""
    return text.removeprefix(BOM).strip() in {"", "{}", "[]"}


def _get(form: str, body: str, key: tuple[str, ...]) -> Any:
    if form == "yaml":  # whose entries are read with the table around them
        return table_of(body, key[0])
    return GETTERS[form](body, key)


def _same(edit: Edit, found: Any) -> bool:
    if edit.kind is Kind.BLOCK:
        return bool(found == edit.value.strip())
    if edit.form == "yaml" and edit.kind is Kind.ENTRY:  # whose scalars are texts
        return bool(_texts(found) == _texts(edit.value))
    return bool(found == edit.value)


def _texts(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _texts(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_texts(one) for one in value]
    return str(value)


def _marked(text: str) -> tuple[str, str]:
    """Return the byte order mark of a text, if it has one, and the rest."""
    body = text.removeprefix(BOM)
    return text[: len(text) - len(body)], body


GETTERS: dict[str, Callable[[str, tuple[str, ...]], Any]] = {"json": get_json, "toml": get_toml, "yaml": get_yaml}
PUTTERS: dict[str, Callable[[str, tuple[str, ...], Any], str]] = {"json": put_json, "toml": put_toml, "yaml": put_yaml}
