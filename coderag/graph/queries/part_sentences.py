"""A part of a map to one sentence about it: the README of its folder, its package comment, or its main definition's."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from coderag.graph.queries.entry_points import Chunks
from coderag.graph.queries.locations import TYPE_KINDS
from coderag.text.markdown_sentences import sentences_of
from coderag.types import Chunk, Kind

__all__ = ["PartFiles", "PartSentence", "part_sentence"]

READMES = ("README.md", "README.rst", "README.txt", "README", "readme.md", "Readme.md", "README.adoc")
# Files whose comment is about all of their folder.
PACKAGE_FILES = ("__init__.py", "doc.go", "main.go", "package-info.java", "mod.rs", "lib.rs", "index.ts", "index.js")
MAIN_FILES = 3  # of a part, whose own comments are looked at
MOST_HELD = 0.5  # of a part that a folder must hold for its README to be about the part
MOST_ABOVE = 2  # folders between a README and the innermost folder that holds most of a part
LEAST_OF_FOLDER = 1 / 3  # of the folder's files that must be of the part
MAX_SENTENCE = 240  # characters
MIN_WORDS = 4
# Lines that are no sentence about the code: imports behind a package clause, notices, orders to tools, badges, tables.
NO_SENTENCE = re.compile(
    r"import\b|copyright|\(c\)|spdx|licen[cs]ed?\b|@|eslint|biome|prettier|tslint|noinspection|pylint|rubocop|#!|\[|\||todo\b|fixme\b"
    r"|stylelint|.{0,200}(?:https?://|\bgenerated (?:by|code|file|from)|code generated|auto-?generated"
    r"|do not (?:edit|modify)\b)",
    re.IGNORECASE,
)
TYPES_AND_FUNCTIONS = frozenset({*(Kind(kind) for kind in TYPE_KINDS), Kind.FUNCTION})
SIGNED = re.compile(r"\s(?:(?:Created|Written) by|@author)\b.*$", re.IGNORECASE)  # of editors' templates
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
    name: str = ""  # of the definition or file that it is about; "" for a folder


@dataclass(frozen=True, slots=True)
class PartFiles:
    """What a part is made of."""

    paths: Mapping[str, float]  # its files, and how much each matters
    central: Sequence[tuple[str, str]]  # names and paths of the definitions that matter most
    known: Collection[str]  # the paths of the repository
    sizes: Mapping[str, int]  # how many files are below each folder


def part_sentence(part: PartFiles, chunks: Chunks, *, used: Collection[str]) -> PartSentence | None:
    """Return a sentence about a part; one of `used` is told already, so another is looked for."""
    return next((one for one in _sentences_about(part, chunks) if one.text not in used), None)


def _sentences_about(part: PartFiles, chunks: Chunks) -> Iterator[PartSentence]:
    """Yield what is said of a part, what is about all of it first."""
    yield from filter(None, (_of_readme(path, chunks) for path in _of_folders(part, READMES)))
    yield from filter(None, (_of_file(path, chunks) for path in _package_files(part)))
    yield from _of_main_files(part, chunks)
    yield from _of_definitions(part, chunks)


def _of_folders(part: PartFiles, names: Sequence[str]) -> Iterator[str]:
    for folder in _main_folders(part):
        yield from (path for name in names if (path := f"{folder}/{name}") in part.known)


def _package_files(part: PartFiles) -> Iterator[str]:
    """Yield the files whose comment is about their folder; Go's may stand in the file that is called like it."""
    for folder in _main_folders(part):
        names = (*PACKAGE_FILES, f"{folder.rpartition('/')[2]}.go")
        yield from (path for name in names if (path := f"{folder}/{name}") in part.known)


def _main_folders(part: PartFiles) -> list[str]:
    """Return the folders that hold most of a part and little else, the innermost first, without the root.

    Those far above the innermost one that holds most of it are about more than the part.
    """
    held: dict[str, float] = {}
    count: dict[str, int] = {}
    for path, worth in part.paths.items():
        folder = path.rpartition("/")[0]
        while folder:
            held[folder] = held.get(folder, 0.0) + worth
            count[folder] = count.get(folder, 0) + 1
            folder = folder.rpartition("/")[0]
    least = MOST_HELD * sum(part.paths.values())
    most = [one for one, worth in held.items() if worth > least]
    highest = max((one.count("/") for one in most), default=0) - MOST_ABOVE
    own = (
        one
        for one in most
        if one.count("/") >= highest and count[one] >= LEAST_OF_FOLDER * part.sizes.get(one, count[one])
    )
    return sorted(own, key=lambda one: (-one.count("/"), one))


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


def _of_main_files(part: PartFiles, chunks: Chunks) -> Iterator[PartSentence]:
    """Yield what the files that matter most say of themselves."""
    for path in sorted(part.paths, key=lambda path: (-part.paths[path], path))[:MAIN_FILES]:
        if sentence := _of_file(path, chunks):
            yield replace(sentence, name=path.rpartition("/")[2])


def _of_definitions(part: PartFiles, chunks: Chunks) -> Iterator[PartSentence]:
    for name, path in part.central:
        for chunk in chunks(path):
            if chunk.name == name and chunk.kind in TYPES_AND_FUNCTIONS and _is_sentence(chunk.doc):
                yield _sentence(chunk.doc, chunk, name=chunk.qualified_name)


def _is_sentence(text: str) -> bool:
    return bool(STARTS.match(text)) and not NO_SENTENCE.match(text) and len(text.split()) >= MIN_WORDS


def _sentence(text: str, chunk: Chunk, *, name: str = "") -> PartSentence:
    text = SIGNED.sub("", " ".join(text.split()))
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
