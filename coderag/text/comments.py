"""Comments and docstrings of any language to their words."""

from __future__ import annotations

import re

__all__ = ["strip_markers", "summary"]

OPENING = re.compile(
    r"""^\s*(?: /\*+!? | //[/!]* | \#+[!|]? | --\[=*\[ | --+[|^]?(?=\s|$) | ;+ | %+ | \(\*+ | \{-+\s*[|^]? | <!--
        | [rRbBuUfF]{0,2}(?:\"{3}|'{3}) | =begin | @(?:module|type)?doc\b | ~[sS](?=\") | \*(?!\w*/) )[ \t]?""",
    re.VERBOSE,
)
CLOSING = re.compile(r"""\s*(?: \*+/ | \*+\) | -+\} | --> | \"{3} | '{3} | \]=*\] )\s*$""", re.VERBOSE)
MARKUP = re.compile(r"</?[a-z][^<>]{0,80}>|\{@\w+\s+([^{}]{0,200})\}|``?")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(`])")
NOTICE = re.compile(r"copyright|licen[cs]e|spdx|all rights reserved", re.IGNORECASE)
DIRECTIVE = re.compile(r"^(?:[@\\]\w+|:(?:param|returns?|raises?|rtype|type|arg)\b|\w+:noqa|eslint|pylint|type:|noqa|pragma|coding[:=]|vim:|-\*-|!/)")
SUMMARY_CHARS = 240


def strip_markers(text: str) -> str:
    """Return a comment or docstring without the signs that make it one, line by line."""
    lines = []
    for line in text.strip().split("\n"):
        bare = CLOSING.sub("", OPENING.sub("", line, count=1), count=1)
        lines.append(bare.strip().strip('"') if bare.strip() in {'"', '""'} else bare.strip())
    return "\n".join(lines).strip().strip('"').strip()


def summary(text: str) -> str:
    """Return the first sentence of a documentation text, on one line; a licence notice has none."""
    paragraph: list[str] = []
    for line in text.split("\n"):
        bare = line.strip(" *-=~#/")
        if not bare or DIRECTIVE.match(line):
            if paragraph:
                break
            continue
        paragraph.append(line)
    joined = MARKUP.sub(lambda found: found[1] or "", " ".join(paragraph)).strip()
    if NOTICE.search(joined):
        return ""
    first = SENTENCE_END.split(joined, maxsplit=1)[0]
    return first if len(first) <= SUMMARY_CHARS else first[: SUMMARY_CHARS - 1].rstrip() + "…"
