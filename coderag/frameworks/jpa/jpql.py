"""JPQL and HQL, which name entities and their fields, to the uses that they are.

https://jakarta.ee/specifications/persistence/3.1/jakarta-persistence-spec-3.1#a4665
"""

from __future__ import annotations

import re

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
    _references(text, aliases, draft, fetched=fetched, main=main, access=access)


def _references(
    text: str, aliases: dict[str, str], draft: UsageBuilder, *, fetched: set[str], main: str, access: Access
) -> None:
    """Note the fields that a statement names, and the entities that it selects whole."""
    words = WORD.findall(text)
    clause = words[0].lower() if words else ""
    if clause == "from":
        draft.use(main, whole=access is Access.READ)
    left = False  # of an assignment of SET
    has_aliases = any(alias != model.lower() for alias, model in aliases.items())
    for position, word in enumerate(words):
        lower = word.lower()
        following = words[position + 1] if position + 1 < len(words) else ""
        if lower in CLAUSES or lower == "select":
            clause = lower
            left = lower == "set"
            continue
        if clause == "set" and word in {",", "="}:
            left = word == ","
            continue
        holder, _, field = word.partition(".")
        model = aliases.get(holder.lower())
        if model is not None and field:
            if word not in fetched:
                # The key of a related row stands in the own table, so nothing is joined.
                draft.touch(
                    model, field.removesuffix(".id") if "." in field else field, written=clause == "set" and left
                )
        elif model is not None and clause == "select" and following != "(":
            if words[position - 1] == "(" and words[max(position - 2, 0)].lower() == "count":
                continue
            draft.use(model, whole=True)
        elif clause == "set" and left and not field and following == "=" and model is None:
            draft.touch(main, word, written=True)
    if not has_aliases and main:
        _, _, condition = text.partition(" where ") if " where " in text else text.partition(" WHERE ")
        for name in columns_in(condition):
            if name.lower() not in aliases and "." not in name:
                draft.touch(main, name)
