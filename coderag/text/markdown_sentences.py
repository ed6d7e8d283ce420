"""Prose in Markdown to its sentences."""

from __future__ import annotations

import re

__all__ = ["CODE_BLOCK", "NO_TEXT", "sentences_of"]

MIN_SENTENCE = 3  # words; fewer are a label
CODE_BLOCK = re.compile(r"^```.*?^```[^\n]*$|^~~~.*?^~~~[^\n]*$", re.MULTILINE | re.DOTALL)
SENTENCE_END = re.compile(r"(?<=[.!?:])\s+(?=[\"'(`A-Z\d*])")
HEADING = re.compile(r"^#{1,6}\s+(.*)$")
ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
MARKUP = re.compile(
    r"!\[[^\[\]]{0,300}\]\([^()]{0,500}\)|</?[a-z][^<>]{0,400}>|<!--[^<>]{0,400}-->|\{[#.:][^{}]{0,200}\}",
    re.IGNORECASE,
)
LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
NO_TEXT = re.compile(r"^[\s\W_]*$")  # brackets and rules alone state nothing


def sentences_of(text: str) -> list[str]:
    """Return the sentences, list items and rows of prose, without headings and code."""
    sentences: list[str] = []
    paragraph: list[str] = []
    for line in [*LINK.sub(r"\1", MARKUP.sub("", CODE_BLOCK.sub("", text))).split("\n"), ""]:
        starts_anew = not line.strip() or HEADING.match(line) or ITEM.match(line) or line.lstrip().startswith("|")
        if starts_anew and paragraph:
            sentences += SENTENCE_END.split(" ".join(paragraph))
            paragraph = []
        if line.strip() and not HEADING.match(line) and not NO_TEXT.match(line):
            paragraph.append(ITEM.sub("", line).strip().strip("|").strip())
    return [sentence for sentence in sentences if len(sentence.split()) >= MIN_SENTENCE]
