"""A folder's documentation to questions: its first sentences ask, the functions they document answer.

The questions are asked of a copy in which the documentation is blanked out, so that only names and code can answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from coderag.errors import RootError
from coderag.evaluate.question import JudgedQuestion, Wanted
from coderag.evaluate.sampling import sample
from coderag.files.decode import decode, read_file
from coderag.files.walk import Skipped, SkipReason, WalkOptions, walk
from coderag.syntax.captures import Captures, sort_captures
from coderag.syntax.grammar import GrammarMissing, reader
from coderag.syntax.language import Language, claimed, detect, languages
from coderag.syntax.lines import Lines
from coderag.syntax.outline import CALLABLE, Definition, read_outline
from coderag.types import Content, Span

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["DocstringQuestions", "docstring_questions", "hide_documentation"]

MIN_WORDS = 4
MAX_DEPTH = 200  # folders; making and removing so many calls itself for each
MAX_CHARS = 300
MIN_BODY_LINES = 2
NEVER_SPLIT = 1 << 60  # bytes; where a function would be cut is of no interest here
NOT_ASKED = frozenset({"test", "vendored", "generated", "example", "legacy"})  # labels of files nobody asks for
WORD = re.compile(r"[^\W\d_]{2,}")
# The quotes that begin a string that documents, with what stands before them: r\"\"\", @doc ~S\"\"\", @moduledoc ".
QUOTED = re.compile(rb"""^(?:@\w+[ \t]*)?(?:~?[A-Za-z]{0,3})(?:\"{3}|'{3}|\"|')""")
# Lines of Ruby and Perl that begin and end a comment.
BLOCK_SIGNS = re.compile(rb"^=(?:begin|end|pod|cut)\b", re.MULTILINE)
WORD_BYTES = bytes(range(ord("0"), ord("9") + 1)) + bytes(range(ord("A"), ord("Z") + 1))
WORD_BYTES += bytes(range(ord("a"), ord("z") + 1)) + b"_" + bytes(range(0x80, 0x100))
BLANK = bytes.maketrans(WORD_BYTES, b" " * len(WORD_BYTES))


@dataclass(frozen=True, slots=True)
class DocstringQuestions:
    """Questions from documentation, by path and line, and what made none."""

    questions: tuple[JudgedQuestion, ...]
    files: int  # in the copy
    functions: int  # in the copy
    skipped: Mapping[str, int]  # functions that make no question, by the reason


def docstring_questions(
    root: Path,
    out: Path,
    limit: int,
    *,
    allowed: Callable[[str], bool] = lambda _: True,
    group: Callable[[str], str] = lambda _: "",
    seed: int = 0,
) -> DocstringQuestions:
    """Copy the code files below `root` to the empty folder `out` without documentation, and return the questions.

    `allowed` decides which paths are copied. There are at most `limit` questions of each group of paths, drawn
    with a seed; a sentence that documents several functions of a group is no question. Raises RootError.
    """
    if out.exists() and any(out.iterdir()):
        raise RootError(f"{out} is not empty; give a new folder for the copy without documentation")
    made = _Made()
    for file in walk(root, WalkOptions(contents=frozenset({Content.CODE}))).files:
        decoded = read_file(root, file)
        if isinstance(decoded, Skipped) or not allowed(file.path) or file.path.count("/") > MAX_DEPTH:
            continue
        language = claimed(file.path, decoded.data, languages()[file.language])
        hidden = _hide(decoded.data, language)
        target = out / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(hidden.data)
        made.files += 1
        asked = not (file.labels | decoded.labels) & NOT_ASKED
        for documented in hidden.documented:
            made.add(documented, Place(file.path, language.name, group(file.path)), asked=asked)
    return made.result(limit, seed)


def hide_documentation(data: bytes, language: str, *, path: str) -> bytes:
    """Return a text with the documentation of its definitions blanked out, every line and byte in its place.

    `language` may be "" if the path tells it. What is no text in an outlined language comes back as it is.
    """
    known = languages().get(language) or detect(path)
    if known is None:
        return data
    decoded = decode(data, language=known.name)
    if isinstance(decoded, SkipReason):
        return data
    return _hide(decoded.data, claimed(path, decoded.data, known)).data


@dataclass(frozen=True, slots=True)
class Documented:
    """A function with its first sentence."""

    name: str
    span: Span
    doc: str
    body_lines: int  # with words on them, documentation and signature aside


@dataclass(frozen=True, slots=True)
class Place:
    """Where a function is."""

    path: str
    language: str
    group: str


@dataclass(frozen=True, slots=True)
class Hidden:
    """A text without documentation, and its functions with theirs."""

    data: bytes
    documented: tuple[Documented, ...]


