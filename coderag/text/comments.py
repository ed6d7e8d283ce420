"""Comments and docstrings of any language to their words."""

from __future__ import annotations

import re

__all__ = ["doc_summary"]

OPENING = re.compile(
    r"""^\s*(?:
          /\*+!? | //[/!]* | \#= | \#+[:|]? | --\[=*\[ | --+\s?[|^]?(?=\s|$|@) | ;+ | %+ | \(\*+ | \{-+\s*[|^]? | <!--
        | [rRbBuUfF]{0,2}(?:\"{3}|'{3}) | =begin | =end | @(?:module|type|short)?doc\s+(?:~[sS]|raw)?\"{1,3}
        | \*(?!\w*/)
    )[ \t]?""",
    re.VERBOSE,
)
CLOSING = re.compile(  # white space is looked at from where it begins, and signs too: a row of them takes one look
    r"""(?:(?<!\s)\s++)?(?: (?<!\*)\*++[/)] | (?<!-)-++\} | --> | =\# | \"{3} | '{3} | (?<!=)\]=*+\] )\s*$""",
    re.VERBOSE,
)
CLOSERS = frozenset("/)}>#\"']")  # what such a sign ends with: looking for one takes long
MARKUP = re.compile(r"</?[a-z][^<>]{0,80}>|\{@\w+\s++([^{}]{0,200}+)\}|``?")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(`])")
NOTICE = re.compile(r"copyright|licen[cs]e|spdx|all rights reserved", re.IGNORECASE)
DIRECTIVE = re.compile(
    r"""^(?:
          [@\\]\w+ | :(?:param|returns?|raises?|rtype|type|arg|nodoc)\b | !/ | -\*- | noqa | pragma | coding[:=] | vim:
        | (?:eslint|pylint|rubocop|shellcheck|type|typed|frozen_string_literal|clang-format|go):?[\s:-]
        | (?:Copyright|License|Maintainer|Stability|Portability|Module)\s+:
    )""",
    re.VERBOSE,
)
SUMMARY_CHARS = 240


def doc_summary(text: str) -> str:
    """Return the first sentence of a comment or docstring, on one line; a licence notice has none."""
    paragraph: list[str] = []
    size = 0
    for line in text.strip().split("\n"):
        bare = _bare(line)
        words = bare.strip(" *-=~#/")
        if not words or DIRECTIVE.match(words):
            if paragraph:
                break
            continue
        paragraph.append(bare)
        size += len(bare)
        if size > 2 * SUMMARY_CHARS:
            break
    joined = " ".join(paragraph)
    if "<" in joined or "{" in joined or "`" in joined:
        joined = MARKUP.sub(lambda match: match[1] or "", joined)
    joined = joined.strip().strip('"').strip()
    if NOTICE.search(joined):
        return ""
    first = SENTENCE_END.split(joined, maxsplit=1)[0]
    return first if len(first) <= SUMMARY_CHARS else first[: SUMMARY_CHARS - 1].rstrip() + "…"


def _bare(line: str) -> str:
    bare = OPENING.sub("", line, count=1).strip()
    if bare[-1:] in CLOSERS:
        bare = CLOSING.sub("", bare, count=1).strip()
    return "" if bare in {'"', '""'} else bare
