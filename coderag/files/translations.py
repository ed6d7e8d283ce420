"""The path of a file to whether it holds translations, and whether they are those that the code was written with."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["is_source_translation", "is_translation"]

FOLDERS = frozenset(
    """i18n intl l10n lang langs language languages locale locales localization localizations
    translation translations""".split()
)
FILE = re.compile(
    r"(?:messages|strings|translations?)\b[\w.-]*\.\w+|[\w.-]+\.(?:arb|ftl|po|pot|properties|resx|strings|xlf|xliff)"
)
# What frameworks call a file of messages, whatever its folder: ValidationMessages.properties, Resources.resx.
BUNDLE = re.compile(
    r"\w*(?:messages|strings|translations?|localizable|localization)[\w.-]*\.\w+"
    r"|\w*(?:resources|labels|bundle)\w*\.(?:properties|resx|strings)"
)
# A language behind the last sign of a name, or as the whole of it: en, pt_BR, zh-Hans, values-de-rAT.
# Of three letters those alone that translators use for want of two: others are any words, as in messages.api.yml.
THREE_LETTERS = "ast|ckb|csb|dsb|fil|fur|gsw|hsb|kab|kmr|lzh|mai|nap|nds|sat|sco|szl|tzm|vec|yue|zgh"
LANGUAGE = re.compile(
    rf"(?:^|[._-])(?P<code>[a-z]{{2}}|{THREE_LETTERS})"
    r"(?:[._-](?P<place>r?[a-z]{2}|[a-z]{4}))?$|^values-(?P<long>[a-z]{3}|b\+[a-z]{2,3})\b"
)
ENGLISH = frozenset({"en", "eng", "english", "en.lproj"})
AMERICAN = frozenset({None, "us", "rus"})  # of other countries the same is said again
NEAR_FOLDERS = 3  # of a file, which may be called after its language


@lru_cache(maxsize=20_000)
def is_translation(path: str) -> bool:
    """Tell whether a file holds translations."""
    *folders, name = path.lower().split("/")
    return not FOLDERS.isdisjoint(folders) or FILE.fullmatch(name) is not None


def is_source_translation(path: str) -> bool:
    """Tell whether a file holds what the code was written with: messages in English, or in no language that it says."""
    *folders, name = path.lower().split("/")
    is_bundle = BUNDLE.fullmatch(name) is not None
    if (FOLDERS.isdisjoint(folders) and not is_bundle) or any(folder.startswith(".") for folder in folders):
        return False
    codes = [_language(one) for one in (name.partition(".")[0], name.rpartition(".")[0], *folders[-NEAR_FOLDERS:])]
    return "en" in codes or (is_bundle and not any(codes))


def _language(name: str) -> str:
    """Return the code of the language that a name says, with its country for English elsewhere; "" for none."""
    if name in ENGLISH:
        return "en"
    match = LANGUAGE.search(name.removesuffix(".lproj"))
    if match is None:
        return ""
    code = match["code"] or match["long"]
    return code if code != "en" or match["place"] in AMERICAN else f"en-{match['place']}"