class _Made:
    """Questions while files are read, and what is counted beside them."""

    def __init__(self) -> None:
        self.files = self._functions = 0
        self._skipped: Counter[str] = Counter()
        self._found: dict[str, list[JudgedQuestion]] = {}  # by group
        self._uses: Counter[tuple[str, str]] = Counter()  # of a sentence in a group

    def add(self, one: Documented, place: Place, *, asked: bool) -> None:
        """Add the question that a function's documentation makes, or count why it makes none."""
        self._functions += 1
        if reason := _no_question(one, asked=asked):
            self._skipped[reason] += 1
            return
        self._uses[place.group, one.doc] += 1
        self._found.setdefault(place.group, []).append(
            JudgedQuestion(
                one.doc,
                ((Wanted(place.path, one.span, one.name),),),
                kind="documentation",
                language=place.language,
                source=f"{place.path}:{one.span.start_line}",
            )
        )

    def result(self, limit: int, seed: int) -> DocstringQuestions:
        """Return at most `limit` questions of each group, in order of path and line."""
        chosen: list[JudgedQuestion] = []
        for group, questions in sorted(self._found.items()):
            only = [question for question in questions if self._uses[group, question.text] == 1]
            self._skipped["sentence documents several"] += len(questions) - len(only)
            drawn = sample(only, limit, seed=seed)
            self._skipped["not drawn"] += len(only) - len(drawn)
            chosen += drawn
        return DocstringQuestions(tuple(chosen), self.files, self._functions, dict(+self._skipped))


def _no_question(one: Documented, *, asked: bool) -> str:
    """Return why a function's documentation makes no question, "" when it makes one."""
    if not asked:
        return "test, example, vendored or generated"
    if not one.doc:
        return "no documentation"
    if len(WORD.findall(one.doc)) < MIN_WORDS:
        return f"fewer than {MIN_WORDS} words"
    if len(one.doc) >= MAX_CHARS or one.doc.endswith("…"):
        return "too long a sentence"
    if one.body_lines < MIN_BODY_LINES:
        return f"body of fewer than {MIN_BODY_LINES} lines"
    return ""


def _hide(data: bytes, language: Language) -> Hidden:
    """Return a text with "\\n" line ends without documentation; as it is where no outline is made of it."""
    if language.reader != "outline":
        return Hidden(data, ())
    lines = Lines(data)
    try:
        outline = read_outline(lines, language, split_above=NEVER_SPLIT)
        tree, _ = reader(language).parse(data)
        captures = sort_captures(reader(language).match(tree))
    except GrammarMissing:
        return Hidden(data, ())
    blanked = bytearray(data)
    for start, end in _documentation(lines, captures, outline.definitions):
        blanked[start:end] = _blank(bytes(blanked[start:end]))
    hidden = bytes(blanked)
    documented = (
        Documented(
            definition.qualified_name,
            Span(definition.first_row + 1, definition.last_row + 1),
            definition.doc,
            _body_lines(hidden, definition),
        )
        for definition in outline.definitions
        if definition.kind in CALLABLE
    )
    return Hidden(hidden, tuple(documented))


def _documentation(lines: Lines, captures: Captures, definitions: Sequence[Definition]) -> Iterator[tuple[int, int]]:
    """Yield the bytes of what documents: docstrings, and the comments directly above definitions."""
    inside = [node for found in captures.found.values() for node in found.docs]
    for node in (*captures.docs, *inside):
        yield node.start_byte, node.end_byte
    above = sorted((lines.starts[definition.first_row], lines.starts[definition.row]) for definition in definitions)
    yield from _within(captures.comments, above)


def _within(nodes: Iterable[Node], ranges: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the bytes of the nodes that begin within some ranges, given in order."""
    position = 0
    reach = -1  # of the ranges that began so far
    for node in sorted(nodes, key=lambda node: node.start_byte):
        while position < len(ranges) and ranges[position][0] <= node.start_byte:
            reach = max(reach, ranges[position][1])
            position += 1
        if node.start_byte < reach:
            yield node.start_byte, node.end_byte


def _blank(text: bytes) -> bytes:
    """Return documentation without its words; the signs that make it a comment or a string stay."""
    head = QUOTED.match(text)
    start = head.end() if head else 0
    blanked = bytearray(text[:start] + text[start:].translate(BLANK))
    for sign in BLOCK_SIGNS.finditer(text):
        blanked[sign.start() : sign.end()] = sign[0]
    return bytes(blanked)


def _body_lines(hidden: bytes, one: Definition) -> int:
    """Return how many lines with words a function has behind its signature."""
    text = hidden[one.start_byte : one.end_byte].decode("utf-8", "replace")
    left = sum(not character.isspace() for character in one.signature.rstrip("…"))
    for position, character in enumerate(text):
        if left <= 0:
            return sum(bool(re.search(r"\w", line)) for line in text[position:].split("\n"))
        left -= not character.isspace()
    return 0
