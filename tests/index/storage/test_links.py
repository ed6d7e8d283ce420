"""The links of a file, stored and read again."""

from __future__ import annotations

import zlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderag.index.storage.links import Defined, Links, deflate_links, inflate_links, inflate_uses
from coderag.sql.in_code.records import DataUses, Referred
from coderag.syntax.references.records import Binding, FileReferences, How, Imported, Reference, Role, Route
from coderag.types import Kind

DEFINITIONS = (
    Defined("Shop", "Shop", Kind.CLASS, -1, 2, 3, 40),
    Defined("pay", "Shop.pay", Kind.METHOD, 0, 5, 6, 9),
    Defined("inner", "Shop.pay.inner", Kind.FUNCTION, 1, 7, 7, 8),
    Defined("operator()", "ns::Shop.operator()", Kind.METHOD, 0, 12, 12, 13),
)
REFERENCES = FileReferences(
    "shop",
    imports=(Imported(0, -1, "os", ""), Imported(1, 1, "..models", "User", "U", exported=True)),
    mentions=(
        Reference(3, 0, Role.INHERIT, "Base"),
        Reference(8, 1, Role.CALL, "get", 'config["a\nb"]'),
        Reference(6, -1, Role.REFERENCE, "LIMIT", "settings"),
    ),
    bindings=(Binding(1, "user", "User", How.CALL), Binding(0, "", "Foo", How.TYPE)),
    routes=(Route(9, 1, "GET", "/users", ""),),
    exports=("Shop",),
)
NAMES = st.text(st.sampled_from("a.\n\0é"), max_size=5)


def test_links_come_back() -> None:
    links = Links(DEFINITIONS, REFERENCES, DataUses(referred=(Referred(4, 1, file="a.sql"),)))
    stored = deflate_links(links)
    assert inflate_links(stored) == links
    assert inflate_uses(stored) == links.uses
    assert [type(definition.kind) for definition in inflate_links(stored).definitions] == [Kind] * 4
    assert [type(mention.role) for mention in inflate_links(stored).mentions.mentions] == [Role] * 3
    assert deflate_links(Links()) == b""
    assert inflate_links(b"") == Links()


def test_mentions_are_read_as_columns() -> None:
    stored = inflate_links(deflate_links(Links(DEFINITIONS, REFERENCES))).mentions
    expected = list(REFERENCES.mentions)
    assert list(map(Reference._make, zip(*stored.mention_columns(), strict=True))) == expected
    assert list(stored.mentions) == expected
    for rows in (stored, REFERENCES):  # after the rows were asked for, and as a parser gives them
        assert list(map(Reference._make, zip(*rows.mention_columns(), strict=True))) == expected
    assert FileReferences().mention_columns() == ((), (), (), (), ())


@given(st.lists(st.tuples(NAMES, NAMES, st.integers(-1, 3), st.integers(0, 90)), max_size=6))
def test_any_names_come_back(rows: list[tuple[str, str, int, int]]) -> None:
    definitions = tuple(
        Defined(name, text, Kind.CLASS, min(parent, number - 1), row, row + 1, row + 2)
        for number, (name, text, parent, row) in enumerate(rows)
    )
    mentions = tuple(Reference(row, -1, Role.CALL, name, text) for name, text, _, row in rows)
    links = Links(definitions, FileReferences(mentions=mentions))
    assert inflate_links(deflate_links(links)) == links


def test_a_long_chain_of_definitions_comes_back() -> None:
    names = ["x" * 60] * 40
    definitions = tuple(
        Defined(name, ".".join(names[: number + 1]), Kind.CLASS, number - 1, number, number, number)
        for number, name in enumerate(names)
    )
    assert inflate_links(deflate_links(Links(definitions))).definitions == definitions


ONE = {"name": "a", "qualified": ".", "kind": "class", "parent": [-1]}


@pytest.mark.parametrize(
    "changed",
    [
        {"name": "a\nb"},  # more names than kinds
        {"kind": "nothing"},
        {"parent": [0]},
        {"parent": [7]},
        {"name": "x" * 1_000},  # a left out name that no writer leaves out
        {"parent": [-1, 0]},
    ],
)
def test_columns_that_do_not_fit_are_damage(changed: dict[str, object]) -> None:
    one = ONE | changed
    columns = (one["name"], one["qualified"], one["kind"], one["parent"], [0], [0], [0])
    nothing = ("", None, None, None, (), ())
    stored = zlib.compress(msgspec.msgpack.encode((columns, nothing, {})))
    with pytest.raises(ValueError, match=r"."):
        inflate_links(stored)
