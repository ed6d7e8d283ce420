"""A table in TOML: put in at the end, replaced, taken out; tomlkit reads, and edits what is written on one line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from coderag.agents.formats.errors import LeftAlone
from coderag.agents.formats.line_ends import appended, without_line_ends

__all__ = ["get_toml", "put_toml", "remove_toml"]

HEADER = re.compile(r"^[ \t]*+\[([^\[\]\n]++)\][ \t]*+(?:#[^\n]*+)?\r?$", re.MULTILINE)
MOST_SPANS = 10  # that are tried; each is read as a whole
ANY_HEADER = re.compile(r"^[ \t]*+\[", re.MULTILINE)


def get_toml(text: str, key: tuple[str, ...]) -> Any:
    """Return the value under a key, None if there is none; raises LeftAlone."""
    value: Any = _read(text)
    for name in key:
        if not isinstance(value, dict):
            raise LeftAlone(f"what holds {name!r} is no table")
        value = value.get(name)
        if value is None:
            return None
    return value


def put_toml(text: str, key: tuple[str, ...], value: dict[str, Any]) -> str:
    """Return a text with a table under a key, in place of another; raises LeftAlone."""
    before, old = _read(text), get_toml(text, key)
    expected = _with(before, key, value)
    newline = "\r\n" if "\r\n" in text else "\n"
    block = tomlkit.dumps({"table": value}).partition("\n")[2].rstrip("\n")  # without the header
    block = f"[{'.'.join(key)}]\n{block}".replace("\n", newline)
    candidates = []
    if old is None:
        candidates.append(appended(text, block))
    else:
        candidates += [text[:start] + block + text[end:] for start, end in _spans(text, key)]
    candidates.append(_by_tomlkit(text, key, value))
    return _first_sound(candidates, expected)


def remove_toml(text: str, key: tuple[str, ...]) -> str:
    """Return a text without the table under a key; raises LeftAlone."""
    before = _read(text)
    if get_toml(text, key) is None:
        return text
    expected = _less(before, key)
    candidates = [without_line_ends(text[:start], text[end:]) for start, end in _spans(text, key)]
    candidates.append(_by_tomlkit(text, key, None))
    return _first_sound(candidates, expected, emptied=_emptied(expected, key))


def _spans(text: str, key: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Yield where a table with a header of its own may begin and end, with the tables below it.

    What looks like a header may stand in a text of several lines, so callers try one after the other.
    """
    headers = {found.start(): _key_of(found[1]) for found in HEADER.finditer(text)}
    below = {at for at, name in headers.items() if name[: len(key)] == key}
    every = [found.start() for found in ANY_HEADER.finditer(text)]
    for start in sorted(at for at in below if headers[at] == key)[:MOST_SPANS]:
        end = next((at for at in every if at > start and at not in below), len(text))
        lines = text[start:end].splitlines(keepends=True)
        while lines and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
            lines.pop()  # what stands before the next header belongs to that
        yield start, start + len("".join(lines).rstrip("\r\n"))


def _key_of(header: str) -> tuple[str, ...]:
    try:
        value: Any = tomllib.loads(f"[{header}]")
    except tomllib.TOMLDecodeError:
        return ()
    names = []
    while isinstance(value, dict) and value:
        [(name, value)] = value.items()
        names.append(name)
    return tuple(names)


def _by_tomlkit(text: str, key: tuple[str, ...], value: dict[str, Any] | None) -> str:
    document = tomlkit.parse(text)
    table: Any = document
    try:
        for name in key[:-1]:
            table = table[name]
        if value is None:
            del table[key[-1]]
        else:
            inline = tomlkit.inline_table()
            inline.update(value)
            table[key[-1]] = inline
    except (TOMLKitError, KeyError, TypeError):
        return text
    return document.as_string()


def _first_sound(candidates: list[str], expected: dict[str, Any], *, emptied: dict[str, Any] | None = None) -> str:
    """Return the first text that says what is expected."""
    for candidate in candidates:
        try:
            value = tomllib.loads(candidate)
        except tomllib.TOMLDecodeError:
            continue
        if value in (expected, emptied):
            return candidate
    raise LeftAlone("its layout is beyond what can be edited safely")


def _read(text: str) -> dict[str, Any]:
    try:
        if tomlkit.parse(text).as_string() != text:
            raise LeftAlone("it is no TOML that can be kept as it is")
        return tomllib.loads(text)
    except (TOMLKitError, tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise LeftAlone(f"it is no TOML: {error}") from None


def _with(table: dict[str, Any], key: tuple[str, ...], value: Any) -> dict[str, Any]:
    if len(key) == 1:
        return {**table, key[0]: value}
    return {**table, key[0]: _with(table.get(key[0], {}), key[1:], value)}


def _less(table: dict[str, Any], key: tuple[str, ...]) -> dict[str, Any]:
    if len(key) == 1:
        return {name: value for name, value in table.items() if name != key[0]}
    return {**table, key[0]: _less(table[key[0]], key[1:])}


def _emptied(table: dict[str, Any], key: tuple[str, ...]) -> dict[str, Any]:
    """Return a table without the tables on the way to a key that have become empty: they had no header of their own."""
    for size in range(len(key) - 1, 0, -1):
        inner: Any = table
        for name in key[:size]:
            inner = inner.get(name, {})
        if not inner:
            table = _less(table, key[:size])
    return table
