"""A part of a map to one sentence about it: the README of its folder, its package comment, or its main definition's."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from coderag.graph.queries.entry_points import Chunks
from coderag.text.sentences import sentences_of
from coderag.types import Chunk, Kind

__all__ = ["PartSentence", "part_sentence", "readme_sentences"]

READMES = ("README.md", "README.rst", "README.txt", "README", "readme.md", "Readme.md", "README.adoc")
# Files whose comment is about all of their folder.
PACKAGE_FILES = ("__init__.py", "doc.go", "package-info.java", "mod.rs", "lib.rs", "index.ts", "index.js")
MAIN_FILES = 3  # of a part, whose own comments are looked at
MOST_HELD = 0.5  # of a part that a folder must hold for its README to be about the part
MAX_SENTENCE = 240  # characters
MIN_WORDS = 4
# Lines that are no sentence about the code: imports behind a package clause, notices, orders to tools, badges, tables.
NO_SENTENCE = re.compile(
    r"import\b|package\b|copyright|\(c\)|spdx|licen[cs]ed?\b|@|eslint|prettier|#!|\[|\||https?://|todo\b|fixme\b"
    r"|code generated|this file (?:is|was) (?:auto|generated)|auto-?generated|stylelint",
    re.IGNORECASE,
)
WORD = re.compile(r"\w+")
HEAD_WORDS = 3  # that tell where a sentence begins
STARTS = re.compile(r"[\"'`(*_]{0,4}\w")


@dataclass(frozen=True, slots=True)
class PartSentence:
    """A sentence about a part, as a file states it."""

    text: str
    path: str
    line: int
    end_line: int
    name: str = ""  # of the definition that it is about; "" for a folder or file


def part_sentence(
    paths: Mapping[str, float], chunks: Chunks, *, known: Collection[str], used: Collection[str]
) -> PartSentence | None:
    """Return a sentence about the part that some files are, which come with how much each matters.

    `known` are the paths of the repository; a sentence of `used` is told already, so another is looked for.
    """
    best = sorted(paths, key=lambda path: (-paths[path], path))
    for path in _candidates(paths, best, known):
        found = _of_readme(path, chunks) if path.rpartition("/")[2] in READMES else _of_file(path, chunks)
        if found is not None and found.text not in used:
            return found
    return next((one for one in _of_definitions(best[:MAIN_FILES], chunks) if one.text not in used), None)


def readme_sentences(folder: str, chunks: Chunks, known: Collection[str]) -> Iterator[PartSentence]:
    """Yield the sentences of a folder's README, in order."""
    start = f"{folder}/" if folder else ""
    path = next((start + name for name in READMES if start + name in known), None)
    if path is not None:
        yield from _sentences_of(path, chunks)


def _candidates(paths: Mapping[str, float], best: Sequence[str], known: Collection[str]) -> Iterator[str]:
    """Yield the files that may say what a part is: those of its folders, then its main files."""
    folders = _main_folders(paths)
    for names in (READMES, PACKAGE_FILES):
        yield from (f"{folder}/{name}" for folder in folders for name in names if f"{folder}/{name}" in known)
    # Go's comment of a package stands in the file that is called like it.
    last = {folder: folder.rpartition("/")[2] for folder in folders}
    yield from (path for folder, name in last.items() if (path := f"{folder}/{name}.go") in known)
    yield from best[:MAIN_FILES]


def _main_folders(paths: Mapping[str, float]) -> list[str]:
    """Return the folders that hold most of a part, the innermost first; the root is none."""
    held: dict[str, float] = {}
    for path, worth in paths.items():
        folder = path.rpartition("/")[0]
        while folder:
            held[folder] = held.get(folder, 0.0) + worth
            folder = folder.rpartition("/")[0]
    least = MOST_HELD * sum(paths.values())
    return sorted((one for one, worth in held.items() if worth > least), key=lambda one: (-one.count("/"), one))


def _of_readme(path: str, chunks: Chunks) -> PartSentence | None:
    return next(_sentences_of(path, chunks), None)


def _sentences_of(path: str, chunks: Chunks) -> Iterator[PartSentence]:
    for chunk in chunks(path):
        for sentence in sentences_of(chunk.text) if chunk.kind is Kind.SECTION else ():
            if _is_sentence(sentence):
                yield _sentence(sentence, chunk)


def _of_file(path: str, chunks: Chunks) -> PartSentence | None:
    """Return what the comment at the head of a file says."""
    first = next(iter(chunks(path)), None)
    if first is None or first.kind is not Kind.MODULE or not _is_sentence(first.doc):
        return None
    return _sentence(first.doc, first)


def _of_definitions(paths: Sequence[str], chunks: Chunks) -> Iterator[PartSentence]:
    for path in paths:
        for chunk in chunks(path):
            if (
                chunk.kind not in (Kind.MODULE, Kind.SECTION, Kind.FIELD)
                and not chunk.parent
                and _is_sentence(chunk.doc)
            ):
                yield _sentence(chunk.doc, chunk, name=chunk.qualified_name)


def _is_sentence(text: str) -> bool:
    return bool(STARTS.match(text)) and not NO_SENTENCE.match(text) and len(text.split()) >= MIN_WORDS


def _sentence(text: str, chunk: Chunk, *, name: str = "") -> PartSentence:
    text = " ".join(text.split())
    text = text if len(text) <= MAX_SENTENCE else f"{text[: MAX_SENTENCE - 1]}…"
    line, end = _lines_of(text, chunk)
    return PartSentence(text, chunk.path, line, end, name)


def _lines_of(text: str, chunk: Chunk) -> tuple[int, int]:
    """Return the lines that a sentence stands on, told by its words, between which there may be markup."""
    written = [(number, word) for number, line in chunk.numbered_lines() for word in WORD.findall(line)]
    words = WORD.findall(text)
    head = words[:HEAD_WORDS]
    begin = next((at for at in range(len(written)) if [word for _, word in written[at : at + len(head)]] == head), None)
    if begin is None:
        return chunk.span.start_line, chunk.span.end_line
    at = begin
    for word in words:
        at = next((later for later in range(at, len(written)) if written[later][1] == word), at)
    return written[begin][0], written[at][0]
