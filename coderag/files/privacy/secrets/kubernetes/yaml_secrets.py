"""A manifest in YAML to the values of its Secret, also among the lines of a template, a document or a program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from coderag.files.privacy.secrets.kubernetes.value import (
    FIELDS,
    MAX_MANIFEST_BYTES,
    ManifestSecrets,
    Span,
    Value,
    covered_spans,
)

__all__ = ["yaml_secrets"]

MAX_INDENT = 200
LEAD = re.compile(rb"(?:[ ]|-[ ]){0,200}+")  # of a line: spaces, and the dashes of lists
NAME = re.compile(rb"""(?P<quote>["']?)(?P<name>[\w.-]{1,253}+)(?P=quote)[ \t]{0,8}:(?![^\s])""")
LINE_END = re.compile(rb"[ \t]{0,80}+(?:[#\n]|\Z)")
LIST_ITEM, COMMENT, TEMPLATE = b"- ", b"#", (b"{{", b"{%")
VALUE = re.compile(
    rb"""[ \t]{0,200}+(?:[!&][^\s]{0,80}+[ \t]{1,80}+)?(?:
        (?P<block>[|>][-+0-9]{0,3})[ \t]{0,80}+(?:\#|\Z) |
        "(?P<double>(?:[^"\\]|\\.)*+) | '(?P<single>(?:[^']|'')*+) | (?P<plain>[^\s#](?:[^\s]|[ \t]++(?!\#|\Z))*+)
    )""",
    re.VERBOSE | re.DOTALL,
)
FLOW_VALUE = re.compile(
    rb"""[{,][ \t]{0,80}+["']?(?P<name>[\w.-]{1,253}+)["']?[ \t]{0,8}:[ \t]{0,80}+(?:
        "(?P<double>(?:[^"\\]|\\.)*+) | '(?P<single>(?:[^']|'')*+) | (?P<plain>[^\s,{}"'][^,}]*+)
    )""",
    re.VERBOSE | re.DOTALL,
)
QUOTES = {"double": b'"', "single": b"'"}


class _Line(NamedTuple):
    start: int  # of what is on it
    end: int
    column: int  # of the start


class _Field(NamedTuple):
    name: bytes
    rest: Span  # of its line
    lines: list[_Line]  # that are indented under it


def yaml_secrets(data: bytes, kind: Span, *, after: int) -> ManifestSecrets:
    """Return the values of the mapping with `kind: Secret` at a place; none if that is no line of a mapping."""
    lead = data[max(after, kind[0] - MAX_INDENT) : kind[0]].rpartition(b"\n")[2]
    begin, column = kind[0] - len(lead), len(lead)
    if LEAD.fullmatch(lead) is None or LINE_END.match(data, kind[1]) is None:
        return ManifestSecrets((), kind[1])
    if LIST_ITEM not in lead:
        begin = _first_line(data, begin, column, floor=max(after, begin - MAX_MANIFEST_BYTES))
    lines = list(_mapping(data, begin, column, limit=min(len(data), kind[1] + MAX_MANIFEST_BYTES)))
    values = tuple(value for field in _fields(data, lines, column) for value in _values(data, field))
    return ManifestSecrets(values, lines[-1].end)


def _line(data: bytes, begin: int, end: int) -> _Line:
    text = data[begin:end].lstrip(b" ")
    return _Line(end - len(text), end, end - len(text) - begin)


def _first_line(data: bytes, begin: int, column: int, *, floor: int) -> int:
    """Return where the first line of a mapping begins that has a key in a column of the line at a position."""
    while begin > floor:
        before = max(floor, data.rfind(b"\n", floor, begin - 1) + 1)
        line = _line(data, before, begin - 1)
        if not _is_member(data, line, column):
            lead = LEAD.match(data, before, line.end)
            starts_item = lead is not None and lead.end() == before + column
            return before if starts_item and NAME.match(data, before + column, line.end) else begin
        begin = before
    return begin


def _mapping(data: bytes, begin: int, column: int, *, limit: int) -> Iterator[_Line]:
    """Yield the lines of a mapping, of which the first is known."""
    first = True
    while begin < limit:
        end = data.find(b"\n", begin, limit)
        end = limit if end < 0 else end
        line = _Line(begin + column, end, column) if first else _line(data, begin, end)
        if not first and not _is_member(data, line, column):
            return
        yield line
        first, begin = False, end + 1


def _is_member(data: bytes, line: _Line, column: int) -> bool:
    """Tell whether a line belongs to the mapping with its keys in a column; a template's belongs to anything."""
    if line.column > column or line.start == line.end or data.startswith((COMMENT, *TEMPLATE), line.start, line.end):
        return True
    if line.column < column:
        return False
    return data.startswith(LIST_ITEM, line.start, line.end) or NAME.match(data, line.start, line.end) is not None


def _fields(data: bytes, lines: list[_Line], column: int) -> Iterator[_Field]:
    """Yield the fields of a mapping that hold secrets."""
    field = None
    for line in lines:
        name = NAME.match(data, line.start, line.end) if line.column == column else None
        if name is not None:
            if field is not None:
                yield field
            field = _Field(name["name"], (name.end(), line.end), []) if name["name"] in FIELDS else None
        elif field is not None:
            field.lines.append(line)
    if field is not None:
        yield field


def _values(data: bytes, field: _Field) -> Iterator[Value]:
    """Yield what is covered of the values of a field."""
    for name, pieces in (*_flow_values(data, field.rest), *_block_values(data, field.lines)):
        if covered := covered_spans(data, pieces, field=field.name, name=name):
            yield covered


def _flow_values(data: bytes, rest: Span) -> Iterator[tuple[bytes, list[Span]]]:
    """Yield the values of `{a: b, c: "d"}` behind the name of a field."""
    text = data[slice(*rest)].lstrip()
    if text.startswith(b"{") and not text.startswith(TEMPLATE):
        for match in FLOW_VALUE.finditer(data, *rest):
            yield match["name"], [match.span(match.lastgroup or 0)]


def _block_values(data: bytes, lines: list[_Line]) -> Iterator[tuple[bytes, list[Span]]]:
    """Yield the values of the lines under a field with their names, each in one piece per line."""
    column = 0  # of the names; those of a field are indented
    name: re.Match[bytes] | None = None
    pieces: list[Span] = []
    is_block, quote = False, b""
    for line in lines:
        is_inside = column and line.column > column
        if data.startswith(COMMENT, line.start) and not (is_inside and is_block):
            continue
        end = line.start + len(data[line.start : line.end].rstrip())
        if is_inside and line.start < end:
            pieces.append((line.start, end - bool(quote and data.endswith(quote, line.start, end))))
        elif column in (0, line.column) and (match := NAME.match(data, line.start, line.end)):
            if name is not None:
                yield name["name"], pieces
            name, column = match, line.column
            value = VALUE.match(data, name.end(), line.end)
            group = (value.lastgroup if value else None) or "block"
            is_block, quote = group == "block", QUOTES.get(group, b"")
            pieces = [value.span(group)] if value and not is_block else []
    if name is not None:
        yield name["name"], pieces
