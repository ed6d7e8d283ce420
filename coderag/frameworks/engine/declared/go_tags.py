"""Tags of Go's structs to options, `bun:"id,pk"`, `xorm:"pk 'id'"` and `orm:"pk;column(id)"` alike."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from coderag.frameworks.engine.model_words import ModelWords
from coderag.syntax.trees.literals import Literal, Raw

__all__ = ["COLUMN", "TYPE", "said_in"]

PART = {  # what stands between two separators, of which those in brackets and quotes do not count
    ",": re.compile(r"(?:[^,()']|\([^()]*\)|'[^']*')+"),
    ";": re.compile(r"(?:[^;()']|\([^()]*\)|'[^']*')+"),
    " ": re.compile(r"'[^']*'|[^\s'()]+(?:\([^()]*\))?"),
}
BRACKETS = re.compile(r"([^\s'()]+)\(([^()]*)\)")
FOLDED = re.compile(r"(?<!\\);")
PLAIN_DEFAULT = re.compile(r"(?i)^(?:-?\d+(?:\.\d+)?|true|false|null|[^(\n]*+\(.*\)|'.*'|\".*\"|current_\w+)?$")
UNIQUE = frozenset({"unique", "class:UNIQUE"})
MAX_TAG = 2_000  # characters
COLUMN = "column"  # a part that is a name
TYPE = "type"  # a part that is a type of SQL
PAIR = "not"  # the beginning of a word of two: "not null"


class _Part(NamedTuple):
    text: str
    key: str
    value: str | None  # None: it has none


def said_in(tag: str, words: ModelWords) -> dict[str, Literal]:
    """Return the parts of a tag by their words, those without a value as True."""
    if words.tags.folded:
        return dict(_folded(tag[:MAX_TAG], words))
    found: dict[str, Literal] = {}
    parts = list(_parts(tag[:MAX_TAG], words))
    unread = iter(parts)
    for part in unread:
        meaning, value = words.options.get(part.key, ""), part.value
        if meaning == "default" and value is None and words.tags.separator == " ":
            value = next(unread, part).text
        elif part.key == PAIR and words.tags.separator == " ":
            part = _Part(part.text, f"{PAIR} {next(unread, part).key}", None)
        if _is_name(part, parts, tag, words):
            found[COLUMN] = part.text.strip("'")
        elif not meaning and part.key in words.tags.types and TYPE not in found:
            found[TYPE] = Raw(part.text)
        elif part.key == "unsigned" and isinstance(kind := found.get(TYPE), Raw):
            found[TYPE] = Raw(f"{kind.text} {part.text}")
        else:
            is_sql = meaning == "default" and value
            found.setdefault(part.key, Raw(value or "") if is_sql else value.strip("'") if value else True)
    return found


def _folded(tag: str, words: ModelWords) -> Iterator[tuple[str, Literal]]:
    """Yield the parts of a tag like `size:40;not null;uniqueIndex:once,priority:1`, their words in lower case."""
    for part in FOLDED.split(tag):
        key, _, text = part.partition(":")
        key, text = key.strip().lower(), text.strip()
        match words.options.get(key, ""):
            case "default":
                yield key, Raw("" if text.lower() == "null" else text) if PLAIN_DEFAULT.match(text) else text
            case "type":
                yield key, Raw(text)
            case "check":
                yield key, text.partition(",")[2] or text
            case "counted":
                yield key, text != "false"
            case "index" | "unique index" as index:
                name, *details = (detail.strip() for detail in text.split(","))
                is_part = any(detail.startswith("where:") for detail in details)
                if not is_part and (index != "index" or not UNIQUE.isdisjoint(details)):
                    yield "unique", name or True
                elif key:
                    yield key, False
            case _ if key:
                yield key, text or True


def _parts(tag: str, words: ModelWords) -> Iterator[_Part]:
    for match in PART[words.tags.separator].finditer(tag):
        text = match[0].strip()
        if words.tags.brackets:
            inside = BRACKETS.fullmatch(text)
            key, value = (inside[1], inside[2]) if inside is not None else (text, None)
            yield _Part(text, key if key in words.options else key.lower(), value)
        else:
            key, colon, after = text.partition(":")
            yield _Part(text, key, after if colon else None)


def _is_name(part: _Part, parts: list[_Part], tag: str, words: ModelWords) -> bool:
    """Tell whether a part names the column: in quotes, in front of all others, or alone and no known word."""
    if words.tags.separator == " ":
        is_word = part.key in words.options or part.key in words.tags.types or part.value is not None
        is_plain = part.text.replace("_", "").isalnum() and not is_word
        return part.text.startswith("'") or (len(parts) == 1 and is_plain)
    is_first = part is parts[0] and not tag.startswith(words.tags.separator)
    return words.tags.named and is_first and part.value is None and part.text != "-"
