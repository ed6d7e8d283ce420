"""What readers take grammars to call their nodes is what some grammar calls one."""

from __future__ import annotations

import importlib
from functools import cache

import pytest
from tree_sitter import Language as Grammar

from coderag.syntax.language import languages
from coderag.syntax.trees import node_types


@cache
def grammars() -> tuple[Grammar, ...]:
    return tuple(
        Grammar(getattr(importlib.import_module(language.grammar), language.grammar_function)())
        for language in languages().values()
        if language.grammar
    )


@cache
def known_types() -> frozenset[str]:
    kinds = {grammar.node_kind_for_id(number) for grammar in grammars() for number in range(grammar.node_kind_count)}
    return frozenset(kind for kind in kinds if kind)


@pytest.mark.parametrize("name", sorted({*node_types.__all__} - {"ANY_CALL"}))
def test_every_type_is_that_of_a_grammar(name: str) -> None:
    assert sorted(frozenset(getattr(node_types, name)) - known_types()) == []


def test_every_field_is_that_of_a_grammar() -> None:
    tables = [*node_types.CALL_FIELDS.values(), *node_types.MEMBER_FIELDS.values(), node_types.ANY_CALL]
    names = {name for fields in tables for group in fields for name in group}
    assert [
        name for name in sorted(names) if all(grammar.field_id_for_name(name) is None for grammar in grammars())
    ] == []
