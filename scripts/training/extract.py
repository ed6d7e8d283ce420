"""The files of a package to what they define, each definition apart from its documentation."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import PurePosixPath

from coderag.chunking.chunk import MAX_CHUNK_BYTES, ChunkSpec, chunk_outline
from coderag.chunking.sections import chunk_markdown, chunk_restructuredtext
from coderag.index.workers.readers import BRIEF, module_name
from coderag.syntax.language import Language, languages
from coderag.syntax.lines import Lines
from coderag.syntax.outline import read_outline
from coderag.text.comments import doc_summary
from coderag.types import Content, Kind
from scripts.training.archives import Member, Package, members

__all__ = ["Extract", "Record", "extract"]

MAX_PACKAGE_BYTES = 48_000_000
MAX_RECORDS = 7_000  # with documentation, of a package: none should outweigh the others
MIN_DOC_WORDS = 3
MAX_TEXT = 5_000  # characters
MAX_REST = 500
MIN_SECTION = 200
DEFINITIONS = frozenset(
    {Kind.FUNCTION, Kind.METHOD, Kind.CLASS, Kind.INTERFACE, Kind.TRAIT, Kind.STRUCT, Kind.ENUM}
    | {Kind.EXTENSION, Kind.MACRO, Kind.TYPE}
)
DOCUMENTS = {"markdown": chunk_markdown, "restructuredtext": chunk_restructuredtext}
SKIPPED = re.compile(
    r"""(?:^|/)(?:_?vendor(?:ed)?|_vendored_packages|externs?|externals?|third[_-]?party|node_modules|migrations
        |site-packages|locale|testdata|generated|gen|tests?|testing|specs?|__tests__)/
      | _pb2(?:_grpc)?\.py | \.min\. | \.pyi$ | _generated | (?:^|/)(?:test_|conftest\.) | [._](?:test|spec)\.
      | Tests?\.(?:java|kt|cs|swift|scala)$""",
    re.IGNORECASE | re.VERBOSE,
)
BUILT = re.compile(r"/(?:dist|umd|cjs)/|/lib/es")  # JavaScript that was made of other files
DOCSTRING = re.compile(r'^[ \t]*[rRbBuU]{0,2}("""|\'\'\'|"|\')((?:(?!\1).|\n)*?)\1[ \t]*\n?', re.MULTILINE)
COMMENT = re.compile(
    r"""^\s*(//|/\*|\*|\#(?!\[|include|define|if|end|else|pragma)|--|;|%|\(\*|\{-|\"{3}|'{3}|@(?:module|type|short)?doc\b)""",
    re.VERBOSE,
)
ENDS = {"/*": "*/", "(*": "*)", "{-": "-}", '"""': '"""', "'''": "'''"}
SIGNS = re.compile(
    r"""^\s*(?:///?!? | /\*+!? | \*+/? | \#+[:|]? | --+\s?[|^]? | ;+ | %+ | \(\*+ | \{-+\s*[|^]? | \"{3} | '{3}
          | @(?:module|type|short)?doc\s+(?:~[sS])?"*)?\s? | \s*(?:\*+/|\*\)|-\})\s*$""",
    re.VERBOSE,
)
DETAILS = re.compile(  # where prose ends and parameters, examples and the like begin
    r"""^\s*(?:Parameters?|Args|Arguments|Returns?|Raises|Examples?|Yields|Attributes|Notes?|See[ ]Also|References|Usage
          |Keyword[ ]Args)\s*:?\s*$ | ^\s*[:@\\](?:param|returns?|rtype|type|arg|throws|since|see|author|example)
      | ^\s*(?:>>>|\.\.[ ]) | ^\s*(?:\#|\[\w)""",
    re.MULTILINE | re.VERBOSE,
)
MARKUP = re.compile(r"<[^<>\n]{1,60}>|\{@\w+\s+([^{}]*)\}|:\w+:`~?([^`]*)`|[`*]+")


@dataclass(frozen=True, slots=True)
class Record:
    """A definition or a section, its documentation, and its text without it."""

    language: str
    path: str
    kind: str
    name: str
    scope: str
    summary: str  # the first sentence; a section's heading
    rest: str  # what follows it in prose
    text: str


@dataclass(frozen=True, slots=True)
class Extract:
    """What a package gave."""

    package: str
    told: str  # its version and licence, as it says
    records: tuple[Record, ...]


