"""A sentence about a part of a map."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from coderag.graph.queries.part_sentences import PartFiles, part_sentence
from coderag.types import Chunk, Kind, Span


def chunk(path: str, text: str, kind: Kind = Kind.MODULE, *, doc: str = "", name: str = "") -> Chunk:
    end = text.count("\n") + 1
    return Chunk(path, "", kind, name, name, Span(1, end), (Span(1, end),), text, doc=doc)


README = chunk(
    "pay/README.md", "# Pay\n\n[![build](x)](y)\n\nCollects **money** from\ncustomers, once.\n", Kind.SECTION
)
PACKAGE = chunk("pay/__init__.py", '"""Payments and refunds of orders."""\n', doc="Payments and refunds of orders.")
IMPORT = chunk("pay/pay.go", 'package pay // import "x/pay"\n', doc='import "x/pay and more words')
STORE_TEXT = 'class Store:\n    """Store keeps each payment once."""\n'
STORE = chunk("pay/store.py", STORE_TEXT, Kind.CLASS, doc="Store keeps each payment once.", name="Store")


def said(*chunks: Chunk, used: Sequence[str] = ()) -> tuple[str, str, int, int] | None:
    known = {one.path for one in chunks}
    part = PartFiles({"pay/store.py": 1.0, "pay/a.py": 0.5}, [("Store", "pay/store.py")], known, {"pay": 3})
    found = part_sentence(part, lambda path: [one for one in chunks if one.path == path], used=used)
    return (found.text, found.path, found.line, found.end_line) if found is not None else None


def test_the_readme_comes_first_and_its_lines_are_cited() -> None:
    assert said(README, PACKAGE, STORE) == ("Collects **money** from customers, once.", "pay/README.md", 5, 6)


@pytest.mark.parametrize(("folder", "is_about"), [("web", False), ("web/src", True), ("web/src/api", True)])
def test_a_readme_far_above_is_about_more_than_the_part(folder: str, is_about: bool) -> None:
    readme = chunk(f"{folder}/README.md", "# Web\n\nThe user interface of the shop.\n", Kind.SECTION)
    part = PartFiles({f"web/src/api/models/{name}.ts": 1.0 for name in "ab"}, [], {readme.path}, {"web": 3})
    found = part_sentence(part, lambda path: [readme] if path == readme.path else [], used=())
    assert (found is not None) is is_about


def test_then_the_package_then_the_main_definition() -> None:
    assert said(PACKAGE, STORE) == ("Payments and refunds of orders.", "pay/__init__.py", 1, 1)
    assert said(IMPORT, STORE) == ("Store keeps each payment once.", "pay/store.py", 2, 2)


def test_what_another_part_says_already_is_left() -> None:
    found = said(PACKAGE, STORE, used=["Payments and refunds of orders."])
    assert found is not None
    assert found[0] == "Store keeps each payment once."


@pytest.mark.parametrize(
    "doc",
    [
        "GENERATED CODE - DO NOT MODIFY BY HAND",
        "Copyright 2024 the authors of it",
        "See https://example.org/pay for all of it",
        "eslint no-console off for this file",
        "biome-ignore lint: we need this for the theme",
        "Short words",
    ],
)
def test_notices_and_orders_to_tools_are_no_sentences(doc: str) -> None:
    assert said(chunk("pay/__init__.py", f'"""{doc}"""\n', doc=doc)) is None
