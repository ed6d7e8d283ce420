"""English words to their plural and singular, and class names to table names: the rules of Rails' ActiveSupport.

GORM's inflection library is a port of the same rules. They are applied in order, the last one that fits first.
https://github.com/rails/rails/blob/main/activesupport/lib/active_support/inflections.rb
"""

from __future__ import annotations

import re
from functools import cache

__all__ = ["plural", "singular", "snake_case", "table_of_class"]

Rule = tuple[re.Pattern[str], str]

UNCOUNTABLE = "equipment information rice money species series fish sheep jeans police".split()
IRREGULAR = [
    ("zombie", "zombies"),
    ("move", "moves"),
    ("sex", "sexes"),
    ("child", "children"),
    ("man", "men"),
    ("person", "people"),
]
PLURAL = [
    (r"(quiz)$", r"\1zes"),
    (r"^(oxen)$", r"\1"),
    (r"^(ox)$", r"\1en"),
    (r"^(m|l)ice$", r"\1ice"),
    (r"^(m|l)ouse$", r"\1ice"),
    (r"(matr|vert|ind)(?:ix|ex)$", r"\1ices"),
    (r"(x|ch|ss|sh)$", r"\1es"),
    (r"([^aeiouy]|qu)y$", r"\1ies"),
    (r"(hive)$", r"\1s"),
    (r"(?:([^f])fe|([lr])f)$", r"\1\2ves"),
    (r"sis$", r"ses"),
    (r"([ti])a$", r"\1a"),
    (r"([ti])um$", r"\1a"),
    (r"(buffal|tomat)o$", r"\1oes"),
    (r"(bu)s$", r"\1ses"),
    (r"(alias|status)$", r"\1es"),
    (r"(octop|vir)i$", r"\1i"),
    (r"(octop|vir)us$", r"\1i"),
    (r"^(ax|test)is$", r"\1es"),
    (r"s$", r"s"),
    (r"$", r"s"),
]
SINGULAR = [
    (r"(database)s$", r"\1"),
    (r"(quiz)zes$", r"\1"),
    (r"(matr)ices$", r"\1ix"),
    (r"(vert|ind)ices$", r"\1ex"),
    (r"^(ox)en", r"\1"),
    (r"(alias|status)(es)?$", r"\1"),
    (r"(octop|vir)(us|i)$", r"\1us"),
    (r"^(a)x[ie]s$", r"\1xis"),
    (r"(cris|test)(is|es)$", r"\1is"),
    (r"(shoe)s$", r"\1"),
    (r"(o)es$", r"\1"),
    (r"(bus)(es)?$", r"\1"),
    (r"^(m|l)ice$", r"\1ouse"),
    (r"(x|ch|ss|sh)es$", r"\1"),
    (r"(m)ovies$", r"\1ovie"),
    (r"(s)eries$", r"\1eries"),
    (r"([^aeiouy]|qu)ies$", r"\1y"),
    (r"([lr])ves$", r"\1f"),
    (r"(tive)s$", r"\1"),
    (r"(hive)s$", r"\1"),
    (r"([^f])ves$", r"\1fe"),
    (r"(^analy)(sis|ses)$", r"\1sis"),
    (r"((a)naly|(b)a|(d)iagno|(p)arenthe|(p)rogno|(s)ynop|(t)he)(sis|ses)$", r"\1sis"),
    (r"([ti])a$", r"\1um"),
    (r"(n)ews$", r"\1ews"),
    (r"(ss)$", r"\1"),
    (r"s$", r""),
]
WORD_BORDER = re.compile(r"(?<=[A-Z])(?=[A-Z][a-z])|(?<=[a-z\d])(?=[A-Z])")


def plural(word: str) -> str:
    """Return the plural of a word, or of the last of several."""
    return _inflected(word, to_plural=True)


def singular(word: str) -> str:
    """Return the singular of a word, or of the last of several."""
    return _inflected(word, to_plural=False)


def snake_case(name: str) -> str:
    """Return `admin_http_user` for `AdminHTTPUser`."""
    return WORD_BORDER.sub("_", name).replace("-", "_").lower()


def table_of_class(name: str) -> str:
    """Return the table of a Rails model by convention: `people` for `Admin::Person`."""
    return plural(snake_case(name.rpartition("::")[2]))


def _inflected(word: str, *, to_plural: bool) -> str:
    if not word or _uncountable().search(word):
        return word
    for pattern, replacement in _rules(to_plural):
        inflected, found = pattern.subn(replacement, word, count=1)
        if found:
            return inflected
    return word


@cache
def _uncountable() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(UNCOUNTABLE)})\Z", re.IGNORECASE)


@cache
def _rules(to_plural: bool) -> tuple[Rule, ...]:
    irregular: list[tuple[str, str]] = []
    for one, many in IRREGULAR:
        left, right = (one, many) if to_plural else (many, one)
        # Words that share their first letter keep its case; both forms lead to the wanted one.
        irregular.extend((f"({word[0]}){word[1:]}$", rf"\g<1>{right[1:]}") for word in (left, right))
    rules = irregular + (PLURAL if to_plural else SINGULAR)
    return tuple((re.compile(pattern, re.IGNORECASE), replacement) for pattern, replacement in rules)
