"""Documents say things plainly: no phrase of the list below, in pages, docstrings and comments."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

from tests.documents import PAGES
from tests.workspace import REPOSITORY

# A phrase, as a regular expression in any case, and what to write instead.
BANNED = {
    r"\btells? of\b": "name the thing: declares, describes, contains",
    r"\bamounts? to\b": "is, results in",
    r"(?<!\bthere )\b(?:is|are) (?-i:none)\b": "there is no ..., or the value",
    r"\bas (?:it is|they are) seen\b": "from the point of view of, as visible to",
    r"\bwhat makes (?:the )?vectors\b": "the embedding model",
    r"\blists? of words and (?:one )?of vectors\b": "lexical and dense results",
    r"\bbehind what is like\b": "diversify (MMR)",
    r"\bspeaks? of\b": "describes, mentions",
    r"\b(?:to|have|has) do with\b": "name the relation: calls, reads, neighbours",
    r"\bmade anew\b": "rebuilt",
    r"\b(?:index|cache|it|they) lies?\b": "is stored",
    r"\bby lot\b": "a random sample",
    r"\bone a (?:core|line|process|root|file)\b": "one per ...",
    r"\bwhich is not known\b": "unknown",
    r"\bwhat (?:is|was) found out\b": "resolved, memoised",
    r"\bis not believed\b": "is not trusted",
    r"\bis put behind\b": "is demoted",
    r"\bwhat all of them may see\b": "the intersection of the callers' groups",
    r"\bas new as the look\b": "racily clean (git's term)",
    r"\basked in a transaction\b": "queried in a transaction",
    r"\bit is so that\b": "drop it",
    r"\bthe other way about\b": "vice versa",
    r"\b(?:where|there)of\b": "of which, of it",
    r"\bin (?:its|their) stead\b": "instead",
    r"\bone on the other\b": "chained, nested",
    r"\bif need be\b": "if necessary",
    r"\bfalls? away\b": "is dropped",
    r"\bspoken of\b": "mentioned",
}
# Python files whose docstrings and comments are held to the list, as globs.
SOURCES = ("coderag/**/*.py", "scripts/reference.py", "tests/documents.py", "tests/test_docs.py")

FENCED = re.compile(r"^```.*?^```$|<!--.*?-->", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")


def name_of(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


FILES = [
    *PAGES,
    *(REPOSITORY / f"{name}.md" for name in ("ARCHITECTURE", "CHANGELOG", "CONTRIBUTING", "SECURITY")),
    *sorted({path for pattern in SOURCES for path in REPOSITORY.glob(pattern)}),
]
FOLDERS = {  # and of the folders of coderag, those in them
    folder: [*paths]
    for folder, paths in groupby(sorted(FILES), key=lambda path: "/".join(name_of(path).split("/")[:-1][:2]))
}


def prose_of(path: Path) -> str:
    """Return the prose of a file: a document without its code, a Python file's docstrings and comments."""
    if path.suffix == ".md":
        return CODE.sub("`code`", FENCED.sub("", path.read_text(encoding="utf-8")))
    return CODE.sub("`code`", "\n\n".join(python_prose(path)))


def python_prose(path: Path) -> Iterator[str]:
    """Yield the docstrings of a Python file, then its comments, those of adjacent lines as one text."""
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, documented) and (docstring := ast.get_docstring(node)):
            yield docstring
    with tokenize.open(path) as file:
        comments = [token for token in tokenize.generate_tokens(file.readline) if token.type == tokenize.COMMENT]
    text, last = "", 0
    for comment in comments:
        if text and comment.start[0] != last + 1:
            yield text
            text = ""
        text, last = f"{text}\n{comment.string.lstrip('# ')}", comment.start[0]
    yield text


def found_in(prose: str) -> list[str]:
    """Return the banned phrases of a text, each with what to write instead."""
    joined = " ".join(prose.split())
    return [
        f"{joined[max(0, found.start() - 40) : found.end() + 20]!r}: write {instead}"
        for phrase, instead in BANNED.items()
        for found in re.finditer(phrase, joined, re.IGNORECASE)
    ]


@pytest.mark.parametrize(
    ("prose", "count"),
    [
        ("The catalogue tells of tables that there are.", 1),
        ('It returns what the facts amount\nto, "" where it is none.', 2),
        ("What makes the vectors lies in the folder; the cache lies elsewhere.", 2),
        ("There is none; none is left. It tells offline tools apart.", 0),
        ("The embedding model is stored in the package.", 0),
    ],
)
def test_phrases_are_found(prose: str, count: int) -> None:
    assert len(found_in(prose)) == count


def test_code_is_no_prose(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One\n\n`tells of`\n\n```text\nthis amounts to nothing\n```\n\nIt tells\nof nothing.\n")
    assert len(found_in(prose_of(page))) == 1
    module = tmp_path / "module.py"
    module.write_text('"""What it tells of."""\n\nTEXT = "amounts to"\nONE = 1  # this amounts\n# to one\n')
    assert len(found_in(prose_of(module))) == 2


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS)
def test_no_banned_phrase(folder: str) -> None:
    found = [f"{name_of(path)}: {phrase}" for path in FOLDERS[folder] for phrase in found_in(prose_of(path))]
    assert not found, "\n".join(found)
