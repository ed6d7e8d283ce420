"""The classes of a Python file: what they derive from, and the members of enumerations."""

from __future__ import annotations

from typing import NamedTuple

from coderag.syntax.languages.python import Class, Code, last_part
from coderag.syntax.trees.tree import named, text_of

__all__ = ["EnumEntry", "ancestors", "base_names", "enum_entries", "is_enum"]

MAX_BASES = 50
ENUM_BASES = frozenset("Enum IntEnum StrEnum Flag IntFlag TextChoices IntegerChoices Choices".split())


class EnumEntry(NamedTuple):
    """A member of an enumeration; its value is "" if it is no literal."""

    name: str
    value: str


def ancestors(class_: Class, code: Code) -> list[Class]:
    """Return the classes of the file that a class derives from, the nearest first."""
    classes: list[Class] = []
    waiting = [class_]
    while waiting and len(classes) < MAX_BASES:
        for base in waiting.pop(0).bases:
            parent = code.classes.get(code.dotted(base))
            if parent is not None and parent is not class_ and parent not in classes:
                classes.append(parent)
                waiting.append(parent)
    return classes


def base_names(class_: Class, code: Code) -> list[str]:
    """Return the names of all bases of a class and of its ancestors, imports resolved."""
    names = [code.dotted(base) for other in (class_, *ancestors(class_, code)) for base in other.bases]
    return [*dict.fromkeys(name for name in names if name)]


def is_enum(class_: Class, code: Code) -> bool:
    """Tell whether a class is an enumeration, or derives from one of the file."""
    return any(last_part(name) in ENUM_BASES for name in base_names(class_, code))


def enum_entries(class_: Class, code: Code) -> tuple[EnumEntry, ...]:
    """Return the members of an enumeration; of a value with a label, as Django writes it, the value."""
    entries: list[EnumEntry] = []
    for member in class_.members.values():
        if member.method or member.value is None or member.name.startswith("_"):
            continue
        node = code.resolve(member.value)
        if node is not None and node.type in {"tuple", "expression_list"}:
            node = code.resolve(next(iter(named(node)), None))
        text = code.string(node)
        if text is None and node is not None and node.type == "integer":
            text = text_of(node)
        entries.append(EnumEntry(member.name, text or ""))
    return tuple(entries)
