"""Chunkers: every chunk is a part of the text, in order; nothing is lost; sizes and overlaps are what was asked for."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from coderag import CoderagError
from coderag.chunkers import (
    TextChunk,
    chunk_by_characters,
    chunk_by_meaning,
    chunk_by_section,
    chunk_by_sentence,
    chunk_by_tokens,
)
from coderag.chunkers.sentences import sentence_starts
from coderag.chunkers.size import is_inside_character, token_starts
from tests.workspace import REPOSITORY

Chunker = Callable[..., list[TextChunk]]

CHUNKERS: list[Chunker] = [chunk_by_characters, chunk_by_tokens, chunk_by_sentence, chunk_by_section, chunk_by_meaning]
PIECES = st.sampled_from(
    [
        *(
            "Retries are limited. ",
            "One! ",
            "Why? ",
            "e.g. this",
            "3.14",
            "word ",
            "a",
            " ",
            "\n",
            "\n\n",
            "\r\n",
            "\r",
        ),
        *("# Title\n", "## Second\n\n", "Setext\n===\n", "- item one\n", "1. first\n", "```\n# no heading\n```\n"),
        *(
            "e\u0301",
            "\u0301",
            "\U0001f468\u200d\U0001f469\u200d\U0001f467",
            "\U0001f1e9\U0001f1ea",
            "\u6771\u4eac\u3002",
        ),
        *("\ud800", "\0", "x" * 60, "\u2028", "\t", "\u00a0", "!", "...", "\U0001f44d\U0001f3fd"),
    ]
)
TEXTS = st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=80)
SIZES = st.integers(1, 60).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size // 2)))
PAYMENTS = (
    "A failed payment is retried three times. After the last retry the payment is refused. "
    "The customer gets an email about the refused payment."
)
PARSER = (
    "The parser reads a file token by token. A syntax error in the file stops the parser. "
    "The tree of the parser has a node for each token."
)


def check_parts(text: str, chunks: list[TextChunk]) -> None:
    """Each chunk is a part of the text, in order, and together they hold all but white space."""
    covered = 0
    for chunk in chunks:
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.text == chunk.text.strip() != ""
        assert not text[covered : chunk.start].strip()
        covered = chunk.end
    assert not text[covered:].strip()
    for before, after in pairwise(chunks):
        assert before.start < after.start
        assert before.end < after.end


@example(text="Retries are limited. ", sizes=(2, 1))
@given(text=TEXTS, sizes=SIZES)
def test_windows_of_characters(text: str, sizes: tuple[int, int]) -> None:
    size, overlap = sizes
    chunks = chunk_by_characters(text, size=size, overlap=overlap)
    check_parts(text, chunks)
    assert all(len(chunk.text) <= size for chunk in chunks)
    assert all(before.end - after.start <= overlap for before, after in pairwise(chunks))


@given(text=TEXTS, sizes=SIZES)
def test_windows_of_tokens(text: str, sizes: tuple[int, int]) -> None:
    size, overlap = sizes
    chunks = chunk_by_tokens(text, size=size, overlap=overlap)
    check_parts(text, chunks)
    starts = token_starts(text)
    held = [{at for at in starts if chunk.start <= at < chunk.end} for chunk in chunks]
    assert all(len(tokens) == size for tokens in held[:-1])
    assert all(len(before & after) == overlap for before, after in pairwise(held))


@given(text=TEXTS, sizes=SIZES)
def test_chunks_of_sentences(text: str, sizes: tuple[int, int]) -> None:
    size, overlap = sizes
    chunks = chunk_by_sentence(text, size=size, overlap=overlap)
    check_parts(text, chunks)
    starts = [at + len(text[at:]) - len(text[at:].lstrip()) for at in sentence_starts(text)]  # behind an indent
    held = [{at for at in starts if chunk.start <= at < chunk.end} for chunk in chunks]
    assert all(len(sentences) == size for sentences in held[:-1])
    assert all(len(before & after) == overlap for before, after in pairwise(held))


@given(text=TEXTS, sizes=SIZES)
def test_sections_and_meaning_stay_within_a_size(text: str, sizes: tuple[int, int]) -> None:
    size, overlap = sizes
    for chunker in (chunk_by_section, chunk_by_meaning):
        chunks = chunker(text, size=size, overlap=overlap)
        check_parts(text, chunks)
        assert all(len(chunk.text) <= size for chunk in chunks)
        assert all(before.end - after.start <= overlap for before, after in pairwise(chunks))
        assert chunks == chunker(text, size=size, overlap=overlap)


@given(text=TEXTS, longest=st.integers(1, 50))
def test_no_sentence_is_longer(text: str, longest: int) -> None:
    starts = sentence_starts(text, longest=longest)
    assert starts == sorted(set(starts))
    assert all(after - before <= longest for before, after in pairwise([*starts, len(text)]))


def test_windows_are_exact() -> None:
    assert [chunk.text for chunk in chunk_by_characters("abcdefghij", size=4, overlap=2)] == [
        *("abcd", "cdef", "efgh", "ghij")
    ]
    chunks = chunk_by_tokens("one two, three four_five 6!", size=3, overlap=1)
    assert [chunk.text for chunk in chunks] == ["one two,", ", three four_five", "four_five 6!"]
    assert [(chunk.start, chunk.end) for chunk in chunks] == [(0, 8), (7, 24), (15, 27)]


def test_characters_of_several_parts_are_whole() -> None:
    family, flag = "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1e9\U0001f1ea"
    text = f"ae\u0301o{family}{flag}{flag}\r\nz"
    chunks = chunk_by_characters(text, size=5, overlap=0)
    assert [chunk.text for chunk in chunks] == ["ae\u0301o", family, flag + flag, "z"]
    assert not any(is_inside_character(text, chunk.start) for chunk in chunks)
    letter = "a" + "\u0301" * 50  # more than a window holds
    assert [len(chunk.text) for chunk in chunk_by_characters(letter, size=20, overlap=10)] == [20, 20, 11]


def test_sentences() -> None:
    text = (
        'Dr. No waits, e.g. here. He paid 3.50 euros... "Really?" she asked. No!\nA list:\n1. First\n2. Second. Third'
    )
    chunks = chunk_by_sentence(text, size=1, overlap=0)
    assert [chunk.text for chunk in chunks] == [
        *("Dr. No waits, e.g. here.", "He paid 3.50 euros...", '"Really?"', "she asked.", "No!", "A list:"),
        *("1. First", "2. Second.", "Third"),
    ]
    assert [chunk.text for chunk in chunk_by_sentence("\u6771\u4eac\u3002\u5927\u962a\uff01", size=1, overlap=0)] == [
        "\u6771\u4eac\u3002",
        "\u5927\u962a\uff01",
    ]


def test_sections_have_the_path_of_their_headings() -> None:
    text = "Before.\n\n# Shop\n\n## Payments\nRetried.\n\n```\n# a comment\n```\n## Stock\nKept.\n# End\n"
    chunks = chunk_by_section(text.replace("\n", "\r\n"))
    assert [(chunk.title, chunk.text[:7]) for chunk in chunks] == [
        ("", "Before."),
        ("Shop > Payments", "# Shop\r"),
        ("Shop > Stock", "## Stoc"),
        ("End", "# End"),
    ]
    assert chunks[1].text.endswith("# a comment\r\n```")


def test_a_long_section_ends_between_paragraphs() -> None:
    paragraphs = [f"Paragraph {number} has some words. It has two sentences." for number in range(6)]
    chunks = chunk_by_section("\n\n".join(paragraphs), size=120)
    assert [chunk.text for chunk in chunks] == ["\n\n".join(paragraphs[at : at + 2]) for at in (0, 2, 4)]
    (only,) = chunk_by_section("# One\n" + "word " * 10, size=60)
    assert only.title == "One"
    assert len(chunk_by_section(paragraphs[0], size=30)) == 2


def test_meaning_ends_a_chunk_where_the_subject_changes() -> None:
    chunks = chunk_by_meaning(f"{PAYMENTS} {PARSER}", percentile=80)
    assert [chunk.text for chunk in chunks] == [PAYMENTS, PARSER]
    assert [chunk.text for chunk in chunk_by_meaning(f"{PAYMENTS} {PARSER}", percentile=100)] == [
        f"{PAYMENTS} {PARSER}"
    ]
    lapped = chunk_by_meaning(f"{PAYMENTS} {PARSER}", percentile=80, overlap=60)
    assert [chunk.text for chunk in lapped] == [
        PAYMENTS,
        f"The customer gets an email about the refused payment. {PARSER}",
    ]


@pytest.mark.parametrize("chunker", CHUNKERS)
@pytest.mark.parametrize(
    "text",
    [
        *("", " \r\n\t ", "\u0301", "\ud800", "\0", "no mark at all", "x" * 30_000, "word " * 6_000, "\u0301" * 30_000),
        *("." * 30_000, ". " * 10_000, "a.\n" * 10_000, "\U0001f1e9" * 3_000, "# h\n" * 5_000, "```\n" * 5_000),
        *('."' * 10_000, "\r\n" * 10_000, "- " * 10_000, "\u6771" * 10_000),
    ],
    ids=lambda text: repr(text[:6]),
)
def test_odd_texts(chunker: Chunker, text: str) -> None:
    check_parts(text, chunker(text))


@pytest.mark.parametrize("chunker", CHUNKERS)
def test_real_documents(chunker: Chunker) -> None:
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    chunks = chunker(text)
    check_parts(text, chunks)
    assert len(chunks) > 5


@pytest.mark.parametrize("chunker", CHUNKERS)
def test_wrong_sizes_are_refused(chunker: Chunker) -> None:
    for size, overlap in ((0, 0), (-1, 0), (10, 6), (10, -1)):
        with pytest.raises(CoderagError, match="give"):
            chunker("text", size=size, overlap=overlap)
    with pytest.raises(TypeError):
        chunker("text", size=2.5)
    with pytest.raises(CoderagError, match="percentile"):
        chunk_by_meaning("text", percentile=101)
