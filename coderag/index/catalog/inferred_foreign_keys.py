"""Tables to the foreign keys that the names of their columns suggest, for schemas that declare none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from coderag.sql.records import Column, ObjectKind, Table
from coderag.text.abbreviations import abbreviates
from coderag.text.tokens import split_identifier, words

__all__ = ["InferredKey", "infer_foreign_keys", "names_a_key", "singular"]

Words = tuple[str, ...]

# The last word of a column that identifies something.
KEY_WORDS = frozenset("id code key no num nr nbr number cd uuid guid sk pk fk identifier ref".split())
KEY_ENDING = re.compile(r"[a-z]{2,}(?:id|code|key|no|num|nbr|cd|uuid|guid)\Z")  # of a word that is not split: "stuid"
TABLE_PREFIXES = frozenset("tbl tlu xref dim fact fct stg t tb vw v lkp ref".split())
NO_KEY_TYPE = re.compile(r"date|time|bool|bit\b|blob|bytea|image|float|double|real|json|xml|geo", re.IGNORECASE)
MAX_TARGETS = 2  # a name that would refer to more tables than these says nothing
MIN_TABLES, PREFIX_SHARE = 3, 0.6  # of a database, that begin with a word for it to be a prefix of names


class InferredKey(NamedTuple):
    """A column that seems to refer to the key of another table."""

    left: int
    left_column: str
    right: int
    right_column: str


class Key(NamedTuple):
    """A column that identifies the rows of a table, and how others may call it."""

    table: int
    column: str
    declared: bool
    named: frozenset[Words]  # words that name the table, which the referring column's name ends with
    own: Words  # the words of the column itself; () if they are too general
    begins: str  # the first word of its table's name


def infer_foreign_keys(tables: Sequence[Table]) -> list[InferredKey]:
    """Return the foreign keys that names suggest, in order of tables and columns; keys that are declared included."""
    homes: dict[str, list[int]] = {}
    for number, table in enumerate(tables):
        homes.setdefault(table.name.database.casefold(), []).append(number)
    return [guess for numbers in homes.values() for guess in _guess(tables, numbers)]


def names_a_key(column: str) -> bool:
    """Tell whether a column is called as what identifies something is, and says what."""
    found = _words_of(column)
    return (len(found) > 1 and found[-1] in KEY_WORDS) or bool(KEY_ENDING.match(found[-1]))


def singular(word: str) -> str:
    """Return a lower-case English word in the singular, as far as its ending tells."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3 else word


def _guess(tables: Sequence[Table], numbers: Sequence[int]) -> Iterator[InferredKey]:
    """Yield the guesses among the tables of one database."""
    prefix = _prefix([tables[number].name.name for number in numbers])
    by_ending: dict[Words, list[Key]] = {}
    for number in numbers:
        if (key := _key(number, tables[number], prefix)) is not None:
            for ending in sorted(key.named | ({key.own} if key.own else set())):
                by_ending.setdefault(ending, []).append(key)
    for number in numbers:
        table = tables[number]
        own = {table.primary_key[0].casefold()} if len(table.primary_key) == 1 else set()
        for column in table.columns:
            found = _words_of(column.name, prefix)
            for key in [] if NO_KEY_TYPE.search(column.type) else _targets(found, by_ending, number):
                # Of two tables with the same key, what it names is referred to, else the one with the shorter name.
                target = tables[key.table]
                shorter = (len(table.name.name), table.name.key) <= (len(target.name.name), target.name.key)
                is_own = column.name.casefold() in own and shorter and not _names(found, key)
                if not is_own:
                    yield InferredKey(number, column.name, key.table, key.column)


def _prefix(names: Sequence[str]) -> str:
    """Return the word that most names of a database begin with, "" if there is none."""
    if len(names) < MIN_TABLES:
        return ""
    (word, count), *_ = Counter(_words_of(name)[0] for name in names).most_common(1)
    return word if count >= PREFIX_SHARE * len(names) else ""


