"""A part of a query finds in a tree what the whole query finds."""

from __future__ import annotations

from dataclasses import fields

import pytest
from tree_sitter import Query

from coderag.syntax import needed_query as module
from coderag.syntax.grammar import Matches, link_query, reader
from coderag.syntax.language import Language, languages
from coderag.syntax.link_captures import LinkCaptures, Nodes
from coderag.syntax.needed_query import NeededQuery
from tests.syntax.outlined import OUTLINED, examples_of, slow_but_for_some

PYTHON = languages()["python"]


def seen(found: tuple[Matches, LinkCaptures]) -> tuple[list[object], ...]:
    """Return matches in order, with nodes by their identity."""

    def nodes(captures: Nodes) -> object:
        return [(name, [node.id for node in found]) for name, found in captures.items()]

    tags, links = found
    return (
        [nodes(captures) for _, captures in tags],
        *([nodes(one) for one in getattr(links, field.name)] for field in fields(links)),
    )


def pieces(data: bytes) -> list[bytes]:
    """Return a text, and its beginnings, which have fewer kinds of nodes and end in errors."""
    return [data[: len(data) // part] for part in (1, 2, 5, 20)]


@pytest.mark.parametrize("language", slow_but_for_some(OUTLINED), ids=lambda language: language.name)
def test_a_part_matches_what_the_whole_matches(language: Language) -> None:
    whole = link_query(language)
    for example in examples_of(language):
        for data in pieces(example.read_bytes()):
            tree, _ = reader(language).parse(data)
            assert seen(NeededQuery(language).match(tree)) == seen(whole.match(tree))


def compiled(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that gets the number of patterns of each query that is compiled."""
    numbers: list[int] = []

    def count(grammar: object, text: str) -> Query:
        query = Query(grammar, text)  # type: ignore[arg-type]
        numbers.append(query.pattern_count)
        return query

    monkeypatch.setattr(module, "Query", count)
    return numbers


def test_a_query_grows_with_what_trees_need(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = compiled(monkeypatch)
    query = NeededQuery(PYTHON)
    for text in (b"import a\n", b"import b, c\n", b"import a\nclass B(a.C):\n    d: int = 1\n", b"import b\n"):
        query.match(reader(PYTHON).parse(text)[0])
    few, more = numbers
    assert 0 < few < more < link_query(PYTHON).query.pattern_count


def test_the_whole_is_compiled_where_parts_cost_as_much(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = compiled(monkeypatch)
    query = NeededQuery(PYTHON)
    example = (PYTHON.folder / "example.py").read_bytes()
    for end in range(0, len(example), 200):
        query.match(reader(PYTHON).parse(example[:end])[0])
    assert sum(numbers) <= link_query(PYTHON).query.pattern_count
