"""A declared type as it is written to the types that it names."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["clean_type", "type_names"]

MAX_TYPE_CHARS = 300  # beyond this it is cut
NAME = re.compile(r"[^\W\d]\w*(?:(?:\.|::|\\)[^\W\d]\w*)*")
SPACE = re.compile(r"\s+")
QUALIFIERS = re.compile(
    r"\b(?:const|final|volatile|mutable|readonly|struct|enum|union|class|typename|dyn|impl|mut|in|out|ref|unique"
    r"|inout|chan|super|unsafe|static|private|public|protected|internal|lateinit|val|var|extends|keyof|typeof)\b\s"
)
LIFETIME = re.compile(r"(?<=[&<,])'[a-z_]\w*\s*")
SLICES = re.compile(r"(?<![\w.:])\[\d*\][*&]*([\w.:]+)")
ARRAYS = re.compile(r"(?<![\w.:])([\w.:]+)\[\]")
MAP = re.compile(r"map\[([^\[\]]*)\](.+)")
ARRAY = re.compile(r"^\[\d*\]")
WRAPPERS = (
    "Optional[",
    "Annotated[",
    "ClassVar[",
    "Final[",
    "Required[",
    "NotRequired[",
    "typing.Optional[",
    "t.Optional[",
)
NOTHING = frozenset({"None", "null", "undefined", "nil", "NoneType", "void"})
NO_TYPES = frozenset(
    """Any any bool boolean byte bytes char class comparable const dict double dyn enum error extends false final
    float float32 float64 func i128 i16 i32 i64 i8 impl in int int16 int32 int64 int8 isize keyof list long
    map mut never nil None null number object out readonly rune Self self short signed str string struct super
    this true tuple typename typeof u128 u16 u32 u64 u8 uint uint16 uint32 uint64 uint8 undefined union
    unknown unsigned usize var void volatile""".split()
)


@lru_cache(maxsize=4096)
def type_names(text: str) -> tuple[str, ...]:
    """Return the names in a type, without what every language has of its own."""
    found = dict.fromkeys(NAME.findall(text[:MAX_TYPE_CHARS]))
    return tuple(one for one in found if one not in NO_TYPES)


@lru_cache(maxsize=4096)
def clean_type(text: str) -> str:
    """Return a type as a binding tells it: without pointers and `Optional`, generics in brackets, "[Foo]" for an array.

    "" for one that says nothing.
    """
    text = text[:MAX_TYPE_CHARS].strip().lstrip(":").replace("->", "")
    if text.isidentifier():
        return "" if text in NOTHING else text
    if "{" in text or "(" in text:
        return ""
    text = LIFETIME.sub("", QUALIFIERS.sub("", text.strip().strip("\"'`") + " "))
    if text.count("[") != text.count("]") or text.count("<") != text.count(">"):
        return ""
    text = SPACE.sub("", text).replace('"', "").replace("'", "").replace("<", "[").replace(">", "]")
    text = SLICES.sub(r"[\1]", text)
    text = ARRAYS.sub(r"[\1]", text)
    pieces = [piece for piece in _split_unions(text) if piece not in NOTHING]
    return "|".join(filter(None, map(_plain, pieces)))


def _plain(text: str) -> str:
    """Return one type without what surrounds its name."""
    while True:
        text = text.strip("*&?!")
        if text.startswith(WRAPPERS) and text.endswith("]"):
            text = _split(text[text.index("[") + 1 : -1], ",")[0]
            continue
        if (array := ARRAY.match(text)) is not None:
            return f"[{_element(text[array.end() :])}]"
        if (table := MAP.fullmatch(text)) is not None:
            return f"map[{table[1]},{_element(table[2])}]"
        if text.startswith("..."):
            return f"[{_element(text[3:])}]"
        if text.endswith("[]"):
            return f"[{_element(text[:-2])}]"
        return text


def _element(text: str) -> str:
    return text.strip("*&?!()")


def _split_unions(text: str) -> list[str]:
    return _split(text, "|") if "|" in text else [text]


def _split(text: str, sign: str) -> list[str]:
    """Return the parts of a text between signs outside of all brackets."""
    parts, depth, start = [], 0, 0
    for at, one in enumerate(text):
        if one in "[(":
            depth += 1
        elif one in "])":
            depth -= 1
        elif one == sign and not depth:
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    return parts
