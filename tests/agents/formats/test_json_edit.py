"""Entries in JSON of any layout: put in, they change no other byte; taken out, the text is what it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderag.agents.edit import Edit, Kind, applied, missing_tables, removed
from coderag.agents.formats.errors import LeftAlone
from coderag.agents.formats.json_edit import get_json, put_json, remove_json
from coderag.agents.formats.json_scan import value_of
from tests.growth import MAX_GROWTH, TIMES, ratio

KEY = ("mcpServers", "coderag")
VALUE = {"command": "/x/coderag", "args": ["mcp"]}

names = st.sampled_from(["mcpServers", "hooks", "a", "b//c", 'q"', "{", "ключ", ""])
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.sampled_from(["", "x", "//no", "/*", "}", ",]", '"', "\\", "é"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=12,
)
servers = st.dictionaries(names.filter(lambda name: name != "coderag"), values, max_size=3)
gaps = st.sampled_from(["", " ", "\n", "\n  ", "\t", " // c,}]\n", "/* x */", "/* \n */ ", "\n\n    "])


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, Any]:
    """Return a text with comments, trailing commas and blanks anywhere, and its value."""
    table = draw(st.dictionaries(names, values, max_size=3))
    if draw(st.booleans()):
        table["mcpServers"] = draw(servers)
    else:
        table.pop("mcpServers", None)
    return draw(gaps) + written(draw, table) + draw(gaps), table


def written(draw: st.DrawFn, value: Any) -> str:
    if isinstance(value, dict):
        members = [f"{json.dumps(name)}{draw(gaps)}:{draw(gaps)}{written(draw, one)}" for name, one in value.items()]
        return bracketed(draw, "{}", members)
    if isinstance(value, list):
        return bracketed(draw, "[]", [written(draw, one) for one in value])
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


def bracketed(draw: st.DrawFn, brackets: str, members: list[str]) -> str:
    inner = ",".join(draw(gaps) + member + draw(gaps) for member in members)
    trailing: bool = draw(st.booleans())
    comma = "," + draw(gaps) if members and trailing else ""
    return brackets[0] + draw(gaps) + inner + comma + brackets[1]


@given(texts())
def test_the_value_is_what_was_written(made: tuple[str, Any]) -> None:
    text, value = made
    assert value_of(text) == value


@pytest.mark.slow
@given(texts())
def test_what_is_put_in_comes_out_again(made: tuple[str, Any]) -> None:
    text, value = made
    edit = Edit(Kind.ENTRY, "json", KEY, VALUE)
    tables = missing_tables(edit, text)
    with_entry = applied(edit, text)
    assert value_of(with_entry) == {**value, "mcpServers": {**value.get("mcpServers", {}), "coderag": VALUE}}
    assert applied(edit, with_entry) == with_entry
    without = removed(edit, with_entry, made=tables)
    assert value_of(without) == value
    if value and (tables or value["mcpServers"]):  # an empty table loses the blanks in it
        assert without == text


@pytest.mark.slow
@given(texts())
def test_items_of_lists_come_out_again(made: tuple[str, Any]) -> None:
    text, value = made
    item = {"hooks": [{"type": "command", "command": "/x/coderag hook"}]}
    edit = Edit(Kind.ITEM, "json", ("list", "after"), item)
    with_item = applied(edit, text)
    assert value_of(with_item) == {**value, "list": {"after": [item]}}
    second = Edit(Kind.ITEM, "json", ("list", "after"), {"hooks": [{"command": "other"}]})
    both = applied(second, with_item)
    assert value_of(removed(edit, both, made=0))["list"]["after"] == [second.value]
    assert value_of(removed(edit, with_item, made=2)) == value


def test_comments_stay_where_they_are() -> None:
    text = '{\n  "mcpServers": {\n    "a": {} // first\n    // last\n  }\n}\n'
    entry = '\n    "coderag": {\n      "command": "/x/coderag",\n      "args": [\n        "mcp"\n      ]\n    }\n'
    assert put_json(text, KEY, VALUE) == text.replace("{} //", "{}, //").replace("last\n", f"last{entry}", 1)


def test_an_older_entry_is_replaced_in_place() -> None:
    text = '{"mcpServers": {"coderag": {"command": "/old/coderag", "args": ["mcp"]}, "z": 1}} // end'
    assert put_json(text, KEY, VALUE) == text.replace("/old/", "/x/")


def test_lines_end_as_they_do() -> None:
    put = put_json('{\r\n\t"a": 1\r\n}\r\n', KEY, VALUE)
    assert put.count("\n") == put.count("\r\n") == put.count("\n\t") + 2


def test_the_last_of_a_table_that_was_there_leaves_it() -> None:
    text = put_json('{"mcpServers": {}}', KEY, VALUE)
    assert remove_json(text, KEY, made=0) == '{"mcpServers": {}}'
    assert remove_json(text, KEY, made=1) == "{}"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "no JSON at line 1"),
        ('{"a": 1}\n}', "no JSON at line 2"),
        ("{'a': 1}", "no JSON"),
        ('{"a": "x\n"}', "no JSON at line 1"),
        ("[]", "it holds no table"),
        ("7", "it holds no table"),
        ('{"mcpServers": []}', "'mcpServers' is no table"),
        ('{"mcpServers": {}, "mcpServers": {}}', "'mcpServers' is there twice"),
        ('{"mcpServers": {"coderag": 1, "coderag": 2}}', "'coderag' is there twice"),
        ("[" * 100_000, "it is nested too deeply"),
        ("{}/*", "no JSON"),
    ],
)
def test_what_is_left_alone(text: str, why: str) -> None:
    with pytest.raises(LeftAlone, match=why):
        put_json(text, KEY, VALUE)


def test_a_key_by_its_escapes_is_the_same() -> None:
    assert get_json('{"mcp\\u0053ervers": {"coderag": 1}}', KEY) == 1


def test_time_grows_as_the_text_does() -> None:
    def work(size: int) -> Any:
        text = json.dumps({"history": [{"text": '//"{', "n": 1}] * size, "mcpServers": {"a": {}}}, indent=1)
        return lambda: put_json(text, KEY, VALUE)

    assert ratio(work(16_000), work(16_000 // TIMES), at_most=MAX_GROWTH) <= MAX_GROWTH
