"""Documents in XML, YAML and JSON to one tree of elements: names, attributes, what is in them, and lines.

<column name="id" type="int"><constraints nullable="false"/></column>
- column: {name: id, type: int, constraints: {nullable: false}}
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from coderag.text.yaml_lines import Table, load_yaml

__all__ = ["Element", "read_elements"]

MAX_DEPTH = 60
MAX_ELEMENTS = 200_000  # of a file


@dataclass(slots=True)
class Element:
    """An element of XML without its namespace, or a key of YAML with what it holds."""

    name: str
    line: int  # 1-based
    values: dict[str, str] = field(default_factory=dict)
    inner: list[Element] = field(default_factory=list)
    text: str = ""  # without that of the elements inside
    end_line: int = 0
    at: int = 0  # characters of the outer element's text that stand before it; of XML

    def of(self, *names: str) -> Iterator[Element]:
        """Yield the elements of some names that are right inside."""
        return (one for one in self.inner if one.name in names)


def read_elements(data: bytes, language: str) -> Element | None:
    """Return the outermost element of a file, None for one that is not well-formed or nested too deeply."""
    try:
        return _Xml().read(data) if language == "xml" else _of_yaml(load_yaml(data))
    except (ValueError, expat.ExpatError):
        return None


class _Xml:
    """The elements of a document of XML so far; what a document type declares is refused, not put in."""

    def __init__(self) -> None:
        self._root = Element("", 0)
        self._open = [self._root]
        self._count = 0
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.EntityDeclHandler = self._refuse

    def read(self, data: bytes) -> Element | None:
        self._parser.Parse(data, True)
        return next(iter(self._root.inner), None)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if len(self._open) > MAX_DEPTH or self._count > MAX_ELEMENTS:
            raise ValueError("too many elements")
        line = self._parser.CurrentLineNumber
        outer = self._open[-1]
        element = Element(name.rpartition(":")[2], line, attributes, end_line=line, at=len(outer.text))
        outer.inner.append(element)
        self._open.append(element)

    def _end(self, _: str) -> None:
        self._open.pop().end_line = self._parser.CurrentLineNumber

    def _text(self, text: str) -> None:
        self._open[-1].text += text

    def _refuse(self, *_: object) -> None:
        raise ValueError("entities are declared")


def _of_yaml(document: object) -> Element | None:
    if not isinstance(document, Table):
        return None
    root = Element("", document.line, end_line=document.end_line)
    _fill(root, document, 0)
    return next(iter(root.inner), None)


def _fill(element: Element, table: Table, depth: int) -> None:
    """Add what a mapping holds: texts are attributes, lists and mappings are elements."""
    if depth > MAX_DEPTH:
        raise ValueError("nested too deeply")
    for key, value in table.items():
        line = table.lines.get(key, table.line)
        if isinstance(value, Table):
            inner = Element(key, line, end_line=value.end_line)
            _fill(inner, value, depth + 1)
            element.inner.append(inner)
        elif isinstance(value, list):
            element.inner += _listed(key, value, line, depth)
        elif value is not None:
            element.values[key] = str(value).lower() if isinstance(value, bool) else str(value)


def _listed(key: str, items: list[object], line: int, depth: int) -> Iterator[Element]:
    """Yield what a list holds under its key: `changes` and `columns` are no elements of their own in XML."""
    holder = Element(key, line, end_line=line)
    for item in items:
        if isinstance(item, Table):
            holder.end_line = max(holder.end_line, item.end_line)
            _fill(holder, item, depth + 1)
    if key in {"changes", "columns"}:
        yield from holder.inner
    else:
        yield holder
