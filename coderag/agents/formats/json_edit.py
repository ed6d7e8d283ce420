"""An entry in JSON that people write, with comments, trailing commas and any layout: put in, replaced, taken out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from coderag.agents.formats.errors import LeftAlone
from coderag.agents.formats.json_scan import Container, Member, container_at, find, value_of

__all__ = ["add_item", "get_json", "items_of", "put_json", "remove_item", "remove_json"]

UNIT = "  "  # of indentation, where a file shows none
INDENTED = re.compile(r"^([ \t]+)\S", re.MULTILINE)
BLANKS = " \t"


def get_json(text: str, key: tuple[str, ...]) -> Any:
    """Return the value under a key, None if there is none; raises LeftAlone."""
    if not text.strip():
        return None
    value_of(text)
    _, member = find(text, key)
    return None if member is None else value_of(text[member.value : member.end])


def put_json(text: str, key: tuple[str, ...], value: Any) -> str:
    """Return a text with a value under a key, in place of another; raises LeftAlone."""
    if not text.strip():
        return json.dumps(_nested(key, value), indent=UNIT, ensure_ascii=False) + "\n"
    before = value_of(text)
    containers, member = find(text, key)
    style = _Style(text)
    if member is None:
        depth = len(containers) - 1
        missing = _nested(key[depth + 1 :], value)
        after = _inserted(text, containers[-1], lambda indent: style.member(key[depth], missing, indent))
    else:
        indent = style.indent_of(member.start)
        inline = style.inline or "\n" not in text[containers[-1].open : containers[-1].close]
        after = text[: member.value] + style.written(value, indent, inline=inline) + text[member.end :]
    return _checked(after, _with(before, key, value))


def remove_json(text: str, key: tuple[str, ...], *, made: int) -> str:
    """Return a text without what is under a key, nor the tables on the way that it leaves empty.

    Of these, `made` says how many at the end of the way were put in with it. Raises LeftAlone.
    """
    containers, member = find(text, key)
    if member is None:
        return text
    while made and len(containers) > 1 and len(containers[-1].members) == 1:
        made, key = made - 1, key[:-1]
        containers, member = find(text, key)
    if member is None:  # which it was not before
        raise LeftAlone(f"{key[-1]!r} is not there")
    before = value_of(text)
    return _checked(_without(text, containers[-1], member), _less(before, key))


def items_of(text: str, key: tuple[str, ...]) -> list[Any]:
    """Return the items of the list under a key; raises LeftAlone for what is no list."""
    value = get_json(text, key)
    if value is not None and not isinstance(value, list):
        raise LeftAlone(f"{key[-1]!r} is no list")
    return value or []


def add_item(text: str, key: tuple[str, ...], item: Any) -> str:
    """Return a text with one item more at the end of the list under a key; raises LeftAlone."""
    items = items_of(text, key)
    _, member = find(text, key) if text.strip() else ([], None)
    if member is None:
        return put_json(text, key, [item])
    before, style = value_of(text), _Style(text)
    container = container_at(text, member.value)
    after = _inserted(
        text, container, lambda indent: style.written(item, indent, inline=style.inline), start=member.start
    )
    return _checked(after, _with(before, key, [*items, item]))


def remove_item(text: str, key: tuple[str, ...], number: int, *, made: int) -> str:
    """Return a text without one item of the list under a key; an empty list goes with tables as in `remove_json`."""
    items = items_of(text, key)
    if len(items) == 1 and made:
        return remove_json(text, key, made=made - 1)
    _, member = find(text, key)
    if member is None:
        return text
    container = container_at(text, member.value)
    after = _without(text, container, container.members[number])
    return _checked(after, _with(value_of(text), key, [*items[:number], *items[number + 1 :]]))


class _Style:
    """How a text is laid out."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.inline = "\n" not in text.strip()
        self.newline = "\r\n" if "\r\n" in text else "\n"
        indented = INDENTED.search(text)
        self.unit = indented[1] if indented else UNIT

    def indent_of(self, at: int) -> str:
        """Return the blanks that the line of an offset begins with."""
        line = self._text.rfind("\n", 0, at) + 1
        end = line
        while end < len(self._text) and self._text[end] in BLANKS:
            end += 1
        return self._text[line:end]

    def written(self, value: Any, indent: str, *, inline: bool = False) -> str:
        """Return a value as JSON whose further lines are indented."""
        if inline:
            return json.dumps(value, ensure_ascii=False)
        lines = json.dumps(value, indent=self.unit, ensure_ascii=False).split("\n")
        return (self.newline + indent).join(lines)

    def member(self, key: str, value: Any, indent: str) -> str:
        """Return a member of an object."""
        return f"{json.dumps(key, ensure_ascii=False)}: {self.written(value, indent, inline=self.inline)}"


