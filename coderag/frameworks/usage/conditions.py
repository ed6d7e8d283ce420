"""Pieces of SQL that builders are handed as strings: "u.email = :email AND age > ?", to the columns in them."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["columns_in", "named_column"]

MAX_TEXT = 10_000
TOKEN = re.compile(
    r"'[^']*+'|[:@$]\w++|\?|(?P<name>(?:[A-Za-z_]\w*+|\"[A-Za-z_]\w*+\"|`[A-Za-z_]\w*+`)"
    r"(?:\.(?:[A-Za-z_]\w*+|\"[A-Za-z_]\w*+\"|`[A-Za-z_]\w*+`))*+)(?P<call>\s*+\()?|::\w++|."
)
KEYWORDS = frozenset(
    """and or not in is null like ilike between exists any all some true false asc desc as distinct case when then else
    end escape on using nulls first last interval current_date current_timestamp current_time now select from where
    join left right inner outer cross full group order by having limit offset member of empty object new fetch cast
    collate similar to regexp rlike glob union with for update set delete insert into values both leading trailing
    date time timestamp year month day hour minute second binary char integer text unsigned signed json jsonb
    """.split()
)
COLUMN = re.compile(
    r"^\s*+(?:distinct\s++)?((?:\w++\.)*+(?:\w++|\*))(?:\s++(?:as\s++)?\w++)?(?:\s++(?:asc|desc))?\s*+$", re.I
)


def columns_in(text: str) -> Iterator[str]:
    """Yield the columns of a condition or list as they are written, without quotes: "email", "u.email"."""
    is_alias = False
    for match in TOKEN.finditer(text[:MAX_TEXT]):
        name = match["name"]
        if name is None:
            is_alias = is_alias and match[0].isspace()
            continue
        plain = name.replace('"', "").replace("`", "")
        if plain.lower() in KEYWORDS:
            is_alias = plain.lower() == "as"
            continue
        if match["call"] is None and not is_alias:
            yield plain
        is_alias = False


def named_column(text: str) -> str:
    """Return the column of `users.email as mail` or `created desc`; "" for an expression and for `*`."""
    match = COLUMN.match(text[:MAX_TEXT])
    return match[1] if match is not None and not match[1].endswith("*") and not match[1][:1].isdecimal() else ""
