"""Source to the questions that are asked of it: names, names in words, sentences of comments."""

from __future__ import annotations

import re
from pathlib import Path

from scripts.bench.corpora import endings
from scripts.bench.records import Corpus
from scripts.bench.subsets import ordered_files

__all__ = ["draw"]

# A definition in one of the languages of the benchmark. Of C and Java, whose functions begin with their type,
# the second finds those that begin a line or stand in a class.
MODIFIERS = r"(?:(?:export|public|protected|private|abstract|final|async|static)\s+)*"
DEFINITIONS = (
    re.compile(rf"^\s*{MODIFIERS}(?:def|func|function|class|interface|struct)\s+(?:\([^)]*\)\s*)?(\w{{4,}})", re.M),
    re.compile(rf"^(?:    )?{MODIFIERS}[\w<>]+\s[\s*]*(\w{{4,}})\([^;()]*\)\s*\{{?$", re.M),
)
LICENSE = re.compile("copyright|license", re.I)  # it heads every file and asks for none
SENTENCE = re.compile(r'^\s*(?:#|//+|/?\*+|""")\s*([A-Z][a-z]*(?: [\w\'`,-]+){4,14})\.', re.M)
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def draw(corpus: Corpus, count: int) -> list[str]:
    """Return so many different questions about a corpus, or as many as it has; the same for the same files."""
    drawn: dict[str, None] = {}
    for path in ordered_files(corpus, [ending for language in endings().values() for ending in language]):
        text = Path(corpus.folder, path).read_text(encoding="utf-8", errors="replace")
        drawn.update(dict.fromkeys(_of_file(text)))
        if len(drawn) >= count:
            break
    return list(drawn)[:count]


def _of_file(text: str) -> list[str]:
    """Return at most a name, another in words, and a sentence, so that the questions come from many files."""
    names = [match for pattern in DEFINITIONS for match in pattern.findall(text)]
    names = [name for name in dict.fromkeys(names) if not name.startswith("__")]
    phrases = [" ".join(words).lower() for words in map(WORD.findall, names) if len(words) > 1]
    sentences = [sentence for sentence in SENTENCE.findall(text) if not LICENSE.search(sentence)]
    return [*names[:1], *phrases[-1:], *sentences[-1:]]
