"""Exact search finds every match that Python's `re`, line by line, finds in the files, and no other."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from coderag import Index, Query
from coderag.errors import QueryError
from coderag.index.storage.trigrams import may_contain, signatures
from coderag.search.exact.pattern import compiled
from coderag.types import Case, Field, Hit, Kind, Matches, Term
from tests.workspace import REPOSITORY, write

needs_re2 = pytest.mark.skipif(find_spec("re2") is None, reason="google-re2 is not installed")
BLOCK = 16  # bytes, so that literals lie across blocks
ALPHABET = "abcAks. _(\u212a\u017fäÄß\n"
texts = st.text(ALPHABET, max_size=60)
literals = st.text(ALPHABET.replace("\n", ""), min_size=1, max_size=5)
cases = st.sampled_from([Case.SENSITIVE, Case.IGNORE])
atoms = st.sampled_from(["a", "b", "abc", "A", "k", "\\.", "\\(", "[ab]", "[^a]", ".", "\\b", "^", "$", "ä", "_"])
expressions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        st.tuples(inner, st.sampled_from(["?", "*", "+", "{2}", "{1,2}", "+?"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
    ),
    max_leaves=6,
)


def oracle(pattern: str, text: str, *, case: Case = Case.SENSITIVE) -> list[tuple[int, int, int]]:
    """Return line, column and length of each match, as `re` finds them line by line."""
    flags = re.IGNORECASE if case is Case.IGNORE else re.ASCII
    return [
        (number, match.start() + 1, len(match[0]))
        for number, line in enumerate(text.split("\n"), start=1)
        for match in re.finditer(pattern, line, flags)
        if match[0]
    ]


def found_in(term: Term, text: str) -> list[tuple[int, int, int]]:
    """Return line, column and length of each match of a term."""
    raw = text.encode()
    rows = []
    for begin, end in compiled(term).spans(raw):
        before = raw[:begin].decode()
        rows.append((before.count("\n") + 1, len(before) - before.rfind("\n"), len(raw[begin:end].decode())))
    return rows


@given(texts, literals, cases)
@settings(max_examples=400, deadline=None)
def test_a_literal_is_found_wherever_it_is(text: str, literal: str, case: Case) -> None:
    term = Term(Field.TEXT, literal, case=case)
    assert found_in(term, text) == oracle(re.escape(literal), text, case=case)


@pytest.mark.slow
@needs_re2
@given(texts, expressions)
@settings(max_examples=400, deadline=None)
def test_an_expression_is_found_wherever_it_is(text: str, pattern: str) -> None:
    assume(all(match[0] for line in [*text.split("\n"), ""] for match in re.finditer(pattern, line, re.ASCII)))
    assert found_in(Term(Field.TEXT, pattern, regex=True, case=Case.SENSITIVE), text) == oracle(pattern, text)


def _may_match(term: Term, text: str) -> bool:
    found = signatures(text.encode(), BLOCK)
    blob = np.frombuffer(b"".join(found), dtype=np.uint8)
    offsets = np.cumsum([0, *map(len, found)])
    return all(may_contain(blob, offsets, literals).any() for literals in compiled(term).needed)


@given(texts, literals, texts, cases)
@settings(max_examples=300, deadline=None)
def test_no_text_with_a_literal_is_skipped(before: str, literal: str, after: str, case: Case) -> None:
    assert _may_match(Term(Field.TEXT, literal, case=case), before + literal + after)
    if case is Case.IGNORE:
        assert _may_match(Term(Field.TEXT, literal, case=case), before + literal.swapcase() + after)


@pytest.mark.slow
@needs_re2
@given(texts, expressions, cases)
@settings(max_examples=400, deadline=None)
def test_no_text_with_a_match_is_skipped(text: str, pattern: str, case: Case) -> None:
    assume(not re.search(pattern, ""))
    term = Term(Field.TEXT, pattern, regex=True, case=case)
    if next(compiled(term).spans(text.encode()), None) is not None:
        assert _may_match(term, text)


@pytest.mark.slow
def test_most_texts_without_a_literal_are_skipped() -> None:
    rng = random.Random(5)
    names = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=8)) for _ in range(4_000)]
    passed = sum(_may_match(Term(Field.TEXT, "retry_handler"), " ".join(rng.choices(names, k=500))) for _ in range(200))
    assert passed == 0


@needs_re2
@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "(.*)(.*)(.*)(.*)x", "a{1,900}b", "(?:a?){50}a{50}b"])
def test_a_hostile_expression_takes_time_in_proportion_to_the_text(pattern: str) -> None:
    spans = compiled(Term(Field.TEXT, pattern + "y", regex=True)).spans
    assert list(spans(b"a" * 20_000)) == []


@needs_re2
def test_an_expression_that_takes_too_much_memory_is_refused() -> None:
    with pytest.raises(QueryError, match="is not valid: "):
        compiled(Term(Field.TEXT, "(?:(?:(?:a{1,100}){1,100}){1,100}){1,100}", regex=True))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return files of several languages, encodings and line ends, with long lines and blank ones."""
    root = tmp_path_factory.mktemp("exact")
    shutil.copytree(REPOSITORY / "fixtures/shop", root, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".coderag"))
    return write(
        root,
        {
            "odd/crlf.py": "def first():\r\n    return 'K\u212a'\r\n\r\n\r\ndef second():\r\n    return 'Straße'\r\n",
            "odd/latin.py": "# -*- coding: latin-1 -*-\nNAME = 'Müller'\n".encode("latin-1"),
            "odd/long.py": "ROWS = [" + ", ".join(f"'row {number}'" for number in range(9_000)) + "]\n",
            "odd/deep.py": "class Outer:\n    class Inner:\n        def get(self):\n            return self.get\n",
            "odd/blank.md": "\n\n\n# Title  \n\n   \ntext\n",
        },
    )


