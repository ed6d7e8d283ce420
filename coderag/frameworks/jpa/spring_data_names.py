"""Methods of repositories that say by their names what they ask: findByEmailAndStatusOrderByCreatedDesc.

https://docs.spring.io/spring-data/jpa/reference/repositories/query-keywords-reference.html
"""

from __future__ import annotations

import re

from coderag.frameworks.usage.usage import UsageBuilder
from coderag.sql.in_code.records import Access

__all__ = ["read_derived"]

NAME = re.compile(r"^(find|get|read|query|search|stream|count|exists|delete|remove)((?:(?!By[A-Z]).)*+)By([A-Z]\w*+)$")
ORDER = re.compile(r"OrderBy(?=[A-Z])")
JOINING = re.compile(r"(?<=[a-z0-9])(?:And|Or)(?=[A-Z])")
KEYWORDS = re.compile(
    r"(?:IsNotNull|IsNull|NotNull|Null|IsNotLike|IsNot|NotLike|NotIn|IsIn|GreaterThanEqual|GreaterThan|LessThanEqual|LessThan"
    r"|StartingWith|StartsWith|EndingWith|EndsWith|NotContaining|Containing|Contains|IsContaining|Between|IsBetween|Before"
    r"|After|IsTrue|IsFalse|True|False|Like|In|Not|Is|Equals|IsEmpty|IsNotEmpty|Regex|MatchesRegex|Near|Within"
    r"|IsGreaterThan|IsLessThan|IsAfter|IsBefore)$"
)
CASE = re.compile(r"(?:AllIgnoreCase|AllIgnoringCase|IgnoreCase|IgnoringCase)")
DIRECTION = re.compile(r"(Asc|Desc)(?=[A-Z]|$)")


def read_derived(name: str, model: str, draft: UsageBuilder) -> bool:
    """Note what a method of that name does to the entities of a repository; tell whether the name says it."""
    match = NAME.match(name)
    if match is None:
        return False
    verb = match[1]
    condition, *orders = ORDER.split(CASE.sub("", match[3]))
    if verb in {"delete", "remove"}:
        draft.use(model, Access.DELETE)
    else:
        draft.use(model, whole=verb not in {"count", "exists"})
    for part in JOINING.split(condition):
        draft.touch(model, _field(KEYWORDS.sub("", part) or part))
    for order in orders:
        for part in DIRECTION.split(order):
            if part not in {"Asc", "Desc", ""}:
                draft.touch(model, _field(part))
    return True


def _field(name: str) -> str:
    """Return a property as it is written in the class: `address_City` is a path."""
    return ".".join(part[:1].lower() + part[1:] for part in name.split("_") if part)
