"""An entry in a mapping of YAML: put in, replaced, taken out, line by line; what it says is read by PyYAML."""

from __future__ import annotations

import json
from typing import Any

from coderag.agents.formats.errors import LeftAlone
from coderag.text.yaml_lines import Table, load_yaml

__all__ = ["get_yaml", "put_yaml", "remove_yaml", "table_of", "yaml_document"]

UNIT = "  "


def yaml_document(value: dict[str, Any]) -> str:
    """Return a value as a YAML document."""
    return "\n".join(_lines(value, "")) + "\n"


def get_yaml(text: str, key: tuple[str, ...]) -> Any:
    """Return the value under a key of two names, None if there is none; raises LeftAlone."""
    _, entry = _entry(text, key)
    return entry


def put_yaml(text: str, key: tuple[str, ...], value: dict[str, Any]) -> str:
    """Return a text with a mapping under a key of two names, in place of another; raises LeftAlone."""
    outer, old = _entry(text, key)
    if old is not None:
        lines = text.splitlines(keepends=True)
        start, end, indent = _block(lines, outer, key[1])
        ends = lines[end - 1][len(lines[end - 1].rstrip("\r\n")) :]
        block = _newlines(text).join(_lines({key[1]: value}, indent)) + ends
        return _checked("".join([*lines[:start], block, *lines[end:]]), before=text, key=key, value=value)
    newline = _newlines(text)
    lines = text.splitlines(keepends=True)
    if outer is None or not outer.lines:
        return _checked(_with_mapping(text, key, value, outer=outer), before=text, key=key, value=value)
    first = lines[min(outer.lines.values()) - 1]
    indent = first[: len(first) - len(first.lstrip(" "))]
    if not indent and _top(text) is not outer:
        raise LeftAlone(f"{key[0]!r} is written on one line")
    at = _end(lines, max(outer.lines.values()) - 1, indent)
    block = newline.join(_lines({key[1]: value}, indent))
    if at == len(lines) and not lines[-1].endswith("\n"):
        lines.append(newline + block)
    else:
        lines.insert(at, block + newline)
    return _checked("".join(lines), before=text, key=key, value=value)


def remove_yaml(text: str, key: tuple[str, ...], *, made: int) -> str:
    """Return a text without the mapping under a key, and without the outer one if that was put in with it."""
    outer, old = _entry(text, key)
    if old is None or outer is None:
        return text
    lines = text.splitlines(keepends=True)
    start, end, _ = _block(lines, outer, key[1])
    alone = len(outer) == 1
    if alone:
        start = _top_line(text, key[0])
    rest = [*lines[:start], *lines[end:]]
    if alone and not made:
        head = lines[start].partition(":")[0]
        rest.insert(start, f"{head}: {{}}{_newlines(text)}")
    elif end == len(lines) and not lines[-1].endswith("\n") and rest:
        rest[-1] = rest[-1].rstrip("\r\n")
    after = "".join(rest)
    expected = {name: value for name, value in _top(text).items() if name != key[0] or not alone}
    if alone and not made:
        expected[key[0]] = {}
    elif not alone:
        expected[key[0]] = {name: value for name, value in outer.items() if name != key[1]}
    if _top(after) != expected:
        raise LeftAlone("its layout is beyond what can be edited safely")
    return after


def table_of(text: str, name: str) -> Any:
    """Return the value under one name, None if there is none; raises LeftAlone."""
    return _top(text).get(name)


def _entry(text: str, key: tuple[str, ...]) -> tuple[Table | None, Any]:
    """Return the outer mapping, None if there is none, and the entry in it."""
    outer = _top(text).get(key[0])
    if outer is None:
        return None, None
    if not isinstance(outer, Table):
        raise LeftAlone(f"{key[0]!r} is no mapping")
    return outer, outer.get(key[1])


def _top(text: str) -> Table:
    if text.startswith("---") or "\n---" in text or "\n..." in text or "\t" in text:
        raise LeftAlone("it has several documents, or tabs")
    try:
        value = load_yaml(text.encode())
    except ValueError as error:
        raise LeftAlone(f"it is {error}") from None
    if value is None:
        return Table(1, 1)
    if not isinstance(value, Table):
        raise LeftAlone("it is no mapping")
    return value


def _top_line(text: str, name: str) -> int:
    return _top(text).lines[name] - 1


def _with_mapping(text: str, key: tuple[str, ...], value: Any, *, outer: Table | None) -> str:
    """Return a text with an outer mapping that has the entry alone: in place of an empty one, or at the end."""
    lines, newline = text.splitlines(keepends=True), _newlines(text)
    block = newline.join(_lines({key[0]: {key[1]: value}}, ""))
    at = next((number for number, line in enumerate(lines) if line.startswith(f"{key[0]}:")), None)
    if at is not None and (outer is not None or not lines[at].partition(":")[2].strip()):
        ends = lines[at][len(lines[at].rstrip("\r\n")) :]
        return "".join([*lines[:at], block + ends, *lines[at + 1 :]])
    if text and not text.endswith("\n"):
        return text + newline + block
    return text + block + newline


def _block(lines: list[str], outer: Table | None, name: str) -> tuple[int, int, str]:
    """Return the lines of an entry, from the first to the one behind its last, and its indentation."""
    start = outer.lines[name] - 1 if outer is not None else 0
    indent = lines[start][: len(lines[start]) - len(lines[start].lstrip(" "))]
    if not indent:
        raise LeftAlone("a mapping is written on one line")
    return start, _end(lines, start, indent), indent


def _end(lines: list[str], start: int, indent: str) -> int:
    """Return the line behind the block that begins at a line, without blank lines and comments at its end."""
    end = last = start + 1
    while end < len(lines):
        line = lines[end]
        if line.strip() and not line.lstrip().startswith("#"):
            if len(line) - len(line.lstrip(" ")) <= len(indent):
                break
            last = end + 1
        end += 1
    return last


def _lines(value: dict[str, Any], indent: str) -> list[str]:
    lines = []
    for key, one in value.items():
        if isinstance(one, dict):
            lines += [f"{indent}{key}:", *_lines(one, indent + UNIT)]
        elif isinstance(one, list):
            lines.append(f"{indent}{key}:")
            for item in one:
                inner = _lines(item, indent + UNIT + UNIT) if isinstance(item, dict) else [json.dumps(item)]
                lines += [f"{indent}{UNIT}- {inner[0].strip()}", *inner[1:]]
        else:
            lines.append(f"{indent}{key}: {_scalar(one)}")
    return lines


def _scalar(value: Any) -> str:
    plain = isinstance(value, str) and value.replace("-", "").replace("_", "").isalnum() and value[0].isalpha()
    return (
        str(value)
        if plain and value.lower() not in {"true", "false", "null", "yes", "no", "on", "off"}
        else (json.dumps(value, ensure_ascii=False))
    )


def _newlines(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _checked(after: str, *, before: str, key: tuple[str, ...], value: dict[str, Any]) -> str:
    """Return a text that says the same as before but for the entry."""
    top = _top(before)
    outer = top.get(key[0]) or {}
    expected = {**top, key[0]: {**outer, key[1]: load_yaml(yaml_document(value).encode())}}
    if _top(after) != expected:
        raise LeftAlone("its layout is beyond what can be edited safely")
    return after
