"""What literals of code say, in one form for all languages, and how SQL writes them."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "COMPUTED",
    "Computed",
    "Literal",
    "Number",
    "Raw",
    "Reference",
    "as_text",
    "default_of",
    "mapping",
    "quoted",
    "texts",
]


class Computed:
    """A value that is known at run time only."""

    def __repr__(self) -> str:
        """Return what a failed test shows."""
        return "COMPUTED"


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written, without underscores."""

    text: str


@dataclass(frozen=True, slots=True)
class Raw:
    """SQL that the database computes: what a lambda or a tag marks as no string."""

    text: str


@dataclass(frozen=True, slots=True)
class Reference:
    """A name of the code, with dots: a class, or a field of one."""

    name: str


Literal = str | Number | Raw | Reference | bool | None | Computed | tuple["Literal", ...] | dict[str, "Literal"]

COMPUTED = Computed()


def as_text(value: Literal) -> str:
    """Return a string or number as text, "" for anything else."""
    if isinstance(value, Number):
        return value.text
    return value if isinstance(value, str) else ""


def texts(value: Literal) -> tuple[str, ...] | None:
    """Return one string, or an array of strings, as a tuple; None for none, and where one of them is computed."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, tuple):
        return None
    found = tuple(one for one in value if isinstance(one, str))
    return found if found and len(found) == len(value) else None


def mapping(value: Literal) -> dict[str, Literal]:
    """Return a hash or object as it is, an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def quoted(text: str) -> str:
    """Return text as a literal of SQL."""
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def default_of(value: Literal) -> str | None:
    """Return a default as SQL has it, "" for none; None if it is computed."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return quoted(value)
        case Number() | Raw():
            return value.text
        case None:
            return ""
        case tuple() if not value:
            return "'[]'"
        case dict() if not value:
            return "'{}'"
    return None