def _names(found: Words, key: Key) -> bool:
    """Tell whether the words of a column end with those of a key's table."""
    return any(found[start:] in key.named for start in range(len(found)))


def _targets(found: Words, by_ending: dict[Words, list[Key]], number: int) -> list[Key]:
    """Return the keys that a column of a table may refer to: those of others that the most of its words name."""
    for start in range(len(found)):
        ending = found[start:]
        keys = by_ending.get(ending, [])
        if any(key.table == number and key.declared for key in keys) and start == 0 and len(keys) == 1:
            return []  # it is this table's own key
        if keys := [key for key in keys if key.table != number]:
            best = max(_likelihood(key, ending) for key in keys)
            likely = [key for key in keys if _likelihood(key, ending) == best]
            return likely if len(likely) <= MAX_TARGETS else _home(likely, ending[0])
    return []


def _home(keys: Sequence[Key], word: str) -> list[Key]:
    """Return the one of many keys with the same name whose table is called after it, if only at its beginning."""
    called = [key for key in keys if key.begins == word or abbreviates(word, key.begins)]
    return called if len(called) == 1 else []


def _likelihood(key: Key, ending: Words) -> int:
    """Return how likely words mean a key: they name its table, it is declared, or it only looks like one."""
    return 2 * (ending in key.named) + key.declared


def _key(number: int, table: Table, prefix: str) -> Key | None:
    """Return the single column that identifies a table's rows: declared, or the first that is called like a key."""
    if table.kind in (ObjectKind.VIEW, ObjectKind.MATERIALIZED_VIEW):
        return None  # what a view shows is the key of another table
    named = _table_words(table.name.name, prefix)
    column = _key_column(table, named, prefix)
    if column is None:
        return None
    own = _words_of(column.name, prefix)
    glued = "".join(named)
    naming = {named, (*named, "id"), (f"{glued}id",)}
    if own[-1] in KEY_WORDS:
        naming.add((*named, own[-1]))
    if own[-1].startswith(glued):
        naming.add(own)
    says_what = len(own) > 1 or KEY_ENDING.match(own[0]) or _is_initial_id(own, named)
    return Key(number, column.name, bool(table.primary_key), frozenset(naming), own if says_what else (), named[0])


def _key_column(table: Table, named: Words, prefix: str) -> Column | None:
    if len(table.primary_key) == 1:
        return next((one for one in table.columns if one.name.casefold() == table.primary_key[0].casefold()), None)
    if table.primary_key or not table.columns:
        return None
    ids = {("id",), (*named, "id"), (f"{''.join(named)}id",)}
    for column in table.columns:
        found = _words_of(column.name, prefix)
        if found in ids or _is_initial_id(found, named):
            return column
    for column in table.columns:
        if _words_of(column.name, prefix) == (*named, "name"):
            return column
    first = table.columns[0]
    is_key = names_a_key(first.name) or _words_of(first.name, prefix)[0] in KEY_WORDS
    return first if is_key and first.name.casefold() not in _referring(table) else None


def _is_initial_id(found: Words, named: Words) -> bool:
    """Tell whether a column is an identifier called after the first letters of its table: `aid` of `author`."""
    return found == ("".join(word[:1] for word in named) + "id",)


def _referring(table: Table) -> set[str]:
    return {name.casefold() for key in table.foreign_keys for name in key.columns}


def _table_words(name: str, prefix: str) -> Words:
    found = _words_of(name, prefix)
    while len(found) > 1 and found[0] in TABLE_PREFIXES:
        found = found[1:]
    return found


@lru_cache(maxsize=1 << 14)
def _words_of(name: str, prefix: str = "") -> Words:
    """Return the words of a name in the singular, without a prefix that says nothing."""
    found = tuple(singular(piece) for word in words(name) for piece in split_identifier(word))
    if not found:
        return (name.casefold(),)
    return found[1:] if len(found) > 1 and found[0] == prefix else found
