"""Entries in TOML and YAML, and blocks in Markdown."""

from __future__ import annotations

import tomllib

import pytest
import yaml

from coderag.agents.formats.errors import LeftAlone
from coderag.agents.formats.markdown_block import block_of, put_block, remove_block
from coderag.agents.formats.toml_edit import get_toml, put_toml, remove_toml
from coderag.agents.formats.yaml_edit import put_yaml, remove_yaml, yaml_document

KEY = ("mcp_servers", "coderag")
VALUE = {"command": '/x "y"/coderag', "args": ["mcp"]}
EXTENSION = ("extensions", "coderag")
TOML = [
    "",
    "a = 1",
    "a = 1\n",
    "# only a comment\n",
    "a = 1\r\n\r\n[b]\r\nc = 2\r\n",
    '[mcp_servers.x]\ncommand = "y"\n\n# tail\n\n[z]\nq = 1\n',
    'mcp_servers = {x = {command = "y"}}  # inline\n',
    "[mcp_servers]\n",
    '[mcp_servers]\nx.command = "y"\n',
    '[[list]]\na = 1\n\n[[list]]\na = """\n[mcp_servers.coderag]\n"""\n',
    '[ mcp_servers . x ]  # odd\ncommand = "y"',
]
YAML = [
    "",
    "A: 1",
    "A: 1\n",
    "extensions: {}\n",
    "extensions:\n  x:\n    cmd: y\n# about A\nA: 1\n",
    "extensions:\n    x:\n        cmd: |\n            several\n\n            lines\n\n\nA: 1\n",
    "A: 1\r\nextensions:\r\n  x: {cmd: y}\r\n",
    "extensions:\n  x: {cmd: y}",
]


@pytest.mark.parametrize("text", TOML)
def test_a_table_of_toml_comes_out_again(text: str) -> None:
    put = put_toml(text, KEY, VALUE)
    before = tomllib.loads(text)
    assert tomllib.loads(put) == {**before, "mcp_servers": {**before.get("mcp_servers", {}), "coderag": VALUE}}
    assert get_toml(put, KEY) == VALUE
    assert remove_toml(put, KEY) == text


@pytest.mark.parametrize("text", [text for text in TOML if "inline" not in text])
def test_what_is_written_below_in_toml_stays(text: str) -> None:
    put = put_toml(text, KEY, VALUE)
    newline = "\r\n" if "\r\n" in put else "\n"
    below = f"{newline}# mine{newline}[mine]{newline}a = 1{newline}"
    joined = put + below if put.endswith("\n") else put + newline + below
    without = remove_toml(joined, KEY)
    assert without.startswith(text)
    assert without.endswith(below)


def test_an_older_table_of_toml_is_replaced_with_those_below_it() -> None:
    old = '[mcp_servers.coderag]\ncommand = "/old/coderag"\nargs = ["mcp"]\n\n[mcp_servers.coderag.env]\nA = "b"\n'
    text = f"a = 1\n\n{old}\n# about z\n[z]\nq = 1\n"
    put = put_toml(text, KEY, VALUE)
    assert put.startswith("a = 1\n\n[mcp_servers.coderag]\n")
    assert put.endswith("\n# about z\n[z]\nq = 1\n")
    assert tomllib.loads(put)["mcp_servers"] == {"coderag": VALUE}


@pytest.mark.parametrize(
    "text", ["a = ", "a = 1\na = 2\n", "mcp_servers = 7\n", "mcp_servers = {x = 1\n", "[[mcp_servers]]\na = 1\n"]
)
def test_toml_that_is_left_alone(text: str) -> None:
    with pytest.raises(LeftAlone):
        put_toml(text, KEY, VALUE)


@pytest.mark.parametrize("text", YAML)
def test_a_mapping_of_yaml_comes_out_again(text: str) -> None:
    before = yaml.safe_load(text) or {}
    value = {"cmd": '/x "y"/coderag: #', "args": ["mcp"], "enabled": True, "timeout": 300, "name": "yes"}
    put = put_yaml(text, EXTENSION, value)
    assert yaml.safe_load(put) == {**before, "extensions": {**(before.get("extensions") or {}), "coderag": value}}
    assert remove_yaml(put, EXTENSION, made=0 if "extensions" in before else 1) == text


@pytest.mark.parametrize(
    "text",
    [
        "extensions: {x: {cmd: y}}\n",
        "- a\n",
        "a: [\n",
        "extensions: 7\n",
        "--- \na: 1\n---\nb: 2\n",
        "extensions:\n\tx: 1\n",
        "extensions: [a]\n",
        "a: &x 1\nextensions: *x\n",
    ],
)
def test_yaml_that_is_left_alone(text: str) -> None:
    with pytest.raises(LeftAlone):
        put_yaml(text, EXTENSION, {"cmd": "x"})


def test_a_document_of_yaml() -> None:
    value = {"name": "coderag", "list": [{"a": "/x y", "b": ["mcp", "--root", "/z"]}], "enabled": True, "n": 1}
    assert yaml.safe_load(yaml_document(value)) == value


@pytest.mark.parametrize("text", ["", "x", "x\n", "x\n\n\n", "x\r\ny\r\n", "\n"])
def test_a_block_comes_out_again(text: str) -> None:
    put = put_block(text, "## Heading\n\nWords.\n")
    assert block_of(put) == "## Heading\n\nWords."
    assert put_block(put, "## Heading\n\nWords.\n") == put
    assert remove_block(put) == text
    assert remove_block(put + "\nmine\n").endswith("\nmine\n")


@pytest.mark.parametrize(
    "text",
    [
        "<!-- coderag:start -->\n",
        "<!-- coderag:end -->\n<!-- coderag:start -->\n",
        "<!-- coderag:start -->\n<!-- coderag:end -->\n" * 2,
    ],
)
def test_marks_that_are_no_pair(text: str) -> None:
    with pytest.raises(LeftAlone, match="remove what is too much"):
        put_block(text, "x")
