"""The folders in parsers/: their fields, their queries, and which files are whose."""

from __future__ import annotations

import re

import pytest
from tree_sitter import Query

from coderag.syntax import link_captures
from coderag.syntax.call_routes import NAMED, call_routes
from coderag.syntax.grammar import link_query, reader
from coderag.syntax.language import Language, claimed, detect, detect_interpreter, languages
from coderag.syntax.lines import Lines
from coderag.syntax.outline import outline_tree
from coderag.syntax.parsed import parse_code
from coderag.types import Content, Kind
from tests.syntax.outlined import OUTLINED, example_of, examples_of

READERS = {"outline", "lines", "markdown", "restructuredtext", "notebook", "sql", "dbt", "glossary", "querylog"}
# The languages that are promised to be read with definitions; each is one folder.
PROMISED = {
    *("bash", "c", "cpp", "csharp", "dart", "elixir", "go", "haskell", "hcl", "java", "javascript", "julia"),
    *("kotlin", "lua", "ocaml", "php", "python", "ruby", "rust", "scala", "swift", "tsx", "typescript", "zig"),
}


def test_every_promised_language_has_definitions() -> None:
    assert {language.name for language in OUTLINED} >= PROMISED


@pytest.mark.parametrize("language", languages().values(), ids=lambda language: language.name)
def test_fields_make_sense(language: Language) -> None:
    assert language.title
    assert language.reader in READERS
    assert language.content in Content
    assert language.extensions or language.filenames or language.interpreters
    for extension in language.extensions:
        assert extension.startswith(".")
        assert extension == extension.lower()
        assert detect(f"folder/name{extension}", project=language.below) is language
        assert detect(f"NAME{extension.upper()}", project=language.below) is language
    for filename in language.filenames:
        assert detect(f"folder/{filename}", project=language.below) is language
    for interpreter in language.interpreters:
        found = detect_interpreter(f"#!/usr/bin/env {interpreter}".encode())
        assert found is language, f"{interpreter} belongs to {found and found.name} too"
    assert bool(language.grammar) == (language.reader == "outline")


@pytest.mark.parametrize("language", OUTLINED, ids=lambda language: language.name)
def test_query_fits_its_grammar_and_names_known_kinds(language: Language) -> None:
    query = reader(language).query
    captures = {query.capture_name(number) for number in range(query.capture_count)}
    kinds = {name.removeprefix("definition.") for name in captures if name.startswith("definition.")}
    assert kinds
    assert kinds <= set(Kind)
    known = {"container", "name", "body", "scope", "doc", "comment", "decorator", "import", "call"}
    assert {name for name in captures if not name.startswith(("definition.", "_"))} <= known


@pytest.mark.slow
@pytest.mark.parametrize("language", OUTLINED, ids=lambda language: language.name)
def test_links_fit_the_grammar_and_have_known_captures(language: Language) -> None:
    found = link_query(language)
    assert "" not in found.purposes, "a pattern has none of the captures that tell what it is for"
    known = set(re.findall(r"^    @(\w+)", link_captures.__doc__ or "", re.MULTILINE))
    text = re.sub(r"^[ \t]*;.*", "", f"{language.links()}\n{language.routes()}", flags=re.MULTILINE)
    assert {one for one in re.findall(r"(?<![\w\"^])@(\w+)", text) if not one.startswith("_")} <= known


@pytest.mark.parametrize("language", [one for one in OUTLINED if one.routes()], ids=lambda language: language.name)
def test_every_route_that_is_a_call_tells_its_name(language: Language) -> None:
    grammar = reader(language).parser.language
    assert grammar is not None
    text = language.routes().encode()
    query = Query(grammar, text.decode())
    for pattern in range(query.pattern_count):
        one = text[query.start_byte_for_pattern(pattern) : query.end_byte_for_pattern(pattern)].decode()
        assert NAMED.search(one), f"no call can be known by this pattern of {language.folder / 'routes.scm'}: {one}"
        assert "@address" in one


@pytest.mark.slow
def test_routes_are_found_among_the_calls_of_a_file() -> None:
    python = languages()["python"]
    parsed = parse_code(Lines(b"web.get('/x', show)\nother.get('/y', show)\nurls = [path('z/', show)]\n"), python)
    calls = outline_tree(parsed, split_above=1 << 20, brief=frozenset()).calls
    matches = call_routes(python).match(parsed.tree.root_node, calls)
    assert [nodes["address"][0].text for nodes in matches] == [b"'/x'", b"'z/'"]
    chain = Lines(b"app" + b".get('/x', y)" * 1_500 + b"\nweb.get('/x', show)\n")
    parsed = parse_code(chain, python)
    calls = outline_tree(parsed, split_above=1 << 20, brief=frozenset()).calls
    assert len(calls) == 1_501
    assert call_routes(python).match(parsed.tree.root_node, calls) == [], "a chain takes all the steps that a file has"


@pytest.mark.parametrize("language", OUTLINED, ids=lambda language: language.name)
def test_example_exists(language: Language) -> None:
    if language.name == "ocaml_interface" and not examples_of(language):
        pytest.skip("its query is that of ocaml")
    example = example_of(language)
    assert detect(example.name) is language
    assert example.with_suffix(".outline").exists()


def test_extensions_and_filenames_are_unique() -> None:
    for field in ("extensions", "filenames"):
        owners = [(language.below, one) for language in languages().values() for one in getattr(language, field)]
        assert sorted(owners) == sorted(set(owners))


def test_a_project_has_its_own_language_for_extensions() -> None:
    assert detect("models/orders.sql", project="dbt_project.yml") is languages()["dbt"]
    assert detect("models/orders.sql") is languages()["sql"]
    assert detect("models/README.md", project="dbt_project.yml") is languages()["markdown"]


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a.py", "python"),
        ("a.PY", "python"),
        ("types.d.ts", "typescript"),
        ("a/b.tsx", "tsx"),
        ("Dockerfile", "dockerfile"),
        ("Makefile", "make"),
        (".py", None),
        ("a.unknown", None),
        ("README", "text"),
        ("folder.py/", None),
        ("archive.py.gz", None),
    ],
)
def test_detection_by_name(path: str, language: str | None) -> None:
    found = detect(path)
    assert (found.name if found else None) == language


@pytest.mark.parametrize(
    ("line", "language"),
    [
        (b"#!/bin/sh", "bash"),
        (b"#!/usr/bin/env python3", "python"),
        (b"#!/usr/bin/env -S python3.11 -u", "python"),
        (b"#! /usr/bin/ruby -w", "ruby"),
        (b"#!/usr/bin/env -S PATH=/bin node --harmony", "javascript"),
        (b"#!", None),
        (b"#!/usr/bin/env", None),
        (b"#!/opt/unheard/of", None),
        (b"# python", None),
        (b"#!\xff\xfe", None),
    ],
)
def test_detection_by_first_line(line: bytes, language: str | None) -> None:
    found = detect_interpreter(line)
    assert (found.name if found else None) == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (b"struct point { int x; };\nint f(void);\n", "c"),
        (b"/* a class of errors */\nint public_key(int private_key);\n", "c"),
        (b"namespace shop {\nint f();\n}\n", "cpp"),
        (b"class Cart {\npublic:\n  int total() const;\n};\n", "cpp"),
        (b"template <typename T>\nT first(T a);\n", "cpp"),
    ],
)
def test_headers_belong_to_c_unless_they_are_cpp(text: bytes, language: str) -> None:
    assert claimed("include/cart.h", text, languages()["c"]).name == language
    assert claimed("src/cart.c", text, languages()["c"]).name == "c"