@pytest.fixture(scope="module")
def index(root: Path) -> Index:
    return Index.build(root, index=root.parent / "of-exact", workers=0, graph=False)


def indexed_texts(index: Index, root: Path) -> Iterator[tuple[str, str]]:
    """Yield path and text of each indexed file, read from the folder."""
    for _, path in sorted(index.files(Query("-", paths=("!*.ipynb",)))):  # of a notebook the cells are indexed
        raw = (root / path).read_bytes()
        text = raw.decode("latin-1" if path == "odd/latin.py" else "utf-8-sig")
        yield path, text.replace("\r\n", "\n")


PATTERNS = [
    (r"retry", False),
    (r"Retry", False),
    (r"self.", False),
    (r"(", False),
    (r"row 8", False),
    (r"Müller", False),
    (r"straße", False),
    (r"k", False),
    (r"  ", False),
    (r"\n", False),
    (r"no such text", False),
    (r"def \w+\(", True),
    (r"^\s*return\b", True),
    (r"(get|set)_[a-z]+", True),
    (r"[^\S\n]+$", True),
    (r"(?i)SELECT .* FROM", True),
    (r"[A-Z][a-z]+Error", True),
    (r"x{3}", True),
]


@pytest.mark.parametrize(
    ("pattern", "is_regex"), [pytest.param(*one, marks=needs_re2 if one[1] else ()) for one in PATTERNS]
)
def test_every_match_is_found_with_its_place(index: Index, root: Path, pattern: str, is_regex: bool) -> None:
    smart = Case.IGNORE if pattern == pattern.lower() else Case.SENSITIVE
    case = Case.SENSITIVE if is_regex else smart
    wanted = {
        (path, *place)
        for path, text in indexed_texts(index, root)
        for place in oracle(pattern if is_regex else re.escape(pattern), text, case=case)
    }
    found = index.find(pattern, regex=is_regex, case=case if is_regex else "smart", k=1_000, paths=["!*.ipynb"])
    if found.chunks <= 1_000:
        assert found_places(found.hits) == wanted
    assert found.count == len(wanted)
    assert {file.path: file.count for file in found.files} == Counter(path for path, *_ in wanted)
    assert [file.path for file in found.files] == sorted(file.path for file in found.files)


def found_places(hits: tuple[Hit, ...]) -> set[tuple[str, int, int, int]]:
    places = [(hit.chunk.path, match.line, match.column, match.length) for hit in hits for match in hit.matches]
    assert len(places) == len(set(places))
    return set(places)


def test_counts_are_of_all_whatever_is_shown(index: Index) -> None:
    few, many = index.find("return", k=2), index.find("return", k=1_000)
    assert len(few.hits) == 2
    assert few.hits == many.hits[:2]
    assert (few.count, few.chunks, few.files) == (many.count, many.chunks, many.files)
    assert few.count == sum(file.count for file in few.files)


def test_the_hit_is_the_innermost_definition(index: Index) -> None:
    [hit] = index.find("return self.get").hits
    assert (hit.chunk.qualified_name, hit.lines) == ("Outer.Inner.get", (4,))


def test_a_definition_of_what_is_looked_for_comes_first(index: Index) -> None:
    first, *rest = index.find("retry_failed").hits
    assert (first.chunk.name, first.reasons[0]) == ("retry_failed", "defines PaymentRetrier.retry_failed")
    labels = ["test" in hit.chunk.labels for hit in rest]
    assert labels == sorted(labels)


