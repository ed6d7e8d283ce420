"""The matches of a query in a tree: all of them in layers as at once, and in linear time however deep the tree is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

import pytest
from tree_sitter import QueryCursor

from coderag.syntax.grammar import link_query, reader
from coderag.syntax.language import Language, languages
from coderag.syntax.lines import Lines
from coderag.syntax.parsed import parse_code
from coderag.syntax.tree_matches import Matches, layered_matches
from tests.growth import Work, assert_linear
from tests.syntax.outlined import OUTLINED, examples_of, slow_but_for_some

CHAINS = {
    "python": ("x = (a", "\n  .f(1)", ")\n"),
    "javascript": ("x = a", "\n  .f(1)", ";\n"),
    "go": ("package a\n\nvar x = a", ".\n\tf(1)", "\n"),
    "rust": ("fn x() { a", "\n  .f(1)", "; }\n"),
}
CALLS = 600  # four times as many take the plain cursor 13 times as long


def counted(matches: Matches) -> Counter[Hashable]:
    """Return how often there is each match, as nodes by their places."""
    return Counter(
        (pattern, *((name, *((node.type, node.start_byte, node.end_byte) for node in nodes)) for name, nodes in found))
        for pattern, captures in matches
        for found in [sorted(captures.items())]
    )


@pytest.mark.parametrize("language", slow_but_for_some(OUTLINED), ids=lambda language: language.name)
@pytest.mark.parametrize("layer", [2, 3, 8])
def test_layers_have_all_matches(language: Language, layer: int) -> None:
    query = link_query(language).query
    examples = examples_of(language)
    assert examples
    for example in examples:
        root = reader(language).parser.parse(example.read_bytes()).root_node
        at_once = QueryCursor(query).matches(root)
        assert counted(layered_matches(query, root, layer=layer)) == counted(at_once)


@pytest.mark.parametrize("name", sorted(CHAINS))
def test_a_long_chain_of_calls_is_matched_as_at_once(name: str) -> None:
    lines, language = Lines(_chain(name, CALLS)), languages()[name]
    tags, links = parse_code(lines, language, links=True).tags, link_query(language)
    at_once = QueryCursor(links.query).matches(reader(language).parse(lines.data)[0].root_node)
    assert tags is not None
    assert [found["call"][0].start_point for _, found in tags if "call" in found] == [
        found["call"][0].start_point for _, found in at_once if "call" in found
    ]


@pytest.mark.parametrize("name", sorted(CHAINS))
def test_a_long_chain_of_calls_takes_linear_time(name: str) -> None:
    language = languages()[name]
    parse_code(Lines(_chain(name, 1)), language, links=True)  # which compiles the query

    def prepare(calls: int) -> Work:
        data = _chain(name, calls)
        return lambda: parse_code(Lines(bytes(bytearray(data))), language, links=True)  # as the last text is remembered

    assert_linear(prepare, CALLS)


def _chain(name: str, calls: int) -> bytes:
    before, call, after = CHAINS[name]
    return (before + call * calls + after).encode()