def extract(package: Package, *, everything: bool = False) -> Extract:
    """Return what a package defines and documents; `everything`: also what it does not document, and no cut.

    Of Python packages only Python and documents are read, of the others everything but Python.
    """
    found, told = members(package)
    records: list[Record] = []
    size = 0
    for member in found:
        language = _language(member.path, python=package.registry == "pypi")
        if language is None or b"\0" in member.data[:2000]:
            continue
        size += len(member.data)
        if size > MAX_PACKAGE_BYTES:
            break
        records += _read(member, language)
    if not everything:
        records = [record for record in records if record.summary]
        if len(records) > MAX_RECORDS:
            chosen = random.Random(package.name).sample(range(len(records)), MAX_RECORDS)
            records = [records[position] for position in sorted(chosen)]
    return Extract(package.key, told, tuple(records))


@cache
def _by_extension() -> dict[str, Language]:
    readers = {"outline", *DOCUMENTS}
    found: dict[str, Language] = {}
    for language in languages().values():
        if language.reader in readers and language.content is not Content.CONFIG:
            for extension in language.extensions:
                found.setdefault(extension, language)
    return found


def _language(path: str, *, python: bool) -> Language | None:
    language = _by_extension().get(PurePosixPath(path).suffix.lower())
    if language is None or SKIPPED.search(path) or (language.name == "javascript" and BUILT.search(path)):
        return None
    if language.reader == "outline" and (language.name == "python") is not python:
        return None
    return language


def _read(member: Member, language: Language) -> list[Record]:
    lines = Lines(member.data.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
    module = module_name(member.path)
    if read_document := DOCUMENTS.get(language.reader):
        return [
            Record(language.name, member.path, "section", draft.name, _scope(draft), draft.name, "", text[:3000])
            for draft in read_document(lines, name=module)
            if draft.name and not draft.continues and len(text := _text(lines, draft)) >= MIN_SECTION
        ]
    outline = read_outline(lines, language, split_above=MAX_CHUNK_BYTES, brief=BRIEF)
    return [
        _record(lines, draft, language=language.name, path=member.path)
        for draft in chunk_outline(lines, outline, module=module)
        if not draft.continues and draft.kind in DEFINITIONS
    ]


def _record(lines: Lines, draft: ChunkSpec, *, language: str, path: str) -> Record:
    plain = Record(language, path, draft.kind.value, draft.name, _scope(draft), "", "", _text(lines, draft)[:MAX_TEXT])
    if len(draft.doc.split()) < MIN_DOC_WORDS:
        return plain
    text, doc = _apart(lines, draft, python=language == "python")
    prose = _prose(doc)
    at = prose.find(draft.doc[-20:])
    rest = prose[at + 20 :] if at >= 0 else prose.partition(". ")[2]
    return replace(plain, summary=draft.doc, rest=rest.strip(" .")[:MAX_REST], text=text[:MAX_TEXT])


def _scope(draft: ChunkSpec) -> str:
    if draft.name and draft.qualified_name.endswith(draft.name):
        return draft.qualified_name[: -len(draft.name)]
    return "" if draft.name else draft.qualified_name


def _text(lines: Lines, draft: ChunkSpec) -> str:
    return lines.text(draft.parts).decode("utf-8", "replace")


def _apart(lines: Lines, draft: ChunkSpec, *, python: bool) -> tuple[str, str]:
    """Return a definition's text without its documentation, and that."""
    if python:
        text = _text(lines, draft)
        found = DOCSTRING.search(text, max(text.find(draft.name), 0))
        if found and doc_summary(found[0])[:25] == draft.doc[:25]:
            return text[: found.start()] + text[found.end() :], found[2]
    code: list[str] = []
    doc: list[str] = []
    until = ""  # the sign that ends a comment of several lines
    for first, last in draft.parts:
        for row in range(first, last + 1):
            line = lines.text_of(lines.starts[row], lines.ends[row])
            if row >= draft.row or not (until or COMMENT.match(line)):
                code.append(line)
                continue
            doc.append(line)
            until = ("" if until in line else until) if until else _opened(line)
    return "".join(code), "".join(doc)


def _opened(line: str) -> str:
    """Return what will end the comment that a line begins, "" when the line itself does."""
    found = COMMENT.match(line)
    assert found is not None
    sign = '"""' if found[1].startswith("@") and '"""' in line else found[1]
    end = ENDS.get(sign, "")
    return end if end and end not in line.partition(sign)[2] else ""


def _prose(doc: str) -> str:
    """Return the prose of a comment on one line, up to its list of parameters or examples."""
    text = "\n".join(SIGNS.sub("", line) for line in doc.split("\n"))
    if (found := DETAILS.search(text)) and found.start() > 0:
        text = text[: found.start()]
    return " ".join(MARKUP.sub(lambda found: found[1] or found[2] or " ", text).split())
