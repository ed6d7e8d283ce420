"""One reader of string literals: text with escapes undone, expressions as nodes, raw literals as they are."""

from __future__ import annotations

import pytest
from tree_sitter import Node

from coderag.syntax.trees.node_types import LITERALS
from coderag.syntax.trees.string_literals import Variable, literal_pieces, string_value
from coderag.syntax.trees.tree import descendants, parse, text_of


def _pieces(language: str, text: str) -> list[str]:
    literal = next(descendants(parse(text.encode(), language), *LITERALS))
    return [_shown(piece) for piece in literal_pieces(literal, language)]


def _shown(piece: str | Node | Variable) -> str:
    match piece:
        case str():
            return piece
        case Variable(name=name):
            return f"<{name}>"
        case _:
            return f"<{text_of(piece)}>"


@pytest.mark.parametrize(
    ("language", "text", "pieces"),
    [
        ("python", r"x = f'a{b}\n{{c}}'", ["a", "<b>", "\n{c}"]),
        ("python", r"x = '\S'", ["\\S"]),
        ("ruby", r"x = 'a\n'", ["a\\n"]),
        ("ruby", 'x = "a#{b}"', ["a", "<b>"]),
        ("php", r"<?php $x = 'it\'s \n';", ["it's \\n"]),
        ("php", r'<?php $x = "a{$b}\T";', ["a", "<$b>", "\\T"]),
        ("kotlin", 'val x = "a $b ${c}"', ["a ", "<b>", " ", "<c>"]),
        ("rust", 'fn f() { let x = r#""a""#; }', ['"a"']),
        ("lua", "x = [[a\\n]]", ["a\\n"]),
        ("java", r'class A { String x = "\uD83C\uDF69"; }', ["\N{DOUGHNUT}"]),
        ("csharp", 'class A { string x = @"a""b"; }', ['a"b']),
    ],
)
def test_pieces(language: str, text: str, pieces: list[str]) -> None:
    assert _pieces(language, text) == pieces


@pytest.mark.parametrize(("language", "text"), [("lua", "x = [[a\\n]]"), ("rust", 'const X: &str = r#""a""#;')])
def test_the_value_is_the_only_piece(language: str, text: str) -> None:
    literal = next(descendants(parse(text.encode(), language), *LITERALS))
    assert literal_pieces(literal, language) == [string_value(literal)]
