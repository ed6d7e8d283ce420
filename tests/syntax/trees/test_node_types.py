"""What readers take grammars to call their nodes is what some grammar calls one."""

from __future__ import annotations

import importlib
from functools import cache

import pytest
from tree_sitter import Language as Grammar

from coderag.syntax.language import languages
from coderag.syntax.trees import node_types


@cache
def known_types() -> frozenset[str]:
    kinds: set[str | None] = set()
    for language in languages().values():
        if language.grammar:
            grammar = Grammar(getattr(importlib.import_module(language.grammar), language.grammar_function)())
            kinds |= {grammar.node_kind_for_id(number) for number in range(grammar.node_kind_count)}
    return frozenset(kind for kind in kinds if kind)


@pytest.mark.parametrize("name", node_types.__all__)
def test_every_type_is_that_of_a_grammar(name: str) -> None:
    assert sorted(getattr(node_types, name) - known_types()) == []
