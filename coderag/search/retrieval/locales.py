"""A message in a file of translations to the key by which code asks for it."""

from __future__ import annotations

import re
from collections.abc import Collection

__all__ = ["is_locale", "key_of", "use_of"]

FOLDERS = frozenset("i18n intl l10n lang langs language languages locale locales localization translations".split())
FILE = re.compile(
    r"(?:messages|strings|translations?)\b[\w.-]*\.\w+|[\w.-]+\.(?:arb|ftl|po|pot|properties|resx|strings)"
)
# A key and its value: 'key' => 'x', "key": "x", key: x, key = x, $labels['key'] = 'x'.
ENTRY = re.compile(r"[ \t]*(?:\$\w+\[)?[\"']?(?P<key>[A-Za-z][\w.-]*)[\"']?\]?[ \t]*(?:=>|[:=])")
MIN_KEY = 3  # characters; a shorter one stands in too much
WORD = re.compile(r"\w+")


def is_locale(path: str) -> bool:
    """Tell whether a file holds translations, by its path."""
    *folders, name = path.lower().split("/")
    return not FOLDERS.isdisjoint(folders) or FILE.fullmatch(name) is not None


def key_of(text: str, run: Collection[str]) -> str:
    """Return the key of the entry of a text that has the most of some lower-case words, "" where it has none."""
    best, most = "", 0
    for line in text.split("\n"):
        entry = ENTRY.match(line)
        if entry is None or len(entry["key"]) < MIN_KEY:
            continue
        held = len(set(WORD.findall(line[entry.end() :].lower())).intersection(run))
        if held > most:
            best, most = entry["key"], held
    return best


def use_of(key: str) -> re.Pattern[str]:
    """Return the expression for a key where code asks for it, alone or behind what the key is in: t("a.b.key")."""
    return re.compile(rf"[\"'`](?:[\w-]+[.:/])*{re.escape(key)}[\"'`]")