def test_a_question_ranks_the_chunks_with_a_match(index: Index) -> None:
    found = index.search('"payment" send message customer', k=20, collapse=False)
    assert found
    assert all(hit.matches and "payment" in hit.chunk.text.lower() for hit in found)


def test_conditions_hold_of_matches_too(index: Index) -> None:
    found = index.find("return", kinds={Kind.METHOD}, languages=["python"], paths=["shop/**"], k=1_000)
    assert {hit.chunk.kind for hit in found.hits} == {Kind.METHOD}
    assert {hit.chunk.language for hit in found.hits} == {"python"}
    assert found.count == sum(len(hit.matches) for hit in found.hits) < index.find("return").count


def test_an_update_is_searched_as_it_is_now(tmp_path: Path) -> None:
    root = write(tmp_path, {"a.py": "def one():\n    return 'needle'\n", "b.py": "NEEDLE = 'needle'\n"})
    with Index.build(root, workers=0, graph=False) as index:
        assert index.find("needle").count == 3
        (root / "a.py").write_text("def one():\n    return 'thread'\n")
        (root / "b.py").unlink()
        index.update(workers=0)
        assert (index.find("needle").count, index.find("thread").count) == (0, 1)


@pytest.mark.parametrize(
    ("pattern", "message"),
    [("", "the pattern is empty"), ("a\nb", "has more than one line"), ("x" * 40_000, "has 40,000 bytes")],
)
def test_a_pattern_that_makes_no_sense_is_refused(index: Index, pattern: str, message: str) -> None:
    with pytest.raises(QueryError, match=re.escape(message)):
        index.find(pattern)


@needs_re2
@pytest.mark.parametrize(("pattern", "column"), [("[a-z&&[^aeiou]]", 5), (r"x[^]\]&&y]", 7), ("[[:alpha:]&&x]", 11)])
def test_an_intersection_is_refused(index: Index, pattern: str, column: int) -> None:
    with pytest.raises(QueryError, match=f"has && in a class at column {column}; classes are not intersected"):
        index.find(pattern, regex=True)


@needs_re2
@pytest.mark.parametrize("pattern", ["a && b", r"[\&&]", r"\[a&&b\]", r"x[0] && y[1]", "[&]&&"])
def test_other_ampersands_are_characters(index: Index, pattern: str) -> None:
    assert index.find(f"zq{pattern}", regex=True).count == 0


def test_a_query_without_a_pattern_is_refused(index: Index) -> None:
    with pytest.raises(QueryError, match="the query has no pattern"):
        index.find(Query("retry"))


def test_unknown_case_is_refused(index: Index) -> None:
    with pytest.raises(QueryError, match="unknown case 'loud'; cases are smart, sensitive, ignore"):
        index.find("retry", case="loud")


def test_too_many_terms_are_refused(index: Index) -> None:
    clause = tuple(Term(Field.TEXT, f"x{number}") for number in range(40))
    with pytest.raises(QueryError, match="the query has 40 terms; give at most 32"):
        index.find(Query("", clauses=(clause,)))


# What has no counterpart in Python's expressions, and what tells which characters of one stand for themselves.
OF_RIPGREP = [
    *(r"\x52etry", r"\x72etry", r"\x{52}etry", r"(?P<Name>retry)", r"(?U)r.*y", r"\Sretry", r"retry\(\)", r"R{1}etry"),
    *(r"\p{Lu}\p{Ll}+", r"\pL{12}", r"[[:upper:]]{3}", r"[[:word:]]+\.", r"[^\x00-\x7F]"),
]


@pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed")
@pytest.mark.parametrize(
    ("pattern", "is_regex"),
    [
        pytest.param(*one, marks=needs_re2 if one[1] else ())
        for one in (*PATTERNS, *((pattern, True) for pattern in OF_RIPGREP))
    ],
)
def test_ripgrep_finds_as_many(index: Index, root: Path, pattern: str, is_regex: bool) -> None:
    options = ["--count-matches", "--no-ignore", "--hidden", "--smart-case", "--with-filename", "--crlf"]
    files = [path for path, _ in indexed_texts(index, root) if path != "odd/latin.py"]
    command = ["rg", *options, *([] if is_regex else ["--fixed-strings"]), "--regexp", pattern, *files]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    counts = {path: int(count) for path, _, count in (line.rpartition(":") for line in done.stdout.splitlines())}
    found: Matches = index.find(pattern, regex=is_regex, paths=["!*.ipynb"])
    assert {file.path: file.count for file in found.files if file.path != "odd/latin.py"} == counts
