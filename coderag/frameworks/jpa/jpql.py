"""JPQL and HQL, which name entities and their fields, to the uses that they are.

https://jakarta.ee/specifications/persistence/3.1/jakarta-persistence-spec-3.1#a4665
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from coderag.frameworks.usage.conditions import columns_in
from coderag.frameworks.usage.usage import UsageBuilder
from coderag.sql.in_code.records import Access

__all__ = ["is_jpql", "read_jpql"]

MAX_TEXT = 20_000
BEGINNING = re.compile(r"^\s*+(?:select|from|update|delete|insert)\b", re.IGNORECASE)
ENTITY = re.compile(
    r"\b(from|update|join|into|,)\s++(?:fetch\s++)?(?:delete\s++)?((?:\w++\.)*+[A-Z]\w*+)(?:\s++(?:as\s++)?(?!set\b|where\b|on\b|join\b|left\b|inner"
    r"\b|order\b|group\b|fetch\b|right\b|outer\b|cross\b|values\b|select\b)([a-z]\w*+))?",
    re.IGNORECASE,
)
JOIN = re.compile(
    r"\b(join\s++fetch|join|in\s*+\()\s*+([a-z]\w*+)\.([\w.]++)(?:\s*+\))?(?:\s++(?:as\s++)?(?!where\b|on\b|left\b|inner\b|order\b|group\b"
    r"|join\b|with\b)([a-z]\w*+))?",
    re.IGNORECASE,
)
WORD = re.compile(r"'[^']*+'|:\w++|\?\d*+|[A-Za-z_]\w*+(?:\.\w++)*+|[(),=]|\S")
CLAUSES = frozenset("from where order group having set join left inner fetch on union".split())


class _Statement(NamedTuple):
    """What the clauses of a statement name, before its fields are read."""

    draft: UsageBuilder
    main: str  # the entity that comes first
    access: Access
    aliases: dict[str, str]  # in lower case -> the entity, or the path to it
    fetched: set[str]  # the paths that `join` names, as written


def is_jpql(text: str) -> bool:
    """Tell whether a text is a statement of JPQL: it names a class where SQL names a table."""
    if BEGINNING.match(text) is None:
        return False
    return any(match[2].rpartition(".")[2][:1].isupper() for match in ENTITY.finditer(text[:MAX_TEXT]))


def read_jpql(text: str, draft: UsageBuilder) -> None:
    """Note the entities and fields of a statement."""
    text = text[:MAX_TEXT]
    aliases: dict[str, str] = {}
    first = text.split(None, 1)[0].lower() if text.strip() else ""
    access = {"update": Access.WRITE, "delete": Access.DELETE, "insert": Access.WRITE}.get(first, Access.READ)
    if first == "delete" and not re.search(r"\bfrom\b", text, re.IGNORECASE):
        text = re.sub(r"^\s*+delete\b", "delete from", text, count=1, flags=re.IGNORECASE)
    main = ""
    for match in ENTITY.finditer(text):
        name = match[2].rpartition(".")[2]
        holder = match[2].partition(".")[0]
        if not name[:1].isupper() or (match[1] == "," and not match[3]) or (holder != name and holder in aliases):
            continue
        draft.use(name, access if not main else Access.READ)
        main = main or name
        aliases.setdefault((match[3] or name).lower(), name)
    fetched: set[str] = set()
    for match in JOIN.finditer(text):
        holder = aliases.get(match[2].lower())
        if holder is None:
            continue
        path = f"{holder}.{match[3]}"
        draft.use(path, whole="fetch" in match[1].lower())
        fetched.add(f"{match[2]}.{match[3]}")
        if match[4]:
            aliases[match[4].lower()] = path
    _note_fields(text, _Statement(draft, main, access, aliases, fetched))


def _note_fields(text: str, statement: _Statement) -> None:
    """Note the fields that a statement names, and the entities that it selects whole.

    `select u from User u where u.email = ?1` reads all of User and User.email; `update User u set u.name = ?1` writes
    User.name.
    """
    draft, aliases = statement.draft, statement.aliases
    words = WORD.findall(text)
    if words and words[0].lower() == "from":  # HQL without a select clause selects the entity
        draft.use(statement.main, whole=statement.access is Access.READ)
    for place, word, clause, is_set in _placed(words):
        holder, _, field = word.partition(".")
        model = aliases.get(holder.lower())
        if model is not None and field:
            if word not in statement.fetched:
                # The key of a related row stands in the own table, so nothing is joined.
                draft.touch(model, field.removesuffix(".id") if "." in field else field, written=is_set)
        elif model is not None:
            if clause == "select" and not _is_called(words, place):
                draft.use(model, whole=True)
        elif is_set and not field and words[place + 1 : place + 2] == ["="]:
            draft.touch(statement.main, word, written=True)
    if statement.main and all(alias == model.lower() for alias, model in aliases.items()):
        _note_bare_fields(text, statement)


def _placed(words: Sequence[str]) -> Iterator[tuple[int, str, str, bool]]:
    """Yield the words that are no keywords with their place, their clause and whether SET may assign to them."""
    clause = words[0].lower() if words else ""
    is_set = False  # on the left side of an assignment
    for place, word in enumerate(words):
        lower = word.lower()
        if lower in CLAUSES or lower == "select":
            clause = lower
            is_set = lower == "set"
        elif clause == "set" and word in {",", "="}:
            is_set = word == ","
        else:
            yield place, word, clause, is_set


def _is_called(words: Sequence[str], place: int) -> bool:
    """Tell whether a name is that of a function, or is what count() counts."""
    if words[place + 1 : place + 2] == ["("]:
        return True
    return words[place - 1] == "(" and words[max(place - 2, 0)].lower() == "count"


def _note_bare_fields(text: str, statement: _Statement) -> None:
    """Note the fields of a condition that names no alias: `from User where email = ?1`."""
    _, _, condition = text.partition(" where ") if " where " in text else text.partition(" WHERE ")
    for name in columns_in(condition):
        if name.lower() not in statement.aliases and "." not in name:
            statement.draft.touch(statement.main, name)
