"""What the readers of code share: string literals, places, SQL in strings, and which files are looked at."""

from __future__ import annotations

import importlib

import pytest

from coderag.frameworks.common.embedded_sql import read_embedded
from coderag.frameworks.common.origins import lines_of
from coderag.frameworks.registry import FRAMEWORKS, read_code
from coderag.sql.records import AddColumn, Source
from coderag.syntax.languages.python import read_python
from coderag.syntax.trees.string_literals import string_value
from coderag.syntax.trees.tree import descendants, parse


@pytest.mark.parametrize(
    ("language", "text", "kind", "value"),
    [
        ("python", "x = 'a\\n\\'b\\u00e9'", "string", "a\n'bé"),
        ("python", "x = r'a\\nb'", "string", "a\\nb"),
        ("python", 'x = """a\nb"""', "string", "a\nb"),
        ("python", "x = ''", "string", ""),
        ("python", "x = f'a{b}'", "string", None),
        ("typescript", 'x = "a\\nb"', "string", "a\nb"),
        ("typescript", "x = `a`", "template_string", "a"),
        ("typescript", "x = `a${b}`", "template_string", None),
        ("ruby", "x 'a', \"b\"", "string", "a"),
        ("ruby", "x :name", "simple_symbol", "name"),
        ("ruby", 'x "a#{b}"', "string", None),
        ("go", 'package a\nvar x = "a\\tb"', "interpreted_string_literal", "a\tb"),
        ("go", 'package a\nvar x = `a "b"`', "raw_string_literal", 'a "b"'),
        ("java", 'class A { String x = "a\\nb"; }', "string_literal", "a\nb"),
        ("elixir", 'x "a"', "string", "a"),
    ],
)
def test_string_values(language: str, text: str, kind: str, value: str | None) -> None:
    node = next(descendants(parse(text.encode(), language), kind))
    assert string_value(node) == value


def test_what_is_no_string() -> None:
    root = parse(b"x = 1", "python")
    assert [string_value(node) for node in (None, root, *descendants(root, "integer"))] == [None, None, None]


def test_lines_of_a_node() -> None:
    root = parse(b"\n\ndef f():\n    return 1\n\n\nx = 1\n", "python")
    function = next(descendants(root, "function_definition"))
    assert lines_of(function) == Source("", 3, 4)


def test_sql_in_a_string_never_leaves_its_lines() -> None:
    facts = read_embedded("-- x\nALTER TABLE a\nADD COLUMN b int", source=Source("", 10, 11), path="a.py")
    added = facts.operations[0]
    assert isinstance(added, AddColumn)
    assert added.source == Source("", 11, 11)


def test_queries_in_a_migration_are_no_examples() -> None:
    assert read_embedded("SELECT a FROM b", source=Source("", 1, 1), path="a.py").operations == ()


@pytest.mark.parametrize("language", sorted(FRAMEWORKS))
def test_every_framework_has_a_reader(language: str) -> None:
    for framework in FRAMEWORKS[language]:
        assert callable(importlib.import_module(f"coderag.frameworks.{framework.module}").read)


@pytest.mark.parametrize("language", ["python", "ruby", "rust", "nonsense"])
def test_most_files_tell_nothing(language: str) -> None:
    assert read_code(b"import os\n\nprint(os.name)\n", language=language, path="a") is None


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("'a' 'b'", "ab"),
        ("('a' + NAME)", "aname"),
        ("f'{NAME}_x'", "name_x"),
        ("f'{{{NAME}}}'", "{name}"),
        ("Color.RED.value", "r"),
        ("Color.RED", "r"),
        ("' + '.join(x)", None),
        ("NAME * 2", None),
        ("1", None),
        ("LOOP", None),
    ],
)
def test_strings_that_a_python_file_writes_out(expression: str, value: str | None) -> None:
    text = f"NAME = 'name'\nLOOP = LOOP\nclass Color(Enum):\n    RED = 'r'\nx = {expression}\n"
    code = read_python(text.encode())
    assert code.string(code.names["x"]) == value


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        ("['a', 'b']", ("a", "b")),
        ("('a', *MORE) + ('b',)", ("a", "m", "n", "b")),
        ("tuple(MORE)", ("m", "n")),
        ("'a'", ("a",)),
        ("['a', f()]", None),
        ("[x for x in MORE]", None),
        ("list()", ()),
    ],
)
def test_lists_that_a_python_file_writes_out(expression: str, values: tuple[str, ...] | None) -> None:
    code = read_python(f"MORE = ['m', 'n']\nx = {expression}\n".encode())
    assert code.strings(code.names["x"]) == values


@pytest.mark.parametrize(
    ("text", "comment"),
    [
        ("x = 1  # what it is", "what it is"),
        ("# what it is\nx = 1", "what it is"),
        ("#: what it is\n#: and more\nx = 1", "what it is and more"),
        ("x = 1\n'''what it is'''", "what it is"),
        ("# y = f(x)\nx = 1", ""),
        ("# -------\nx = 1", ""),
        ("x = 1  # noqa: E501", ""),
        ("# far\n\nx = 1", ""),
    ],
)
def test_comments_beside_an_assignment(text: str, comment: str) -> None:
    code = read_python(f"import y\n{text}\n".encode())
    statement = code.names["x"].parent
    assert statement is not None
    assert statement.parent is not None
    assert code.comment_at(statement.parent) == comment
