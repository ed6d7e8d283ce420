"""The names that mappers of Go give columns and tables."""

from __future__ import annotations

import re

__all__ = ["go_snake"]

INITIALISMS = re.compile(
    "API|ASCII|CPU|CSS|DNS|EOF|GUID|HTML|HTTP|HTTPS|ID|IP|JSON|LHS|QPS|RAM|RHS|RPC|SLA|SMTP|SSH|TLS|TTL|UID|UI|UUID|URI"
    "|URL|UTF8|VM|XML|XSRF|XSS"
)


def go_snake(name: str) -> str:
    """Return the name that GORM and xorm give the column of a field: `user_id` for `UserID`, `http_url` for `HTTPURL`.

    https://github.com/go-gorm/gorm/blob/master/schema/naming.go
    """
    value = INITIALISMS.sub(lambda match: match[0].capitalize(), name)
    parts = []
    for position, sign in enumerate(value):
        before = value[position - 1 : position]
        after = value[position + 1 : position + 2]
        if _upper(sign):
            within = _upper(before) and (not after or _upper(after) or after.isdigit())
            if position and not within and before != "_" and after != "_":
                parts.append("_")
        parts.append(sign.lower() if _upper(sign) else sign)
    return "".join(parts)


def _upper(sign: str) -> bool:
    return "A" <= sign <= "Z"