def _inserted(text: str, held: Container, made: Callable[[str], str], *, start: int | None = None) -> str:
    """Return a text with a member more at the end of a container; `made` writes it with an indentation."""
    style = _Style(text)
    inner = text[held.open + 1 : held.close]
    around = style.indent_of(held.open if start is None else start)
    if not held.members:
        if style.inline:
            return text[: held.open + 1] + made("") + text[held.close :]
        indent = around + style.unit
        at = max(held.commented, held.open + 1)
        tail = text[at : held.close]
        tail = tail if "\n" in tail else f"{style.newline}{around}"
        return text[:at] + style.newline + indent + made(indent) + tail + text[held.close :]
    last = held.members[-1]
    after_last = last.end if last.comma is None else last.comma + 1
    at = max(after_last, held.commented)
    between = text[last.end : at] if last.comma is not None else "," + text[last.end : at]
    comma = "" if last.comma is None else ","
    if "\n" not in inner:
        return text[: last.end] + between + " " + made(style.indent_of(last.start)) + comma + text[at:]
    lines = [
        member.start
        for member in held.members
        if not text[text.rfind("\n", 0, member.start) + 1 : member.start].strip()
    ]
    indent = style.indent_of(lines[-1]) if lines else around + style.unit
    return text[: last.end] + between + style.newline + indent + made(indent) + comma + text[at:]


def _without(text: str, held: Container, member: Member) -> str:
    """Return a text without a member of a container, nor the comma and the line that came with it."""
    start = _back(text, member.start)
    if len(held.members) == 1:
        if held.commented:
            return text[:start] + text[member.end if member.comma is None else member.comma + 1 :]
        return text[: held.open + 1] + text[held.close :]
    if member.comma is not None:
        first = member is held.members[0] and "\n" not in text[held.open : member.start]
        after = member.comma + 1
        while first and text[after] in BLANKS:
            after += 1
        return text[:start] + text[after:]
    previous = held.members[held.members.index(member) - 1]
    if previous.comma is None:  # which sound JSON has not
        raise LeftAlone("a comma is missing")
    return text[: previous.comma] + text[previous.comma + 1 : start] + text[member.end :]


def _back(text: str, at: int) -> int:
    """Return where the blanks before an offset begin, with the end of the line before if there is nothing else."""
    while at and text[at - 1] in BLANKS:
        at -= 1
    if at and text[at - 1] == "\n":
        at -= 1
        at -= text[at - 1 : at] == "\r"
    return at


def _nested(key: tuple[str, ...], value: Any) -> Any:
    for name in reversed(key):
        value = {name: value}
    return value


def _with(table: Any, key: tuple[str, ...], value: Any) -> Any:
    """Return a table with another value under a key."""
    if not key:
        return value
    return {**table, key[0]: _with(table.get(key[0], {}), key[1:], value)}


def _less(table: Any, key: tuple[str, ...]) -> Any:
    """Return a table without what is under a key."""
    if len(key) == 1:
        return {name: value for name, value in table.items() if name != key[0]}
    return {**table, key[0]: _less(table[key[0]], key[1:])}


def _checked(text: str, value: Any) -> str:
    """Return a text whose value is as expected, and else leave the file alone."""
    if value_of(text) != value:
        raise LeftAlone("its layout is beyond what can be edited safely")
    return text
