"""Chunks of every language's example, as it is and cut to pieces, and the rules of what is a chunk."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coderag.chunking.chunk import MAX_CHUNK_BYTES, ChunkSpec
from coderag.index.workers.readers import ReadFile, read_chunks
from coderag.syntax.language import Language, languages
from coderag.types import Kind

EXAMPLES = {
    language.name: path.read_bytes()
    for language in languages().values()
    for path in language.folder.glob("example.*")
    if path.suffix != ".outline"
}
DOCUMENTS = ("markdown", "restructuredtext", "text", "yaml")


def read(text: str | bytes, language: str = "python") -> ReadFile:
    data = text if isinstance(text, bytes) else text.encode()
    return read_chunks(data, languages()[language], path="module")


def check(found: ReadFile) -> None:
    """Assert what holds for the chunks of any text."""
    lines = found.lines
    seen: set[int] = set()
    for number, draft in enumerate(found.drafts):
        assert -1 <= draft.parent < len(found.drafts)
        assert draft.parent != number
        assert draft.parts
        rows = [row for first, last in draft.parts for row in range(first, last + 1)]
        assert rows == sorted(set(rows)), f"the parts of {draft.qualified_name} are out of order"
        assert draft.first_row <= rows[0]
        assert rows[-1] < len(lines)
        assert seen.isdisjoint(rows), f"{draft.qualified_name} has lines of another chunk"
        seen.update(rows)
        expected = b"".join(lines.data[lines.starts[row] : lines.ends[row]] for row in rows)
        assert lines.text(draft.parts) == expected
        assert draft.qualified_name.endswith(draft.name)
    left = [row for row in range(len(lines)) if row not in seen and not lines.is_blank(row)]
    assert not left, f"no chunk holds line {left[0] + 1}"


@pytest.mark.slow
@pytest.mark.parametrize("language", EXAMPLES)
def test_chunks_hold_every_line_once(language: str) -> None:
    check(read(EXAMPLES[language], language))


@pytest.mark.slow
@pytest.mark.parametrize("language", [*EXAMPLES, *DOCUMENTS])
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_chunks_of_damaged_text_hold_every_line_once(language: str, data: st.DataObject) -> None:
    rows = EXAMPLES.get(language, EXAMPLES["python"]).splitlines(keepends=True)
    for _ in range(data.draw(st.integers(1, 4))):
        first = data.draw(st.integers(0, max(len(rows) - 1, 0)))
        last = min(first + data.draw(st.integers(0, 12)), len(rows))
        match data.draw(st.sampled_from(["delete", "repeat", "insert", "cut", "move"])):
            case "delete":
                del rows[first:last]
            case "repeat":
                rows[last:last] = rows[first:last]
            case "insert":
                rows.insert(first, data.draw(st.text("(){}[]<>\"'`;:,.=*/#\\\n \taé", max_size=20)).encode() + b"\n")
            case "cut" if rows:
                text = rows[first].decode("utf-8", "replace")
                rows[first] = text[: data.draw(st.integers(0, len(text)))].encode()
            case "move":
                rows[first:last], rows[:0] = [], rows[first:last]
            case _:
                pass
    check(read(b"".join(rows), language))


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["c", "markdown", "python"]), st.text(max_size=200))
def test_chunks_of_any_text_hold_every_line_once(language: str, text: str) -> None:
    data = text.replace("\r", "\n").encode("utf-8", "replace")
    check(read(data, language))


@pytest.mark.slow  # to load all grammars and queries takes seconds
@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(EXAMPLES)), st.text(max_size=200))
def test_chunks_of_any_text_in_any_language_hold_every_line_once(language: str, text: str) -> None:
    data = text.replace("\r", "\n").encode("utf-8", "replace")
    check(read(data, language))


def names(found: ReadFile) -> list[tuple[str, str, int, int]]:
    return [(draft.kind, draft.qualified_name, draft.first_row + 1, draft.last_row + 1) for draft in found.drafts]


def text_of(found: ReadFile, draft: ChunkSpec) -> str:
    return found.lines.text(draft.parts).decode()


CART = '''"""What customers are about to buy."""

import json


class Cart(dict):
    """Goods and their number."""

    currency = "EUR"

    @property
    def total(self):
        """Return the price of everything."""
        return sum(self.values())

    # Kept for the old web site.
    def dump(self):
        def plain(value):
            return str(value)

        return json.dumps(self, default=plain)


LIMIT = 3
'''


def test_a_class_is_its_frame_and_its_methods_are_chunks() -> None:
    found = read(CART)
    assert names(found) == [
        ("module", "module", 1, 3),
        ("class", "Cart", 6, 21),
        ("method", "Cart.total", 11, 14),
        ("method", "Cart.dump", 16, 21),
    ]
    module, cart, total, dump = found.drafts
    assert text_of(found, module) == '"""What customers are about to buy."""\n\nimport json\nLIMIT = 3\n'
    assert text_of(found, cart) == 'class Cart(dict):\n    """Goods and their number."""\n\n    currency = "EUR"\n'
    assert (total.decorators, total.doc) == (("@property",), "Return the price of everything.")
    assert text_of(found, dump).startswith("    # Kept for the old web site.\n    def dump")
    assert [draft.parent for draft in found.drafts] == [-1, 0, 1, 1]
    assert "plain" in [definition.name for definition in found.outline.definitions]
    assert total.calls == ("sum", "values")


def test_several_definitions_on_a_line_are_one_chunk_and_all_are_symbols() -> None:
    found = read("def a(): pass; b = 1\nclass C: x = 1; y = 2\n")
    check(found)
    found = read("int a(void) { return 1; } int b(void) { return 2; }\n", "c")
    check(found)
    assert [definition.name for definition in found.outline.definitions] == ["a", "b"]
    assert len(found.drafts) == 1


def test_one_line_definitions_are_chunks() -> None:
    found = read("def one(): return 1\ndef two(): return 2\n")
    assert names(found) == [("function", "one", 1, 1), ("function", "two", 2, 2)]


def function(rows: int, *, width: int = 40) -> str:
    body = "".join(f"    value_{row:04} = compute({'x' * (width - 31)}, {row:04})\n" for row in range(rows))
    return f'def large(first, second):\n    """Do a lot."""\n{body}    return first\n'


def test_a_function_below_the_cap_stays_whole() -> None:
    text = function(250)
    assert 10_000 < len(text) < MAX_CHUNK_BYTES
    found = read(text)
    assert [text_of(found, draft) for draft in found.drafts] == [text]


def test_a_function_beyond_the_cap_is_split_between_statements() -> None:
    block = "    if ready(first):\n" + "        first = step(first)\n" * 40
    text = "def large(first, second):\n    '''Do a lot.'''\n" + block * 20 + "    return first\n"
    found = read(text)
    check(found)
    assert 2 <= len(found.drafts) <= 3
    assert "".join(text_of(found, draft) for draft in found.drafts) == text
    for draft in found.drafts:
        assert (draft.name, draft.signature, draft.doc) == ("large", "def large(first, second)", "Do a lot.")
        assert len(text_of(found, draft)) <= MAX_CHUNK_BYTES
        assert text_of(found, draft).startswith(("def large", "    if ready"))
    assert [draft.continues for draft in found.drafts] == [False] + [True] * (len(found.drafts) - 1)


def test_a_long_comment_does_not_take_the_name_from_its_function() -> None:
    text = "# What follows is long to explain.\n" * 500 + "def explained():\n    return 1\n"
    found = read(text)
    check(found)
    (named,) = [draft for draft in found.drafts if draft.name == "explained" and not draft.continues]
    assert "def explained" in text_of(found, named)


def test_a_single_line_beyond_the_cap_is_one_piece() -> None:
    text = "first = 1\nlong = '" + "x" * 3 * MAX_CHUNK_BYTES + "'\nlast = 2\n"
    found = read(text)
    check(found)
    assert max(len(text_of(found, draft)) for draft in found.drafts) < 3 * MAX_CHUNK_BYTES + 20


def test_long_code_between_definitions_is_a_block() -> None:
    middle = "".join(f"setting_{number} = {number}\n" for number in range(12))
    found = read(f"import os\n\ndef one():\n    return 1\n\n{middle}\ndef two():\n    return 2\n")
    assert names(found) == [
        ("module", "module", 1, 1),
        ("block", "module", 6, 17),
        ("function", "one", 3, 4),
        ("function", "two", 19, 20),
    ]


def test_text_that_no_grammar_reads_is_cut_at_blank_lines() -> None:
    paragraph = "some words that say nothing at all\n" * 20 + "\n"
    found = read(paragraph * 60, "text")
    check(found)
    assert {draft.kind for draft in found.drafts} == {Kind.BLOCK}
    assert all(len(text_of(found, draft)) <= MAX_CHUNK_BYTES for draft in found.drafts)
    assert all(len(text_of(found, draft).split("\n")) % 21 == 0 for draft in found.drafts)


def test_a_file_that_crashed_a_parser_is_read_as_lines() -> None:
    python = languages()["python"]
    found = read_chunks(CART.encode(), python, path="module", failed="it did not end")
    check(found)
    assert (found.problem, len(found.drafts)) == ("it did not end", 1)


def test_a_missing_grammar_is_said_and_the_file_read_as_lines() -> None:
    language = Language("imaginary", "Imaginary", grammar="tree_sitter_imaginary")
    found = read_chunks(b"some text\n", language, path="module")
    check(found)
    assert found.problem == "Imaginary: the package tree_sitter_imaginary is not installed"


def test_syntax_errors_are_said_and_what_is_around_them_is_read() -> None:
    found = read("def before():\n    return 1\n\n)))\n\ndef after():\n    return 2\n")
    check(found)
    assert found.problem == "syntax errors"
    assert {"before", "after"} <= {draft.name for draft in found.drafts}
