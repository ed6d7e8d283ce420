"""The subject line of a commit to a question, or the reason why it makes no question."""

from __future__ import annotations

import re

__all__ = ["question_of"]

MIN_WORDS = 3
MAX_CHARS = 200
REVERT = re.compile(r"^\W*(?:revert|reapply|back ?out|undo)\b", re.IGNORECASE)
VERSION = re.compile(
    r"""
        \bbump(?:s|ed|ing)?\b.*\b(?:versions?|to|from|deps?|dependenc(?:y|ies)|in)\b | ^\W*bump\b
      | ^\W*(?:update|upgrade)\W.*\bto\W+v?\d | ^\W*(?:v|version\s)?\d+(?:\.\d+)+(?:\W|$)
      | ^\W*(?:prepar\w+\b.*\b)?(?:new\s+)?(?:release|version)s?\W+v?\d
      | \b(?:prepare|start|begin|cut|tag)\b.*\b(?:release|development|version)\b | \bchange\s?log\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
CHORE = re.compile(
    r"""
        ^\W*(?:reformat|format(?:ting|ted)?\s+(?:all|code|files?|python|sources?|the\s+code|with)|run\s.*format)\b
      | \b(?:white\s?space|lint(?:er|ing)?|typos?|spelling|prettier|rustfmt|gofmt|clang-format|isort|rubocop|pep\s?8)\b
      | \b(?:black|ruff)\s+format | \b(?:with|by|run|apply|use)\s+(?:black|ruff)\b
      | ^\W*(?:wip|fixup!|squash!|amend!|merged?)\b
      | ^\W*(?:chore|style|ci|build|docs?)(?:\([^)]*\))?!?:
    """,
    re.IGNORECASE | re.VERBOSE,
)
# What stands around the sentence itself: numbers of tickets, conventional prefixes, branches.
LEADING = re.compile(
    r"""^(?:\s*+(?:
          \[[^\]]{1,30}\]:?
        | (?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|refs?|see|issue|bug|gh|pr)?\s*+[-:]?\s*+[#!]\d+\s*(?:--|[-:,.])?
        | (?:gh|[A-Z][A-Z0-9]{1,9})-\d+\s*[-:,.]?
        | (?:feat|fix|perf|refactor|test|revert)(?:\([^)]{1,40}\))?!?:
    ))+\s*""",
    re.IGNORECASE | re.VERBOSE,
)
TRAILING = re.compile(
    r"(?<!\s)(?:\s*+[(\[](?:[a-z]+\s*)?(?:(?:gh-)?[#!]?\d++[,\s]*+)++[)\]]|\s*+[#!]\d++)++\s*+\.?$", re.IGNORECASE
)
WORD = re.compile(r"[^\W\d_]{2,}")


def question_of(subject: str) -> tuple[str, str]:
    """Return the question that a subject makes, without numbers and prefixes, and "" or why it makes no question."""
    if REVERT.search(subject):
        return "", "revert"
    text = LEADING.sub("", subject[:MAX_CHARS])
    for pattern, reason in ((VERSION, "version or release"), (CHORE, "formatting or chore")):
        if pattern.search(text):
            return "", reason
    text = TRAILING.sub("", text).strip()
    if len(WORD.findall(text)) < MIN_WORDS:
        return "", "subject says too little"
    return text, ""
