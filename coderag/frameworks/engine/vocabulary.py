"""The files of schemas/frameworks/ as records: which method of a schema builder does what to a table."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TypeVar

import msgspec

from coderag.decoding import converted
from coderag.errors import LanguageDataError
from coderag.resources import data_folder
from coderag.syntax.trees.literals import Literal, as_text

__all__ = ["Attributes", "Vocabulary", "attributes", "filled", "framework_data", "vocabulary"]

Data = TypeVar("Data", bound=msgspec.Struct)

EMPTY = re.compile(r"\((?:, ){0,9}\)|(?:, ){1,9}(?=\))")  # behind the slots of a type: "()", "(, )" and "(9, )"
SLOT = re.compile(r"\{([\w/]+)(?:\|([^{}]*))?\}")


class Kinds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Methods that add columns, by what else they say of them."""

    counted: frozenset[str] = frozenset()  # primary keys that number themselves
    nullable: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()  # the second argument lists what the column may hold
    models: frozenset[str] = frozenset()  # the first argument is a model that names the column


class Constraints(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How constraints are called that are given no name, with {table} and {columns}."""

    foreign_key: str = ""
    unique: str = ""
    name_option: str = ""  # the option of a key that names it, where options follow its columns


class Vocabulary(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The methods of a schema builder; any other one adds no column and changes none."""

    types: Mapping[str, str]  # of the column that a method adds
    null: bool = False  # columns may be null unless they say otherwise
    names: Mapping[str, str] = {}  # of a column whose method is given none
    kinds: Kinds = Kinds()
    groups: Mapping[str, tuple[str, ...]] = {}  # columns that a method adds: "name type", then "null"
    dropped: Mapping[str, tuple[str, ...]] = {}  # columns that a method drops
    actions: Mapping[str, str] = {}  # anything else that is done to a table
    modifiers: Mapping[str, str] = {}  # what follows a column in its chain
    constraints: Constraints = Constraints()


def framework_data(framework: str, file: str, kind: type[Data]) -> Data:
    """Return a file of a framework's data; raises LanguageDataError where it is wrong."""
    path = data_folder("schemas/frameworks") / framework / file
    try:
        return converted(tomllib.loads(path.read_text(encoding="utf-8")), kind)
    except (OSError, ValueError) as error:  # tomllib's and msgspec's errors are ValueErrors
        raise LanguageDataError(f"{path}: {error}") from error


@cache
def vocabulary(framework: str) -> Vocabulary:
    """Return the methods of a framework's migrations; raises LanguageDataError where its data are wrong."""
    return framework_data(framework, "migrations.toml", Vocabulary)


def filled(template: str, values: Sequence[Literal], options: Mapping[str, str] = {}) -> str:
    """Return a type or name with the arguments that it has slots for; "" for a slot without argument and default.

    A slot has the position of an argument, the name of an option, or both: "char({0})", "varchar({0/max_length|255})".
    Brackets and commas around slots that are empty are left out: "decimal({1}, {2})" may become "decimal(9)".
    """

    def argument(match: re.Match[str]) -> str:
        places = match[1].split("/")
        positions = [int(place) for place in places if place.isdecimal()]
        given = [as_text(values[position]) for position in positions if position < len(values)]
        given += [options.get(place, "") for place in places]
        return next(filter(None, given), match[2] or "")

    return EMPTY.sub("", SLOT.sub(argument, template))


class Attributes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a framework states columns as objects of options, and the calls that are given these."""

    types: Mapping[str, str]
    options: Mapping[str, str]
    reference: Mapping[str, str]
    calls: Mapping[str, str]


@cache
def attributes(framework: str) -> Attributes:
    """Return how a framework states columns; raises LanguageDataError where its data are wrong."""
    return framework_data(framework, "attributes.toml", Attributes)
