"""A file of translations to its messages by their keys, read by parsers of the formats."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import yaml

from coderag.syntax.language import detect
from coderag.syntax.lines import Lines
from coderag.syntax.parsed import parse_code

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["Key", "messages"]

Key = tuple[str, ...]

LINE = re.compile(r"[ \t]*\"?(?P<key>[\w.-]+)\"?[ \t]*[=:][ \t]*(?P<text>.+?);?[ \t]*", re.MULTILINE)
SECTION = re.compile(r"\[([\w.-]+)\]")
MAX_BYTES = 2_000_000


def messages(path: str, text: str) -> Iterator[tuple[Key, str]]:
    """Yield the messages of a file with their keys; none of a file that its format's parser does not take."""
    if len(text) > MAX_BYTES:
        return
    try:
        match PurePosixPath(path).suffix.lower():
            case ".json" | ".arb":
                yield from _nested(json.loads(text))
            case ".yml" | ".yaml":
                yield from _nested(yaml.safe_load(text))
            case ".xml" | ".resx" | ".xlf" | ".xliff":
                yield from _elements(ElementTree.fromstring(text))
            case ".php":
                yield from _arrays(path, text)
            case ".properties" | ".ini" | ".strings" | ".toml":
                yield from _lines(text)
    except (ValueError, yaml.YAMLError, ElementTree.ParseError, RecursionError):
        return


def _nested(value: object, key: Key = ()) -> Iterator[tuple[Key, str]]:
    if isinstance(value, dict):
        for name, held in value.items():
            yield from _nested(held, (*key, str(name)))
    elif isinstance(value, str) and key:
        yield key, value


def _elements(root: ElementTree.Element) -> Iterator[tuple[Key, str]]:
    for element in root.iter():
        name = element.get("resname") or element.get("name") or element.get("id") or ""
        inner = element.iter() if element.tag.rpartition("}")[2] in {"data", "trans-unit"} else [element]
        texts = [one.text.strip() for one in inner if one.text and one.text.strip()]
        text = texts[-1] if texts else ""  # of a source and its target the latter
        if name and text:
            yield (name,), text.replace("\\'", "'").replace('\\"', '"')


def _arrays(path: str, text: str) -> Iterator[tuple[Key, str]]:
    language = detect(path)
    if language is not None:
        yield from _entries(parse_code(Lines(text.encode()), language).tree.root_node, ())


def _entries(node: Node, key: Key) -> Iterator[tuple[Key, str]]:
    for child in node.named_children:
        named = child.named_children
        if child.type == "array_element_initializer" and len(named) > 1 and "string" in named[0].type:
            name = _string(named[0])
            if "string" in named[1].type:
                yield (*key, name), _string(named[1])
            else:
                yield from _entries(named[1], (*key, name))
        else:
            yield from _entries(child, key)


def _string(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")[1:-1].replace("\\'", "'").replace('\\"', '"')


def _lines(text: str) -> Iterator[tuple[Key, str]]:
    section: Key = ()
    for line in text.split("\n"):
        if found := SECTION.fullmatch(line.strip()):
            section = tuple(found[1].split("."))
        elif found := LINE.fullmatch(line):
            yield (*section, found["key"]), found["text"].strip("\"'")
